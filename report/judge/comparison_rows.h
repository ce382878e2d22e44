// SPDX-License-Identifier: Apache-2.0
// The pairs of a comparison: which trials of two engines stand against each other.
#ifndef REPORT_JUDGE_COMPARISON_ROWS_H
#define REPORT_JUDGE_COMPARISON_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/* ln(engine) − ln(baseline), one a block that has a counted trial of both, in the order of blocks.
 */
struct comparison_pairs {
    double *d; /* on the heap, the caller's */
    size_t count;
};

/* True for an engine that stands against the baseline: neither it itself nor the limit. */
bool comparison_is_made(const struct analysis *analysis, const struct analysis_row *row);

/* Of several attempts at one block the last counted one is taken. errors ERR_LIMIT: memory */
enum err_code comparison_pairs_make(const struct analysis *analysis, const struct analysis_row *row,
                                    struct comparison_pairs *pairs_out,
                                    struct err *e) ATTR_MUST_USE;

#endif
