// SPDX-License-Identifier: Apache-2.0
// What one array of numbers says: location, spread, quantiles and intervals. Pure; arrays in the
// order given, sums in that order.
#ifndef REPORT_STATS_SUMMARY_H
#define REPORT_STATS_SUMMARY_H

#include <stddef.h>

/* A value with the bounds of its interval; NaN where it cannot be given. */
struct stats_interval {
    double value, low, high;
};

/* Arithmetic mean; NaN when count is 0. */
double stats_mean(const double *values, size_t count);

/*
 * Standard deviation with n − 1, in the unit of the values, by two passes: never negative, no
 * cancellation.
 *
 * returns   NaN when count < 2
 * source    Chan, Golub, LeVeque 1983, corrected two-pass algorithm
 */
double stats_sd(const double *values, size_t count);

/*
 * The q-quantile.
 *
 * sorted   ascending, no NaN; read only
 * q        in [0, 1]
 * returns  NaN when count is 0
 * source   Hyndman and Fan 1996, definition 7 (R's default)
 */
double stats_quantile(const double *sorted, size_t count, double q);

/*
 * The smallest value that is not below a share q of the values (nearest rank).
 *
 * source   Hyndman and Fan 1996, definition 1
 */
double stats_quantile_nearest(const double *sorted, size_t count, double q);

/* The same of values in any order, without NaN, which it brings into another: faster than sorting
 * many for one or two quantiles. */
double stats_select_nearest(double *values, size_t count, double q);

/* Sorts ascending in place; no NaN. */
void stats_sort(double *values, size_t count);

/* Middle of the sorted values; NaN when count is 0. */
double stats_median(const double *sorted, size_t count);

/*
 * Median absolute deviation × 1.4826, which is the SD of a normal distribution.
 *
 * scratch  count numbers, overwritten
 * returns  NaN when count is 0
 * source   Hampel 1974
 */
double stats_mad(const double *sorted, size_t count, double *scratch);

/*
 * Geometric mean with the t interval of the logarithms.
 *
 * values      > 0
 * confidence  e.g. 0.95
 * returns     value NaN when count is 0; bounds NaN when count < 2
 */
struct stats_interval stats_geometric_mean(const double *values, size_t count, double confidence);

/*
 * Distribution-free interval of the median: the k-th smallest and k-th largest value with the
 * largest k whose confidence is still at least the one asked for.
 *
 * confidence_out  the interval's actual confidence (may be NULL); NaN when there is none
 * returns         value: the median; bounds NaN when even the extremes do not reach it (n < 6 at
 *                 0.95)
 * source          Thompson 1936
 */
struct stats_interval stats_median_interval(const double *sorted, size_t count, double confidence,
                                            double *confidence_out);

/*
 * Holm's step-down adjustment of p values, for any dependence between them.
 *
 * p             count values in [0, 1]
 * adjusted_out  count values in the same order, each >= its p, at most 1
 * order         count indices, scratch
 * source        Holm 1979
 */
void stats_holm(const double *p, size_t count, double *adjusted_out, size_t *order);

/*
 * Benjamini and Hochberg's step-up adjustment: among the finds with an adjusted p of at most q, at
 * most a share q is false on average, for independent or positively dependent p.
 *
 * p, adjusted_out, order   as for stats_holm
 * source                   Benjamini and Hochberg 1995
 */
void stats_benjamini_hochberg(const double *p, size_t count, double *adjusted_out, size_t *order);

#endif
