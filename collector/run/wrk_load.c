// SPDX-License-Identifier: Apache-2.0
// Processes of wrk, one after the other.
#include "collector/run/wrk_load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/child.h"
#include "collector/run/engine_command.h"
#include "collector/run/foreign_files.h"
#include "collector/run/wrk_text.h"

#define WORD_BYTES    24
#define URL_BYTES     4200
#define VERSION_BYTES 200

struct wrk_load {
    struct wrk_load_config config;
    char program[PATH_MAX], url[URL_BYTES], version[VERSION_BYTES];
    char threads[WORD_BYTES], connections[WORD_BYTES], timeout[WORD_BYTES], length[WORD_BYTES];
    const char *words[WRK_LOAD_WORD_COUNT];
    pid_t pid;  /* 0: none runs */
    int output; /* its standard output and error; -1: none */
    int status; /* of the window's run, of waitpid */
    struct buf text, command;
    struct err problem; /* it could not be started */
    int64_t zero_ns, end_ns;
    uint32_t next_index, interval_count;
    bool is_window, is_ended, is_finished;
};

bool wrk_load_is_there(char path_out[PATH_MAX])
{
    return foreign_find_program("wrk", ".", path_out);
}

/* --- a process --- */

enum step { STEP_OUTPUT, STEP_EXEC };

__attribute__((noreturn)) static void child_run(const struct wrk_load *load,
                                                const char *const *words, int output, int failure)
{
    static const char *const environment[] = {"LC_ALL=C", NULL};
    struct child_failure told = {STEP_OUTPUT, 0};

    child_reset_signals();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setpgid(0, 0); /* Ctrl-C is tacho's */
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) {
        told.step = STEP_EXEC;
        execve(load->program, (char *const *)(uintptr_t)words,
               (char *const *)(uintptr_t)environment);
    }
    told.sys_errno = errno;
    child_fail(failure, &told);
}

static enum err_code process_start(struct wrk_load *load, const char *const *words, struct err *e)
{
    struct child_failure failure;
    int output[2], told[2];

    if (pipe2(output, O_CLOEXEC) < 0) {
        return err_set_sys(e, "a pipe for wrk");
    }
    if (pipe2(told, O_CLOEXEC) < 0) {
        close(output[0]);
        close(output[1]);
        return err_set_sys(e, "a pipe for wrk");
    }
    pid_t pid = fork();
    if (pid == 0) {
        child_run(load, words, output[1], told[1]);
    }
    int fork_errno = errno;
    close(output[1]);
    bool runs = pid > 0 && child_wait_exec(told, pid, &failure);
    if (pid < 0) {
        close(told[0]);
        close(told[1]);
    }
    if (!runs) {
        close(output[0]);
        errno = pid < 0 ? fork_errno : failure.sys_errno;
        return err_set_sys(e, "starting wrk");
    }
    (void)fcntl(output[0], F_SETFL, O_NONBLOCK);
    load->pid = pid;
    load->output = output[0];
    return ERR_OK;
}

/* Takes what it wrote, so that it never waits for us. */
static void output_read(struct wrk_load *load)
{
    char bytes[4096];
    ssize_t count;

    while (load->output >= 0 && (count = read(load->output, bytes, sizeof(bytes))) > 0) {
        buf_add(&load->text, bytes, (size_t)count);
    }
}

static void output_close(struct wrk_load *load)
{
    if (load->output >= 0) {
        close(load->output);
        load->output = -1;
    }
}

static void process_end(struct wrk_load *load)
{
    if (load->pid > 0) {
        kill(load->pid, SIGKILL);
        waitpid(load->pid, NULL, 0);
        load->pid = 0;
    }
    output_close(load);
}

/* Whether the running one has ended; then all that it wrote is there. */
static bool process_has_ended(struct wrk_load *load)
{
    output_read(load);
    if (load->pid > 0 && waitpid(load->pid, &load->status, WNOHANG) != load->pid) {
        return false;
    }
    load->pid = 0;
    output_read(load);
    output_close(load);
    return true;
}

/* --- words --- */

static int64_t seconds_up(int64_t ns)
{
    return (ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S;
}

static void words_make(struct wrk_load *load, int64_t length_s)
{
    const struct wrk_load_config *config = &load->config;
    uint32_t threads = config->thread_count < config->connection_count ? config->thread_count
                                                                       : config->connection_count;

    snprintf(load->threads, sizeof(load->threads), "-t%" PRIu32, threads);
    snprintf(load->connections, sizeof(load->connections), "-c%" PRIu32, config->connection_count);
    snprintf(load->length, sizeof(load->length), "-d%" PRId64 "s", length_s);
    snprintf(load->timeout, sizeof(load->timeout), "%" PRId64 "s", seconds_up(config->timeout_ns));
    snprintf(load->url, sizeof(load->url), "http://127.0.0.1:%u%s", config->port, config->path);
    const char *const words[] = {"wrk",         load->threads, load->connections,
                                 load->length,  "--latency",   "--timeout",
                                 load->timeout, load->url,     NULL};
    memcpy(load->words, words, sizeof(words));
}

/* The first line of what `wrk -v` prints, whatever it ends with. */
static void version_read(struct wrk_load *load)
{
    static const char *const words[] = {"wrk", "-v", NULL};
    char bytes[VERSION_BYTES];
    size_t length = 0;
    ssize_t count;

    if (process_start(load, words, NULL) != ERR_OK) {
        return;
    }
    (void)fcntl(load->output, F_SETFL, 0); /* it ends at once */
    while (length < sizeof(bytes) - 1 &&
           (count = read(load->output, bytes + length, sizeof(bytes) - 1 - length)) > 0) {
        length += (size_t)count;
    }
    process_end(load);
    bytes[length] = '\0';
    snprintf(load->version, sizeof(load->version), "%.*s", (int)strcspn(bytes, "\n"), bytes);
}

enum err_code wrk_load_open(const struct wrk_load_config *config, struct wrk_load **load_out,
                            struct err *e)
{
    struct wrk_load *load = calloc(1, sizeof(*load));

    if (!load) {
        return err_set(e, ERR_LIMIT, "no memory for wrk");
    }
    load->config = *config;
    load->output = -1;
    load->interval_count = grid_interval_count(&config->grid);
    buf_init(&load->text, WRK_TEXT_BYTES_MAX);
    buf_init(&load->command, URL_BYTES + 512);
    if (!wrk_load_is_there(load->program)) {
        wrk_load_close(load);
        return err_set(e, ERR_LIMIT, "wrk is not in PATH: install Debian's package wrk");
    }
    version_read(load);
    *load_out = load;
    return ERR_OK;
}

/* --- the load --- */

static void run_begin(struct wrk_load *load, bool is_window, int64_t length_s)
{
    process_end(load);
    buf_clear(&load->text);
    load->is_window = is_window;
    words_make(load, length_s);
    if (load->problem.code == ERR_OK) {
        load->problem.code = process_start(load, load->words, &load->problem);
    }
    if (is_window) {
        buf_clear(&load->command);
        engine_command_format(load->words, &load->command);
    }
}

/* One that is still at work when the warm-up is over is ended then. */
void wrk_load_start(struct wrk_load *load, int64_t grid_zero_ns)
{
    const struct grid *grid = &load->config.grid;
    bool has_warmup = grid->warmup_ns > 0;

    load->zero_ns = grid_zero_ns;
    run_begin(load, !has_warmup,
              has_warmup ? seconds_up(grid->warmup_ns) + 1 : seconds_up(grid->window_ns));
}

static void window_begin(struct wrk_load *load, int64_t now_ns)
{
    const struct grid *grid = &load->config.grid;

    if (!load->is_window && now_ns >= load->zero_ns + grid->warmup_ns) {
        run_begin(load, true, seconds_up(grid->window_ns));
    }
}

static void bounds_set(const struct wrk_load *load, struct driver_interval *interval)
{
    const struct grid *grid = &load->config.grid;
    bool is_drain = interval->index >= load->interval_count;
    int64_t end_ns = grid_start_ns(grid, interval->index + !is_drain);

    interval->start_ns = grid_start_ns(grid, interval->index);
    interval->phase = is_drain ? SAMPLE_PHASE_DRAIN : grid_phase(grid, interval->index);
    interval->end_ns = is_drain && load->end_ns > end_ns ? load->end_ns : end_ns;
}

bool wrk_load_take(struct wrk_load *load, struct driver_interval *interval_out)
{
    int64_t now_ns = clock_now_ns(load->config.clock);
    bool is_drain = load->next_index >= load->interval_count;

    if (load->is_finished) {
        return false;
    }
    if (!load->is_ended) {
        window_begin(load, now_ns);
    }
    if (is_drain && !load->is_ended && process_has_ended(load)) {
        load->is_ended = true;
        load->end_ns = now_ns - load->zero_ns;
    }
    if (is_drain
            ? !load->is_ended
            : now_ns < load->zero_ns + grid_start_ns(&load->config.grid, load->next_index + 1)) {
        return false;
    }
    *interval_out = (struct driver_interval){.index = load->next_index++};
    for (int i = 0; i < METRIC_COUNT; i++) {
        interval_out->metrics[i] = METRIC_UNKNOWN;
    }
    bounds_set(load, interval_out);
    load->is_finished = is_drain;
    return true;
}

bool wrk_load_finished(const struct wrk_load *load)
{
    return load->is_finished;
}

/* The samples so far are all that there are. */
void wrk_load_stop(struct wrk_load *load)
{
    if (!load->is_ended) {
        process_end(load);
        load->is_ended = true;
        load->interval_count = load->next_index;
        load->end_ns = clock_now_ns(load->config.clock) - load->zero_ns;
        err_set(&load->problem, ERR_MISMATCH, "wrk was ended early");
    }
}

/* --- what it said --- */

static double figure_get(const struct wrk_run *run, const char *key)
{
    json_t *value = json_object_get(run->figure, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

enum err_code wrk_load_read(struct wrk_load *load, struct wrk_load_said *said_out, struct err *e)
{
    struct wrk_run run;
    struct buf warnings;
    struct err why;

    if (load->problem.code != ERR_OK) {
        return err_set(e, ERR_MISMATCH, "%.300s", load->problem.text);
    }
    if (!WIFEXITED(load->status) || WEXITSTATUS(load->status) != 0 || load->text.failed) {
        return err_set(e, ERR_MISMATCH, "wrk failed: %.200s",
                       load->text.length ? load->text.bytes : "it said nothing");
    }
    buf_init(&warnings, WRK_TEXT_BYTES_MAX);
    enum err_code code =
        wrk_text_parse("wrk", load->text.bytes, load->text.length, &run, &warnings, &why);
    buf_release(&warnings);
    if (code != ERR_OK) {
        return err_set(e, ERR_MISMATCH, "%.300s", why.text);
    }
    double errors = figure_get(&run, "error_count");
    *said_out = (struct wrk_load_said){.version = *load->version ? load->version : NULL,
                                       .command_json = load->command.bytes,
                                       .output = load->text.bytes,
                                       .rate_per_s = figure_get(&run, "requests_per_s"),
                                       .request_count = (int64_t)figure_get(&run, "request_count"),
                                       .wrong_count = run.wrong_count,
                                       .error_count = isnan(errors) ? 0 : (int64_t)errors};
    wrk_run_release(&run);
    return ERR_OK;
}

void wrk_load_close(struct wrk_load *load)
{
    if (load) {
        process_end(load);
        buf_release(&load->text);
        buf_release(&load->command);
        free(load);
    }
}
