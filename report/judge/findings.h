// SPDX-License-Identifier: Apache-2.0
// The checks of a trial: which of them it does not pass decides whether it is counted.
#ifndef REPORT_JUDGE_FINDINGS_H
#define REPORT_JUDGE_FINDINGS_H

#include "report/judge/analysis.h"
#include "report/judge/trial_summary.h"

/* Fills findings, finding_count and valid of a summary that trial_summary_make made. */
void findings_collect(const struct results *results, const struct trial_window *window,
                      struct trial_summary *summary);

/* Samples of the trial that the grid has and the file has not. */
int64_t findings_count_missing(const struct results_trial *trial);

#endif
