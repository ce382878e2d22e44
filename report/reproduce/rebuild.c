// SPDX-License-Identifier: Apache-2.0
// Builds tacho-engine again and compares.
#include "report/reproduce/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"

#define TOOL_TIMEOUT_NS (20 * CLOCK_NS_PER_S)
#define FOLDER          SANDBOX_WORK "/" REBUILD_SOURCES
#define WORDS_BYTES_MAX ((size_t)16 << 20)

const char *const rebuild_outcome_names[] = {
    [REBUILD_IDENTICAL] = "IDENTICAL",
    [REBUILD_DIFFERS_SAME_TOOLCHAIN] = "DIFFERS-SAME-TOOLCHAIN",
    [REBUILD_DIFFERS_OTHER_TOOLCHAIN] = "DIFFERS-OTHER-TOOLCHAIN",
    [REBUILD_FAILED] = "FAILED",
    [REBUILD_NO_TOOL] = "NO-COMPILER",
    [REBUILD_STOPPED] = "STOPPED",
};

static const struct sandbox_limits limits = {.cpu_s = 600,
                                             .file_bytes = (uint64_t)1 << 30,
                                             .memory_bytes = (uint64_t)4 << 30,
                                             .process_count = 256};

struct rebuilding {
    const struct rebuild_config *config;
    struct rebuild_result result;
    const char *environment[BUILD_VARIABLE_COUNT_MAX + 3];
};

static void environment_make(struct rebuilding *rebuilding)
{
    size_t count = 0;

    rebuilding->environment[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
    rebuilding->environment[count++] = "TMPDIR=/tmp";
    for (const char *const *at = rebuilding->config->record->environment; *at; at++) {
        rebuilding->environment[count++] = *at;
    }
}

/* A word with the folder in the place of its mark. */
static void word_expand(const char *word, struct buf *out)
{
    const char *mark;

    for (; (mark = strstr(word, BUILD_FOLDER_MARK)) != NULL;
         word = mark + strlen(BUILD_FOLDER_MARK)) {
        buf_add(out, word, (size_t)(mark - word));
        buf_add_text(out, FOLDER);
    }
    buf_add(out, word, strlen(word) + 1); /* with its NUL */
}

/* Runs one command of the record in the sandbox. */
static enum err_code command_run(struct rebuilding *rebuilding, const struct build_step *step,
                                 const struct sandbox_config *shape,
                                 struct sandbox_result *result_out, struct err *e)
{
    struct sandbox_config config = *shape;
    const char **words = calloc(step->count + 1, sizeof(*words));
    struct buf text;

    buf_init(&text, WORDS_BYTES_MAX);
    for (size_t i = 0; i < step->count; i++) {
        word_expand(step->arguments[i], &text);
    }
    enum err_code code =
        words ? buf_check(&text, "a command", e) : err_set(e, ERR_LIMIT, "no memory for a command");
    if (code == ERR_OK) {
        const char *at = text.bytes;
        for (size_t i = 0; i < step->count; i++, at += strlen(at) + 1) {
            words[i] = at;
        }
        config.work_folder = rebuilding->config->work_folder;
        config.folder = REBUILD_SOURCES;
        config.arguments = words;
        config.environment = rebuilding->environment;
        config.limits = limits;
        config.clock = rebuilding->config->clock;
        config.stop = rebuilding->config->stop;
        code = sandbox_run(&config, result_out, e);
    }
    free(words);
    buf_release(&text);
    return code;
}

/* The first line of what a tool wrote, printable. */
static void line_take(int fd, char out[REBUILD_TEXT_BYTES])
{
    ssize_t count = pread(fd, out, REBUILD_TEXT_BYTES - 1, 0);

    out[count > 0 ? count : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    for (char *at = out; *at; at++) {
        if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f) {
            *at = '?';
        }
    }
}

/* A tool that is not there says nothing. */
static enum err_code tool_ask(struct rebuilding *rebuilding, size_t index, struct err *e)
{
    const struct build_tool *tool = &rebuilding->config->record->tools[index];
    struct sandbox_config shape = {.error_fd = -1, .timeout_ns = TOOL_TIMEOUT_NS};
    struct sandbox_result result = {0};
    struct err cause = {0};

    shape.output_fd = open(rebuilding->config->work_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (shape.output_fd < 0) {
        return err_set_sys(e, "%s", rebuilding->config->work_folder);
    }
    enum err_code code = command_run(rebuilding, &tool->step, &shape, &result, &cause);
    if (code == ERR_OK && result.end == SANDBOX_EXITED && result.status == 0) {
        line_take(shape.output_fd, rebuilding->result.tools[index]);
    }
    close(shape.output_fd);
    bool is_absent = code == ERR_SYS && cause.sys_errno == ENOENT;
    if (code != ERR_OK && !is_absent) {
        *e = cause;
        return code;
    }
    if (strcmp(rebuilding->result.tools[index], tool->says) != 0) {
        rebuilding->result.same_toolchain = false;
    }
    return ERR_OK;
}

static void step_fail(struct rebuilding *rebuilding, size_t index, const char *what)
{
    const struct build_record *record = rebuilding->config->record;

    rebuilding->result.outcome = REBUILD_FAILED;
    snprintf(rebuilding->result.reason, REBUILD_TEXT_BYTES, "step %zu of %zu (%.60s): %s",
             index + 1, record->step_count, record->steps[index].arguments[0], what);
}

/* False: no further step. */
static bool step_run(struct rebuilding *rebuilding, size_t index, enum err_code *code,
                     struct err *e)
{
    const struct rebuild_config *config = rebuilding->config;
    const struct sandbox_config shape = {.output_fd = config->log_fd,
                                         .error_fd = config->log_fd,
                                         .timeout_ns = config->step_timeout_ns};
    struct sandbox_result result = {0};
    char what[SANDBOX_TEXT_BYTES];
    struct err cause = {0};

    *code = command_run(rebuilding, &config->record->steps[index], &shape, &result, &cause);
    if (*code == ERR_SYS && cause.sys_errno == ENOENT) {
        step_fail(rebuilding, index, "not on this machine");
        rebuilding->result.outcome = REBUILD_NO_TOOL;
        *code = ERR_OK;
        return false;
    }
    if (*code != ERR_OK) {
        *e = cause;
        return false;
    }
    if (result.end == SANDBOX_EXITED && result.status == 0) {
        return true;
    }
    sandbox_format(&result, what);
    step_fail(rebuilding, index, what);
    if (result.end == SANDBOX_STOPPED) {
        rebuilding->result.outcome = REBUILD_STOPPED;
    }
    return false;
}

/* Foreign code chose what lies at the path: only a plain file of its own is taken. */
static enum err_code product_digest(struct rebuilding *rebuilding, struct err *e)
{
    const struct build_record *record = rebuilding->config->record;
    char path[PATH_MAX];
    struct stat status;

    if (snprintf(path, sizeof(path), "%s/%s", rebuilding->config->work_folder,
                 record->product_path) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", rebuilding->config->work_folder);
    }
    if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode)) {
        step_fail(rebuilding, record->step_count - 1, "it made no program");
        return ERR_OK;
    }
    enum err_code code = digest_file(path, rebuilding->result.sha256, e);
    if (code == ERR_OK &&
        strcmp(rebuilding->result.sha256, rebuilding->config->measured_sha256) != 0) {
        rebuilding->result.outcome = rebuilding->result.same_toolchain
                                         ? REBUILD_DIFFERS_SAME_TOOLCHAIN
                                         : REBUILD_DIFFERS_OTHER_TOOLCHAIN;
    }
    return code;
}

static enum err_code folders_make(const struct rebuild_config *config, struct err *e)
{
    static const char *const names[] = {REBUILD_SOURCES, REBUILD_OBJECTS, REBUILD_BINARIES};
    enum err_code code = ERR_OK;
    char path[PATH_MAX];

    for (size_t i = 0; i < ARRAY_COUNT(names) && code == ERR_OK; i++) {
        snprintf(path, sizeof(path), "%s/%s", config->work_folder, names[i]);
        code = fs_make_directories(path, e);
    }
    return code == ERR_OK ? sandbox_give(config->work_folder, e) : code;
}

enum err_code rebuild_run(const struct rebuild_config *config, struct rebuild_result *result_out,
                          struct err *e)
{
    struct rebuilding rebuilding = {
        .config = config, .result = {.outcome = REBUILD_IDENTICAL, .same_toolchain = true}};
    enum err_code code = folders_make(config, e);
    bool goes_on = true;

    environment_make(&rebuilding);
    for (size_t i = 0; i < config->record->tool_count && code == ERR_OK; i++) {
        code = tool_ask(&rebuilding, i, e);
    }
    for (size_t i = 0; i < config->record->step_count && code == ERR_OK && goes_on; i++) {
        goes_on = step_run(&rebuilding, i, &code, e);
    }
    if (code == ERR_OK && goes_on) {
        code = product_digest(&rebuilding, e);
    }
    if (code == ERR_OK) {
        *result_out = rebuilding.result;
    }
    return code;
}
