// SPDX-License-Identifier: Apache-2.0
// The rebuilt engines are asked and measured, all of it in a sandbox.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "engines/base/units.h"
#include "report/bundle/content.h"
#include "report/bundle/file_tree.h"
#include "report/reproduce/gate.h"
#include "report/reproduce/reproduce_work.h"

#define PROGRAM_BYTES_MAX ((size_t)256 << 20)
#define GATE_TIMEOUT_NS   (600 * CLOCK_NS_PER_S)
#define SPARE_NS          (600 * CLOCK_NS_PER_S) /* of a session beside what the plan takes */
#define STOP_GRACE_NS     (20 * CLOCK_NS_PER_S)
#define LOG_BYTES_MAX     (1 << 20)

#define PLAN_NAME    "plan/plan.yaml"
#define PROGRAM_NAME "bin/tacho"
#define ENGINE_NAME  "bin/tacho-engine"
#define PROGRAM_PATH (SANDBOX_WORK "/" PROGRAM_NAME)
#define ENGINE_PATH  (SANDBOX_WORK "/" ENGINE_NAME)
#define RESULTS_NAME "results/results.db"

/* What a session may take; the bodies of a hostile engine are another matter. */
static const struct sandbox_limits limits = {.file_bytes = (uint64_t)8 << 30,
                                             .process_count = 16384};

static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                          "TMPDIR=/tmp", NULL};

/* --- folders --- */

static enum err_code session_path(const struct reproduction *reproduction, char out[PATH_MAX],
                                  const char *name, struct err *e)
{
    char relative[PATH_MAX];

    if (snprintf(relative, sizeof(relative), REPRODUCE_SESSION "/%s", name) >=
        (int)sizeof(relative)) {
        return err_set(e, ERR_LIMIT, "%s: the path is too long", name);
    }
    return reproduce_path(reproduction, out, relative, e);
}

static enum err_code session_write(const struct reproduction *reproduction, const char *name,
                                   const void *bytes, size_t length, struct err *e)
{
    char path[PATH_MAX], folder[PATH_MAX];
    enum err_code code = session_path(reproduction, path, name, e);

    if (code == ERR_OK) {
        memcpy(folder, path, sizeof(folder));
        *strrchr(folder, '/') = '\0';
        code = fs_make_directories(folder, e);
    }
    return code == ERR_OK ? fs_write_file(path, bytes, length, e) : code;
}

static enum err_code program_copy(const struct reproduction *reproduction, const char *from,
                                  const char *name, const char *sha256, struct err *e)
{
    char path[PATH_MAX], hex[DIGEST_HEX_BYTES] = "";
    struct buf bytes;

    buf_init(&bytes, PROGRAM_BYTES_MAX);
    enum err_code code = fs_read_file(from, &bytes, e);
    if (code == ERR_OK) {
        code = digest_bytes(bytes.bytes, bytes.length, hex, e);
    }
    if (code == ERR_OK && sha256 && strcmp(hex, sha256) != 0) {
        code = err_set(e, ERR_MISMATCH, "%s changed after it was built", from);
    }
    if (code == ERR_OK) {
        code = session_write(reproduction, name, bytes.bytes, bytes.length, e);
    }
    if (code == ERR_OK) {
        code = session_path(reproduction, path, name, e);
    }
    if (code == ERR_OK && chmod(path, 0755) < 0) {
        code = err_set_sys(e, "%s", path);
    }
    buf_release(&bytes);
    return code;
}

static enum err_code own_program_copy(const struct reproduction *reproduction, struct err *e)
{
    char path[PROC_PATH_BYTES];

    return proc_read_link(MACHINE_PROC_ROOT, path, sizeof(path), "self/exe") > 0
               ? program_copy(reproduction, path, PROGRAM_NAME, NULL, e)
               : err_set_sys(e, "the path of this program");
}

static enum err_code body_write(const struct reproduction *reproduction,
                                const struct plan_request *request, struct err *e)
{
    char name[PATH_MAX];

    if (!request->body_path) {
        return ERR_OK;
    }
    if (file_tree_check_path(request->body_path, NULL) != ERR_OK) {
        return err_set(e, ERR_FORMAT, "the body's name %.100s leads out of the plan's folder",
                       request->body_path);
    }
    snprintf(name, sizeof(name), "plan/%s", request->body_path);
    return session_write(reproduction, name, request->body, request->body_bytes, e);
}

/* The bodies lie where the plan names them. */
static enum err_code bodies_write(const struct reproduction *reproduction, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < reproduction->plan->workload_count; i++) {
        const struct plan_workload *workload = &reproduction->plan->workloads[i];

        for (size_t k = 0; k < workload->request_count && code == ERR_OK; k++) {
            code = body_write(reproduction, &workload->requests[k], e);
        }
    }
    return code;
}

enum err_code reproduce_prepare_session(struct reproduction *reproduction, struct err *e)
{
    const struct results *published = reproduction->published_results;
    char product[PATH_MAX], name[PATH_MAX], results[PATH_MAX];

    snprintf(name, sizeof(name), REPRODUCE_BUILD "/%s", reproduction->record.product_path);
    enum err_code code = reproduce_path(reproduction, product, name, e);
    if (code == ERR_OK) {
        code =
            program_copy(reproduction, product, ENGINE_NAME, reproduction->state.rebuilt.sha256, e);
    }
    if (code == ERR_OK) {
        code = own_program_copy(reproduction, e);
    }
    if (code == ERR_OK) {
        code = session_write(reproduction, PLAN_NAME, published->plan_text,
                             strlen(published->plan_text), e);
    }
    if (code == ERR_OK) {
        code = bodies_write(reproduction, e);
    }
    if (code == ERR_OK) {
        code = session_path(reproduction, results, "results", e);
    }
    if (code == ERR_OK) {
        code = fs_make_directories(results, e);
    }
    /* The rest stays ours: the engines can write nothing but what they are measured in. */
    return code == ERR_OK ? sandbox_give(results, e) : code;
}

/* --- gate --- */

/* The lines that the gate wrote, free of what would move a cursor. */
static void log_take(int fd, struct buf *out)
{
    char text[4096];
    off_t at = 0;

    for (ssize_t count; (count = pread(fd, text, sizeof(text), at)) > 0 && at < LOG_BYTES_MAX;
         at += count) {
        for (ssize_t i = 0; i < count; i++) {
            unsigned char byte = (unsigned char)text[i];

            buf_add_char(out, (byte < 0x20 && byte != '\n') || byte == 0x7f ? '?' : text[i]);
        }
    }
}

static enum err_code session_shape(const struct reproduction *reproduction, char folder[PATH_MAX],
                                   struct sandbox_config *shape, struct err *e)
{
    *shape = (struct sandbox_config){.work_folder = folder,
                                     .folder = "",
                                     .environment = environment,
                                     .grace_ns = STOP_GRACE_NS,
                                     .limits = limits,
                                     .clock = reproduction->config->clock,
                                     .stop = reproduction->config->stop};
    return reproduce_path(reproduction, folder, REPRODUCE_SESSION, e);
}

static void gate_judge(struct reproduction *reproduction, const struct sandbox_result *result)
{
    struct reproduce_state *state = &reproduction->state;

    state->gate_was_asked = true;
    state->gate_passed = result->end == SANDBOX_EXITED && result->status == GATE_RIGHT;
    if (!state->gate_passed) {
        reproduction->invalid_reason = result->end == SANDBOX_EXITED && result->status == GATE_WRONG
                                           ? "an engine does not give the recorded answer"
                                           : "the engines could not be asked; see logs/gate.log";
        const char *line = state->gate_text.length ? state->gate_text.bytes : "";
        reproduce_tell(reproduction, "wrong answer: %.*s", (int)strcspn(line, "\n"), line);
    }
}

enum err_code reproduce_gate(struct reproduction *reproduction, struct err *e)
{
    struct gate_config gate = {.plan = reproduction->plan,
                               .engine_program = ENGINE_PATH,
                               .report_fd = STDOUT_FILENO,
                               .clock = reproduction->config->clock,
                               .stop = reproduction->config->stop};
    struct sandbox_result result = {0};
    struct sandbox_config shape;
    char folder[PATH_MAX];
    int log_fd = reproduce_log_open(reproduction, "gate.log", e);
    enum err_code code = log_fd < 0 ? ERR_SYS : session_shape(reproduction, folder, &shape, e);

    if (code == ERR_OK) {
        shape.run = gate_run;
        shape.context = &gate;
        shape.output_fd = log_fd;
        shape.error_fd = log_fd;
        shape.timeout_ns = GATE_TIMEOUT_NS;
        reproduce_tell(reproduction, "asking %zu engine%s for the recorded answers",
                       reproduction->plan->engine_count,
                       units_word((int64_t)reproduction->plan->engine_count, "", "s"));
        code = sandbox_run(&shape, &result, e);
    }
    if (code == ERR_OK) {
        log_take(log_fd, &reproduction->state.gate_text);
        if (result.end != SANDBOX_STOPPED) {
            gate_judge(reproduction, &result);
        }
    }
    if (log_fd >= 0) {
        close(log_fd);
    }
    return code;
}

/* --- session --- */

static enum err_code session_run_inside(struct reproduction *reproduction,
                                        struct sandbox_result *result_out, struct err *e)
{
    /* It waits for nobody: who was at work is in the session, and the comparison judges by it. */
    const char *arguments[] = {
        PROGRAM_PATH, "run", "--wait",     "0s",
        PLAN_NAME,    "-o",  RESULTS_NAME, reproduction->config->is_quick ? "--quick" : NULL,
        NULL};
    char name[PATH_MAX + 64], folder[PATH_MAX];
    const char *named_environment[ARRAY_COUNT(environment) + 1] = {name};
    struct sandbox_config shape;
    int log_fd = reproduce_log_open(reproduction, "session.log", e);
    enum err_code code = log_fd < 0 ? ERR_SYS : session_shape(reproduction, folder, &shape, e);

    if (code == ERR_OK) {
        memcpy(named_environment + 1, environment, sizeof(environment));
        snprintf(name, sizeof(name), "TACHO_RESULTS_NAME=%s/" RESULTS_NAME, folder);
        shape.environment = named_environment;
        shape.arguments = arguments;
        shape.output_fd = log_fd;
        shape.error_fd = STDERR_FILENO; /* its progress is ours */
        shape.timeout_ns = 4 * plan_duration_ns(reproduction->plan) + SPARE_NS;
        reproduce_tell(reproduction, "measuring by the bundle's plan");
        code = sandbox_run(&shape, result_out, e);
    }
    if (log_fd >= 0) {
        close(log_fd);
    }
    return code;
}

static bool results_are_there(const struct reproduction *reproduction)
{
    char path[PATH_MAX];

    return session_path(reproduction, path, RESULTS_NAME, NULL) == ERR_OK && fs_exists(path);
}

/* Out of the sandbox's folder; nothing but a plain file is taken. */
static enum err_code results_take(struct reproduction *reproduction, struct err *e)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct stat status;
    struct buf bytes;

    enum err_code code = session_path(reproduction, from, RESULTS_NAME, e);
    if (code == ERR_OK) {
        code = reproduce_path(reproduction, to, REPRODUCE_RESULTS, e);
    }
    if (code == ERR_OK && (lstat(from, &status) < 0 || !S_ISREG(status.st_mode))) {
        return err_set(e, ERR_FORMAT, "the session left no results file");
    }
    buf_init(&bytes, FILE_TREE_FILE_BYTES_MAX);
    if (code == ERR_OK) {
        code = fs_read_file(from, &bytes, e);
    }
    if (code == ERR_OK) {
        code = fs_write_file(to, bytes.bytes, bytes.length, e);
    }
    buf_release(&bytes);
    if (code == ERR_OK) {
        code = results_load(to, true, &reproduction->here_results, e);
    }
    if (code == ERR_OK) {
        code = results_digest(to, true, reproduction->state.here_samples_digest, e);
    }
    return code == ERR_OK ? analysis_make(reproduction->here_results, &reproduction->here, e)
                          : code;
}

enum err_code reproduce_measure(struct reproduction *reproduction, struct err *e)
{
    struct sandbox_result result = {0};
    char text[SANDBOX_TEXT_BYTES];
    enum err_code code = session_run_inside(reproduction, &result, e);

    if (code != ERR_OK || result.end == SANDBOX_STOPPED) {
        return code;
    }
    if (result.end == SANDBOX_TIMED_OUT) {
        reproduction->invalid_reason = "the session did not end in time";
        return ERR_OK;
    }
    /* With a file: no trial of it is counted, because others were at work. The analysis says so. */
    bool is_unfit = result.end == SANDBOX_EXITED && result.status == 3;
    if (is_unfit && !results_are_there(reproduction)) {
        reproduction->open_reason = "this machine is not fit for the plan";
        return ERR_OK;
    }
    /* 4: some trial is not valid; the analysis leaves it out, and says so. */
    if (is_unfit || (result.end == SANDBOX_EXITED && (result.status == 0 || result.status == 4))) {
        return results_take(reproduction, e);
    }
    sandbox_format(&result, text);
    return err_set(e, ERR_LIMIT, "tacho run in the sandbox: %s", text);
}
