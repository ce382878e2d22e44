// SPDX-License-Identifier: Apache-2.0
// Whether the plan as it was written, the mode of the session and its title give the plan that was
// run.
#ifndef REPORT_JUDGE_SOUNDNESS_SOURCE_H
#define REPORT_JUDGE_SOUNDNESS_SOURCE_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/*
 * Adds what does not agree. A plan that this version spells otherwise was made by another one, with
 * defaults of its own: it is not looked at.
 *
 * plan     what was run
 * errors   ERR_LIMIT: memory
 */
enum err_code soundness_check_source(const struct results *results, const struct plan *plan,
                                     struct soundness *soundness, struct err *e) ATTR_MUST_USE;

#endif
