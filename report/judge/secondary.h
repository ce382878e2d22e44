// SPDX-License-Identifier: Apache-2.0
// Comparisons of what is not the throughput: exploratory, by the rate of false finds.
#ifndef REPORT_JUDGE_SECONDARY_H
#define REPORT_JUDGE_SECONDARY_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/claim.h"

#define SECONDARY_Q 0.05 /* of the finds, at most so many are false on average */

/* A metric of an engine over that of the baseline in one cell. */
struct secondary {
    size_t cell_index, engine_index;
    enum plan_claim_metric metric; /* p50, p99, server CPU, memory */
    struct estimate ratio;
    double q;      /* exact sign-flip p, adjusted by Benjamini and Hochberg over all of them */
    bool is_found; /* q below SECONDARY_Q; never in an unfit session */
};

struct analysis;

/* Fills analysis->secondaries: those with 6 blocks, in the order of rows. errors ERR_LIMIT: memory
 */
enum err_code secondary_make(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

#endif
