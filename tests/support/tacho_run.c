// SPDX-License-Identifier: Apache-2.0
// `tacho run` as a process, and what it left.
#include "tests/support/tacho_run.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/session.h"
#include "collector/run/supervise.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "report/judge/soundness_pass.h"
#include "report/query/results.h"

char run_folder[] = "/tmp/tacho-session-XXXXXX";
char run_plan_path[64], run_results_path[64], run_out_path[64], run_err_path[64];
char run_engine_path[64]; /* for TACHO_ENGINE; "": the usual one */
bool run_wants_quiet;
const char *run_options[8];
char run_text[65536];

void run_set_up(void)
{
    struct err e;

    cr_assert(mkdtemp(run_folder));
    snprintf(run_plan_path, sizeof(run_plan_path), "%s/plan.yaml", run_folder);
    snprintf(run_results_path, sizeof(run_results_path), "%s/results.db", run_folder);
    snprintf(run_out_path, sizeof(run_out_path), "%s/out", run_folder);
    snprintf(run_err_path, sizeof(run_err_path), "%s/err", run_folder);
    /* Orphans of a killed tacho come to this process, so that none is overlooked. */
    cr_assert_eq(supervise_init(&e), ERR_OK);
}

void run_tear_down(void)
{
    cr_expect_eq(fs_remove_tree(run_folder, NULL), ERR_OK);
}

void run_plan_write(const char *window, const char *machine, const char *body, int connections)
{
    char plan[1024];
    struct err e;
    int length = snprintf(plan, sizeof(plan),
                          "title: test\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\n"
                          "warmup: 500ms\nwindow: %s\ncooldown: 0s\nsample: 500ms\nseed: 7\n%s"
                          "engines:\n  - { name: epoll, builtin: epoll }\n"
                          "workloads:\n  - { name: ping, get: /ping, expect: { status: 200, body: "
                          "%s }, connections: %d }\n",
                          window, machine, body, connections);

    cr_assert_eq(fs_write_file(run_plan_path, plan, (size_t)length, &e), ERR_OK, "%s", e.text);
}

static void child_exec(rlim_t nofile)
{
    char program[256];
    const char *build = getenv("TACHO_BUILD");
    int out = open(run_out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int err = open(run_err_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    struct rlimit limit = {nofile, nofile};

    snprintf(program, sizeof(program), "%s/tacho", build ? build : "build/release");
    if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
        (nofile && setrlimit(RLIMIT_NOFILE, &limit) < 0)) {
        _exit(99);
    }
    if (run_engine_path[0]) {
        setenv("TACHO_ENGINE", run_engine_path, 1);
    }
    const char *arguments[16] = {program,       "run", "--wait",        "0s",
                                 run_plan_path, "-o",  run_results_path};
    for (size_t i = 0; i < ARRAY_COUNT(run_options) && run_options[i]; i++) {
        arguments[7 + i] = run_options[i];
    }
    execv(program, (char *const *)(uintptr_t)arguments);
    _exit(98);
}

pid_t run_start(rlim_t nofile)
{
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        child_exec(nofile);
    }
    return pid;
}

int64_t run_now_ns(void)
{
    return clock_now_ns(clock_system());
}

/* The other tests that run here are other programs to a session, which then says in the end that it
 * was disturbed: that is the machine's fault and not the session's, so what it would have said on a
 * quiet machine stands. test_foreign_cpu.c wants to see it. */
static bool was_disturbed(void)
{
    return !run_wants_quiet &&
           strstr(run_file_text(run_err_path), "; measure when nothing else runs here") != NULL;
}

/* The exit status, 1000 + signal when killed, -1 when it did not end (then it is killed). */
int run_wait(pid_t pid)
{
    int64_t deadline_ns = run_now_ns() + PATIENCE_NS;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (run_now_ns() > deadline_ns) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            return -1;
        }
        usleep(2000);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && was_disturbed()) {
        return 0;
    }
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Every process that tacho left comes to us; false when one is alive after 5 s. */
bool run_no_process_left(void)
{
    int64_t deadline_ns = run_now_ns() + 5 * CLOCK_NS_PER_S;

    while (run_now_ns() < deadline_ns) {
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

const char *run_file_text(const char *path)
{
    ssize_t length = proc_read("/", run_text, sizeof(run_text), "%s", path);
    return length < 0 ? "" : run_text;
}

bool run_out_ends_with(const char *line)
{
    if (strcmp(line, "VERDICT=MEASURED\n") == 0 && was_disturbed()) {
        line = "VERDICT=UNFIT\n";
    }
    const char *out = run_file_text(run_out_path);
    size_t length = strlen(out), wanted = strlen(line);

    return length >= wanted && strcmp(out + length - wanted, line) == 0;
}

/* The single number of a query; -1 when the file or a table is not there yet. */
long long run_query_number(const char *format, ...)
{
    char sql[1024];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    long long number = -1;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sql, sizeof(sql), format, arguments);
    va_end(arguments);
    if (sqlite3_open_v2(run_results_path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(db, 2000) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

bool run_results_are_sound(void)
{
    return run_query_number("SELECT count(*) FROM pragma_integrity_check "
                            "WHERE integrity_check = 'ok'") == 1 &&
           run_query_number("SELECT count(*) FROM pragma_foreign_key_check") == 0;
}

const char *run_first_finding(void)
{
    static char line[SOUNDNESS_TEXT_BYTES];
    struct soundness_pass *rows = NULL;
    struct results *results = NULL;
    struct err e = {0};

    cr_assert_eq(results_load(run_results_path, false, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(soundness_load(run_results_path, false, results->program_version,
                                &(struct results_pass){.session = NULL}, &rows, &e),
                 ERR_OK, "%s", e.text);
    const struct soundness *soundness = soundness_pass_get(rows);
    snprintf(line, sizeof(line), "%s",
             soundness->finding_count ? soundness->findings[0].text : soundness->not_held);
    soundness_pass_free(rows);
    results_free(results);
    return line;
}

/* Until a sample of the trial with this place in the session is stored. */
bool run_sample_wait(int order_index)
{
    int64_t deadline_ns = run_now_ns() + PATIENCE_NS;

    while (run_now_ns() < deadline_ns) {
        if (run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) "
                             "WHERE order_index = %d",
                             order_index) > 0) {
            return true;
        }
        usleep(5000);
    }
    return false;
}

/* The only child of a tacho: its server. */
pid_t run_server_find(pid_t tacho)
{
    char children[64];
    ssize_t length = proc_read("/proc", children, sizeof(children), "%d/task/%d/children",
                               (int)tacho, (int)tacho);

    return length > 0 ? (pid_t)atoi(children) : -1;
}

void run_samples_expect_whole(void)
{
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM (SELECT sample_index - row_number() OVER "
                         "(PARTITION BY trial_id ORDER BY sample_index) + 1 AS gap FROM sample) "
                         "WHERE gap <> 0"),
        0, "sample_index 0, 1, 2 … in each trial");
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM (SELECT start_ns - lag(end_ns, 1, 0) OVER "
                         "(PARTITION BY trial_id ORDER BY sample_index) AS gap FROM sample) "
                         "WHERE gap <> 0"),
        0, "each sample begins where the one before ended");
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM trial WHERE started_count <> (SELECT "
                         "sum(count) FROM outcome WHERE outcome.trial_id = trial.trial_id)"),
        0, "every request has one outcome");
}

/* --- tests --- */
