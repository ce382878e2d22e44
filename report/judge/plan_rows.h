// SPDX-License-Identifier: Apache-2.0
// Whether the engines, workloads and cells of a session are those of its plan.
#ifndef REPORT_JUDGE_PLAN_ROWS_H
#define REPORT_JUDGE_PLAN_ROWS_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

#define PLAN_ROWS_TEXT_BYTES 200

struct plan_rows {
    char difference[PLAN_ROWS_TEXT_BYTES]; /* the first one; "": none */
};

/* Compares the rows that a session stores before its first trial with what its plan gives. errors
 * ERR_LIMIT: memory */
enum err_code plan_rows_compare(const struct results *results, const struct plan *plan,
                                struct plan_rows *out, struct err *e) ATTR_MUST_USE;

/* Compares each body that was kept with the length and the SHA-256 that stand beside it: the plan
 * is read with them. errors ERR_LIMIT: memory */
enum err_code plan_rows_check_bodies(const struct results *results, struct plan_rows *out,
                                     struct err *e) ATTR_MUST_USE;

#endif
