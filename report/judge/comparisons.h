// SPDX-License-Identifier: Apache-2.0
// Engines against the baseline within a cell: rows with estimates, then verdicts over the whole
// session.
#ifndef REPORT_JUDGE_COMPARISONS_H
#define REPORT_JUDGE_COMPARISONS_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

#define COMPARISON_PAIRS_MIN    6 /* below: no inference */
#define COMPARISON_CONFIDENCE   0.95
#define COMPARISON_ALPHA        0.05
#define COMPARISON_POWER        0.8
#define COMPARISON_MARGIN_LEAST 0.02 /* δ is never below this */
#define COMPARISON_MARGIN_UNFIT 0.2  /* an A/A half-width above this decides nothing */

/*
 * Makes the rows (in the order that struct analysis states) with everything but ratio_p, verdict,
 * minimal_effect and blocks_needed, and sets margin and aa_row_index.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code comparisons_make_rows(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

/* Judges every row against the margin and sets its minimal_effect: Holm's adjustment is over all
 * comparisons with the baseline that have enough pairs, without the A/A arms. errors ERR_LIMIT:
 * memory */
enum err_code comparisons_judge(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

/* The least blocks with which one of so many comparisons can reach the level: 6 or more. */
size_t comparisons_blocks_least(size_t comparison_count);

/* The session has comparisons, and none of them could have been told from no difference. */
bool comparisons_are_undecidable(const struct analysis *analysis);

/* How far the row's ratio interval reaches from its middle, as a ratio less 1; NaN without one. */
double comparisons_half_width(const struct analysis_row *row);

/* −1, 0, 1: where an interval lies relative to a ratio of 1. */
int comparisons_side(double low, double high);

/* Takes every p and letter back, and every verdict but that of rows without one, which becomes
 * `verdict`: the session is unfit, or descriptive only. */
void comparisons_withdraw(struct analysis *analysis, enum verdict verdict);

#endif
