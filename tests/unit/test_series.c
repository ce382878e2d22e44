// SPDX-License-Identifier: Apache-2.0
// Series against R's and NIST's values, and against series whose changes are known.
#include <criterion/criterion.h>
#include <math.h>

#include "report/stats/distribution.h"
#include "report/stats/series.h"
#include "report/stats/summary.h"
#include "tests/support/nist.h"
#include "tests/support/prop.h"

#define LONG_COUNT   200
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* R's data set lh: luteinizing hormone, 48 values. */
static const double lh[] = {2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7,
                            2.2, 1.8, 3.2, 3.2, 2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0,
                            2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3, 2.6, 2.4, 1.8, 1.7,
                            1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9};

/* R's data set Nile, 1871 to 1970. */
static const double nile[] = {
    1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
    960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
    874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
    1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
    781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
    1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
    1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};

/* R 4.2.2: acf(lh)$acf[2:4], Box.test(lh, 5, "Ljung"). */
Test(series, dependence_of_lh)
{
    double statistic = 0;
    double p = series_ljung_box_p(lh, COUNT(lh), 5, &statistic);

    cr_expect_float_eq(series_autocorrelation(lh, 48, 1), 0.575524475524475, 1e-14);
    cr_expect_float_eq(series_autocorrelation(lh, 48, 2), 0.181818181818182, 1e-14);
    cr_expect_float_eq(series_autocorrelation(lh, 48, 3), -0.144755244755245, 1e-14);
    cr_expect_float_eq(series_autocorrelation(lh, 48, 0), 1, 0);
    cr_expect_float_eq(statistic, 22.67318500207, 1e-11);
    cr_expect_float_eq(p, 0.000389744803916, 1e-14);
    /* 48·(1 − r)/(1 + r) */
    cr_expect_float_eq(series_effective_count(48, 0.575524475524475), 12.9320905459387, 1e-12);
    cr_expect(isnan(series_autocorrelation(lh, 3, 3)));
    cr_expect(isnan(series_autocorrelation((const double[]){7, 7, 7, 7}, 4, 1)));
    cr_expect(isnan(series_ljung_box_p(lh, 4, 5, NULL)));
}

/* R 4.2.2: acf(Nile)$acf[2:4], Box.test(Nile, 10, "Ljung")$statistic and its
 * pchisq(…, 10, lower.tail = FALSE): the p that Box.test prints is 1 − pchisq and has lost its
 * digits. */
Test(series, dependence_of_nile)
{
    double statistic = 0;
    double p = series_ljung_box_p(nile, COUNT(nile), 10, &statistic);

    cr_expect_float_eq(series_autocorrelation(nile, 100, 1), 0.498408184133029, 1e-14);
    cr_expect_float_eq(series_autocorrelation(nile, 100, 2), 0.384576903904873, 1e-14);
    cr_expect_float_eq(series_autocorrelation(nile, 100, 3), 0.327860437522546, 1e-14);
    cr_expect_float_eq(statistic, 88.1268715513, 1e-9);
    cr_expect_float_eq(p, 1.2586327670205e-14, 1e-26);
}

/* NIST StRD: lag-1 autocorrelation of NumAcc2 … 4 is −0.999. */
Test(series, dependence_of_nist_numacc)
{
    static const double middles[] = {1.2, 1000000.2, 10000000.2};

    for (size_t set = 0; set < COUNT(middles); set++) {
        double values[1001];

        values[0] = middles[set];
        for (size_t i = 1; i < 1001; i++) {
            values[i] = middles[set] + (i % 2 ? -0.1 : 0.1);
        }
        cr_expect_float_eq(series_autocorrelation(values, 1001, 1), -0.999, 1e-6, "set %zu: %.12g",
                           set, series_autocorrelation(values, 1001, 1));
    }
}

/* R 4.2.2: t.test(Nile[1:28], Nile[29:100], var.equal = TRUE)$statistic, from this module's parts.
 */
Test(series, the_two_levels_of_nile_by_the_pooled_t)
{
    double left = stats_sd(nile, 28), right = stats_sd(nile + 28, 72);
    double pooled = sqrt((27 * left * left + 71 * right * right) / 98);

    cr_expect_float_eq((stats_mean(nile, 28) - stats_mean(nile + 28, 72)) /
                           (pooled * sqrt(1.0 / 28 + 1.0 / 72)),
                       8.71376895651276, 1e-13);
}

/* NIST StRD Michelson: the certified lag-1 autocorrelation. */
Test(series, dependence_of_nist_michelson)
{
    double values[NIST_MICHELSON_COUNT];

    nist_michelson(values);
    cr_expect_float_eq(series_autocorrelation(values, NIST_MICHELSON_COUNT, 1), 0.535199668621283,
                       1e-12);
}

static size_t changes_of(const double *values, size_t count, size_t *changes)
{
    size_t change_count = 99;
    struct err e;

    cr_assert_eq(series_find_changes(values, count, changes, &change_count, &e), ERR_OK);
    return change_count;
}

/* The Aswan dam: R's Nile falls from 1097.75 to 849.97 after 28 years. The penalty here is meant
 * for benchmarks and too high for that series (R: its gain of 57.56 is below 15·ln 100 = 69.1), but
 * not for the same noise halved. */
Test(series, change_points_of_nile)
{
    size_t changes[20];
    double quiet[100];

    cr_expect_float_eq(stats_mean(nile, 28), 1097.75, 1e-12);
    cr_expect_float_eq(stats_mean(nile + 28, 72), 849.972222, 1e-6);
    cr_expect_eq(changes_of(nile, COUNT(nile), changes), 0);
    for (size_t i = 0; i < 100; i++) {
        double mean = i < 28 ? 1097.75 : 849.972222;

        quiet[i] = mean + (nile[i] - mean) / 2;
    }
    cr_assert_eq(changes_of(quiet, 100, changes), 1);
    cr_expect_eq(changes[0], 28);
}

/* The least cost over every segmentation of 18 values, tried one by one: at most 3 segments of 5.
 */
static double slow_cost(const double *values, size_t begin, size_t end)
{
    double mean = stats_mean(values + begin, end - begin);
    double squares = 0;

    for (size_t i = begin; i < end; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    double n = (double)(end - begin);

    return n * (log(2 * 3.14159265358979323846 * squares / n) + 1);
}

static double slow_search(const double *values, size_t count, size_t best[2], size_t *best_count)
{
    double penalty = 15 * log((double)count);
    double least = slow_cost(values, 0, count);

    *best_count = 0;
    for (size_t i = 5; i + 5 <= count; i++) {
        double two = slow_cost(values, 0, i) + slow_cost(values, i, count) + penalty;

        if (two < least) {
            least = two;
            *best_count = 1;
            best[0] = i;
        }
        for (size_t k = i + 5; k + 5 <= count; k++) {
            double three = slow_cost(values, 0, i) + slow_cost(values, i, k) +
                           slow_cost(values, k, count) + 2 * penalty;

            if (three < least) {
                least = three;
                *best_count = 2;
                best[0] = i;
                best[1] = k;
            }
        }
    }
    return least;
}

Test(series, change_points_are_those_of_trying_all)
{
    size_t seen[3] = {0};

    for_each_case(rng, 300, 41)
    {
        double values[18];
        size_t have[3], want[2];
        size_t want_count;
        size_t count = 15 + (size_t)rng_below(&rng, 4);
        size_t first = 5 + (size_t)rng_below(&rng, 4);
        double step = (double)rng_below(&rng, 3) * 500;

        for (size_t i = 0; i < count; i++) {
            values[i] =
                1000 + rng_unit(&rng) + (i >= first ? step : 0) + (i >= first + 5 ? step / 3 : 0);
        }
        slow_search(values, count, want, &want_count);
        cr_assert_eq(changes_of(values, count, have), want_count, "seed %llu",
                     (unsigned long long)prop_case_seed);
        for (size_t i = 0; i < want_count; i++) {
            cr_expect_eq(have[i], want[i], "seed %llu", (unsigned long long)prop_case_seed);
        }
        seen[want_count]++;
    }
    cr_expect(seen[0] > 20 && seen[1] + seen[2] > 20, "%zu %zu %zu", seen[0], seen[1], seen[2]);
}

/* The best segmentation by trying every last segment of every beginning of the series: Jackson et
 * al. 2005. The variance is at least that of a spread of a millionth, as series.h says. */
static size_t slow_changes(const double *values, size_t count, size_t *changes)
{
    double floor = stats_mean(values, count) * 1e-6, least[LONG_COUNT + 1] = {0};
    size_t last[LONG_COUNT + 1] = {0}, change_count = 0;

    for (size_t end = 1; end <= count; end++) {
        least[end] = (double)INFINITY;
        for (size_t begin = 0; begin + SERIES_SEGMENT_MIN <= end; begin++) {
            double n = (double)(end - begin), sd = stats_sd(values + begin, end - begin);
            double variance = fmax(sd * sd * (n - 1) / n, floor * floor);
            double cost = least[begin] + n * (log(2 * 3.14159265358979323846 * variance) + 1) +
                          (begin > 0 ? 15 * log((double)count) : 0);

            if (cost < least[end]) {
                least[end] = cost;
                last[end] = begin;
            }
        }
    }
    for (size_t end = last[count]; end > 0; end = last[end]) {
        changes[change_count++] = end; /* from the last to the first */
    }
    return change_count;
}

/* Levels, spreads (none, a rounding, a thousandth, a tenth) and lengths of all kinds. */
static size_t make_levels(struct rng *rng, double values[LONG_COUNT])
{
    static const double spreads[] = {0, 1e-7, 1e-3, 0.1}, levels[] = {1, 1, 1.003, 1.5, 40};
    size_t count = 60 + (size_t)rng_below(rng, LONG_COUNT - 59), left = 0;
    double level = 1, spread = 0;

    for (size_t i = 0; i < count; i++, left--) {
        if (left == 0) {
            left = 3 + (size_t)rng_below(rng, 90);
            level = levels[rng_below(rng, 5)];
            spread = spreads[rng_below(rng, 4)];
        }
        values[i] = 5000 * level * (1 + spread * (rng_unit(rng) - 0.5));
    }
    return count;
}

Test(series, change_points_of_long_series_are_those_of_trying_all)
{
    size_t seen = 0;

    for_each_case(rng, 250, 43)
    {
        double values[LONG_COUNT];
        size_t have[LONG_COUNT], want[LONG_COUNT], count = make_levels(&rng, values);
        size_t want_count = slow_changes(values, count, want);

        cr_assert_eq(changes_of(values, count, have), want_count, "seed %llu",
                     (unsigned long long)prop_case_seed);
        for (size_t i = 0; i < want_count; i++) {
            cr_expect_eq(have[i], want[want_count - 1 - i], "seed %llu",
                         (unsigned long long)prop_case_seed);
        }
        seen += want_count;
    }
    cr_expect(seen > 250, "%zu", seen);
}

/* 80 samples around 50000 with a spread of 0.4 %, and a level that differs in [from, to). */
static enum series_class class_with(double factor, size_t from, size_t to)
{
    double values[80];
    struct rng rng;
    enum series_class class = SERIES_TOO_SHORT;
    struct err e;

    rng_init(&rng, 7);
    for (size_t i = 0; i < 80; i++) {
        double noise = (rng_unit(&rng) - 0.5) * 0.014;

        values[i] = 50000 * (1 + noise) * (i >= from && i < to ? factor : 1);
    }
    cr_assert_eq(series_classify(values, 80, &class, &e), ERR_OK);
    return class;
}

Test(series, classes)
{
    static const struct {
        double factor;
        size_t from, to;
        enum series_class want;
    } rows[] = {
        {1, 0, 0, SERIES_FLAT},
        {0.8, 0, 10, SERIES_WARMUP},
        {1.2, 0, 10, SERIES_SLOWDOWN},
        {0.8, 20, 35, SERIES_WARMUP},
        {0.8, 0, 60, SERIES_NEVER_STEADY},
        {0.8, 70, 80, SERIES_NEVER_STEADY},
        {1.002, 0, 40, SERIES_FLAT}, /* less than 1 % counts as none */
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        enum series_class have = class_with(rows[i].factor, rows[i].from, rows[i].to);

        cr_expect_eq(have, rows[i].want, "row %zu: %d", i, (int)have);
    }
}

Test(series, that_are_short_long_or_constant)
{
    static double values[2500];
    enum series_class class = SERIES_FLAT;
    struct err e;

    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = i < 800 ? 900 : 1000;
    }
    cr_assert_eq(series_classify(values, 9, &class, &e), ERR_OK);
    cr_expect_eq(class, SERIES_TOO_SHORT);
    cr_assert_eq(series_classify(values, 10, &class, &e), ERR_OK);
    cr_expect_eq(class, SERIES_FLAT);
    cr_assert_eq(series_classify(values, COUNT(values), &class, &e), ERR_OK);
    cr_expect_eq(class, SERIES_WARMUP);
    cr_expect(isnan(series_find_drift(values, 19).share));
    cr_expect_not(series_find_drift(values, 40).is_drift);
}

/* A ramp of 5 % within noise of 2 %, which change points are slow to see. */
Test(series, a_slow_ramp_is_a_drift)
{
    double values[80], reversed[80];
    struct rng rng;

    rng_init(&rng, 8);
    for (size_t i = 0; i < 80; i++) {
        values[i] = 50000 * (1 + (rng_unit(&rng) - 0.5) * 0.02 + 0.05 * (double)i / 80);
        reversed[79 - i] = values[i];
    }
    struct series_drift drift = series_find_drift(values, 80);

    /* The ramp's halves lie 2.5 % apart. */
    cr_expect_float_eq(drift.share, 0.025, 0.003, "%g", drift.share);
    cr_expect(drift.is_drift && drift.z > 3);
    cr_expect(series_find_drift(reversed, 80).is_drift);
    cr_expect_lt(series_find_drift(reversed, 80).z, -3);
}

/* By hand, batches of 5 with means 0 10 10 10 20 20: Σ(z − z̄)²/k² of what is left is 283.3/36
 * = 7.9, 120/25 = 4.8, 100/16 = 6.3, 66.7/9 = 7.4: least where the first batch is left out. */
Test(series, mser_leaves_the_beginning_out)
{
    static const double means[] = {0, 10, 10, 10, 20, 20};
    double values[30];

    for (size_t i = 0; i < 30; i++) {
        values[i] = means[i / 5];
    }
    cr_expect_eq(series_suggest_cut(values, 30), 5);
    cr_expect_eq(series_suggest_cut(values, 4), 0);
}

/* Flat AR(1) series: how often something is seen that is not there. */
Test(series, of_noise_alone_are_flat_and_without_drift)
{
    enum { CASES = 300 };
    int unsteady = 0;
    int drifts = 0;

    for_each_case(rng, CASES, 42)
    {
        double values[80];
        double state = 0;
        enum series_class class = SERIES_TOO_SHORT;
        struct err e;

        for (size_t i = 0; i < 80; i++) {
            double z = distribution_normal_quantile(rng_unit(&rng) * (1 - 1e-12) + 5e-13);

            state = 0.5 * state + z * sqrt(0.75);
            values[i] = 50000 * (1 + 0.01 * state);
        }
        cr_assert_eq(series_classify(values, 80, &class, &e), ERR_OK);
        unsteady += class != SERIES_FLAT;
        drifts += series_find_drift(values, 80).is_drift;
    }
    cr_expect_leq(unsteady, CASES / 50);
    cr_expect_leq(drifts, CASES / 50);
}
