// SPDX-License-Identifier: Apache-2.0
// Two samples and shares against R's, scipy's, ministat's and MLPerf's values.
#include <criterion/criterion.h>
#include <math.h>

#include "report/stats/distribution.h"
#include "report/stats/shares.h"
#include "report/stats/two_samples.h"
#include "tests/support/prop.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double set_a[] = {51230, 50980, 51544, 50710, 51102,
                               49987, 51390, 50855, 51277, 51010};
static const double set_b[] = {49870, 50105, 50320, 49411, 50240,
                               49102, 50133, 49955, 50480, 49700};
static const struct two_samples sets = {set_a, set_b, 10, 10};

static struct two_samples_ranks ranks_of(const struct two_samples *samples)
{
    struct two_samples_ranks ranks;
    struct err e;

    cr_assert_eq(two_samples_mann_whitney(samples, 0.95, &ranks, &e), ERR_OK);
    return ranks;
}

/* R 4.2.2: t.test(A, B). */
Test(two_samples, welch)
{
    struct two_samples_t have = two_samples_welch(&sets, 0.95);
    const struct two_samples one = {set_a, set_b, 1, 10};
    static const double same[] = {5, 5, 5};
    const struct two_samples equal = {same, same, 3, 3};

    cr_expect_float_eq(have.t, 5.578703790289, 1e-12);
    cr_expect_float_eq(have.df, 17.98856345916, 1e-11);
    cr_expect_float_eq(have.p, 2.70722999751e-05, 1e-16);
    cr_expect_float_eq(have.difference.low, 671.324414829367, 1e-9);
    cr_expect_float_eq(have.difference.high, 1482.475585170636, 1e-9);
    cr_expect_float_eq(have.difference.value, 1076.9, 1e-9);
    cr_expect(isnan(two_samples_welch(&one, 0.95).t));
    cr_expect(isnan(two_samples_welch(&equal, 0.95).difference.low));
}

/* R 4.2.2: wilcox.test(A, B, conf.int = TRUE). Cliff's delta is 2·superiority − 1 = .9. */
Test(two_samples, mann_whitney)
{
    struct two_samples_ranks have = ranks_of(&sets);

    cr_expect_eq(have.w, 95);
    cr_expect_float_eq(have.p, 0.000205676676265, 1e-15);
    cr_expect_float_eq(have.superiority, 0.95, 1e-15);
    cr_expect_eq(have.shift.value, 1067);
    cr_expect_eq(have.shift.low, 740);
    cr_expect_eq(have.shift.high, 1444);
}

/* ministat -s of B and A: "-1076.9 +/- 405.572 … (pooled s = 431.645)". Its table of t has 2.101
 * for 18 degrees of freedom; R's qt(.975, 18)·sqrt((var(A) + var(B))/2)·sqrt(2/10) is
 * 405.557102543046. */
Test(two_samples, ministat)
{
    double a = stats_sd(set_a, 10), b = stats_sd(set_b, 10);
    double pooled = sqrt((a * a + b * b) / 2);

    cr_expect_float_eq(stats_mean(set_b, 10) - stats_mean(set_a, 10), -1076.9, 1e-9);
    cr_expect_float_eq(pooled, 431.645, 5e-4);
    cr_expect_float_eq(2.101 * pooled * sqrt(0.2), 405.572, 5e-4);
    cr_expect_float_eq(distribution_t_quantile(0.975, 18) * pooled * sqrt(0.2), 405.557102543046,
                       1e-9);
}

/* R 4.2.2: t.test(x, y) of the groups of `sleep`; t.test and wilcox.test(conf.int = TRUE) of groups
 * ctrl and trt2 of `PlantGrowth`. */
Test(two_samples, rs_own_data_sets)
{
    static const double x[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2};
    static const double y[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    static const double ctrl[] = {4.17, 5.58, 5.18, 6.11, 4.5, 4.61, 5.17, 4.53, 5.33, 5.14};
    static const double trt2[] = {6.31, 5.12, 5.54, 5.5, 5.37, 5.29, 4.92, 6.15, 5.8, 5.26};
    const struct two_samples sleep = {x, y, 10, 10}, growth = {ctrl, trt2, 10, 10};
    struct two_samples_t t = two_samples_welch(&sleep, 0.95);
    struct two_samples_ranks ranks = ranks_of(&growth);

    cr_expect_float_eq(t.t, -1.860813467487, 1e-12);
    cr_expect_float_eq(t.df, 17.77647351618, 1e-11);
    cr_expect_float_eq(t.p, 0.0793941401873582, 1e-14);
    cr_expect_float_eq(t.difference.low, -3.36548323071171, 1e-13);
    cr_expect_float_eq(t.difference.high, 0.20548323071171, 1e-13);
    t = two_samples_welch(&growth, 0.95);
    cr_expect_float_eq(t.t, -2.13402045312406, 1e-13);
    cr_expect_float_eq(t.df, 16.7857644826057, 1e-12);
    cr_expect_float_eq(t.p, 0.0478992556019693, 1e-14);
    cr_expect_eq(ranks.w, 25);
    cr_expect_float_eq(ranks.p, 0.0630128385546342, 1e-14);
    cr_expect_float_eq(ranks.shift.value, -0.49, 1e-12);
    cr_expect_float_eq(ranks.shift.low, -1.00, 1e-12);
    cr_expect_float_eq(ranks.shift.high, 0.04, 1e-12);
}

/* R: qwilcox(.025, 10, 10) = 24; pwilcox by hand for 2 against 2: W is 0 1 2 2 3 4, each 1/6. */
Test(two_samples, the_rank_sum_distribution)
{
    static const double want[] = {1.0 / 6, 2.0 / 6, 4.0 / 6, 5.0 / 6, 1};

    cr_expect_eq(distribution_rank_sum_quantile(0.025, 10, 10), 24);
    for (long w = 0; w <= 4; w++) {
        cr_expect_float_eq(distribution_rank_sum_cdf(w, 2, 2), want[w], 1e-15);
    }
    cr_expect_eq(distribution_rank_sum_cdf(-1, 5, 5), 0);
    /* R: pwilcox(c(20, 30, 52), 12, 9), qwilcox(c(.005, .025), 12, 9) */
    cr_expect_float_eq(distribution_rank_sum_cdf(20, 12, 9), 0.00738611233967271, 1e-16);
    cr_expect_float_eq(distribution_rank_sum_cdf(30, 9, 12), 0.04772564896403907, 1e-15);
    cr_expect_float_eq(distribution_rank_sum_cdf(52, 12, 9), 0.45850372537679041, 1e-14);
    cr_expect_eq(distribution_rank_sum_quantile(0.005, 12, 9), 19);
    cr_expect_eq(distribution_rank_sum_quantile(0.025, 12, 9), 27);
    /* No arrangement is lost: the largest sizes add up to one, and W = 0 is one of C(100, 50). */
    cr_expect_float_eq(distribution_rank_sum_cdf(2500, 50, 50), 1, 1e-12);
    cr_expect_float_eq(distribution_rank_sum_cdf(0, 50, 50) * 1.00891344545564e29, 1, 1e-12);
    cr_expect_float_eq(distribution_rank_sum_cdf(1249, 50, 50) +
                           distribution_rank_sum_cdf(1250, 50, 50),
                       1, 1e-10);
}

/* Ties: R's wilcox.test(c(1, 2, 2, 3), c(2, 3, 4, 4)): W = 2.5, p = 0.134169180128126
 * (normal, corrected for continuity). By hand: ties of 3, 2 and 2 give Σ(t³ − t) = 36; σ² =
 * 16/12·(9 − 36/56) = 11.142857; z = (5.5 − 0.5)/3.3380918 = 1.4978617; p = 2Φ(−z) = 0.1341699. */
Test(two_samples, ties_are_approximated)
{
    static const double a[] = {1, 2, 2, 3}, b[] = {2, 3, 4, 4};
    const struct two_samples tied = {a, b, 4, 4};
    struct two_samples_ranks have = ranks_of(&tied);
    struct err e;

    cr_expect_eq(have.w, 2.5);
    cr_expect_float_eq(have.p, 0.134169180128126, 1e-14);
    cr_expect_eq(two_samples_mann_whitney(&(struct two_samples){a, b, 4, 0}, 0.95, &have, &e),
                 ERR_USAGE);
}

Test(two_samples, swapping_mirrors_everything)
{
    for_each_case(rng, 200, 43)
    {
        double a[9], b[7];

        for (size_t i = 0; i < 9; i++) {
            a[i] = rng_unit(&rng);
        }
        for (size_t i = 0; i < 7; i++) {
            b[i] = rng_unit(&rng) + 0.1;
        }
        const struct two_samples there = {a, b, 9, 7}, back = {b, a, 7, 9};
        struct two_samples_t t = two_samples_welch(&there, 0.95);
        struct two_samples_t mirrored = two_samples_welch(&back, 0.95);
        struct two_samples_ranks ranks = ranks_of(&there);
        struct two_samples_ranks mirrored_ranks = ranks_of(&back);

        cr_expect_float_eq(t.t, -mirrored.t, 1e-12);
        cr_expect_float_eq(t.difference.low, -mirrored.difference.high, 1e-12);
        cr_expect_eq(ranks.w, 63 - mirrored_ranks.w);
        cr_expect_float_eq(ranks.p, mirrored_ranks.p, 1e-12);
        cr_expect_float_eq(ranks.shift.low, -mirrored_ranks.shift.high, 1e-12);
        cr_expect(ranks.shift.low <= ranks.shift.value && ranks.shift.value <= ranks.shift.high);
    }
}

/* R: binom.test(3, 1000)$conf.int; the ends by hand: 1 − (α/2)^(1/n). */
Test(shares, clopper_pearson)
{
    struct stats_interval three = shares_interval(3, 1000, 0.95);
    struct stats_interval none = shares_interval(0, 1000, 0.95);
    struct stats_interval all = shares_interval(1000, 1000, 0.95);

    cr_expect_float_eq(three.value, 0.003, 0);
    cr_expect_float_eq(three.low, 0.000619099931649572, 1e-15);
    cr_expect_float_eq(three.high, 0.00874202323847828, 1e-14);
    cr_expect_eq(none.low, 0);
    cr_expect_float_eq(none.high, 1 - pow(0.025, 0.001), 1e-15);
    cr_expect_eq(all.high, 1);
    cr_expect_float_eq(all.low, pow(0.025, 0.001), 1e-15);
    cr_expect(isnan(shares_interval(0, 0, 0.95).value));
    /* Ten million requests and one failure: Poisson's exact upper limit is 5.5716433909 (scipy:
     * chi2.ppf(.975, 4)/2), and the binomial one agrees to the share's size. */
    cr_expect_float_eq(shares_interval(1, 10000000, 0.95).high, 5.5716433909e-7, 1e-12);
}

/* The table of MLPerf's inference rules. */
Test(shares, mlperf_early_stopping)
{
    static const struct {
        uint64_t over, under_p99, under_p90;
    } rows[] = {
        {0, 459, 44}, {1, 661, 63}, {2, 836, 0}, {5, 1302, 0}, {10, 2000, 187}, {100, 12471, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect_eq(shares_under_needed(rows[i].over, 0.99, 0.99), rows[i].under_p99, "row %zu",
                     i);
        if (rows[i].under_p90) {
            cr_expect_eq(shares_under_needed(rows[i].over, 0.9, 0.99), rows[i].under_p90, "row %zu",
                         i);
        }
    }
    cr_expect_eq(shares_poll_count(0.99, 0.99), 262742);
}
