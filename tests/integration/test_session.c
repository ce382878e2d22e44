// SPDX-License-Identifier: Apache-2.0
// tacho run, whole: real servers, real sockets, a results file.
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
#include "tests/support/prop.h"

#define PATIENCE_NS (60 * CLOCK_NS_PER_S)

static char folder[] = "/tmp/tacho-session-XXXXXX";
static char plan_path[64], results_path[64], out_path[64], err_path[64];
static char engine_path[64]; /* for TACHO_ENGINE; "": the usual one */
static char text[65536];

static void folder_set_up(void)
{
    struct err e;

    cr_assert(mkdtemp(folder));
    snprintf(plan_path, sizeof(plan_path), "%s/plan.yaml", folder);
    snprintf(results_path, sizeof(results_path), "%s/results.db", folder);
    snprintf(out_path, sizeof(out_path), "%s/out", folder);
    snprintf(err_path, sizeof(err_path), "%s/err", folder);
    /* Orphans of a killed tacho come to this process, so that none is overlooked. */
    cr_assert_eq(supervise_init(&e), ERR_OK);
}

static void folder_tear_down(void)
{
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

TestSuite(session, .init = folder_set_up, .fini = folder_tear_down, .timeout = 180);

/* --- helpers --- */

static void plan_write(const char *window, const char *machine, const char *body, int connections)
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

    cr_assert_eq(fs_write_file(plan_path, plan, (size_t)length, &e), ERR_OK, "%s", e.text);
}

static void child_exec(rlim_t nofile)
{
    char program[256];
    const char *build = getenv("TACHO_BUILD");
    int out = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int err = open(err_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    struct rlimit limit = {nofile, nofile};

    snprintf(program, sizeof(program), "%s/tacho", build ? build : "build/release");
    if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
        (nofile && setrlimit(RLIMIT_NOFILE, &limit) < 0)) {
        _exit(99);
    }
    if (engine_path[0]) {
        setenv("TACHO_ENGINE", engine_path, 1);
    }
    execl(program, program, "run", plan_path, "-o", results_path, (char *)NULL);
    _exit(98);
}

static pid_t tacho_start(rlim_t nofile)
{
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        child_exec(nofile);
    }
    return pid;
}

static int64_t now_ns(void)
{
    return clock_now_ns(clock_system());
}

/* The exit status, 1000 + signal when killed, -1 when it did not end (then it is killed). */
static int tacho_wait(pid_t pid)
{
    int64_t deadline_ns = now_ns() + PATIENCE_NS;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now_ns() > deadline_ns) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            return -1;
        }
        usleep(2000);
    }
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Every process that tacho left comes to us; false when one is alive after 5 s. */
static bool no_process_left(void)
{
    int64_t deadline_ns = now_ns() + 5 * CLOCK_NS_PER_S;

    while (now_ns() < deadline_ns) {
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

static const char *file_text(const char *path)
{
    ssize_t length = proc_read("/", text, sizeof(text), "%s", path);
    return length < 0 ? "" : text;
}

static bool out_ends_with(const char *line)
{
    const char *out = file_text(out_path);
    size_t length = strlen(out), wanted = strlen(line);

    return length >= wanted && strcmp(out + length - wanted, line) == 0;
}

/* The single number of a query; -1 when the file or a table is not there yet. */
static long long query_number(const char *format, ...) ATTR_PRINTF(1, 2);
static long long query_number(const char *format, ...)
{
    char sql[1024];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    long long number = -1;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sql, sizeof(sql), format, arguments);
    va_end(arguments);
    if (sqlite3_open_v2(results_path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_busy_timeout(db, 2000) == SQLITE_OK &&
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static bool results_are_sound(void)
{
    return query_number("SELECT count(*) FROM pragma_integrity_check "
                        "WHERE integrity_check = 'ok'") == 1 &&
           query_number("SELECT count(*) FROM pragma_foreign_key_check") == 0;
}

/* Until a sample of the trial with this place in the session is stored. */
static bool sample_wait(int order_index)
{
    int64_t deadline_ns = now_ns() + PATIENCE_NS;

    while (now_ns() < deadline_ns) {
        if (query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) "
                         "WHERE order_index = %d",
                         order_index) > 0) {
            return true;
        }
        usleep(5000);
    }
    return false;
}

/* The only child of a tacho: its server. */
static pid_t server_find(pid_t tacho)
{
    char children[64];
    ssize_t length = proc_read("/proc", children, sizeof(children), "%d/task/%d/children",
                               (int)tacho, (int)tacho);

    return length > 0 ? (pid_t)atoi(children) : -1;
}

static void samples_expect_whole(void)
{
    cr_expect_eq(
        query_number("SELECT count(*) FROM (SELECT sample_index - row_number() OVER "
                     "(PARTITION BY trial_id ORDER BY sample_index) + 1 AS gap FROM sample) "
                     "WHERE gap <> 0"),
        0, "sample_index 0, 1, 2 … in each trial");
    cr_expect_eq(query_number("SELECT count(*) FROM (SELECT start_ns - lag(end_ns, 1, 0) OVER "
                              "(PARTITION BY trial_id ORDER BY sample_index) AS gap FROM sample) "
                              "WHERE gap <> 0"),
                 0, "each sample begins where the one before ended");
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE started_count <> (SELECT "
                              "sum(count) FROM outcome WHERE outcome.trial_id = trial.trial_id)"),
                 0, "every request has one outcome");
}

/* --- tests --- */

Test(session, measures_a_small_plan_and_leaves_one_sound_file)
{
    plan_write("1s", "", "pong", 9);
    cr_expect_eq(tacho_wait(tacho_start(0)), 0, "%s", file_text(err_path));
    cr_expect(no_process_left());
    cr_expect(out_ends_with("VERDICT=MEASURED\n"), "%s", file_text(out_path));
    cr_assert(results_are_sound());
    cr_expect_eq(query_number("SELECT count(*) FROM session WHERE state = 'finished' AND reason IS "
                              "NULL AND ended_utc_ns >= started_utc_ns"),
                 1);
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 3,
                 "limit, epoll, limit");
    cr_expect_eq(query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) "
                              "WHERE role = 'limit' AND block_index IS NULL"),
                 2);
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE server_exit = 'exit 0' AND "
                              "connections_requested = 9 AND connections_established = 9 AND "
                              "connections_served = 9 AND ready_ns > 0"),
                 3); /* A01 */
    samples_expect_whole();
    cr_expect_eq(query_number("SELECT count(*) FROM sample"), 3 * 4, "warm-up, 2 of 500 ms, drain");
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE server_request_count <> "
                              "started_count"),
                 0, "the server counted what the driver sent"); /* A27 */
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE server_request_count <> (SELECT "
                              "sum(ok_count) FROM sample WHERE sample.trial_id = trial.trial_id)"),
                 0);
    cr_expect_eq(query_number("SELECT count(*) FROM sample WHERE phase <> 'drain' AND "
                              "(server_user_ns IS NULL OR server_rss_kib IS NULL OR lateness_ns IS "
                              "NULL OR machine_busy_ns IS NULL OR histogram IS NULL)"),
                 0);
    cr_expect_geq(query_number("SELECT count(*) FROM fact WHERE moment = 'start'"), 40);
    cr_expect_eq(query_number("SELECT count(*) FROM fact WHERE name = 'server.padding_bytes' AND "
                              "moment = 'end' AND value LIKE '%%,%%,%%'"),
                 1);
    char beside[80];
    snprintf(beside, sizeof(beside), "%s-wal", results_path);
    cr_expect_not(fs_exists(beside));
}

/* A workload with rates: cells of an open loop, with schedule, backlog and three histograms. */
Test(session, measures_an_open_loop_at_each_rate)
{
    static const char plan[] =
        "title: open\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\n"
        "window: 1s\ncooldown: 0s\nengines: [{ name: epoll, builtin: epoll }]\n"
        "workloads: [{ name: w, get: /ping, connections: 4, rate: [200/s, 400/s] }]\n";
    struct err e;

    cr_assert_eq(fs_write_file(plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
    cr_expect_eq(tacho_wait(tacho_start(0)), 0, "%s", file_text(err_path));
    cr_assert(results_are_sound());
    samples_expect_whole();
    cr_expect_eq(query_number("SELECT count(*) FROM cell WHERE arrivals = 'uniform' AND "
                              "rate_per_s IN (200, 400)"),
                 2);
    cr_expect_eq(query_number("SELECT count(*) FROM cell WHERE rate_per_s IS NULL"), 1,
                 "the calibration's");
    /* 1 s at the rate; the drain schedules nothing */
    cr_expect_eq(query_number("SELECT count(*) FROM (SELECT trial_id, rate_per_s, "
                              "sum(scheduled_count) AS due FROM sample JOIN trial USING (trial_id) "
                              "JOIN cell USING (cell_id) WHERE rate_per_s IS NOT NULL "
                              "GROUP BY trial_id) WHERE due = rate_per_s"),
                 2);
    cr_expect_eq(query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN cell "
                              "USING (cell_id) WHERE phase = 'window' AND "
                              "(rate_per_s IS NULL) <> (scheduled_count IS NULL AND backlog_count "
                              "IS NULL AND service_histogram IS NULL AND lag_histogram IS NULL)"),
                 0);
}

/* F11: crash mid-run. The rest of the session is measured. */
Test(session, marks_a_trial_whose_server_was_killed_and_goes_on)
{
    plan_write("2s", "", "pong", 8);
    pid_t tacho = tacho_start(0);
    cr_expect(sample_wait(0));
    pid_t server = server_find(tacho);
    cr_assert_gt(server, 1);
    cr_expect_eq(kill(server, SIGKILL), 0);
    cr_expect_eq(tacho_wait(tacho), 4);
    cr_expect(no_process_left());
    cr_expect(out_ends_with("VERDICT=INVALID\n"));
    cr_assert(results_are_sound());
    cr_expect_eq(
        query_number("SELECT count(*) FROM trial WHERE order_index = 0 AND state = "
                     "'crashed' AND server_exit = 'signal 9' AND reason LIKE '%%signal 9%%'"),
        1);
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE order_index > 0 AND state = "
                              "'finished'"),
                 2);
    cr_expect_eq(query_number("SELECT max(sample_index) FROM sample JOIN trial USING (trial_id) "
                              "WHERE order_index = 0"),
                 5, "sampled to the end of the window");
    cr_expect_eq(query_number("SELECT ok_count FROM sample JOIN trial USING (trial_id) WHERE "
                              "order_index = 0 AND sample_index = 4"),
                 0);
    cr_expect_gt(query_number("SELECT fault_count FROM sample JOIN trial USING (trial_id) WHERE "
                              "order_index = 0 AND sample_index = 4"),
                 0, "errors are there, not nothing");
    cr_expect_eq(query_number("SELECT count(*) FROM event WHERE kind = 'crashed' AND severity = "
                              "'error'"),
                 1);
    samples_expect_whole();
}

/* --- servers that misbehave --- */

static int listener_open(uint16_t *port_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(fd, 8), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &address_bytes), 0);
    *port_out = ntohs(address.sin_port);
    return fd;
}

static void fake_plan_write(const char *mode, uint16_t port, const char *limits)
{
    snprintf(engine_path, sizeof(engine_path), "%s/engine-%s", folder, mode);
    fake_engine_write(engine_path, mode, port);
    plan_write("1s", limits, "pong", 5);
    unlink(results_path);
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
             build ? build : "build/release", results_path, folder, out_path, out_path, folder,
             folder);
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
    {"hang_late", 4, "state = 'failed' AND reason LIKE 'the server stopped answering 0.5 s%'",
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
    {"wrong_port", 4, "state = 'failed' AND reason LIKE 'nobody listens on port 1'", NULL, true},
    {"foreign_port", 4, "state = 'failed' AND reason LIKE '% another process %'", NULL, true},
};

static void fake_row_check(const struct fake_row *row)
{
    long long samples = query_number("SELECT count(*) " OF_FAKE " AND %s", row->trial);

    cr_expect_eq(samples, 1, "%s: %s", row->mode, file_text(err_path));
    cr_expect(results_are_sound(), "%s", row->mode);
    samples_expect_whole();
    /* Warm-up, two of the window, drain: none is missing, whatever the server did. */
    samples =
        query_number("SELECT count(*) FROM sample WHERE trial_id = (SELECT trial_id " OF_FAKE ")");
    cr_expect_eq(samples, row->outcome ? 4 : 0, "%s: %lld", row->mode, samples);
    if (row->outcome) {
        cr_expect_gt(query_number("SELECT sum(count) FROM outcome WHERE kind = '%s' AND trial_id = "
                                  "(SELECT trial_id " OF_FAKE ")",
                                  row->outcome),
                     0, "%s", row->mode);
    }
    if (row->has_no_ok) {
        cr_expect_eq(query_number("SELECT ifnull(sum(ok_count), 0) FROM sample WHERE phase = "
                                  "'window' AND trial_id = (SELECT trial_id " OF_FAKE ")"),
                     0, "%s", row->mode);
    }
    report_expect(row->mode);
}

Test(session, tells_what_a_server_did_wrong_and_goes_on, .timeout = 400)
{
    uint16_t foreign_port;
    int foreign_fd = listener_open(&foreign_port);

    for (size_t i = 0; i < ARRAY_COUNT(fake_rows); i++) {
        const struct fake_row *row = &fake_rows[i];

        fake_plan_write(row->mode, foreign_port, "timeout: 400ms\nready_within: 1s\n");
        cr_expect_eq(tacho_wait(tacho_start(0)), row->status, "%s: %s", row->mode,
                     file_text(err_path));
        cr_expect(no_process_left(), "%s", row->mode);
        fake_row_check(row);
    }
    close(foreign_fd);
}

/* The check waits for an answer for as long as the plan says, but not against the user's will. */
Test(session, is_interrupted_while_it_waits_for_the_first_answer)
{
    fake_plan_write("mute", 0, "ready_within: 50s\n");
    pid_t tacho = tacho_start(0);
    int64_t deadline_ns = now_ns() + PATIENCE_NS;

    while (query_number("SELECT count(*) FROM trial") < 2 && now_ns() < deadline_ns) {
        usleep(5000);
    }
    usleep(500000); /* the check has begun by now; the answer to the signal is the same anyhow */
    int64_t before_ns = now_ns();
    kill(tacho, SIGINT);
    cr_expect_eq(tacho_wait(tacho), 130);
    cr_expect_lt(now_ns() - before_ns, 5 * CLOCK_NS_PER_S);
    cr_expect(no_process_left());
    cr_expect(strstr(file_text(err_path), "interrupted by signal 2 when 2 of 3 trials had begun"),
              "%s", text);
}

/* A41: SIGINT at 1 s, and again within 100 ms. */
Test(session, stores_what_there_was_when_it_is_interrupted)
{
    static const struct {
        int number, status;
    } rows[] = {{SIGINT, 130}, {SIGTERM, 143}};

    plan_write("5s", "", "pong", 8);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        unlink(results_path);
        pid_t tacho = tacho_start(0);
        cr_expect(sample_wait(0));
        int64_t before_ns = now_ns();
        kill(tacho, rows[i].number);
        usleep(20000);
        kill(tacho, SIGINT);
        cr_expect_eq(tacho_wait(tacho), rows[i].status, "row %zu", i);
        cr_expect_lt(now_ns() - before_ns, 4 * CLOCK_NS_PER_S, "not after the window");
        cr_expect(no_process_left());
        cr_expect(out_ends_with("VERDICT=INTERRUPTED\n"));
        cr_assert(results_are_sound());
        cr_expect_eq(query_number("SELECT count(*) FROM session WHERE state = 'interrupted'"), 1);
        cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE state = 'interrupted'"), 1);
        cr_expect_eq(query_number("SELECT count(*) FROM trial"), 1, "no further one began");
        cr_expect_geq(query_number("SELECT count(*) FROM sample"), 2);
        samples_expect_whole();
    }
}

/* D06: killed at any moment; F03: no server survives. */
Test(session, loses_nothing_sound_and_leaves_no_server_when_it_is_killed)
{
    plan_write("500ms", "", "pong", 8);
    for_each_case(rng, 20, 1)
    {
        pid_t tacho = tacho_start(0);
        usleep((useconds_t)rng_below(&rng, 2500000));
        kill(tacho, SIGKILL);
        tacho_wait(tacho);
        cr_expect(no_process_left(), "seed %llu case %d", (unsigned long long)prop_case_seed,
                  prop_case);
        if (fs_exists(results_path) && query_number("PRAGMA application_id") > 0) {
            cr_expect(results_are_sound(), "seed %llu case %d", (unsigned long long)prop_case_seed,
                      prop_case);
        }
    }
    cr_expect_eq(tacho_wait(tacho_start(0)), 0, "the same file takes one more session: %s",
                 file_text(err_path));
    cr_expect(results_are_sound());
    cr_expect_eq(query_number("SELECT count(*) FROM session WHERE state = 'running'"), 0);
    cr_expect_gt(query_number("SELECT count(*) FROM session WHERE state = 'aborted'"), 0);
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE state = 'running'"), 0);
}

Test(session, does_not_time_a_server_whose_answer_is_wrong)
{
    plan_write("1s", "", "pang", 8);
    cr_expect_eq(tacho_wait(tacho_start(0)), 4);
    cr_expect(no_process_left());
    cr_expect_eq(
        query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                     "name = 'epoll' AND state = 'failed' AND reason LIKE 'wrong answer: a "
                     "body with SHA-256 %%'"),
        1);
    cr_expect_eq(query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN engine "
                              "USING (engine_id) WHERE name = 'epoll'"),
                 0);
    cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 2,
                 "calibration is not concerned");
}

/* A20: refused before the run, naming limit and need. */
Test(session, refuses_a_machine_that_cannot_hold_the_connections)
{
    plan_write("1s", "", "pong", 100);
    cr_expect_eq(tacho_wait(tacho_start(64)), 3);
    cr_expect(out_ends_with("VERDICT=UNFIT\n"));
    cr_expect(strstr(file_text(err_path), "allows 64 descriptors, 100 connections need 264"), "%s",
              text);
    cr_expect_not(fs_exists(results_path), "nothing was measured, nothing is stored");
}

Test(session, refuses_cpus_that_the_machine_does_not_have)
{
    plan_write("1s", "machine: { server_cpus: \"1000\", driver_cpus: \"0\" }\n", "pong", 4);
    cr_expect_eq(tacho_wait(tacho_start(0)), 3);
    cr_expect(strstr(file_text(err_path), "server_cpus \"1000\""), "%s", text);
}

/* The built-in plan must run everywhere: the same plan with pinning_optional. */
Test(session, runs_unpinned_where_pinning_is_optional)
{
    struct plan *plan = NULL;
    struct err e = {0};
    char engine[256];
    const char *build = getenv("TACHO_BUILD");

    plan_write("500ms", "machine: { server_cpus: \"1000\", driver_cpus: \"0\" }\n", "pong", 4);
    cr_assert_eq(plan_load(plan_path, &plan, &e), ERR_OK, "%s", e.text);
    snprintf(engine, sizeof(engine), "%s/tacho-engine", build ? build : "build/release");
    const struct session_config config = {.plan = plan,
                                          .results_path = results_path,
                                          .engine_program = engine,
                                          .program_version = "test",
                                          .pinning_optional = true,
                                          .clock = clock_system()};
    cr_expect_eq(session_run(&config, &e), SESSION_FINISHED, "%s", e.text);
    plan_free(plan);
    cr_expect_eq(query_number("SELECT count(*) FROM fact WHERE value = 'not pinned'"), 2);
    cr_expect_eq(query_number("SELECT count(*) FROM event WHERE text LIKE '%%nothing is pinned%%'"),
                 1);
}

Test(session, does_not_touch_a_file_that_holds_no_results)
{
    static const char words[] = "my diary\n";
    struct err e;

    plan_write("1s", "", "pong", 4);
    cr_assert_eq(fs_write_file(results_path, words, sizeof(words) - 1, &e), ERR_OK);
    cr_expect_eq(tacho_wait(tacho_start(0)), 2);
    cr_expect(strstr(file_text(err_path), "results.db"), "%s", text);
    cr_expect_str_eq(file_text(results_path), words);
}

/* Streams that a caller closed or that cannot be written to. */
Test(session, needs_no_standard_streams_and_tells_when_its_verdict_was_lost)
{
    static const struct {
        const char *streams;
        int status;
    } rows[] = {{"<&- >&- 2>&-", 0}, {">/dev/full 2>/dev/null", 70}};
    const char *build = getenv("TACHO_BUILD");
    char line[512];

    plan_write("500ms", "", "pong", 4);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        unlink(results_path);
        snprintf(line, sizeof(line), "%s/tacho run %s -o %s %s", build ? build : "build/release",
                 plan_path, results_path, rows[i].streams);
        int status = system(line);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == rows[i].status, "%s: %d",
                  rows[i].streams, status);
        cr_expect(results_are_sound());
        cr_expect_eq(query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 3);
    }
}

/* ulimit -f: SQLite meets EFBIG, and nobody is killed for it. */
Test(session, tells_when_the_file_may_not_grow)
{
    const char *build = getenv("TACHO_BUILD");
    char line[512];

    plan_write("500ms", "", "pong", 4);
    snprintf(line, sizeof(line), "ulimit -f 40; exec %s/tacho run %s -o %s >/dev/null 2>&1",
             build ? build : "build/release", plan_path, results_path);
    int status = system(line);
    cr_expect(WIFEXITED(status), "not by a signal: %d", status);
    cr_expect(WEXITSTATUS(status) == 4 || WEXITSTATUS(status) == 70, "%d", WEXITSTATUS(status));
    cr_expect(no_process_left());
}
