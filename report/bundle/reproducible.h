// SPDX-License-Identifier: Apache-2.0
// Whether tacho reproduce can run the plan of a session: the program asks, and the README of a
// bundle says so beforehand.
#ifndef REPORT_BUNDLE_REPRODUCIBLE_H
#define REPORT_BUNDLE_REPRODUCIBLE_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

/*
 * The sandbox holds what the bundle brought and was built there: other servers are not in it, and
 * a command of a stranger's plan is not for running here.
 *
 * errors   ERR_FORMAT: an engine is not built in, or has an allocator of its own; a workload is a
 * replay
 */
enum err_code reproducible_check_plan(const struct plan *plan, struct err *e) ATTR_MUST_USE;

/*
 * Reads the plan as it was measured, with the bodies that the results kept.
 *
 * plan_out   plan_free
 * errors     ERR_FORMAT: this version cannot run it; ERR_LIMIT: memory
 */
enum err_code reproducible_load_plan(const struct results *results, struct plan **plan_out,
                                     struct err *e) ATTR_MUST_USE;

#endif
