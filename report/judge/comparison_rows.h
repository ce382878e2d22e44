// SPDX-License-Identifier: Apache-2.0
// The pairs of a comparison: which trials of two engines stand against each other.
#ifndef REPORT_JUDGE_COMPARISON_ROWS_H
#define REPORT_JUDGE_COMPARISON_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/* ln(engine) − ln(other), one a block that has a counted trial of both, in the order of blocks. */
struct comparison_pairs {
    double *d; /* on the heap, the caller's */
    size_t count;
};

/* True for an engine that stands against the baseline: neither it itself nor the limit. */
bool comparison_is_made(const struct analysis *analysis, const struct analysis_row *row);

/* What is compared: a metric of two engines in one cell. */
struct comparison_sides {
    size_t cell_index, engine_index, other_index;
    enum plan_claim_metric metric;
};

/* Of several attempts at one block the last counted one with a value above 0 is taken; the two of a
 * pair are of one sitting: what a resumed session measured later is paired with nothing earlier.
 * errors ERR_LIMIT: memory */
enum err_code comparison_pairs_make(const struct analysis *analysis,
                                    const struct comparison_sides *sides,
                                    struct comparison_pairs *pairs_out,
                                    struct err *e) ATTR_MUST_USE;

/* The throughput of a row against the baseline's. */
struct comparison_sides comparison_sides_of(const struct analysis *analysis,
                                            const struct analysis_row *row);

/* Values of the metric of an engine's counted trials in a cell, in order of the trials; those
 * without a value above 0 are left out. `values` has room for all trials. Returns how many. */
size_t comparison_list_values(const struct analysis *analysis, const struct comparison_sides *sides,
                              double *values);

#endif
