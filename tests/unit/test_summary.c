// SPDX-License-Identifier: Apache-2.0
// Statistics of one array against NIST's and R's values.
#include <criterion/criterion.h>
#include <math.h>

#include "report/stats/summary.h"
#include "tests/support/nist.h"
#include "tests/support/prop.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Test data of the design: A with R's values. */
static const double set_a[] = {51230, 50980, 51544, 50710, 51102,
                               49987, 51390, 50855, 51277, 51010};
/* A set of our own; every value below by /usr/bin/python3 with numpy and scipy.stats:
 * C = [...]; stats.gmean(C); np.std(C, ddof=1); 1.4826*np.median(np.abs(C - np.median(C)));
 * np.quantile(C, q); L = np.log(C); exp(L.mean() ± stats.t.ppf(.975, 11)*L.std(ddof=1)/12**.5) */
static const double set_c[] = {100.31, 98.72, 101.94, 99.15, 100.87, 97.66,
                               102.43, 99.93, 100.05, 98.11, 101.22, 99.58};

static bool near(double have, double want, double relative)
{
    return fabs(have - want) <= relative * fabs(want);
}

static void sorted_copy(double *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = values[i];
    }
    stats_sort(out, count);
}

static const double set_b[] = {49870, 50105, 50320, 49411, 50240,
                               49102, 50133, 49955, 50480, 49700};

Test(summary, location_and_spread_of_the_test_data)
{
    double sorted[12], scratch[12];

    sorted_copy(sorted, set_a, 10);
    cr_expect_eq(stats_mean(set_a, 10), 51008.5);
    cr_expect(near(stats_sd(set_a, 10), 437.053327536939, 2e-15));
    cr_expect_eq(stats_median(sorted, 10), 51056);
    cr_expect(near(stats_mad(sorted, 10, scratch), 312.8286, 1e-12));
    cr_expect_eq(stats_mean(set_b, 10), 49931.6);
    cr_expect(near(stats_sd(set_b, 10), 426.168771993235, 2e-15)); /* R: sd(B) */
    sorted_copy(sorted, set_c, 12);
    cr_expect(near(stats_sd(set_c, 12), 1.4648060684547, 1e-13));
    cr_expect(near(stats_mad(sorted, 12, scratch), 1.564143, 1e-10));
}

/* R: quantile(A, .9, type = 7); numpy's default for set C. */
Test(summary, quantiles_interpolate_by_definition_7)
{
    double sorted[12];

    sorted_copy(sorted, set_a, 10);
    cr_expect(near(stats_quantile(sorted, 10, 0.9), 51405.4, 1e-15));
    cr_expect_eq(stats_quantile(sorted, 10, 0), 49987);
    cr_expect_eq(stats_quantile(sorted, 10, 1), 51544);
    sorted_copy(sorted, set_c, 12);
    cr_expect(near(stats_quantile(sorted, 12, 0.1), 98.171, 1e-13));
    cr_expect(near(stats_quantile(sorted, 12, 0.5), 99.99, 1e-13));
    cr_expect(near(stats_quantile(sorted, 12, 0.9), 101.868, 1e-13));
    cr_expect(isnan(stats_quantile(sorted, 0, 0.5)));
}

/* B02 (harvard-edge/cs249r_book#1936 and others), by nearest rank. */
Test(summary, b02_nearest_rank_on_few_values)
{
    static const double three[] = {10, 20, 30};
    static const double one[] = {1};
    static const double two[] = {1, 2};
    double ten[] = {20, 21, 16, 56, 13, 20, 16, 47, 18, 12};
    double counting[100];

    for (int i = 0; i < 100; i++) {
        counting[i] = i + 1;
    }
    stats_sort(ten, 10);
    cr_expect_eq(stats_quantile_nearest(three, 3, 0.99), 30);
    cr_expect_eq(stats_quantile_nearest(one, 1, 0.95), 1);
    cr_expect_leq(stats_quantile_nearest(two, 2, 0.95), 2);
    cr_expect_eq(stats_quantile_nearest(counting, 20, 0.95), 19);
    cr_expect_eq(stats_quantile_nearest(counting, 100, 0.95), 95);
    cr_expect_eq(stats_quantile_nearest(ten, 10, 0.95), 56);
    cr_expect(near(stats_quantile(ten, 10, 0.95), 51.95, 1e-14)); /* interpolated, as B02 says */
    cr_expect(isnan(stats_quantile_nearest(one, 0, 0.5)));
}

/* B01 (ggml-org/llama.cpp#24951 and others): sums of squares lose everything. */
Test(summary, b01_spread_does_not_cancel)
{
    static const double samples[] = {12140144300, 12308847400, 12225136900, 12154929400,
                                     11909783400};
    static const double pair[] = {1e12 - 1, 1e12 + 1};
    double same[1000];

    cr_expect_eq(stats_mean(samples, 5), 12147768280);
    cr_expect(near(stats_sd(samples, 5), 148894758.20, 1e-10));
    cr_expect(near(stats_sd(pair, 2) / sqrt(2), 1, 1e-12)); /* 1 as population SD */
    for (int i = 0; i < 1000; i++) {
        same[i] = 60;
    }
    cr_expect_eq(stats_sd(same, 1000), 0);
    for (int i = 0; i < 100; i++) {
        same[i] = 0.2345;
    }
    cr_expect_lt(stats_sd(same, 100), 1e-12);
    cr_expect(isnan(stats_sd(same, 1)));
    cr_expect(isnan(stats_mean(same, 0)));
}

/* NIST StRD univariate data NumAcc2, 3, 4: 1001 values that alternate about 1.2, 1000000.2 and
 * 10000000.2; certified standard deviation 0.1. */
Test(summary, nist_numacc)
{
    static const double middles[] = {1.2, 1000000.2, 10000000.2};
    static const double tolerances[] = {1e-14, 1e-9,
                                        1e-8}; /* the decimals themselves are rounded */

    for (size_t set = 0; set < COUNT(middles); set++) {
        double values[1001];

        values[0] = middles[set];
        for (int i = 1; i < 1001; i++) {
            values[i] = i % 2 ? middles[set] - 0.1 : middles[set] + 0.1;
        }
        cr_expect(near(stats_mean(values, 1001), middles[set], 1e-15), "set %zu", set);
        cr_expect(near(stats_sd(values, 1001), 0.1, tolerances[set]), "set %zu: %.17g", set,
                  stats_sd(values, 1001));
    }
}

/* NIST StRD Michelson: certified mean and standard deviation. */
Test(summary, nist_michelson)
{
    double values[NIST_MICHELSON_COUNT];

    nist_michelson(values);
    cr_expect(near(stats_mean(values, 100), 299.8524, 1e-15));
    cr_expect(near(stats_sd(values, 100), 0.0790105478190518, 1e-12), "%.16g",
              stats_sd(values, 100));
}

Test(summary, the_geometric_mean_has_a_t_interval_on_logarithms)
{
    struct stats_interval a = stats_geometric_mean(set_a, 10, 0.95);
    struct stats_interval c = stats_geometric_mean(set_c, 12, 0.95);
    static const double known[] = {1, 4};

    cr_expect(near(a.value, 51006.80367980191, 1e-14));
    cr_expect(near(a.low, 50693.571928241814, 1e-11));
    cr_expect(near(a.high, 51321.97086669341, 1e-11));
    cr_expect(near(c.value, 99.987669446113, 1e-13));
    cr_expect(near(c.low, 99.061619614852, 1e-11));
    cr_expect(near(c.high, 100.92237619509, 1e-11));
    cr_expect(near(stats_geometric_mean(known, 2, 0.95).value, 2, 1e-15));
    /* B27: one value has no interval. */
    cr_expect(near(stats_geometric_mean(known + 1, 1, 0.95).value, 4, 1e-15));
    cr_expect(isnan(stats_geometric_mean(known, 1, 0.95).low));
    cr_expect(isnan(stats_geometric_mean(known, 1, 0.95).high));
    cr_expect(isnan(stats_geometric_mean(known, 0, 0.95).value));
}

/* The design's table of k and actual confidence; 1 − 2·pbinom(k − 1, n, .5) in R. */
Test(summary, the_median_interval_has_its_actual_confidence)
{
    static const struct {
        size_t count, k;
        double confidence;
    } rows[] = {
        {6, 1, 0.968750},  {8, 1, 0.992188},  {9, 2, 0.960938},  {10, 2, 0.978516},
        {12, 3, 0.961426}, {15, 4, 0.964844}, {20, 6, 0.958611}, {30, 10, 0.957226},
    };
    double values[30];

    for (int i = 0; i < 30; i++) {
        values[i] = i + 1;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        double confidence;
        struct stats_interval have =
            stats_median_interval(values, rows[i].count, 0.95, &confidence);

        cr_expect_eq(have.low, (double)rows[i].k, "n %zu", rows[i].count);
        cr_expect_eq(have.high, (double)(rows[i].count + 1 - rows[i].k), "n %zu", rows[i].count);
        cr_expect_float_eq(confidence, rows[i].confidence, 5.1e-7, "n %zu", rows[i].count);
    }
    for (size_t count = 0; count < 6; count++) {
        double confidence;

        cr_expect(isnan(stats_median_interval(values, count, 0.95, &confidence).low));
        cr_expect(isnan(confidence), "n %zu", count);
    }
}

/* R: p.adjust(c(.001, .008, .039, .041, .042, .060, .074, .205, .212, .216), "holm"). */
Test(summary, holm)
{
    static const double p[] = {.001, .008, .039, .041, .042, .060, .074, .205, .212, .216};
    static const double want[] = {.01, .072, .312, .312, .312, .312, .312, .615, .615, .615};
    double have[10];
    size_t order[10];

    stats_holm(p, 10, have, order);
    for (size_t i = 0; i < 10; i++) {
        cr_expect_float_eq(have[i], want[i], 1e-15, "row %zu: %g", i, have[i]);
    }
}

Test(summary, holm_never_lowers_a_p_and_keeps_their_order)
{
    for_each_case(rng, 300, 11)
    {
        double p[12], adjusted[12];
        size_t order[12];
        size_t count = 1 + (size_t)rng_below(&rng, 12);

        for (size_t i = 0; i < count; i++) {
            p[i] = rng_below(&rng, 4) ? rng_unit(&rng) * 0.1 : 0.05; /* ties as well */
        }
        stats_holm(p, count, adjusted, order);
        for (size_t i = 0; i < count; i++) {
            cr_expect(adjusted[i] >= p[i] && adjusted[i] <= 1, "seed %llu",
                      (unsigned long long)prop_case_seed);
            for (size_t k = 0; k < count; k++) {
                cr_expect(p[i] > p[k] || adjusted[i] <= adjusted[k], "seed %llu",
                          (unsigned long long)prop_case_seed);
            }
        }
    }
}

Test(summary, quantiles_are_monotone_and_within_the_values)
{
    for_each_case(rng, 300, 12)
    {
        double values[50];
        size_t count = 1 + (size_t)rng_below(&rng, 50);

        for (size_t i = 0; i < count; i++) {
            values[i] = rng_unit(&rng) * 10;
        }
        stats_sort(values, count);
        double last = values[0];

        for (int q = 0; q <= 20; q++) {
            double have = stats_quantile(values, count, q / 20.0);

            cr_expect(have >= last && have <= values[count - 1], "seed %llu",
                      (unsigned long long)prop_case_seed);
            last = have;
        }
    }
}

/* A value of the order `shape`: any, with many equal, falling, rising to the middle, two of each.
 */
static double shaped(struct rng *rng, int shape, size_t i, size_t count)
{
    double at = (double)i, all = (double)count;
    const double values[] = {rng_unit(rng), (double)rng_below(rng, 3), all - at, fmin(at, all - at),
                             floor(at / 2)};

    return values[shape];
}

/* Of each order the value that has its place when qsort is done, and no value is lost. */
Test(summary, selects_what_sorting_would_bring_there)
{
    for_each_case(rng, 300, 13)
    {
        double values[400], sorted[400];
        size_t count = 1 + (size_t)rng_below(&rng, 400);
        double q = rng_unit(&rng);

        for (size_t i = 0; i < count; i++) {
            values[i] = shaped(&rng, prop_case % 5, i, count);
        }
        sorted_copy(sorted, values, count);
        cr_expect_eq(stats_select_nearest(values, count, q),
                     stats_quantile_nearest(sorted, count, q), "seed %llu",
                     (unsigned long long)prop_case_seed);
        cr_expect_eq(stats_select_nearest(values, count, 1), sorted[count - 1]);
        stats_sort(values, count);
        cr_expect_arr_eq(values, sorted, count * sizeof(*values), "seed %llu",
                         (unsigned long long)prop_case_seed);
    }
    cr_expect(isnan(stats_select_nearest(NULL, 0, 0.5)));
}

/* R 4.2.2: p.adjust(p, "BH"). */
Test(summary, benjamini_hochberg)
{
    static const double p[] = {0.216, 0.001, 0.008, 0.060, 0.039,
                               0.041, 0.212, 0.042, 0.074, 0.205};
    static const double want[] = {
        0.216, 0.01, 0.04, 0.1, 0.084, 0.084, 0.216, 0.084, 0.105714285714286, 0.216};
    double have[10];
    size_t order[10];

    stats_benjamini_hochberg(p, 10, have, order);
    for (size_t i = 0; i < 10; i++) {
        cr_expect_float_eq(have[i], want[i], 1e-15, "row %zu: %.15g", i, have[i]);
    }
}

/* BH is never above Holm and never below the raw p. */
Test(summary, benjamini_hochberg_lies_between_raw_and_holm)
{
    for_each_case(rng, 300, 13)
    {
        double p[12], holm[12], bh[12];
        size_t order[12];
        size_t count = 1 + (size_t)rng_below(&rng, 12);

        for (size_t i = 0; i < count; i++) {
            p[i] = rng_below(&rng, 4) ? rng_unit(&rng) * 0.1 : 0.05;
        }
        stats_holm(p, count, holm, order);
        stats_benjamini_hochberg(p, count, bh, order);
        for (size_t i = 0; i < count; i++) {
            cr_expect(bh[i] >= p[i] && bh[i] <= holm[i] + 1e-15, "seed %llu",
                      (unsigned long long)prop_case_seed);
        }
    }
}
