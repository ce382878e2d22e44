// SPDX-License-Identifier: Apache-2.0
// tacho drive --find-rate on servers whose highest rate is known.
#include <criterion/criterion.h>

#include <signal.h>
#include <string.h>

#include "tests/support/drive_command.h"
#include "tests/support/driver_load.h"
#include "tests/support/engine_process.h"

/* Two workers that sleep 10 ms a request answer at most 200 of them in a second. A machine that is
 * busy finds less, none finds more; 400/s is more than the bound can hide in 0.4 s. */
Test(find_rate, ends_below_what_the_server_can_do)
{
    static const char *const two_workers[] = {"--threads", "2", NULL};
    struct engine_process engine;

    engine_process_start(&engine, "pool",
                         &(struct engine_process_options){.arguments = two_workers});
    drive_command_run(&drive_run,
                      DRIVE_WORDS("--find-rate", "p50<50ms", "-R50", "-c64", "-t1", "-d400ms",
                                  "-w100ms", drive_url(engine.port, "/delay/10")));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    int64_t passed = drive_number("passed_per_s");
    int64_t failed = drive_number("failed_per_s");
    cr_expect(passed >= 1 && passed < failed && failed <= 400, "%ld and %ld", passed, failed);
    cr_expect_eq(engine_process_stop(&engine), 0);
    const char *end = json_string_value(json_object_get(drive_run.json, "end"));
    if (end && strcmp(end, "above_driver") == 0) {
        cr_skip_test("the driver was late: other programs take CPU time");
    }
    cr_expect_str_eq(end, "found");
}

/* Every answer is wrong at every rate: the answer is no, and nothing was measured. */
Test(find_rate, says_that_no_rate_passes)
{
    static const struct peer_script wrong =
        REPLY(SAY("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"));
    struct peer peer;

    peer_open(&peer, &wrong);
    drive_command_run(&drive_run, DRIVE_WORDS("--find-rate", "p99<1s", "-R3", "-c1", "-t1",
                                              "-d100ms", "-w50ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 4, "%s", drive_run.error_text);
    cr_expect_str_eq(json_string_value(json_object_get(drive_run.json, "end")), "none");
    peer_close(&peer);
}

Test(find_rate, refuses_what_makes_no_search)
{
    static const char *const rows[][3] = {{"p99", NULL, "write it as \"p99<5ms\""},
                                          {"p99<1s", "--pipeline=2", "--pipeline"},
                                          {"p99<1s", "-n5", "leave out -n"},
                                          {"p99<1s", "--hdr=x", "leave out -n, --hdr"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        drive_command_run(
            &drive_run, DRIVE_WORDS("http://127.0.0.1:1/", "--find-rate", rows[i][0], rows[i][1]));
        cr_expect_eq(drive_run.status, 2, "%s", rows[i][0]);
        cr_expect_not_null(strstr(drive_run.error_text, rows[i][2]), "%s", drive_run.error_text);
        drive_command_release(&drive_run);
    }
}
