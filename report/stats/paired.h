// SPDX-License-Identifier: Apache-2.0
// Comparison of two engines over blocks: everything works on the differences of the logarithms,
// d = ln A − ln B, one a block. Pure.
#ifndef REPORT_STATS_PAIRED_H
#define REPORT_STATS_PAIRED_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/stats/summary.h"

/*
 * The ratio A/B: exp of the mean difference with its t interval.
 *
 * d        count differences of natural logarithms
 * returns  value NaN when count is 0; bounds NaN when count < 2
 */
struct stats_interval paired_ratio(const double *d, size_t count, double confidence);

/*
 * Exact two-sided p of the sign-flip test of "d is symmetric about 0" on |Σ d|.
 *
 * d        count <= PAIRED_EXACT_COUNT_MAX: all 2^count signs, by a Gray code (one addition each);
 *          above: PAIRED_RANDOM_COUNT random ones from a fixed seed, p = (hits + 1)/(draws + 1)
 * returns  in (0, 1]; NaN when count is 0
 * source   Fisher 1935; Phipson and Smyth 2010 for the random form
 */
#define PAIRED_EXACT_COUNT_MAX 20
#define PAIRED_RANDOM_COUNT    99999
double paired_sign_flip_p(const double *d, size_t count);

/*
 * Hodges–Lehmann estimate (median of the Walsh averages) of the ratio, with the interval of the
 * exact signed-rank distribution (normal approximation above DISTRIBUTION_SIGNED_RANK_COUNT_MAX).
 *
 * ratio_out  exp of it all; bounds NaN when no interval reaches the confidence (count < 6 at 0.95)
 * errors     ERR_LIMIT: memory for the count·(count + 1)/2 averages
 * source     Hodges and Lehmann 1963; Bauer 1972
 */
enum err_code paired_hodges_lehmann(const double *d, size_t count, double confidence,
                                    struct stats_interval *ratio_out, struct err *e) ATTR_MUST_USE;

/*
 * Two one-sided t tests of "|mean d| >= margin": the larger p. Below alpha exactly when the
 * 1 − 2·alpha interval lies inside ±margin.
 *
 * margin   > 0, in logarithms
 * returns  NaN when count < 2
 * source   Schuirmann 1987
 */
double paired_tost_p(const double *d, size_t count, double margin);

/*
 * The smallest true mean difference that a two-sided paired t test at alpha finds with the given
 * power; both tails counted (R's power.t.test with strict = TRUE), by the noncentral t
 * distribution.
 *
 * sd       SD of the differences, >= 0
 * returns  in the unit of sd; NaN when count < 2 or sd is NaN
 */
double paired_minimal_effect(double sd, size_t count, double alpha, double power);

/*
 * Blocks that would decide about a margin: ceil(((t(1 − alpha/2) + t(power))·sd/margin)²) with the
 * present degrees of freedom.
 *
 * returns  NaN when count < 2
 */
double paired_blocks_needed(double sd, size_t count, double margin, double alpha, double power);

/*
 * Comparisons of one family that so many blocks can decide: the largest m for which the smallest p
 * of the sign-flip test, 2^(1 − count), is below alpha after Holm's adjustment, m·2^(1 − count) <
 * alpha. 25 for 10 blocks at 0.05, 102 for 12.
 *
 * returns  0 when not even one
 * source   Fisher 1935 for the smallest p, Holm 1979 for the factor m of the smallest of m p values
 */
double paired_family_max(size_t count, double alpha);

#endif
