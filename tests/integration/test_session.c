// SPDX-License-Identifier: Apache-2.0
// tacho run, whole: real servers, real sockets, a results file.
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "collector/run/wrk_load.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/proc.h"
#include "report/judge/analysis.h"
#include "tests/support/engine_process.h"
#include "tests/support/fake_engine.h"
#include "tests/support/prop.h"
#include "tests/support/results_builder.h"
#include "tests/support/session_fixture.h"
#include "tests/support/tacho_run.h"

TestSuite(session, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

/* What a replay must store again. */
static long long recorded_sum(void)
{
    return run_query_number(
        "SELECT sum(sample.started_count + 3 * sample.ok_count + 7 * server_user_ns + "
        "11 * length(histogram) + 13 * machine_busy_ns + sample.end_ns) FROM sample JOIN trial "
        "USING (trial_id) WHERE block_index IS NOT NULL");
}

/* The session that was measured is played by another: nothing is started, and the same samples are
 * stored; what has no recorded trial is refused. */
static void replay_again(void)
{
    static const char plan[] =
        "title: again\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 500ms\nwindow: "
        "1s\n"
        "cooldown: 0s\nengines: [{ name: epoll, command: [/no/such/server, \"{port}\"] }]\n"
        "workloads: [{ name: ping, get: /ping, connections: %d, driver: replay, replay: a.db }]\n";
    long long sum = recorded_sum();
    char text[sizeof(plan) + 16], earlier[PATH_MAX];
    struct err e;

    snprintf(earlier, sizeof(earlier), "%s/a.db", run_folder);
    cr_assert_eq(rename(run_results_path, earlier), 0);
    snprintf(text, sizeof(text), plan, 10);
    cr_assert_eq(fs_write_file(run_plan_path, text, strlen(text), &e), ERR_OK, "%s", e.text);
    cr_expect_eq(run_wait(run_start(0)), 3);
    cr_expect(strstr(run_file_text(run_err_path), "no finished trial of epoll in ping at 10 conn"));
    snprintf(text, sizeof(text), plan, 9);
    cr_assert_eq(fs_write_file(run_plan_path, text, strlen(text), &e), ERR_OK, "%s", e.text);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect(run_out_ends_with("VERDICT=REPLAYED\n"), "%s", run_file_text(run_out_path));
    cr_expect(run_results_are_sound());
    cr_expect_eq(recorded_sum(), sum);
    /* No calibration either; the event, and the digest in the plan. */
    cr_expect_eq(
        run_query_number(
            "SELECT count(*) FROM trial, event JOIN session USING (session_id), foreign_load WHERE "
            "kind = 'replayed' AND output LIKE 'trial 2 of session %%' AND plan_text LIKE "
            "'%%replay_sha256: ' || substr(output, -64) || '%%'"),
        1);
    cr_expect_str_eq(run_first_finding(), "");
    results_builder_alter(run_results_path, "UPDATE foreign_load SET output = substr(output, 1, "
                                            "length(output) - 64) || printf('%064d', 7)");
    cr_expect(strstr(run_first_finding(), "at place 0 was not played from the file of the plan"));
    results_builder_alter(earlier, "UPDATE event SET text = text || '.' WHERE event_id = 1");
    run_options[0] = "--resume";
    cr_expect_eq(run_wait(run_start(0)), 2);
    cr_expect(strstr(run_file_text(run_err_path), "of another plan, which differs in "));
}

Test(session, measures_a_small_plan_and_leaves_one_sound_file)
{
    run_plan_write("1s", "", "pong", 9);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect(run_no_process_left());
    cr_expect(run_out_ends_with("VERDICT=MEASURED\n"), "%s", run_file_text(run_out_path));
    cr_assert(run_results_are_sound());
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM session WHERE state = 'finished' AND reason IS "
                         "NULL AND ended_utc_ns >= started_utc_ns"),
        1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 3,
                 "limit, epoll, limit");
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) "
                                  "WHERE role = 'limit' AND block_index IS NULL"),
                 2);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE server_exit = 'exit 0' AND "
                                  "connections_requested = 9 AND connections_established = 9 AND "
                                  "connections_served = 9 AND ready_ns > 0"),
                 3); /* A01 */
    run_samples_expect_whole();
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample"), 3 * 4,
                 "warm-up, 2 of 500 ms, drain");
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE server_request_count <> "
                                  "started_count"),
                 0, "the server counted what the driver sent"); /* A27 */
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM trial WHERE server_request_count <> (SELECT "
                         "sum(ok_count) FROM sample WHERE sample.trial_id = trial.trial_id)"),
        0);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM sample WHERE phase <> 'drain' AND "
                         "(server_user_ns IS NULL OR server_rss_kib IS NULL OR lateness_ns IS "
                         "NULL OR machine_busy_ns IS NULL OR histogram IS NULL)"),
        0);
    cr_expect_geq(run_query_number("SELECT count(*) FROM fact WHERE moment = 'start'"), 40);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM fact WHERE name = 'server.padding_bytes' AND "
                         "moment = 'end' AND value LIKE '%%,%%,%%'"),
        1);
    char beside[80];
    snprintf(beside, sizeof(beside), "%s-wal", run_results_path);
    cr_expect_not(fs_exists(beside));
    replay_again();
}

/* Each phase is an event with its time, and they come in this order. */
Test(session, tells_every_phase_of_a_trial_in_its_order)
{
    run_plan_write("500ms", "", "pong", 4);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    for (int order_index = 0; order_index < 3; order_index++) {
        cr_expect_eq(
            run_query_number("SELECT group_concat(text, ' ') = 'start ready settle check connect "
                             "warmup window drain stop%s' FROM (SELECT text FROM event JOIN trial "
                             "USING (trial_id) WHERE kind = 'phase' AND severity = 'info' AND "
                             "order_index = %d ORDER BY event_id)",
                             order_index < 2 ? " cooldown" : "", order_index),
            1, "place %d", order_index);
        cr_expect_eq(
            run_query_number("SELECT count(*) FROM (SELECT at_utc_ns - lag(at_utc_ns) OVER (ORDER "
                             "BY event_id) AS step_ns FROM event JOIN trial USING (trial_id) WHERE "
                             "kind = 'phase' AND order_index = %d) WHERE step_ns < 0",
                             order_index),
            0, "none begins before the one before it");
    }
    /* The window began 500 ms of warm-up after the load, to what a clock of the wall may be set. */
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM event AS a JOIN event AS b USING (trial_id) "
                         "WHERE a.text = 'warmup' AND b.text = 'window' AND abs(b.at_utc_ns "
                         "- a.at_utc_ns - 500000000) < 50000000"),
        3);
}

/* A workload with rates: cells of an open loop, with schedule, backlog and three histograms. */
Test(session, measures_an_open_loop_at_each_rate)
{
    static const char plan[] =
        "title: open\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\n"
        "window: 1s\ncooldown: 0s\nengines: [{ name: epoll, builtin: epoll }]\n"
        "workloads: [{ name: w, get: /ping, connections: 4, rate: [200/s, 400/s] }, { name: ramp, "
        "get: /ping, connections: 4, rate: 100..300/s }]\n";
    struct err e;

    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_assert(run_results_are_sound());
    run_samples_expect_whole();
    cr_expect_eq(run_query_number("SELECT count(*) FROM cell WHERE arrivals = 'uniform' AND "
                                  "rate_per_s IN (200, 400)"),
                 3);
    /* from 100/s to 300/s in 1 s: 100 t + 100 t^2 are due up to t, 75 of 200 in the first half */
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN "
                                  "cell USING (cell_id) WHERE rate_course = '100..300' AND "
                                  "sample_index < 2 AND abs(scheduled_count - "
                                  "iif(sample_index = 0, 75, 125)) <= 1"),
                 2);
    cr_expect_eq(run_query_number("SELECT count(*) FROM cell WHERE rate_per_s IS NULL"), 1,
                 "the calibration's");
    /* 1 s at the rate; the drain schedules nothing */
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM (SELECT trial_id, rate_per_s, "
                         "sum(scheduled_count) AS due FROM sample JOIN trial USING (trial_id) "
                         "JOIN cell USING (cell_id) WHERE rate_per_s IS NOT NULL "
                         "GROUP BY trial_id) WHERE due = rate_per_s"),
        3);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN cell "
                         "USING (cell_id) WHERE phase = 'window' AND "
                         "(rate_per_s IS NULL) <> (scheduled_count IS NULL AND backlog_count "
                         "IS NULL AND service_histogram IS NULL AND lag_histogram IS NULL)"),
        0);
}

/* A connection a request, and a deeper one: the driver's options of `tacho drive`, from the plan.
 */
Test(session, measures_closing_and_pipelined_connections)
{
    static const char plan[] =
        "title: shapes\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\n"
        "window: 500ms\ncooldown: 0s\nengines: [{ name: epoll, builtin: epoll }]\nworkloads:\n"
        "  - { name: churn, get: /ping, connections: 4, requests_per_connection: 1 }\n"
        "  - { name: deep, get: /ping, connections: 4, pipeline: 8 }\n"
        "  - { name: mixed, connections: 4, think_time: 1ms, think_kind: exponential, requests: [\n"
        "      { get: /ping, weight: 3, expect: { body: pong } }, { post: /upload, body: plan.yaml "
        "}] }\n"
        "machine: { io: io_uring, source_addresses: [127.0.0.8] }\n";
    static const char of[] = "FROM sample JOIN trial USING (trial_id) JOIN cell USING (cell_id) "
                             "JOIN workload USING (workload_id) WHERE phase <> 'drain'";
    struct err e;

    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_assert(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM workload WHERE (name, "
                                  "ifnull(requests_per_connection, 0), pipeline_count) IN (VALUES "
                                  "('limit', 0, 1), ('churn', 1, 1), ('deep', 0, 8), "
                                  "('mixed', 0, 1))"),
                 4);
    /* Each answered request but the last on each connection opened a new connection. */
    cr_expect_eq(run_query_number("SELECT abs(sum(ok_count) - sum(reconnect_count)) <= 8 AND "
                                  "sum(ok_count) > 8 %s AND name = 'churn'",
                                  of),
                 1);
    /* Each kind's own count, three of four the first one but for the round that was begun; the sum
     * is the window's. */
    cr_expect_eq(run_query_number("SELECT count(*) FROM request WHERE (request_index, weight, "
                                  "method, expect_status) IN (VALUES (0, 3, 'GET', 200), "
                                  "(1, 1, 'POST', 200))"),
                 2);
    cr_expect_eq(run_query_number("SELECT sum(request_total.ok_count) = (SELECT sum(ok_count) %s "
                                  "AND name = 'mixed' AND phase = 'window') FROM request_total",
                                  of),
                 1);
    cr_expect_eq(run_query_number("SELECT abs(a.started_count - 3 * b.started_count) <= 3 AND "
                                  "a.ok_count > 20 AND a.histogram IS NOT NULL FROM request_total "
                                  "a JOIN request_total b USING (trial_id) WHERE a.request_index = "
                                  "0 AND b.request_index = 1"),
                 1);
    /* 4 connections with 1 ms of thinking: never above 4000/s, here with a margin for chance. */
    cr_expect_eq(
        run_query_number("SELECT sum(ok_count) BETWEEN 40 AND 2600 %s AND name = 'mixed'", of), 1);
    /* What ran is with every sample, or a warning says why not. */
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample WHERE driver_spin_limit_ns IS NULL "
                                  "OR driver_ring_thread_count <> (NOT EXISTS (SELECT * FROM event "
                                  "WHERE kind = 'driver_io'))"),
                 0);
    cr_expect_eq(run_query_number("SELECT sum(reconnect_count) %s AND name <> 'churn'", of), 0);
    cr_expect_eq(run_query_number("SELECT max(in_flight_count) %s AND name = 'deep'", of), 4 * 8);
}

/* wrk on the same cell: its words are kept, the server is sampled, nothing of it is compared. */
Test(session, wrk_loads_a_server_in_place_of_the_driver)
{
    static const char plan[] =
        "title: wrk\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 500ms\n"
        "window: 1s\ncooldown: 0s\nengines:\n  - { name: epoll, builtin: epoll }\n"
        "  - { name: wrong, command: [./wrong, epoll, --port, \"{port}\"] }\nworkloads:\n"
        "  - { name: wrk, get: /ping, expect: { body: pong }, connections: 4, driver: wrk }\n";
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    char path[PATH_MAX];
    struct err e;

    if (!wrk_load_is_there(path)) {
        cr_skip_test("no wrk here: Debian's package wrk");
    }
    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
    snprintf(path, sizeof(path), "%s/wrong", run_folder);
    fake_engine_write(path, "error", 0);
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_assert(run_results_are_sound());
    /* It answers the check and nothing else: its rate is none of right answers. */
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) JOIN "
                                  "foreign_load USING (trial_id) WHERE name = 'wrong' AND state = "
                                  "'failed' AND output LIKE '%%Non-2xx or 3xx responses: %%' AND "
                                  "reason LIKE 'nothing measured: wrk had %% answers, and none of "
                                  "them had a status of 2xx or 3xx'"),
                 1, "%s", run_file_text(run_err_path));
    cr_expect_eq(run_query_number("SELECT count(*) FROM foreign_load JOIN trial USING (trial_id) "
                                  "WHERE state = 'finished' AND output LIKE "
                                  "'%%1s test @ http://127.0.0.1:%%/ping%%Latency Distribution%%"
                                  "Requests/sec:%%' AND version LIKE 'wrk %%' AND command LIKE "
                                  "'[\"wrk\",\"-t1\",\"-c4\",\"-d1s\",\"--latency\"%%'"),
                 1);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN "
                         "foreign_load USING (trial_id) WHERE sample.started_count IS NOT NULL"),
        0);
    /* By the server's own count: both runs of wrk. */
    cr_expect_eq(run_query_number("SELECT server_request_count > 100 AND (SELECT "
                                  "sum(server_user_ns + server_system_ns) > 0 FROM sample WHERE "
                                  "sample.trial_id = trial.trial_id) FROM trial JOIN foreign_load "
                                  "USING (trial_id) WHERE server_request_count IS NOT NULL"),
                 1);
    cr_assert_eq(results_load(run_results_path, false, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < analysis->row_count; i++) {
        cr_expect_str_eq(results->engines[analysis->rows[i].engine_index].name, "limit");
    }
    session_discard(analysis, results);
}

/* F11: crash mid-run. The rest of the session is measured. */
Test(session, marks_a_trial_whose_server_was_killed_and_goes_on)
{
    run_plan_write("2s", "", "pong", 8);
    pid_t tacho = run_start(0);
    cr_expect(run_sample_wait(0));
    pid_t server = run_server_find(tacho);
    cr_assert_gt(server, 1);
    cr_expect_eq(kill(server, SIGKILL), 0);
    cr_expect_eq(run_wait(tacho), 4);
    cr_expect(run_no_process_left());
    cr_expect(run_out_ends_with("VERDICT=INVALID\n"));
    cr_assert(run_results_are_sound());
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM trial WHERE order_index = 0 AND state = "
                         "'crashed' AND server_exit = 'signal 9' AND reason LIKE '%%signal 9%%'"),
        1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE order_index > 0 AND state = "
                                  "'finished'"),
                 2);
    cr_expect_eq(
        run_query_number("SELECT max(sample_index) FROM sample JOIN trial USING (trial_id) "
                         "WHERE order_index = 0"),
        5, "sampled to the end of the window");
    cr_expect_eq(run_query_number("SELECT ok_count FROM sample JOIN trial USING (trial_id) WHERE "
                                  "order_index = 0 AND sample_index = 4"),
                 0);
    cr_expect_gt(
        run_query_number("SELECT fault_count FROM sample JOIN trial USING (trial_id) WHERE "
                         "order_index = 0 AND sample_index = 4"),
        0, "errors are there, not nothing");
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM event WHERE kind = 'crashed' AND severity = "
                         "'error'"),
        1);
    run_samples_expect_whole();
}

/* --- servers that misbehave --- */

/* A41: SIGINT at 1 s, and again within 100 ms. A SIGHUP that nohup had ignored stays ignored: what
 * ends the program is then the second signal. */
Test(session, stores_what_there_was_when_it_is_interrupted)
{
    static const struct {
        int number, status;
        bool is_ignored; /* before the program starts */
    } rows[] = {
        {SIGINT, 130, false}, {SIGTERM, 143, false}, {SIGHUP, 129, false}, {SIGHUP, 130, true}};

    run_plan_write("5s", "", "pong", 8);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        unlink(run_results_path);
        signal(rows[i].number, rows[i].is_ignored ? SIG_IGN : SIG_DFL);
        pid_t tacho = run_start(0);
        cr_expect(run_sample_wait(0));
        int64_t before_ns = run_now_ns();
        kill(tacho, rows[i].number);
        usleep(20000);
        kill(tacho, SIGINT);
        cr_expect_eq(run_wait(tacho), rows[i].status, "row %zu", i);
        cr_expect_lt(run_now_ns() - before_ns, 4 * CLOCK_NS_PER_S, "not after the window");
        cr_expect(run_no_process_left());
        cr_expect(run_out_ends_with("VERDICT=INTERRUPTED\n"));
        cr_assert(run_results_are_sound());
        cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'interrupted'"),
                     1);
        cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'interrupted'"), 1);
        cr_expect_eq(run_query_number("SELECT count(*) FROM trial"), 1, "no further one began");
        cr_expect_geq(run_query_number("SELECT count(*) FROM sample"), 2);
        run_samples_expect_whole();
    }
}

/* Who wants a core dump does not want to wait: as kill -9, and the server ends with it. */
Test(session, ends_at_once_by_sigquit_and_leaves_the_file_sound)
{
    const struct rlimit no_core = {0, 0};

    run_plan_write("5s", "", "pong", 8);
    cr_assert_eq(setrlimit(RLIMIT_CORE, &no_core), 0);
    signal(SIGQUIT, SIG_DFL);
    pid_t tacho = run_start(0);
    cr_expect(run_sample_wait(0));
    kill(tacho, SIGPIPE); /* which does nothing */
    kill(tacho, SIGXFSZ); /* nor does this */
    usleep(20000);
    cr_expect_eq(kill(tacho, 0), 0);
    kill(tacho, SIGQUIT);
    cr_expect_eq(run_wait(tacho), 1000 + SIGQUIT);
    cr_expect(run_no_process_left());
    cr_assert(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'running'"), 1);
    cr_expect_geq(run_query_number("SELECT count(*) FROM sample"), 1);
}

/* KILL_COUNT of the environment, as `ci/run kill` sets it. */
static int kill_count(void)
{
    const char *given = getenv("KILL_COUNT");

    return given ? atoi(given) : 10;
}

/* Of the trial that ran, every sample that was over 300 ms before the end is stored but the last:
 * intervals of 500 ms from the event "warmup" on, of which there are two before the drain. */
static void last_sample_check(long long killed_utc_ns)
{
    cr_expect_eq(
        run_query_number(
            "SELECT count(*) FROM trial JOIN event USING (trial_id) WHERE state = 'running' AND "
            "event.text = 'warmup' AND (SELECT count(*) FROM sample WHERE sample.trial_id = "
            "trial.trial_id) < min(2, (%lld - 300000000 - at_utc_ns) / 500000000) - 1",
            killed_utc_ns),
        0, "killed at %lld", killed_utc_ns);
}

/* D06: killed at any moment; F03: no server survives. */
Test(session, loses_nothing_sound_and_leaves_no_server_when_it_is_killed, .timeout = 3600)
{
    const struct clock *clock = clock_system();

    run_plan_write("500ms", "", "pong", 8);
    for_each_case(rng, kill_count(), 1)
    {
        pid_t tacho = run_start(0);
        usleep((useconds_t)rng_below(&rng, 2000000));
        kill(tacho, SIGKILL);
        long long killed_utc_ns = clock->wall_ns(clock->self);
        run_wait(tacho);
        cr_expect(run_no_process_left(), "seed %llu case %d", (unsigned long long)prop_case_seed,
                  prop_case);
        if (fs_exists(run_results_path) && run_query_number("PRAGMA application_id") > 0) {
            cr_expect(run_results_are_sound(), "seed %llu case %d",
                      (unsigned long long)prop_case_seed, prop_case);
            last_sample_check(killed_utc_ns);
        }
    }
    cr_expect_eq(run_wait(run_start(0)), 0, "the same file takes one more session: %s",
                 run_file_text(run_err_path));
    cr_expect(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'running'"), 0);
    cr_expect_gt(run_query_number("SELECT count(*) FROM session WHERE state = 'aborted'"), 0);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'running'"), 0);
}

Test(session, does_not_time_a_server_whose_answer_is_wrong)
{
    run_plan_write("1s", "", "pang", 8);
    cr_expect_eq(run_wait(run_start(0)), 4);
    cr_expect(run_no_process_left());
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM trial JOIN engine USING (engine_id) WHERE "
                         "name = 'epoll' AND state = 'failed' AND reason LIKE 'wrong answer: a "
                         "body with SHA-256 %%'"),
        1);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM sample JOIN trial USING (trial_id) JOIN engine "
                         "USING (engine_id) WHERE name = 'epoll'"),
        0);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 2,
                 "calibration is not concerned");
}

/* A20: refused before the run, naming limit and need. */
Test(session, refuses_a_machine_that_cannot_hold_the_connections)
{
    run_plan_write("1s", "", "pong", 100);
    cr_expect_eq(run_wait(run_start(64)), 3);
    cr_expect(run_out_ends_with("VERDICT=UNFIT\n"));
    cr_expect(strstr(run_file_text(run_err_path),
                     "open files allowed (hard limit): 64; should be: at least 264 for 100"),
              "%s", run_text);
    cr_expect_not(fs_exists(run_results_path), "nothing was measured, nothing is stored");
}

Test(session, refuses_cpus_that_the_machine_does_not_have)
{
    run_plan_write("1s", "machine: { server_cpus: \"1000\", driver_cpus: \"0\" }\n", "pong", 4);
    cr_expect_eq(run_wait(run_start(0)), 3);
    cr_expect(strstr(run_file_text(run_err_path), "CPUs of the plan: server 1000; driver 0"), "%s",
              run_text);
}

/* The built-in plan must run everywhere: the same plan with pinning_optional. */
Test(session, runs_unpinned_where_pinning_is_optional)
{
    struct plan *plan = NULL;
    struct err e = {0};
    char engine[256];
    const char *build = getenv("TACHO_BUILD");

    run_plan_write("500ms", "machine: { server_cpus: \"1000\", driver_cpus: \"0\" }\n", "pong", 4);
    cr_assert_eq(plan_load(run_plan_path, &plan, &e), ERR_OK, "%s", e.text);
    snprintf(engine, sizeof(engine), "%s/tacho-engine", build ? build : "build/release");
    const struct session_config config = {.plan = plan,
                                          .results_path = run_results_path,
                                          .engine_program = engine,
                                          .program_version = "test",
                                          .pinning_optional = true,
                                          .clock = clock_system()};
    cr_expect_eq(session_run(&config, &e), SESSION_FINISHED, "%s", e.text);
    plan_free(plan);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE value = 'not pinned'"), 2);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM event WHERE text LIKE '%%nothing is pinned%%'"), 1);
}

Test(session, does_not_touch_a_file_that_holds_no_results)
{
    static const char words[] = "my diary\n";
    struct err e;

    run_plan_write("1s", "", "pong", 4);
    cr_assert_eq(fs_write_file(run_results_path, words, sizeof(words) - 1, &e), ERR_OK);
    cr_expect_eq(run_wait(run_start(0)), 2);
    cr_expect(strstr(run_file_text(run_err_path), "results.db"), "%s", run_text);
    cr_expect_str_eq(run_file_text(run_results_path), words);
}

/* Streams that a caller closed or that cannot be written to. */
Test(session, needs_no_standard_streams_and_tells_when_its_verdict_was_lost)
{
    static const struct {
        const char *streams;
        int status;
    } rows[] = {{"<&- 2>&-", 0}, {"<&- >&- 2>&-", 4}, {">/dev/full 2>/dev/null", 4}};
    const char *build = getenv("TACHO_BUILD");
    char line[512];

    run_plan_write("500ms", "", "pong", 4);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        unlink(run_results_path);
        snprintf(line, sizeof(line), "%s/tacho run --force --wait 0s %s -o %s %s",
                 build ? build : "build/release", run_plan_path, run_results_path, rows[i].streams);
        int status = system(line);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == rows[i].status, "%s: %d",
                  rows[i].streams, status);
        cr_expect(run_results_are_sound());
        cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished'"), 3);
    }
}

/* ulimit -f: nobody is killed for it, wherever the limit is met. */
Test(session, tells_when_the_file_may_not_grow)
{
    static const int limits[] = {0, 16,
                                 340}; /* KiB: no file at all; not its tables; not its rows */
    const char *build = getenv("TACHO_BUILD");
    char line[400], whole[512];

    run_plan_write("500ms", "", "pong", 4);
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        snprintf(line, sizeof(line),
                 "(ulimit -f %d; exec %s/tacho run --wait 0s %s -o %s) 2>&1 | cat >%s", limits[i],
                 build ? build : "build/release", run_plan_path, run_results_path, run_err_path);
        snprintf(whole, sizeof(whole), "bash -o pipefail -c '%s'", line);
        int status = system(whole);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%d blocks: %d", limits[i],
                  status);
        cr_expect(strstr(run_file_text(run_err_path), "File too large; make room"), "%s", run_text);
        cr_expect(run_no_process_left());
    }
    cr_expect(run_results_are_sound(), "the last limit leaves room for a beginning");
}
