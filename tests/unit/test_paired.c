// SPDX-License-Identifier: Apache-2.0
// Paired statistics against R's and scipy's values, and their properties.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "report/stats/distribution.h"
#include "report/stats/paired.h"
#include "tests/support/prop.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double set_a[] = {51230, 50980, 51544, 50710, 51102,
                               49987, 51390, 50855, 51277, 51010};
static const double set_b[] = {49870, 50105, 50320, 49411, 50240,
                               49102, 50133, 49955, 50480, 49700};
static const double set_c[] = {100.31, 98.72, 101.94, 99.15, 100.87, 97.66,
                               102.43, 99.93, 100.05, 98.11, 101.22, 99.58};
static const double set_d[] = {99.12, 98.9,   100.63, 99.87, 99.01,  98.45,
                               100.2, 100.74, 98.33,  97.95, 100.41, 98.8};
static const double set_e[] = {0.021, -0.013, 0.034, 0.007, 0.058, -0.002, 0.041};

static bool near(double have, double want, double relative)
{
    return fabs(have - want) <= relative * fabs(want);
}

static void differences(double *out, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = log(a[i]) - log(b[i]);
    }
}

static struct stats_interval hodges_lehmann(const double *d, size_t count)
{
    struct stats_interval ratio;
    struct err e;

    cr_assert_eq(paired_hodges_lehmann(d, count, 0.95, &ratio, &e), ERR_OK);
    return ratio;
}

/* Sets A and B: R 4.2.2 (t.test, wilcox.test(conf.int = TRUE), exact enumeration). The sets C/D and
 * E: /usr/bin/python3 with scipy 1.10.1, d = log(C/D):
 * t = stats.t.ppf(.975, n-1)*d.std(ddof=1)/n**.5; exp(d.mean()), exp(d.mean() ± t);
 * stats.permutation_test((d,), np.sum, permutation_type='samples', n_resamples=np.inf).pvalue;
 * w = sorted((d[i]+d[j])/2 for i <= j); exp(median(w)), exp(w[q-1]), exp(w[len(w)-q]), q from the
 * exact signed-rank distribution;
 * max(ttest_1samp(d, -.02, alternative='greater').pvalue, ttest_1samp(d, .02, 'less').pvalue).
 * Bounds of t intervals only to 1e-10: so good is stats.t.ppf of scipy 1.10.1. */
Test(paired, sets_with_known_answers)
{
    double ab[10], flipped[10], cd[12];

    differences(ab, set_a, set_b, 10);
    differences(cd, set_c, set_d, 12);
    for (size_t i = 0; i < 10; i++) { /* the 2nd, 5th and 7th negated */
        flipped[i] = i == 1 || i == 4 || i == 6 ? -ab[i] : ab[i];
    }
    const struct {
        const double *d;
        size_t count;
        double ratio[3], hl[3], p, tost;
    } rows[] = {
        {ab,
         10,
         {1.02156714731246, 1.0182640689201, 1.02488094033886},
         {1.0215424242957, 1.017586838402, 1.0257155257715},
         0.001953125,
         0.81278117853644},
        {flipped,
         10,
         {1.0095655602896, 0.99477442268857, 1.0245766248878},
         {1.0157884310618, 0.99655548467044, 1.0253065375348},
         0.16015625,
         0.071341216155386},
        {cd,
         12,
         {1.0062843075033, 0.9993971112959, 1.0132189657967},
         {1.0062551135239, 0.99989537398189, 1.0147451760617},
         0.07177734375,
         0.00052988420995856},
        {set_e,
         7,
         {1.0210761731931, 0.99752775169863, 1.0451804971715},
         {1.0209667780351, 0.99700449550337, 1.0470744109569},
         0.09375,
         0.5343498750945},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stats_interval ratio = paired_ratio(rows[i].d, rows[i].count, 0.95);
        struct stats_interval hl = hodges_lehmann(rows[i].d, rows[i].count);

        cr_expect(near(ratio.value, rows[i].ratio[0], 1e-13), "row %zu", i);
        cr_expect(near(ratio.low, rows[i].ratio[1], 1e-10), "row %zu", i);
        cr_expect(near(ratio.high, rows[i].ratio[2], 1e-10), "row %zu", i);
        cr_expect(near(hl.value, rows[i].hl[0], 1e-13), "row %zu", i);
        cr_expect(near(hl.low, rows[i].hl[1], 1e-13), "row %zu", i);
        cr_expect(near(hl.high, rows[i].hl[2], 1e-13), "row %zu", i);
        cr_expect_eq(paired_sign_flip_p(rows[i].d, rows[i].count), rows[i].p, "row %zu", i);
        cr_expect(near(paired_tost_p(rows[i].d, rows[i].count, 0.02), rows[i].tost, 1e-10),
                  "row %zu", i);
    }
}

/* The design's further digits for sets A and B, on the scale of logarithms. TOST ±3 % there is
 * ±ln 1.03. */
Test(paired, the_designs_digits)
{
    double d[10];

    differences(d, set_a, set_b, 10);
    cr_expect(near(stats_mean(d, 10), 0.0213378671459466, 1e-13));
    cr_expect(near(stats_mean(d, 10) / (stats_sd(d, 10) / sqrt(10)), 14.90454622703, 1e-12));
    cr_expect(near(log(hodges_lehmann(d, 10).value), 0.0213136657843062, 1e-12));
    cr_expect(near(log(hodges_lehmann(d, 10).low), 0.0174339795598166, 1e-12));
    cr_expect(near(log(hodges_lehmann(d, 10).high), 0.0253904429735175, 1e-12));
    cr_expect(near(paired_ratio(d, 10, 0.95).low, 1.0182640689201, 1e-13));
    cr_expect(near(paired_ratio(d, 10, 0.95).high, 1.02488094033886, 1e-13));
    cr_expect(near(paired_tost_p(d, 10, log(1.03)), 0.000139488120052, 1e-11));
}

/* scipy: brentq over 1 − nct.cdf(c, n−1, x/sd·√n) + nct.cdf(−c, …) − 0.8. R's power.t.test(n = 10,
 * sd = .02, power = .8, type = "paired", strict = TRUE) prints .0199302370984: uniroot stops there
 * at its default tolerance; the power at that value is .8004 by integration. */
/* The design's set with three signs turned, R 4.2.2: t.test(f)$p.value, wilcox.test(f) (V = 43). */
Test(paired, the_designs_digits_with_three_signs_turned)
{
    double d[10];
    long v = 0;

    differences(d, set_a, set_b, 10);
    d[1] = -d[1];
    d[4] = -d[4];
    d[6] = -d[6];
    double t = stats_mean(d, 10) * sqrt(10) / stats_sd(d, 10);

    for (size_t i = 0; i < 10; i++) { /* ranks of those above 0 */
        for (size_t k = 0; k < 10 && d[i] > 0; k++) {
            v += fabs(d[k]) <= fabs(d[i]);
        }
    }
    cr_expect(near(2 * distribution_t_cdf(-t, 9), 0.178528765298948, 1e-13));
    cr_expect_eq(v, 43);
    cr_expect_float_eq(2 * distribution_signed_rank_cdf(55 - v, 10), 0.130859375, 1e-15);
    cr_expect_eq(paired_sign_flip_p(d, 10), 0.16015625);
}

Test(paired, the_minimal_effect)
{
    static const struct {
        double sd;
        size_t count;
        double want;
    } rows[] = {
        {0.02, 10, 0.0199200274287}, {0.05, 6, 0.0717272391242}, {0.01, 3, 0.0326404354981},
        {0.27, 10, 0.268920370288},  {0.1, 2, 1.15498884361},
    };
    /* The design's table, in per cent: rows sd, columns n = 5 6 8 10 15 20 30, given as ratios. */
    static const size_t counts[] = {5, 6, 8, 10, 15, 20, 30};
    static const double table[][8] = {
        {0.005, .84, .72, .58, .50, .39, .33, .26}, {0.01, 1.7, 1.4, 1.2, 1.0, .78, .66, .53},
        {0.02, 3.4, 2.9, 2.3, 2.0, 1.6, 1.3, 1.1},  {0.05, 8.8, 7.4, 6.0, 5.1, 4.0, 3.4, 2.7},
        {0.10, 18, 15, 12, 10.5, 8.1, 6.8, 5.4},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        double have = paired_minimal_effect(rows[i].sd, rows[i].count, 0.05, 0.8);

        cr_expect(near(have, rows[i].want, 1e-8), "row %zu: %.13g", i, have);
    }
    cr_expect(near(paired_minimal_effect(0.02, 10, 0.05, 0.8), 0.0199302370984, 6e-4));
    for (size_t i = 0; i < COUNT(table); i++) {
        for (size_t k = 0; k < COUNT(counts); k++) {
            double effect = paired_minimal_effect(table[i][0], counts[k], 0.05, 0.8);
            double have = 100 * (exp(effect) - 1);

            cr_expect(fabs(have - table[i][k + 1]) <= 0.05 * table[i][k + 1], "sd %g n %zu: %g",
                      table[i][0], counts[k], have);
        }
    }
    cr_expect(isnan(paired_minimal_effect(0.02, 1, 0.05, 0.8)));
    cr_expect_eq(paired_minimal_effect(0, 10, 0.05, 0.8), 0);
}

/* By hand with R's qt: ((2.2621571627982 + 0.88340385968552)·0.05/0.02)² = 61.84 → 62. */
Test(paired, blocks_that_would_decide)
{
    cr_expect_eq(paired_blocks_needed(0.05, 10, 0.02, 0.05, 0.8), 62);
    cr_expect(isnan(paired_blocks_needed(0.05, 1, 0.02, 0.05, 0.8)));
}

/* The smallest p is 2/2^n: the design's list. */
Test(paired, the_smallest_p_of_n_blocks)
{
    static const struct {
        size_t count;
        double p;
    } rows[] = {{6, 0.03125},
                {8, 0.0078125},
                {10, 0.001953125},
                {12, 0.00048828125},
                {20, 1.9073486328125e-6}};
    double d[20];

    for (size_t i = 0; i < 20; i++) {
        d[i] = 0.5 + 0.01 * (double)i;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect_eq(paired_sign_flip_p(d, rows[i].count), rows[i].p, "n %zu", rows[i].count);
    }
    cr_expect(isnan(paired_sign_flip_p(d, 0)));
    for (size_t i = 0; i < 20; i++) {
        d[i] = 0;
    }
    cr_expect_eq(paired_sign_flip_p(d, 20), 1);
}

/* The design's: 10 blocks support 25 comparisons, 12 support 102. By hand: m·2/2^n < 0.05. */
Test(paired, the_family_that_so_many_blocks_decide)
{
    static const struct {
        size_t count;
        double most;
    } rows[] = {{0, 0}, {1, 0}, {5, 0}, {6, 1}, {7, 3}, {8, 6}, {10, 25}, {12, 102}, {20, 26214}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect_eq(paired_family_max(rows[i].count, 0.05), rows[i].most, "n %zu: %g",
                     rows[i].count, paired_family_max(rows[i].count, 0.05));
    }
    cr_expect_eq(paired_family_max(2, 0.5), 0); /* m·½ < ½ holds for no m */
}

/* Above 20 blocks the signs are drawn: near the exact value, which for 24 equal differences with 7
 * negated is P(|2·Bin(24, ½) − 24| >= 10) = 2·P(Bin <= 7). */
Test(paired, drawn_signs_come_near_the_exact_p)
{
    double d[24];

    for (size_t i = 0; i < 24; i++) {
        d[i] = i < 7 ? -0.01 : 0.01;
    }
    double exact = 2 * distribution_fair_binomial_cdf(7, 24);
    double have = paired_sign_flip_p(d, 24);

    cr_expect(fabs(have - exact) < 4 * sqrt(exact * (1 - exact) / PAIRED_RANDOM_COUNT), "%g for %g",
              have, exact);
    cr_expect_eq(have, paired_sign_flip_p(d, 24)); /* the seed is fixed */
}

static double noise(struct rng *rng)
{
    return distribution_normal_quantile(rng_unit(rng) * (1 - 1e-12) + 5e-13);
}

/* The same by enumerating from scratch, without Gray code and without the mirror image. */
static double plain_sign_flip_p(const double *d, size_t count)
{
    double observed = 0;
    double size = 0;
    size_t hits = 0;

    for (size_t i = 0; i < count; i++) {
        observed += d[i];
        size += fabs(d[i]);
    }
    for (size_t signs = 0; signs < (size_t)1 << count; signs++) {
        double sum = 0;

        for (size_t i = 0; i < count; i++) {
            sum += (signs >> i & 1) ? -d[i] : d[i];
        }
        hits += fabs(sum) >= fabs(observed) - 1e-9 * size;
    }
    return (double)hits / (double)((size_t)1 << count);
}

Test(paired, properties_of_swapping_and_scaling)
{
    for_each_case(rng, 200, 5)
    {
        double d[12], swapped[12], scaled[12];
        size_t count = 1 + (size_t)rng_below(&rng, 12);
        double factor = exp(5 * noise(&rng));

        for (size_t i = 0; i < count; i++) {
            d[i] = 0.01 + 0.02 * noise(&rng);
            swapped[i] = -d[i];
            scaled[i] = factor * d[i];
        }
        struct stats_interval forth = paired_ratio(d, count, 0.95);
        struct stats_interval back = paired_ratio(swapped, count, 0.95);
        struct stats_interval hl = hodges_lehmann(d, count);
        struct stats_interval hl_back = hodges_lehmann(swapped, count);
        double p = paired_sign_flip_p(d, count);

        cr_expect(near(forth.value * back.value, 1, 1e-14), "seed %llu",
                  (unsigned long long)prop_case_seed);
        cr_expect(near(hl.value * hl_back.value, 1, 1e-14), "seed %llu",
                  (unsigned long long)prop_case_seed);
        if (count >= 2) {
            cr_expect(near(forth.low * back.high, 1, 1e-14), "seed %llu",
                      (unsigned long long)prop_case_seed);
        }
        cr_expect_eq(isnan(hl.low), count < 6);
        if (count >= 6) {
            cr_expect(near(hl.low * hl_back.high, 1, 1e-14), "seed %llu",
                      (unsigned long long)prop_case_seed);
        }
        cr_expect_eq(p, paired_sign_flip_p(scaled, count), "seed %llu",
                     (unsigned long long)prop_case_seed);
        cr_expect_eq(p, paired_sign_flip_p(swapped, count), "seed %llu",
                     (unsigned long long)prop_case_seed);
        cr_expect_eq(p, plain_sign_flip_p(d, count), "seed %llu",
                     (unsigned long long)prop_case_seed);
    }
}

/* Equivalence is said exactly when the 90 % interval lies inside the margin. */
Test(paired, tost_agrees_with_the_90_per_cent_interval)
{
    for_each_case(rng, 300, 6)
    {
        double d[10];
        double spread = 0.005 + 0.03 * rng_unit(&rng);
        double margin = 0.02;

        for (size_t i = 0; i < 10; i++) {
            d[i] = 0.005 + spread * noise(&rng);
        }
        struct stats_interval ratio = paired_ratio(d, 10, 0.9);
        bool inside = ratio.low > exp(-margin) && ratio.high < exp(margin);

        cr_expect_eq(paired_tost_p(d, 10, margin) < 0.05, inside, "seed %llu",
                     (unsigned long long)prop_case_seed);
    }
}

/* Nominal 95 % intervals of 10 pairs of normal and of heavy-tailed noise cover the truth: the
 * design asks for at least 94 %. 4000 sets each: standard error 0.34 %. */
Test(paired, intervals_cover_the_truth)
{
    int covered_t = 0;
    int covered_hl = 0;
    int rejected = 0;

    for_each_case(rng, 4000, 7)
    {
        double d[10];

        for (size_t i = 0; i < 10; i++) {
            d[i] = 0.02 * noise(&rng) + (rng_below(&rng, 10) ? 0 : 0.02 * noise(&rng));
        }
        struct stats_interval t = paired_ratio(d, 10, 0.95);
        struct stats_interval hl = hodges_lehmann(d, 10);

        covered_t += t.low <= 1 && t.high >= 1;
        covered_hl += hl.low <= 1 && hl.high >= 1;
        rejected += paired_sign_flip_p(d, 10) < 0.05;
    }
    printf("coverage of 95 %% at n = 10: t %.2f %%, Hodges-Lehmann %.2f %%; sign-flip at 5 %%: "
           "%.2f %%\n",
           covered_t / 40.0, covered_hl / 40.0, rejected / 40.0);
    cr_expect_geq(covered_t, 4000 * 94 / 100);
    cr_expect_geq(covered_hl, 4000 * 94 / 100);
    cr_expect(fabs(rejected / 4000.0 - 0.05) <= 3 * sqrt(0.05 * 0.95 / 4000) + 1.0 / 512);
}
