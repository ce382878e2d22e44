// SPDX-License-Identifier: Apache-2.0
// A verified bundle is measured again.
#include "report/reproduce/reproduce.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "engines/base/units.h"
#include "report/bundle/content.h"
#include "report/bundle/reproducible.h"
#include "report/reproduce/reproduce_work.h"

#define STEP_TIMEOUT_NS (300 * CLOCK_NS_PER_S)
#define GATE_BYTES_MAX  ((size_t)1 << 20)
#define TEXT_BYTES_MAX  ((size_t)64 << 20)
#define TRY_TIMEOUT_NS  (20 * CLOCK_NS_PER_S)

enum err_code reproduce_path(const struct reproduction *reproduction, char out[PATH_MAX],
                             const char *name, struct err *e)
{
    return snprintf(out, PATH_MAX, "%s/%s", reproduction->folder, name) >= PATH_MAX
               ? err_set(e, ERR_LIMIT, "%s: the path is too long", reproduction->folder)
               : ERR_OK;
}

void reproduce_tell(const struct reproduction *reproduction, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (reproduction->config->notice) {
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        reproduction->config->notice(reproduction->config->self, text);
    }
}

bool reproduce_is_stopped(const struct reproduction *reproduction)
{
    return reproduction->config->stop && *reproduction->config->stop;
}

int reproduce_log_open(const struct reproduction *reproduction, const char *name, struct err *e)
{
    char path[PATH_MAX], relative[64];

    snprintf(relative, sizeof(relative), REPRODUCE_LOGS "/%s", name);
    if (reproduce_path(reproduction, path, relative, e) != ERR_OK) {
        return -1;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        err_set_sys(e, "%s", path);
    }
    return fd;
}

/* --- open --- */

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    while (folder && count < 3 && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return folder && count == 2; /* "." and ".." */
}

/* Nothing of another run may lie in it. */
static enum err_code folder_make(struct reproduction *reproduction, struct err *e)
{
    const char *given = reproduction->config->folder;
    char path[PATH_MAX];

    reproduction->folder_was_there = fs_exists(given);
    if (reproduction->folder_was_there && !folder_is_empty(given)) {
        return err_set(e, ERR_USAGE,
                       "%s is there already and not an empty folder; name another "
                       "one with --output",
                       given);
    }
    enum err_code code = fs_make_directories(given, e);
    if (code == ERR_OK && !realpath(given, reproduction->folder)) {
        code = err_set_sys(e, "%s", given);
    }
    if (code == ERR_OK) {
        code = reproduce_path(reproduction, path, REPRODUCE_LOGS, e);
    }
    return code == ERR_OK ? fs_make_directories(path, e) : code;
}

static enum err_code published_load(struct reproduction *reproduction, struct err *e)
{
    const struct file_tree_entry *results = file_tree_find(reproduction->tree, CONTENT_RESULTS);
    char path[PATH_MAX];

    if (!results || results->is_folder) {
        return err_set(e, ERR_FORMAT, "the bundle has no %s", CONTENT_RESULTS);
    }
    enum err_code code = reproduce_path(reproduction, path, REPRODUCE_PUBLISHED, e);
    if (code == ERR_OK) {
        code = file_tree_write(reproduction->tree, results, path, e);
    }
    if (code == ERR_OK) {
        code = results_load(path, true, &reproduction->published_results, e);
    }
    if (code == ERR_OK) {
        code = analysis_make(reproduction->published_results, &reproduction->published, e);
    }
    reproduction->state.published = reproduction->published;
    return code;
}

static enum err_code record_load(struct reproduction *reproduction, struct err *e)
{
    const struct file_tree_entry *record = file_tree_find(reproduction->tree, CONTENT_BUILD);

    if (!record || record->is_folder) {
        return err_set(e, ERR_FORMAT,
                       "the bundle carries no sources of its engines: it was sealed by another "
                       "version than measured, and only its numbers can be checked");
    }
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    enum err_code code = file_tree_load(reproduction->tree, record, &text, e);
    if (code == ERR_OK) {
        code = build_record_parse(text.bytes, text.length, &reproduction->record, e);
    }
    buf_release(&text);
    reproduction->state.record = &reproduction->record;
    return code == ERR_OK ? ERR_OK : err_wrap(e, CONTENT_BUILD);
}

static enum err_code plan_load_stored(struct reproduction *reproduction, struct err *e)
{
    struct err cause = {0};
    enum err_code code =
        reproducible_load_plan(reproduction->published_results, &reproduction->plan, e);

    if (code == ERR_OK && reproducible_check_plan(reproduction->plan, &cause) != ERR_OK) {
        code = err_set(e, cause.code, "%s: the bundle's README tells how to measure it by hand",
                       cause.text);
    }
    return code;
}

static enum err_code sources_write(struct reproduction *reproduction, struct err *e)
{
    static const char prefix[] = CONTENT_SOURCES;
    char name[2 * FILE_TREE_PATH_BYTES_MAX], path[PATH_MAX];
    enum err_code code = reproduce_path(reproduction, path, REPRODUCE_BUILD "/" REBUILD_SOURCES, e);

    if (code == ERR_OK) {
        code = fs_make_directories(path, e);
    }

    for (size_t i = 0; i < reproduction->tree->count && code == ERR_OK; i++) {
        const struct file_tree_entry *entry = &reproduction->tree->entries[i];

        if (strncmp(entry->path, prefix, sizeof(prefix) - 1) != 0) {
            continue;
        }
        snprintf(name, sizeof(name), REPRODUCE_BUILD "/" REBUILD_SOURCES "/%s",
                 entry->path + sizeof(prefix) - 1);
        code = reproduce_path(reproduction, path, name, e);
        if (code == ERR_OK) {
            code = entry->is_folder ? fs_make_directories(path, e)
                                    : file_tree_write(reproduction->tree, entry, path, e);
        }
    }
    return code;
}

enum err_code reproduce_open(const struct reproduce_config *config, const struct file_tree *tree,
                             struct reproduction **reproduction_out, struct err *e)
{
    static enum err_code (*const steps[])(struct reproduction *, struct err *) = {
        folder_make, published_load, record_load, plan_load_stored, sources_write};
    struct reproduction *reproduction = calloc(1, sizeof(*reproduction));

    if (!reproduction) {
        return err_set(e, ERR_LIMIT, "no memory for a reproduction");
    }
    reproduction->config = config;
    reproduction->state.config = config;
    reproduction->tree = tree;
    buf_init(&reproduction->state.gate_text, GATE_BYTES_MAX);
    buf_init(&reproduction->state.text, TEXT_BYTES_MAX);
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(steps) && code == ERR_OK; i++) {
        code = steps[i](reproduction, e);
    }
    if (code != ERR_OK) {
        reproduce_free(reproduction);
        return code;
    }
    reproduction->tree = NULL;
    *reproduction_out = reproduction;
    return ERR_OK;
}

static int nothing_do(void *context)
{
    (void)context;
    return 0;
}

enum err_code reproduce_check_sandbox(const struct reproduction *reproduction, struct err *e)
{
    static const char *const none[] = {NULL};
    struct sandbox_result result;
    char path[PATH_MAX];
    enum err_code code = reproduce_path(reproduction, path, REPRODUCE_BUILD, e);
    const struct sandbox_config config = {.work_folder = path,
                                          .folder = "",
                                          .run = nothing_do,
                                          .environment = none,
                                          .output_fd = -1,
                                          .error_fd = -1,
                                          .timeout_ns = TRY_TIMEOUT_NS,
                                          .clock = reproduction->config->clock};

    return code == ERR_OK ? sandbox_run(&config, &result, e) : code;
}

/* --- list --- */

/* A foreign word on one line: what is not printable is shown as \xNN, blanks are quoted. */
static void word_add(const char *word, struct buf *out)
{
    bool is_plain = *word && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789_./+-=,:{}@%") == strlen(word);

    buf_add_text(out, is_plain ? " " : " '");
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;

        if (byte < 0x20 || byte >= 0x7f || byte == '\'') {
            buf_addf(out, "\\x%02x", byte);
        } else {
            buf_add_char(out, *word);
        }
    }
    buf_add_text(out, is_plain ? "" : "'");
}

/* Time of the trials, in whole seconds. */
static int64_t plan_seconds(const struct plan *plan, bool is_quick)
{
    struct plan *quick = is_quick ? malloc(sizeof(*quick)) : NULL;
    int64_t ns = plan_duration_ns(plan);

    if (quick) {
        *quick = *plan; /* it owns nothing of it */
        plan_make_quick(quick);
        ns = plan_duration_ns(quick);
    }
    free(quick);
    return ns / CLOCK_NS_PER_S + 1;
}

void reproduce_list(const struct reproduction *reproduction, struct document *words,
                    struct buf *out)
{
    const struct build_record *record = &reproduction->record;
    char duration[UNITS_TEXT_BYTES];

    buf_add_text(
        out, document_format(
                 words,
                 "These commands of the bundle will run in a sandbox: no network but a loopback "
                 "interface of its own,\nnothing can be written but %s/%s (inside: %s), as %s.\n",
                 reproduction->folder, REPRODUCE_BUILD, SANDBOX_WORK,
                 document_tr(words, geteuid() == 0 ? "a user without rights"
                                                   : "you, without any privilege")));
    for (size_t i = 0; i < record->step_count; i++) {
        for (size_t j = 0; j < record->steps[i].count; j++) {
            word_add(record->steps[i].arguments[j], out);
        }
        buf_add_char(out, '\n');
    }
    int64_t seconds = plan_seconds(reproduction->plan, reproduction->config->is_quick);
    units_format_duration(seconds * CLOCK_NS_PER_S, duration);
    buf_add_text(
        out,
        document_format(
            words,
            "Then, in the same kind of sandbox below %s/%s, the program they made serves, and this "
            "tacho\nloads it by the bundle's plan%s: about %s.\n",
            reproduction->folder, REPRODUCE_SESSION,
            reproduction->config->is_quick ? document_tr(words, ", shortened by --quick") : "",
            duration));
}

/* --- run --- */

/* The program that was measured: all engines of a session are one. */
static const char *measured_sha256(const struct reproduction *reproduction)
{
    return reproduction->published_results->engine_count
               ? reproduction->published_results->engines[0].binary_sha256
               : "";
}

static enum err_code engines_rebuild(struct reproduction *reproduction, struct err *e)
{
    struct rebuild_result *rebuilt = &reproduction->state.rebuilt;
    char path[PATH_MAX];
    int log_fd = -1;
    enum err_code code = reproduce_path(reproduction, path, REPRODUCE_BUILD, e);

    if (code == ERR_OK) {
        log_fd = reproduce_log_open(reproduction, "build.log", e);
        code = log_fd < 0 ? ERR_SYS : ERR_OK;
    }
    if (code != ERR_OK) {
        return code;
    }
    const struct rebuild_config config = {.record = &reproduction->record,
                                          .work_folder = path,
                                          .measured_sha256 = measured_sha256(reproduction),
                                          .log_fd = log_fd,
                                          .step_timeout_ns = STEP_TIMEOUT_NS,
                                          .clock = reproduction->config->clock,
                                          .stop = reproduction->config->stop};
    reproduce_tell(reproduction, "building tacho-engine from the bundle's sources: %zu command%s",
                   reproduction->record.step_count,
                   units_word((int64_t)reproduction->record.step_count, "", "s"));
    code = rebuild_run(&config, rebuilt, e);
    close(log_fd);
    if (code == ERR_OK) {
        reproduce_tell(reproduction, "tacho-engine: %s%s%s",
                       rebuild_outcome_names[rebuilt->outcome], *rebuilt->reason ? ": " : "",
                       rebuilt->reason);
    }
    if (code == ERR_OK && rebuilt->outcome == REBUILD_FAILED) {
        reproduction->invalid_reason = "the engines could not be built; see logs/build.log";
    } else if (code == ERR_OK && rebuilt->outcome == REBUILD_NO_TOOL) {
        reproduction->open_reason = "this machine has not the compiler that the bundle names";
    }
    return code;
}

/* Goes on to the next step of the measurement only when nothing has decided yet. */
static enum err_code measurement_run(struct reproduction *reproduction, struct err *e)
{
    static enum err_code (*const steps[])(struct reproduction *, struct err *) = {
        engines_rebuild, reproduce_prepare_session, reproduce_gate, reproduce_measure};
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(steps) && code == ERR_OK && !reproduction->invalid_reason &&
                       !reproduction->open_reason;
         i++) {
        code = steps[i](reproduction, e);
        if (code == ERR_OK && reproduce_is_stopped(reproduction)) {
            code =
                err_set(e, ERR_LIMIT, "interrupted by signal %d", (int)*reproduction->config->stop);
        }
    }
    return code;
}

static enum err_code claims_judge_again(struct reproduction *reproduction, struct err *e)
{
    struct reproduce_state *state = &reproduction->state;
    enum err_code code = ERR_OK;

    state->here = reproduction->here;
    if (state->here) {
        code = surroundings_make(reproduction->published_results, reproduction->here_results,
                                 &state->surroundings, e);
    }
    const struct replication_options options = {.same_class = state->surroundings.same_class,
                                                .is_quick = reproduction->config->is_quick,
                                                .invalid_reason = reproduction->invalid_reason,
                                                .open_reason = reproduction->open_reason};
    return code == ERR_OK
               ? replication_make(state->published, state->here, &options, &state->replication, e)
               : code;
}

enum err_code reproduce_run(struct reproduction *reproduction, struct err *e)
{
    enum err_code code = measurement_run(reproduction, e);

    if (code == ERR_OK) {
        code = claims_judge_again(reproduction, e);
    }
    if (code == ERR_OK) {
        code = reproduce_write(reproduction, e);
    }
    reproduction->is_complete = code == ERR_OK;
    return code;
}

const struct reproduce_state *reproduce_get_state(const struct reproduction *reproduction)
{
    return &reproduction->state;
}

/* --- free --- */

static void folder_clear(const struct reproduction *reproduction)
{
    static const char *const passing[] = {REPRODUCE_BUILD, REPRODUCE_SESSION, REPRODUCE_PUBLISHED};
    char path[PATH_MAX];

    if (!*reproduction->folder) {
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(passing); i++) {
        if (reproduce_path(reproduction, path, passing[i], NULL) == ERR_OK &&
            fs_remove_tree(path, NULL) != ERR_OK) {
            reproduce_tell(reproduction, "%s could not be removed", path);
        }
    }
    if (reproduction->is_complete) {
        return;
    }
    if (reproduce_path(reproduction, path, REPRODUCE_LOGS, NULL) == ERR_OK) {
        rmdir(path); /* logs that say something stay */
    }
    if (!reproduction->folder_was_there) {
        rmdir(reproduction->folder);
    }
}

void reproduce_free(struct reproduction *reproduction)
{
    if (!reproduction) {
        return;
    }
    replication_release(&reproduction->state.replication);
    surroundings_release(&reproduction->state.surroundings);
    buf_release(&reproduction->state.gate_text);
    buf_release(&reproduction->state.text);
    analysis_free(reproduction->published);
    analysis_free(reproduction->here);
    results_free(reproduction->published_results);
    results_free(reproduction->here_results);
    plan_free(reproduction->plan);
    build_record_release(&reproduction->record);
    folder_clear(reproduction);
    free(reproduction);
}
