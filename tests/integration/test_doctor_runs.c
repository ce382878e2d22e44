// SPDX-License-Identifier: Apache-2.0
// tacho doctor, whole: what it prints, its status, and that nothing is left of it.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/fs.h"

static char folder[] = "/tmp/tacho-doctor-test-XXXXXX";
static char plan_path[64], out_path[64], temporary[64];

static void folder_set_up(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(plan_path, sizeof(plan_path), "%s/plan.yaml", folder);
    snprintf(out_path, sizeof(out_path), "%s/out", folder);
    snprintf(temporary, sizeof(temporary), "%s/tmp", folder);
    cr_assert_eq(fs_make_directories(temporary, NULL), ERR_OK);
}

static void folder_tear_down(void)
{
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

TestSuite(doctor_runs, .init = folder_set_up, .fini = folder_tear_down, .timeout = 180);

static int doctor_run(const char *option, int connections, struct buf *out)
{
    char program[256], plan[512];
    const char *build = getenv("TACHO_BUILD");
    int status = 0;
    int length = snprintf(plan, sizeof(plan),
                          "title: a plan\ntrials: 10\nengines:\n  - { name: e, builtin: epoll }\n"
                          "workloads:\n  - { name: w, get: /ping, connections: %d }\n",
                          connections);

    cr_assert_eq(fs_write_file(plan_path, plan, (size_t)length, NULL), ERR_OK);
    snprintf(program, sizeof(program), "%s/tacho", build ? build : "build/release");
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(out_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const struct rlimit few = {1000, 1000};
        if (fd >= 0 && setrlimit(RLIMIT_NOFILE, &few) == 0 && dup2(fd, 1) == 1 &&
            setenv("TMPDIR", temporary, 1) == 0) {
            execl(program, "tacho", "doctor", plan_path, "--wait=0s", option, (char *)NULL);
        }
        _exit(127);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status));
    buf_init(out, 1 << 20);
    cr_assert_eq(fs_read_file(out_path, out, NULL), ERR_OK);
    buf_add(out, "", 1);
    /* Empty: what it measured in is gone. */
    cr_expect_eq(rmdir(temporary), 0);
    return WEXITSTATUS(status);
}

Test(doctor_runs, refuses_a_plan_that_needs_more_than_the_machine_has)
{
    struct buf out;

    cr_expect_eq(doctor_run(NULL, 600, &out), 3);
    cr_expect(strstr(out.bytes, "\nREFUSED: "), "%s", out.bytes);
    cr_expect(strstr(out.bytes, "  open files allowed (hard limit): 1000\n    should be  at least "
                                "1264 for 600 connections\n    because "),
              "%s", out.bytes);
    cr_expect(strstr(out.bytes, "tell apart is not known"), "%s", out.bytes);
    cr_expect(strstr(out.bytes, "\nVERDICT=UNFIT\n"), "%s", out.bytes);
    buf_release(&out);
}

Test(doctor_runs, measures_its_own_noise_and_says_it_as_json)
{
    struct buf out;
    int status = doctor_run("--json", 8, &out);
    json_t *whole = json_loads(out.bytes, 0, NULL);
    const char *verdict = json_string_value(json_object_get(whole, "verdict"));
    json_t *noise = json_object_get(whole, "noise");
    double sd = json_real_value(json_object_get(noise, "sd"));

    cr_assert(verdict, "%s", out.bytes);
    /* Whether this machine is fit is not the test's to say; that both answers agree is. */
    cr_expect_eq(status, strcmp(verdict, "UNFIT") == 0 ? 3 : 0);
    cr_expect_eq(json_integer_value(json_object_get(noise, "round_count")), 6, "%s", out.bytes);
    cr_expect_eq(json_integer_value(json_object_get(noise, "plan_round_count")), 10);
    cr_expect_gt(sd, 0);
    cr_expect_gt(json_real_value(json_object_get(noise, "detectable")),
                 json_real_value(json_object_get(noise, "half_width")));
    cr_expect_gt(
        json_integer_value(json_object_get(json_object_get(whole, "burn_in"), "piece_count")), 10);
    cr_expect_geq(json_array_size(json_object_get(whole, "checks")), 50);
    json_decref(whole);
    buf_release(&out);
}
