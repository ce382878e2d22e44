// SPDX-License-Identifier: Apache-2.0
// The plan of a session, out of its results file.
#ifndef REPORT_QUERY_RESULTS_PLAN_H
#define REPORT_QUERY_RESULTS_PLAN_H

#include <stdbool.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

/*
 * Reads the plan's text with the bodies that the workloads kept.
 *
 * name        for messages
 * is_to_run   a body that was too long to be kept is an error; else it is NULL
 * plan_out    plan_free
 * errors      as plan_parse_stored
 */
enum err_code results_parse_plan(const struct results *results, const char *name, bool is_to_run,
                                 struct plan **plan_out, struct err *e) ATTR_MUST_USE;

#endif
