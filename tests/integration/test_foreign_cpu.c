// SPDX-License-Identifier: Apache-2.0
// A session beside a busy loop: its trials carry the share of CPU time that others took, and do not
// count.
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/probe/machine.h"
#include "engines/base/proc.h"
#include "report/judge/analysis.h"
#include "report/query/results.h"
#include "tests/support/tacho_run.h"

TestSuite(foreign_cpu, .init = run_set_up, .fini = run_tear_down, .timeout = 120);

static pid_t spinner_start(void)
{
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when this test ends early */
        for (volatile unsigned turn = 0;; turn++) {
        }
    }
    return pid;
}

/* The findings about other programs: how many trials have one that invalidates, and the largest
 * share. */
struct disturbance {
    size_t trial_count, invalid_count;
    double share_max;
    bool is_unfit;
};

static struct disturbance session_judge(void)
{
    struct results *results;
    struct analysis *analysis;
    struct disturbance found = {0};
    struct err e;

    cr_assert_eq(results_load(run_results_path, false, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    found.trial_count = results->trial_count;
    found.is_unfit = (analysis->unfit_causes & UNFIT_FOREIGN_CPU) != 0;
    for (size_t i = 0; i < results->trial_count; i++) {
        const struct trial_summary *trial = &analysis->trials[i];
        bool is_marked = false;

        for (size_t k = 0; k < trial->finding_count; k++) {
            const struct finding *finding = &trial->findings[k];

            if (finding->kind == FINDING_FOREIGN_CPU) {
                is_marked |= finding->invalidates;
                found.share_max =
                    finding->value > found.share_max ? finding->value : found.share_max;
                cr_expect_eq(finding->invalidates, finding->value > 0.05, "trial %zu: %f", i,
                             finding->value);
            }
        }
        cr_expect(!is_marked || !trial->valid, "trial %zu", i);
        found.invalid_count += is_marked;
    }
    analysis_free(analysis);
    results_free(results);
    return found;
}

/* Server and driver are on CPUs of their own and want all of them: two loops beside them take half
 * of the machine, whatever else runs. */
Test(foreign_cpu, marks_every_trial_that_a_busy_loop_ran_beside)
{
    pid_t spinners[] = {spinner_start(), spinner_start()};

    run_wants_quiet = true;
    run_plan_write("1s", "", "pong", 16);
    int status = run_wait(run_start(0));
    for (size_t i = 0; i < 2; i++) {
        kill(spinners[i], SIGKILL);
        cr_assert_eq(waitpid(spinners[i], NULL, 0), spinners[i]);
    }
    cr_expect_eq(status, 3, "none of its trials is counted: %s", run_file_text(run_err_path));
    cr_expect(strstr(run_file_text(run_err_path),
                     "tacho: none of 1 trials is counted, the first of "
                     "them (epoll): "),
              "%s", run_text);
    cr_expect(run_out_ends_with("VERDICT=UNFIT\n"));
    struct disturbance found = session_judge();
    cr_expect_eq(found.trial_count, 3, "the calibration engine before and after");
    cr_expect_eq(found.invalid_count, found.trial_count);
    cr_expect_gt(found.share_max, 0.1, "%f", found.share_max);
    cr_expect(found.is_unfit);
}

/* The share of the machine's CPU time that is busy while this test sleeps. */
static double busy_share_read(void)
{
    struct proc_cpu cpus[2];
    double busy[2], all[2];
    char text[4096];

    for (int i = 0; i < 2; i++) {
        ssize_t length = proc_read(MACHINE_PROC_ROOT, text, sizeof(text), "stat");

        cr_assert(length > 0 && proc_parse_cpu(text, (size_t)length, &cpus[i]));
        busy[i] =
            (double)(cpus[i].user + cpus[i].nice + cpus[i].system + cpus[i].irq + cpus[i].softirq);
        all[i] = busy[i] + (double)(cpus[i].idle + cpus[i].iowait);
        if (i == 0) {
            usleep(800000);
        }
    }
    return (busy[1] - busy[0]) / (all[1] - all[0]);
}

/* Only a quiet machine can show it: the session must be quiet from its first trial to its last. */
Test(foreign_cpu, marks_no_trial_of_a_quiet_machine)
{
    double before = busy_share_read();

    if (before > 0.02) {
        cr_skip_test("other programs take CPU time just now");
    }
    run_plan_write("1s", "", "pong", 16);
    cr_expect_eq(run_wait(run_start(0)), 0, "%s", run_file_text(run_err_path));
    if (busy_share_read() > 0.02) {
        cr_skip_test("other programs began to take CPU time");
    }
    struct disturbance found = session_judge();
    cr_expect_eq(found.trial_count, 3);
    cr_expect_eq(found.invalid_count, 0, "a share of %f", found.share_max);
    cr_expect_not(found.is_unfit);
}
