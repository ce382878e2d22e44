// SPDX-License-Identifier: Apache-2.0
// Comparison of two independent samples: other sittings, where no pairs can be made.
#ifndef REPORT_STATS_TWO_SAMPLES_H
#define REPORT_STATS_TWO_SAMPLES_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/stats/summary.h"

struct two_samples {
    const double *a, *b;
    size_t a_count, b_count;
};

struct two_samples_t {
    double t, df, p;                  /* two-sided */
    struct stats_interval difference; /* mean of a less mean of b */
};

/*
 * Means with different variances.
 *
 * returns   all NaN when a sample has fewer than 2 values or neither has any spread
 * source    Welch 1947; Satterthwaite 1946
 */
struct two_samples_t two_samples_welch(const struct two_samples *samples, double confidence);

/* What Welch's t needs of a sample. */
struct sample_moments {
    double mean, sd;
    size_t count;
};
struct two_samples_t two_samples_welch_moments(const struct sample_moments *a,
                                               const struct sample_moments *b, double confidence);

struct two_samples_ranks {
    double w;                    /* pairs in which a's value is larger, ties one half */
    double p;                    /* two-sided */
    double superiority;          /* w over all pairs: P(a > b) + P(a = b)/2 */
    struct stats_interval shift; /* Hodges–Lehmann: median of all differences a − b */
};

/*
 * Ranks: exact without ties and up to DISTRIBUTION_RANK_SUM_COUNT_MAX values each, else the normal
 * approximation with corrections for ties and continuity.
 *
 * ranks_out   bounds NaN when no interval reaches the confidence
 * errors      ERR_LIMIT: memory for the differences; ERR_USAGE: an empty sample
 * source      Mann and Whitney 1947; Hodges and Lehmann 1963
 */
enum err_code two_samples_mann_whitney(const struct two_samples *samples, double confidence,
                                       struct two_samples_ranks *ranks_out,
                                       struct err *e) ATTR_MUST_USE;

#endif
