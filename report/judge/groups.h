// SPDX-License-Identifier: Apache-2.0
// Which engines of a cell are not told apart: groups of ties instead of ranks.
#ifndef REPORT_JUDGE_GROUPS_H
#define REPORT_JUDGE_GROUPS_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/*
 * Fills the letters of every row: all pairs of a cell's engines, without the A/A arm and the limit;
 * the exact sign-flip p of each, Holm's adjustment over all pairs of all cells at 0.05. A pair
 * whose t and Hodges–Lehmann interval disagree is not told apart.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code groups_make(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

/* Pairs of engines that the session's letters rest on, and blocks that so many need. */
size_t groups_count_pairs(const struct analysis *analysis);

#endif
