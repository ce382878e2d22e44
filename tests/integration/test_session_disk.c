// SPDX-License-Identifier: Apache-2.0
// A session whose results file meets the end of a disk, or a disk that cannot be written.
#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "tests/support/tacho_run.h"

static char disk[80];

/* A file system of its own for the results, in a mount namespace of this test. False: not allowed.
 */
static bool disk_mount(const char *options)
{
    snprintf(disk, sizeof(disk), "%s/disk", run_folder);
    snprintf(run_results_path, sizeof(run_results_path), "%s/disk/results.db", run_folder);
    return mkdir(disk, 0755) == 0 &&
           unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", disk, "tmpfs", 0, options) == 0;
}

static void tear_down(void)
{
    umount2(disk, MNT_DETACH);
    run_tear_down();
}

TestSuite(session_disk, .init = run_set_up, .fini = tear_down, .timeout = 120);

/* D04: 8 MB, and a sample every 10 ms until they are full. */
Test(session_disk, ends_in_order_when_the_disk_is_full)
{
    static const char plan[] =
        "title: full\nbaseline: epoll\ntrials: 3\naa: false\nsettle: 0s\nwarmup: 0s\nwindow: 3s\n"
        "cooldown: 0s\nsample: 10ms\nengines: [{ name: epoll, builtin: epoll }]\n"
        "workloads: [{ name: w, get: /ping, connections: 4 }]\n";
    struct err e = {0};

    if (!disk_mount("size=8m")) {
        cr_skip_test("no permission to mount");
    }
    cr_assert_eq(fs_write_file(run_plan_path, plan, strlen(plan), &e), ERR_OK);
    cr_expect_eq(run_wait(run_start(0)), 3, "the preflight wants more room");
    cr_expect(strstr(run_file_text(run_err_path), "refused: "), "%s", run_text);
    run_options[0] = "--force";
    cr_expect_eq(run_wait(run_start(0)), 4, "%s", run_file_text(run_err_path));
    cr_expect(run_out_ends_with("VERDICT=INVALID\n"), "%s", run_file_text(run_out_path));
    cr_expect(strstr(run_file_text(run_err_path), "full"), "%s", run_text);
    cr_expect(run_no_process_left());
    cr_expect(run_results_are_sound());
    cr_expect_gt(run_query_number("SELECT count(*) FROM sample"), 50, "what came before is there");
    cr_expect_eq(run_query_number("SELECT count(*) FROM session WHERE state = 'finished'"), 0);
    cr_expect_eq(
        run_query_number("SELECT count(*) FROM (SELECT max(sample_index) + 1 - count(*) AS "
                         "gap FROM sample GROUP BY trial_id) WHERE gap <> 0"),
        0, "no sample is missing in the middle, none is there twice");
}

Test(session_disk, measures_nothing_where_it_cannot_write)
{
    if (!disk_mount("size=64m") || mount(NULL, disk, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0) {
        cr_skip_test("no permission to mount");
    }
    run_plan_write("500ms", "", "pong", 4);
    run_options[0] = "--force"; /* which does not help */
    cr_expect_eq(run_wait(run_start(0)), 3);
    cr_expect(run_out_ends_with("VERDICT=UNFIT\n"));
    cr_expect(strstr(run_file_text(run_err_path), disk), "%s", run_text);
    cr_expect(run_no_process_left());
}
