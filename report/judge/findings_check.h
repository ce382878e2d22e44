// SPDX-License-Identifier: Apache-2.0
// What the checks of a trial share. Only for report/judge.
#ifndef REPORT_JUDGE_FINDINGS_CHECK_H
#define REPORT_JUDGE_FINDINGS_CHECK_H

#include "report/judge/analysis.h"
#include "report/judge/trial_summary.h"

struct check {
    const struct results *results;
    const struct results_trial *trial;
    const struct trial_window *window;
    struct trial_summary *summary;
};

void finding_add(const struct check *check, enum finding_kind kind, bool invalidates, double value,
                 double limit);

/* A warning above the first limit, invalid above the second; nothing where `value` is NaN. */
void finding_add_graded(const struct check *check, enum finding_kind kind, double value,
                        double warn_limit, double limit);

/* What the machine did to the trial. */
void findings_check_machine(const struct check *check);

/* What wrk said of the trial's errors. The trial has its words. */
void findings_check_wrk(const struct check *check);

#endif
