// SPDX-License-Identifier: Apache-2.0
// tacho drive --record: what a load by hand leaves is a session like any other.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "report/run_outcome.h"
#include "tests/support/drive_command.h"
#include "tests/support/engine_process.h"
#include "tests/support/session_fixture.h"
#include "tests/support/tacho_run.h"
#include "tests/support/tls_peer.h"

TestSuite(drive_record, .init = run_set_up, .fini = run_tear_down, .timeout = 60);

/* What a load by hand leaves is a session like any other: its rows are those of its plan, its trial
 * is counted. */
Test(drive_record, a_load_by_hand_is_recorded_as_a_session_of_one_trial)
{
    static const struct {
        const char *words[4], *told;
    } refusals[] = {{{"-n", "5"}, "which cannot say -n"},
                    {{"-H", "A: b"}, "which cannot say -H"},
                    {{"-m", "PUT"}, "which cannot say a method but GET, HEAD and POST"},
                    {{"--source", "10.0.0.1"}, "10.0.0.1"}};
    struct engine_process engine;
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    char told[RUN_OUTCOME_TEXT_BYTES] = "";
    struct err e = {0};

    cr_assert_eq(fs_write_file(run_plan_path, "0123456789", 10, &e), ERR_OK); /* a body */
    engine_process_start(&engine, "epoll", NULL);
    for (size_t i = 0; i < ARRAY_COUNT(refusals); i++) {
        drive_command_run(&drive_run, DRIVE_WORDS("--record", run_results_path, "-d500ms",
                                                  drive_url(engine.port, "/ping"),
                                                  refusals[i].words[0], refusals[i].words[1]));
        cr_expect_eq(drive_run.status, 2);
        cr_expect(strstr(drive_run.error_text, refusals[i].told), "%s", drive_run.error_text);
    }
    cr_expect_neq(access(run_results_path, F_OK), 0);
    drive_command_run(&drive_run, DRIVE_WORDS("--record", run_results_path, "-t1", "-c4", "-d1s",
                                              "-w500ms", "--think-time", "1ms", "--request",
                                              "9 GET /ping", "--request", "1 POST /upload", "-b",
                                              run_plan_path, drive_url(engine.port, "/")));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_assert(run_results_are_sound());
    /* Server and machine are read as in a run. */
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample WHERE server_rss_kib > 0 AND "
                                  "machine_busy_ns IS NOT NULL"),
                 4);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE name = 'session.mode' AND value "
                                  "= 'drive'"),
                 1);
    cr_expect_eq(run_query_number("SELECT sum(ok_count) FROM sample WHERE phase = 'window'"),
                 drive_number("window/ok_count"));
    cr_expect_eq(run_query_number("SELECT sum(ok_count) FROM request_total"),
                 drive_number("window/ok_count"));
    cr_assert_eq(results_load(run_results_path, false, &results, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(run_first_finding(), "");
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    cr_expect_geq(analysis->trials[0].foreign_cpu_share, 0);
    cr_expect_neq(run_outcome_of(analysis, told), RUN_OUTCOME_NOTHING, "%s", told);
    session_discard(analysis, results);
    cr_expect_eq(engine_process_stop(&engine), 0);
}

/* Over https: what was spoken and who was trusted; along a ramp: the plan that says so. */
Test(drive_record, https_and_a_ramp_are_recorded)
{
    static const struct tls_peer_script script = {
        .reply = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong"};
    struct tls_peer peer;
    char url[64];

    tls_peer_open(&peer, &script);
    snprintf(url, sizeof(url), "https://127.0.0.1:%u/", peer.port);
    drive_command_run(&drive_run, DRIVE_WORDS("--record", run_results_path, "-t1", "-c2", "-d1s",
                                              "-R", "100..300", "--cacert", peer.ca_path, url));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_assert(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial JOIN cell USING (cell_id) WHERE "
                                  "state = 'finished' AND tls_version = 'TLSv1.3' AND "
                                  "tls_full_count + tls_resumed_count = 2 AND tls_handshake_ns > 0 "
                                  "AND rate_per_s = 200 AND rate_course = '100..300'"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE name LIKE "
                                  "'engine.127.0.0.1:%%.tls_ca_sha256' AND length(value) = 64"),
                 1);
    cr_expect_eq(run_query_number("SELECT sum(scheduled_count) FROM sample"), 200);
    tls_peer_close(&peer);
}
