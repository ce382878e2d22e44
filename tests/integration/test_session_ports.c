// SPDX-License-Identifier: Apache-2.0
// A session on a machine that has hardly any local ports: a network namespace of the test's own.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "tests/support/namespaces.h"
#include "tests/support/tacho_run.h"

#define OF_ROLE "FROM trial JOIN engine USING (engine_id) WHERE role = "

static void plan_put(const char *load)
{
    char plan[512];
    struct err e = {0};
    int length =
        snprintf(plan, sizeof(plan),
                 "title: ports\nbaseline: epoll\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\n"
                 "window: 500ms\ncooldown: 2s\nengines: [{ name: epoll, builtin: epoll }]\n"
                 "workloads: [{ name: churn, get: /ping, connections: 4, %s }]\n",
                 load);

    cr_assert_eq(fs_write_file(run_plan_path, plan, (size_t)length, &e), ERR_OK, "%s", e.text);
}

static void report_expect(const char *text)
{
    char line[640];
    const char *build = getenv("TACHO_BUILD");

    snprintf(line, sizeof(line), "%s/tacho report %s -o %s/report --format md >%s 2>&1",
             build ? build : "build/release", run_results_path, run_folder, run_out_path);
    cr_expect_eq(system(line), 0);
    snprintf(line, sizeof(line), "%s/report/report.md", run_folder);
    cr_expect(strstr(run_file_text(line), text), "no \"%s\"", text);
}

TestSuite(session_ports, .init = run_set_up, .fini = run_tear_down, .timeout = 120);

/* A22: the client's fault is not told of the server. A23: nor does it reach the next trial. */
Test(session_ports, that_ran_out_are_the_drivers_fault_and_not_the_next_trials)
{
    if (!namespaces_limit_ports("2")) { /* a port is free again after a second */
        cr_skip_test("no permission for a network namespace");
    }
    plan_put("requests_per_connection: 1");
    run_options[0] = "--force";
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect(run_out_ends_with("VERDICT=INVALID\n"));
    cr_expect(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) " OF_ROLE "'baseline' AND state = 'failed' AND "
                                  "reason LIKE 'the driver had no local port for %%: widen "
                                  "net.ipv4.ip_local_port_range%%'"),
                 1, "%s", run_file_text(run_err_path));
    cr_expect_gt(run_query_number("SELECT sum(count) FROM outcome WHERE kind = 'connect_no_port'"),
                 0);
    cr_expect_eq(run_query_number("SELECT count(*) FROM outcome WHERE kind IN ('connect_refused', "
                                  "'connect_timeout', 'connect_other')"),
                 0, "each of them is a port that was missing");
    cr_expect_eq(run_query_number("SELECT count(*) " OF_ROLE "'limit' AND state = 'finished'"), 2);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM outcome JOIN trial USING (trial_id) JOIN "
                         "engine USING (engine_id) WHERE role = 'limit' AND outcome.kind NOT IN "
                         "('ok', 'in_flight_at_end')"),
        0, "nothing of it in the trial that follows");
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM event WHERE kind = 'phase' AND text = 'cooldown'"),
        2);
    report_expect("a fault of the client, not of the server");
}

/* A22: where it can be told before, it is. */
Test(session_ports, that_a_rate_will_use_up_are_missed_before_the_load)
{
    if (!namespaces_limit_ports("0")) {
        cr_skip_test("no permission for a network namespace");
    }
    plan_put("requests_per_connection: 1, rate: 50/s");
    cr_expect_eq(run_wait(run_start(0)), 3, "%s", run_file_text(run_err_path));
    cr_expect(
        strstr(run_file_text(run_err_path), "refused: local ports for connections that close"),
        "%s", run_text);
    cr_expect(strstr(run_text, "101 ports"), "%s", run_text);
}
