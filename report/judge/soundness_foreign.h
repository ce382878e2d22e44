// SPDX-License-Identifier: Apache-2.0
// Whether what another load driver is said to have done and printed is of the trial it stands at.
#ifndef REPORT_JUDGE_SOUNDNESS_FOREIGN_H
#define REPORT_JUDGE_SOUNDNESS_FOREIGN_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/*
 * Adds the first thing that does not agree in a trial, whose samples are there.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code soundness_check_foreign(const struct results *results,
                                      const struct results_trial *trial,
                                      struct soundness *soundness, struct err *e) ATTR_MUST_USE;

#endif
