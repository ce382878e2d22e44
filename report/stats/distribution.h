// SPDX-License-Identifier: Apache-2.0
// The distributions that the tests and intervals of this folder rest on: numbers in, numbers out.
#ifndef REPORT_STATS_DISTRIBUTION_H
#define REPORT_STATS_DISTRIBUTION_H

#include <stddef.h>

/*
 * Regularised incomplete beta function I_x(a, b): the distribution function of Beta(a, b).
 *
 * x        in [0, 1]; a, b > 0
 * source   continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions
 */
double distribution_beta_cdf(double x, double a, double b);

/* The x with distribution_beta_cdf(x, a, b) = p; p in (0, 1). */
double distribution_beta_quantile(double p, double a, double b);

/*
 * P(X > x) for X chi² with df > 0 degrees of freedom.
 *
 * source   series and continued fraction 8.11.4 and 8.9.2 of the NIST Digital Library of
 *          Mathematical Functions
 */
double distribution_chi_square_tail(double x, double df);

/* Student's t with df > 0 degrees of freedom. */
double distribution_t_cdf(double t, double df);

/* The t with distribution_t_cdf(t, df) = p; p in (0, 1), df > 0. */
double distribution_t_quantile(double p, double df);

/*
 * Noncentral t: P(T <= t) where T = (Z + shift) / sqrt(chi²_df / df).
 *
 * shift    noncentrality, |shift| below about 35 (its square is an exponent)
 * source   Lenth 1989, algorithm AS 243 (the series; not its code)
 */
double distribution_noncentral_t_cdf(double t, double df, double shift);

double distribution_normal_cdf(double z);

/* p in (0, 1). */
double distribution_normal_quantile(double p);

/*
 * Wilcoxon's signed-rank statistic of n values without ties under symmetry: P(V <= v), exact.
 *
 * n        1 … DISTRIBUTION_SIGNED_RANK_COUNT_MAX
 */
#define DISTRIBUTION_SIGNED_RANK_COUNT_MAX 128
double distribution_signed_rank_cdf(long v, size_t n);

/* The smallest v with distribution_signed_rank_cdf(v, n) >= p (R's qsignrank). */
long distribution_signed_rank_quantile(double p, size_t n);

/*
 * Mann and Whitney's W, the pairs in which a value of the first sample is larger, without ties
 * under equality: the smallest w with P(W <= w) >= p, exact (R's qwilcox). And P(W <= w) itself.
 *
 * m, n     sizes of the samples, 1 … DISTRIBUTION_RANK_SUM_COUNT_MAX
 */
#define DISTRIBUTION_RANK_SUM_COUNT_MAX 50
double distribution_rank_sum_cdf(long w, size_t m, size_t n);
long distribution_rank_sum_quantile(double p, size_t m, size_t n);

/* P(X <= k) for X binomial with n trials of probability one half. */
double distribution_fair_binomial_cdf(long k, size_t n);

#endif
