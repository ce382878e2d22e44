// SPDX-License-Identifier: Apache-2.0
// Distribution functions against values of R 4.2.2 and scipy 1.10.1.
#include <criterion/criterion.h>
#include <math.h>

#include "report/stats/distribution.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool near(double have, double want, double relative)
{
    return fabs(have - want) <= relative * fabs(want);
}

/* R: pbeta(.3, 2.5, 7). R: the two bounds of binom.test(3, 1000)$conf.int are the .025 and .975
 * quantiles of Beta(3, 998) and Beta(4, 997). Others: scipy.stats.beta.cdf(x, a, b). */
Test(distribution, the_incomplete_beta_function)
{
    static const struct {
        double x, a, b, want;
    } rows[] = {
        {0.3, 2.5, 7, 0.641222462972},
        {0.000619099931649572, 3, 998, 0.025},
        {0.00874202323847828, 4, 997, 0.975},
        {0.5, 0.5, 0.5, 0.5},
        {0.01, 50, 3, 1.3001275e-97}, /* exact: Σ C(52, k)·0.01^k·0.99^(52 − k), k >= 50 */
        {1e-05, 0.5, 4.5, 0.00736235884759766},
        {0.9, 200, 30, 0.92311090184093},
        {0, 2, 3, 0},
        {1, 2, 3, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect(near(distribution_beta_cdf(rows[i].x, rows[i].a, rows[i].b), rows[i].want, 5e-12),
                  "row %zu: %.15g", i, distribution_beta_cdf(rows[i].x, rows[i].a, rows[i].b));
    }
}

/* R: qt(.975, c(9, 4, 1)) to its digits; df 2 has the closed form (2p − 1)·√(2/(4p(1 − p))).
 * Others: scipy.stats.t.ppf(p, df), which in 1.10.1 is good to 1e-10 only (2.26215716274 for R's
 * first). */
Test(distribution, quantiles_of_t)
{
    static const struct {
        double p, df, want, tolerance;
    } rows[] = {
        {0.975, 9, 2.2621571627982, 2e-14},  {0.975, 4, 2.77644510519779, 2e-14},
        {0.975, 1, 12.7062047361747, 2e-14}, {0.005, 2, -9.924843200918293, 1e-14},
        {0.8, 9, 0.88340385968552, 1e-9},    {0.9995, 30, 3.64595863499715, 1e-9},
        {0.6, 4.5, 0.268751835541663, 1e-9}, {0.5, 3, 0, 0},
        {0.025, 9, -2.2621571627982, 2e-14},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double have = distribution_t_quantile(rows[i].p, rows[i].df);

        cr_expect(near(have, rows[i].want, rows[i].tolerance), "row %zu: %.15g", i, have);
        cr_expect(near(distribution_t_cdf(have, rows[i].df), rows[i].p, 1e-14), "row %zu", i);
    }
}

/* R: pt(2.5, 7), and the two-sided p of t.test on the paired logarithms of the data sets A and B.
 */
Test(distribution, the_distribution_function_of_t)
{
    cr_expect(near(distribution_t_cdf(2.5, 7), 0.979503890707124, 2e-15));
    cr_expect(near(2 * distribution_t_cdf(-14.90454622703, 9), 1.19240180992e-07, 1e-11));
    cr_expect(
        near(2 * distribution_t_cdf(-5.578703790289, 17.98856345916), 2.70722999751e-05, 1e-11));
    cr_expect_eq(distribution_t_cdf(0, 3), 0.5);
}

/* By numerical integration: scipy.integrate.quad of norm.cdf(t*s - shift)*chi.pdf(s*df**.5, df)*
 * df**.5 over s in 0 … 10. */
Test(distribution, the_noncentral_t)
{
    static const struct {
        double t, df, shift, want;
    } rows[] = {
        {2.2, 9, 2.8, 0.277448495535}, {0.5, 3, -1.5, 0.972956996616},
        {-1, 5, 0.7, 0.0569580473658}, {12.7, 1, 17, 0.182055682963},
        {0, 4, 1, 0.158655253931},     {2.5, 7, 0, 0.979503890707124},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double have = distribution_noncentral_t_cdf(rows[i].t, rows[i].df, rows[i].shift);

        cr_expect(near(have, rows[i].want, 1e-11), "row %zu: %.14g", i, have);
    }
}

/* R: qnorm(.975). */
Test(distribution, quantiles_of_the_normal_distribution)
{
    cr_expect(near(distribution_normal_quantile(0.975), 1.95996398454, 1e-12));
    cr_expect(near(distribution_normal_quantile(0.025), -1.95996398454, 1e-12));
    cr_expect_float_eq(distribution_normal_quantile(0.5), 0, 1e-15);
    cr_expect(near(distribution_normal_cdf(1.95996398454005), 0.975, 1e-14));
}

/* R: qsignrank(.025, 10) = 9, 2*psignrank(8, 10) = .048828125; V = 55 of 10 has p = 2/2^10. By hand
 * for n = 3: the sums 0 1 2 3 3 4 5 6, each with 1/8. */
Test(distribution, the_signed_rank_statistic)
{
    static const double by_hand[] = {1, 2, 3, 5, 6, 7, 8};

    for (long v = 0; v <= 6; v++) {
        cr_expect_eq(distribution_signed_rank_cdf(v, 3), by_hand[v] / 8, "v %ld", v);
    }
    cr_expect_eq(distribution_signed_rank_quantile(0.025, 10), 9);
    cr_expect_eq(distribution_signed_rank_quantile(0.025, 5), 0);
    cr_expect_eq(2 * distribution_signed_rank_cdf(8, 10), 0.048828125);
    cr_expect_eq(2 * distribution_signed_rank_cdf(0, 10), 0.001953125);
    /* symmetric about n(n + 1)/4, at the largest n as well */
    cr_expect(near(distribution_signed_rank_cdf(4127, DISTRIBUTION_SIGNED_RANK_COUNT_MAX) +
                       distribution_signed_rank_cdf(4128, DISTRIBUTION_SIGNED_RANK_COUNT_MAX),
                   1, 1e-12));
}

/* lgamma(10.5) of libm, on which the beta function rests (R: 13.9406252194). */
Test(distribution, the_logarithm_of_gamma)
{
    cr_expect(near(lgamma(10.5), 13.9406252194, 1e-12));
}

/* R 4.2.2: pchisq(c(.5, 3, 20, 1e-3), c(1, 4, 9, 2), lower.tail = FALSE). */
Test(distribution, the_tail_of_chi_square)
{
    static const struct {
        double x, df, want;
    } rows[] = {
        {0.5, 1, 0.4795001221869535},
        {3, 4, 0.5578254003710746},
        {20, 9, 0.0179124045298433},
        {1e-3, 2, 0.9995001249791693},
        {0, 3, 1},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double have = distribution_chi_square_tail(rows[i].x, rows[i].df);

        cr_expect(near(have, rows[i].want, 1e-14), "row %zu: %.17g", i, have);
    }
}

/* R 4.2.2: qbeta(c(.025, .975, .5), c(.5, 3, 200), c(7, 998, 30)). */
Test(distribution, quantiles_of_beta)
{
    static const struct {
        double p, a, b, want;
    } rows[] = {
        {0.025, 0.5, 7, 7.26934939200015e-05},
        {0.975, 3, 998, 7.20583891145754e-03},
        {0.5, 200, 30, 8.70636921178449e-01},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double have = distribution_beta_quantile(rows[i].p, rows[i].a, rows[i].b);

        cr_expect(near(have, rows[i].want, 2e-13), "row %zu: %.17g", i, have);
    }
}
