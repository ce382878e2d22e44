// SPDX-License-Identifier: Apache-2.0
// Whether the trials of a session are those that its plan and seed order, each at its place.
#ifndef REPORT_JUDGE_PLAN_ORDER_H
#define REPORT_JUDGE_PLAN_ORDER_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/* A plan that orders more is not held: its order alone would take tens of MiB. */
#define PLAN_ORDER_TRIAL_COUNT_MAX 262144

/*
 * Makes the schedule again and adds "schedule" for each trial whose engine, cell, block or position
 * is not that of its place, and where facts name another seed or number of places. A place may be
 * empty or have several trials. An order by a generator that this version has not is one more when
 * this version made the session, else it goes into soundness->not_held, as one that is too long
 * does.
 *
 * results   their engines, workloads and cells are the plan's: plan_rows_compare
 * errors    ERR_LIMIT: memory
 */
enum err_code plan_order_check(const struct results *results, const struct plan *plan,
                               struct soundness *soundness, struct err *e) ATTR_MUST_USE;

#endif
