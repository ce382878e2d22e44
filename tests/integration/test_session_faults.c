// SPDX-License-Identifier: Apache-2.0
// tacho run against servers that misbehave.
#include <arpa/inet.h>
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/session.h"
#include "collector/run/supervise.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "tests/support/fake_engine.h"
#include "tests/support/listener_open.h"
#include "tests/support/prop.h"
#include "tests/support/tacho_run.h"

TestSuite(session_faults, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

/* What a fake server does late it does 100 ms after the window began; one that is stopped goes on
 * 100 ms after the window's end, before its requests time out. */
static void fake_plan_write(const char *mode, uint16_t port, const char *ready_within)
{
    char plan[512];
    struct err e;
    int length = snprintf(plan, sizeof(plan),
                          "title: test\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\n"
                          "warmup: 250ms\nwindow: 500ms\ncooldown: 0s\nsample: 250ms\nseed: 7\n"
                          "timeout: 700ms\nready_within: %s\n"
                          "engines:\n  - { name: epoll, builtin: epoll }\n"
                          "workloads:\n  - { name: ping, get: /ping, expect: { status: 200, body: "
                          "pong }, connections: 5 }\n",
                          ready_within);

    cr_assert_eq(fs_write_file(run_plan_path, plan, (size_t)length, &e), ERR_OK, "%s", e.text);
    snprintf(run_engine_path, sizeof(run_engine_path), "%s/engine-%s", run_folder, mode);
    fake_engine_write(run_engine_path, mode, port);
    unlink(run_results_path);
}

/* A report of the results can be made, says n/a where nothing was measured, and no number that is
 * none. */
static void report_expect(const char *mode)
{
    char line[512];
    const char *build = getenv("TACHO_BUILD");

    snprintf(line, sizeof(line),
             "%s/tacho report %s -o %s/report --format md,json >%s && tail -n 1 %s | grep -q "
             "^VERDICT= && grep -q n/a %s/report/report.md && ! grep -qiwE 'nan|inf' "
             "%s/report/report.md",
             build ? build : "build/release", run_results_path, run_folder, run_out_path,
             run_out_path, run_folder, run_folder);
    cr_expect_eq(system(line), 0, "%s", mode);
}

#define OF_FAKE "FROM trial JOIN engine USING (engine_id) WHERE role = 'baseline'"

static const struct fake_row {
    const char *mode;
    int status;
    const char *trial;   /* what is so of the trial */
    const char *outcome; /* one that must be there; NULL: no load ran */
    bool has_no_ok;      /* in the window */
} fake_rows[] = {
    {"good", 0, "state = 'finished' AND server_request_count = started_count", "ok", false},
    {"hang", 4, "state = 'failed' AND reason LIKE 'nothing measured%'", "timeout", true},
    {"hang_late", 4, "state = 'failed' AND reason LIKE 'the server stopped answering 0.%'",
     "timeout", false},
    {"segv", 4, "state = 'crashed' AND server_exit = 'signal 11'", "reset", false},
    {"exit", 4, "state = 'crashed' AND server_exit = 'exit 0' AND reason LIKE '%: exit 0'",
     "connect_refused", false},
    {"error", 4, "state = 'failed' AND reason LIKE 'nothing measured%'", "http_5xx", true},
    {"close", 4, "state = 'failed' AND reason LIKE 'nothing measured%'", "closed_early", true},
    {"stop", 0, "state = 'finished' AND server_request_count = started_count", "ok", false},
    {"stubborn", 0, "state = 'finished' AND server_exit = 'signal 9'", "ok", false},
    {"noise", 0, "state = 'finished' AND server_request_count = started_count", "ok", false},
    {"silent", 4, "state = 'failed' AND reason LIKE 'not ready: it printed no%'", NULL, true},
    {"mute", 4, "state = 'failed' AND reason LIKE 'not ready within 1s: no answer%'", NULL, true},
    {"begun", 4,
     "state = 'failed' AND reason LIKE 'not ready within 1s: an answer began and did not end%'",
     NULL, true},
    {"wrong_port", 4, "state = 'failed' AND reason LIKE 'nobody listens on port 1'", NULL, true},
    {"foreign_port", 4, "state = 'failed' AND reason LIKE '% another process %'", NULL, true},
};

static void fake_row_check(const struct fake_row *row)
{
    long long samples = run_query_number("SELECT count(*) " OF_FAKE " AND %s", row->trial);

    cr_expect_eq(samples, 1, "%s: %s", row->mode, run_file_text(run_err_path));
    cr_expect(run_results_are_sound(), "%s", row->mode);
    run_samples_expect_whole();
    /* Warm-up, two of the window, drain: none is missing, whatever the server did. */
    samples = run_query_number(
        "SELECT count(*) FROM sample WHERE trial_id = (SELECT trial_id " OF_FAKE ")");
    cr_expect_eq(samples, row->outcome ? 4 : 0, "%s: %lld", row->mode, samples);
    if (row->outcome) {
        cr_expect_gt(
            run_query_number("SELECT sum(count) FROM outcome WHERE kind = '%s' AND trial_id = "
                             "(SELECT trial_id " OF_FAKE ")",
                             row->outcome),
            0, "%s", row->mode);
    }
    if (row->has_no_ok) {
        cr_expect_eq(run_query_number("SELECT ifnull(sum(ok_count), 0) FROM sample WHERE phase = "
                                      "'window' AND trial_id = (SELECT trial_id " OF_FAKE ")"),
                     0, "%s", row->mode);
    }
    report_expect(row->mode);
}

static void fake_rows_check(bool loads)
{
    uint16_t foreign_port;
    int foreign_fd = listener_open(&foreign_port);

    for (size_t i = 0; i < ARRAY_COUNT(fake_rows); i++) {
        const struct fake_row *row = &fake_rows[i];

        if ((row->outcome != NULL) != loads) {
            continue;
        }
        fake_plan_write(row->mode, foreign_port, "1s");
        cr_expect_eq(run_wait(run_start(0)), row->status, "%s: %s", row->mode,
                     run_file_text(run_err_path));
        cr_expect(run_no_process_left(), "%s", row->mode);
        fake_row_check(row);
    }
    close(foreign_fd);
}

Test(session_faults, tells_what_a_server_did_wrong_and_goes_on)
{
    fake_rows_check(true);
}

Test(session_faults, tells_why_a_server_was_not_ready_and_goes_on)
{
    fake_rows_check(false);
}

/* The check waits for an answer for as long as the plan says, but not against the user's will. */
Test(session_faults, is_interrupted_while_it_waits_for_the_first_answer)
{
    fake_plan_write("mute", 0, "50s");
    pid_t tacho = run_start(0);
    int64_t deadline_ns = run_now_ns() + PATIENCE_NS;

    while (run_query_number("SELECT count(*) FROM trial") < 2 && run_now_ns() < deadline_ns) {
        usleep(5000);
    }
    usleep(500000); /* the check has begun by now; the answer to the signal is the same anyhow */
    int64_t before_ns = run_now_ns();
    kill(tacho, SIGINT);
    cr_expect_eq(run_wait(tacho), 130);
    cr_expect_lt(run_now_ns() - before_ns, 5 * CLOCK_NS_PER_S);
    cr_expect(run_no_process_left());
    cr_expect(
        strstr(run_file_text(run_err_path), "interrupted by signal 2 when 2 of 3 trials had begun"),
        "%s", run_text);
}
