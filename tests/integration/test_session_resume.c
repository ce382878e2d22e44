// SPDX-License-Identifier: Apache-2.0
// A session that was killed or interrupted is taken up again; parts of a plan; a forced session.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "tests/support/results_builder.h"
#include "tests/support/tacho_run.h"

TestSuite(session_resume, .init = run_set_up, .fini = run_tear_down, .timeout = 180);

static int run_again(const char *option)
{
    run_options[0] = option;
    int status = run_wait(run_start(0));
    run_options[0] = NULL;
    return status;
}

/* Starts it, with --resume or without, and sends a signal when the place has its first sample. */
static int run_and_stop(const char *option, int order_index, int number)
{
    run_options[0] = option;
    pid_t tacho = run_start(0);
    run_options[0] = NULL;
    cr_expect(run_sample_wait(order_index));
    cr_expect_eq(kill(tacho, number), 0);
    return run_wait(tacho);
}

static bool results_are_checked(void)
{
    char line[512];
    const char *build = getenv("TACHO_BUILD");

    snprintf(line, sizeof(line), "%s/tacho results --check %s >/dev/null",
             build ? build : "build/release", run_results_path);
    return system(line) == 0;
}

/* Three places: limit, epoll, limit. D06: what ran when the program was killed is aborted. */
Test(session_resume, runs_just_what_is_missing_until_nothing_is)
{
    run_plan_write("1500ms", "", "pong", 4);
    cr_expect_eq(run_and_stop(NULL, 1, SIGKILL), 1000 + SIGKILL);
    cr_expect(run_no_process_left());
    cr_expect_eq(run_and_stop("--resume", 2, SIGINT), 130);
    cr_expect_eq(run_again("--resume"), 0, "%s", run_file_text(run_err_path));
    cr_expect(run_out_ends_with("VERDICT=MEASURED\n"));
    cr_assert(run_results_are_sound());
    run_samples_expect_whole();
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM session WHERE state = 'finished' AND reason "
                         "IS NULL AND ended_utc_ns > started_utc_ns"),
        1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM session"), 1);
    cr_expect_eq(run_query_number("SELECT count(DISTINCT order_index) FROM trial WHERE state = "
                                  "'finished'"),
                 3);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial"), 5, "none that was done ran again");
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'aborted' AND "
                                  "order_index = 1 AND attempt_index = 0 AND sitting_index = 0"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'interrupted' AND "
                                  "order_index = 2 AND attempt_index = 0 AND sitting_index = 1"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial WHERE state = 'finished' AND "
                                  "order_index = 2 AND attempt_index = 1 AND sitting_index = 2"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM event WHERE kind = 'resumed'"), 2);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE moment = 'end' AND name = "
                                  "'server.padding_bytes' AND value LIKE '%%,%%,%%'"),
                 1, "the paddings of all places, not of the last sitting's");
    cr_expect(results_are_checked());

    cr_expect_eq(run_again("--resume"), 0);
    cr_expect(strstr(run_file_text(run_err_path), "every trial of the plan is done"), "%s",
              run_text);
    cr_expect_eq(run_query_number("SELECT count(*) FROM trial"), 5);
    cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'finished'"), 1);
}

/* A place whose only try crashed or failed is missing as well: the bad try stays beside the new. */
Test(session_resume, refuses_another_plan_machine_or_program_in_one_line)
{
    static const struct {
        const char *sql, *window, *want;
        int status;
    } rows[] = {
        {"UPDATE trial SET state = 'crashed', reason = 'x' WHERE order_index = 2", "1s",
         "another plan, which differs in window; run without --resume", 2},
        {"UPDATE fact SET value = 'x' WHERE name = 'kernel.boot_id'", "500ms",
         "kernel.boot_id was x and is ", 3},
        {"UPDATE fact SET value = NULL WHERE name = 'kernel.boot_id'", "500ms",
         "kernel.boot_id was not known and is ", 3},
        {"DELETE FROM fact WHERE name = 'kernel.boot_id'; UPDATE fact SET value = 'abc' WHERE name "
         "= "
         "'program.tacho_engine_sha256'",
         "500ms", "program.tacho_engine_sha256 was abc and is ", 3},
    };

    run_plan_write("500ms", "", "pong", 4);
    cr_expect_eq(run_again("--resume"), 2);
    cr_expect(strstr(run_file_text(run_err_path), "there is nothing to resume"), "%s", run_text);
    cr_expect_eq(run_again(NULL), 0);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        results_builder_alter(run_results_path, rows[i].sql);
        run_plan_write(rows[i].window, "", "pong", 4);
        cr_expect_eq(run_again("--resume"), rows[i].status, "row %zu", i);
        cr_expect(strstr(run_file_text(run_err_path), rows[i].want), "row %zu: %s", i, run_text);
        cr_expect_eq(run_query_number("SELECT count(*) FROM trial"), 3, "row %zu", i);
        cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'finished'"), 1);
    }
}

Test(session_resume, runs_a_part_of_a_plan_and_later_the_rest)
{
    run_plan_write("500ms", "", "pong", 4);
    cr_expect_eq(run_again("--only=none"), 2);
    cr_expect(
        strstr(run_file_text(run_err_path), "no engine of the plan has that name; known: epoll"),
        "%s", run_text);
    cr_expect_eq(run_again("--only=epoll:ping"), 0, "%s", run_file_text(run_err_path));
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM fact WHERE name = 'session.only' AND value = "
                         "'epoll:ping'"),
        1);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM fact WHERE name = 'session.mode' AND value = "
                         "'full'"),
        1);
    cr_expect_eq(run_again("--quick"), 0, "%s", run_file_text(run_err_path));
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM fact WHERE name = 'session.mode' AND value = "
                         "'quick'"),
        1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM session"), 2);
}

Test(session_resume, goes_on_where_the_preflight_refuses_and_stamps_the_session)
{
    run_plan_write("500ms", "machine: { server_cpus: \"1000\", driver_cpus: \"0\" }\n", "pong", 4);
    cr_expect_eq(run_again(NULL), 3);
    cr_expect_eq(run_again("--force"), 0, "%s", run_file_text(run_err_path));
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM fact WHERE name = 'session.forced' AND value = "
                         "'cpus_absent'"),
        2, "at the start and at the end");
    cr_expect_eq(run_query_number("SELECT count(*) FROM event WHERE kind = 'forced' AND severity = "
                                  "'warning'"),
                 1);
    cr_expect_eq(run_query_number("SELECT count(*) FROM fact WHERE value = 'not pinned'"), 2);
}
