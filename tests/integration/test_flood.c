// SPDX-License-Identifier: Apache-2.0
// The flood of a plan against real servers: those that come back, and one that does not.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/fs.h"
#include "engines/engine.h"
#include "tests/support/fake_engine.h"
#include "tests/support/tacho_run.h"

TestSuite(flood, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

#define PLAN(engines)                                                                              \
    "title: flood\ntrials: 1\naa: false\nsettle: 0s\nwarmup: 0s\nwindow: 1s\ncooldown: 0s\n"       \
    "timeout: 500ms\nengines: [" engines "]\nworkloads:\n  - { name: f, get: /ping, "              \
    "expect: { body: pong }, flood: { connections: 300, for: 500ms, recover_within: 1s } }\n"
#define ENGINE(name) "{ name: " name ", builtin: " name " }"

static void plan_write(const char *plan)
{
    struct err e;

    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK, "%s", e.text);
}

static void engine_write(const char *mode)
{
    snprintf(run_engine_path, sizeof(run_engine_path), "%s/engine", run_folder);
    fake_engine_write(run_engine_path, mode, 0);
}

Test(flood, leaves_the_built_in_servers_as_they_were)
{
    bool has_uring = engine_probe(engine_find("uring"), NULL) == ERR_OK;
    long long count = 3 + has_uring;

    plan_write(has_uring ? PLAN(ENGINE("epoll") ", " ENGINE("blocking") ", " ENGINE(
                               "pool") ", " ENGINE("uring"))
                         : PLAN(ENGINE("epoll") ", " ENGINE("blocking") ", " ENGINE("pool")));
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_expect(run_no_process_left());
    cr_assert(run_results_are_sound());
    run_samples_expect_whole();
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial"), count,
                 "no calibration for a flood");
    cr_expect_eq(run_query_number("SELECT count(*) FROM workload WHERE flood_ns = 500000000 AND "
                                  "recover_within_ns = 1000000000"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished' AND "
                                  "recover_ns BETWEEN 0 AND 1000000000"),
                 count);
    /* many more than the driver asked, and more connections than it had */
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE server_request_count > 300 "
                                  "AND started_count < 100"),
                 count);
    cr_expect_eq(run_query_number("SELECT count(*) FROM event WHERE kind = 'flood' AND severity = "
                                  "'info' AND text LIKE '%%at most 300 at once%%'"),
                 count);
    /* two quiet samples, the flood's, two of watching; then as many descriptors as before, but for
     * uring, which takes thousands at once and still closes some */
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample WHERE phase = 'warmup'"), 2 * count);
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample WHERE phase = 'window'"), 3 * count);
    cr_expect_eq(run_query_number("SELECT count(*) FROM sample AS a JOIN sample AS b USING "
                                  "(trial_id) JOIN trial USING (trial_id) JOIN engine USING "
                                  "(engine_id) WHERE a.sample_index = 1 AND b.sample_index = 4 AND "
                                  "b.server_fd_count > a.server_fd_count + CASE engine.name WHEN "
                                  "'uring' THEN 4000 ELSE 4 END"),
                 0);
}

Test(flood, tells_of_a_server_that_does_not_come_back)
{
    engine_write("hang");
    plan_write(PLAN(ENGINE("epoll")));
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    cr_assert(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished' AND "
                                  "recover_ns IS NULL"),
                 1);
}

Test(flood, that_kills_the_server_is_a_crash)
{
    engine_write("segv");
    plan_write(PLAN(ENGINE("epoll")));
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_assert(run_results_are_sound());
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'crashed' AND "
                                  "recover_ns IS NULL"),
                 1);
}
