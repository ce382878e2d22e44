// SPDX-License-Identifier: Apache-2.0
// Whether the times of a session's trials, of their samples and of itself fit into each other.
#ifndef REPORT_JUDGE_SOUNDNESS_TIMES_H
#define REPORT_JUDGE_SOUNDNESS_TIMES_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/* Adds what does not agree between the session and its trials, and among these. Within a sitting
 * all times follow one clock. errors ERR_LIMIT: memory */
enum err_code soundness_check_times(const struct results *results, struct soundness *soundness,
                                    struct err *e) ATTR_MUST_USE;

/* Adds what does not agree in a trial, whose samples are there. */
void soundness_check_span(const struct results_trial *trial, struct soundness *soundness);

#endif
