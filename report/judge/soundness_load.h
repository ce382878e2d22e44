// SPDX-License-Identifier: Apache-2.0
// Whether what is stored of a trial's load beside its samples agrees with them: the requests of a
// mix, the answer after a flood, the words of another driver.
#ifndef REPORT_JUDGE_SOUNDNESS_LOAD_H
#define REPORT_JUDGE_SOUNDNESS_LOAD_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/*
 * Adds what does not agree in a trial, whose samples are there; of each kind the first one.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code soundness_check_load(const struct results *results, const struct results_trial *trial,
                                   struct soundness *soundness, struct err *e) ATTR_MUST_USE;

#endif
