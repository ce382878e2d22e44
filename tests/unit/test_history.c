// SPDX-License-Identifier: Apache-2.0
// The history of a plan: control band and changes of level.
#include <criterion/criterion.h>
#include <math.h>

#include "engines/base/attr.h"
#include "report/judge/history.h"

static struct history_session sessions[HISTORY_SESSION_MAX];
static struct history_series series;

static void judge(const double *ratios, size_t count, double margin)
{
    struct err e;

    for (size_t i = 0; i < count; i++) {
        series.ratios[i] =
            (struct estimate){ratios[i], (double)NAN, (double)NAN, isnan(ratios[i]) ? 0 : 6};
    }
    cr_assert_eq(history_judge(sessions, count, margin, &series, &e), ERR_OK, "%s", e.text);
}

/* NIST/SEMATECH e-Handbook, 6.3.2.2: flowrates of ten batches, mean 50.81, mean moving range
 * 1.8778, limits 55.8041 and 45.8159. A chart of logarithms of exp(x/1000) is the same chart: its
 * limits are exp of theirs. */
Test(history, the_band_is_that_of_an_individuals_chart)
{
    static const double flow[] = {49.6, 47.6, 49.9, 51.3, 47.8, 51.2, 52.6, 52.4, 53.6, 52.1};
    double ratios[11];

    for (size_t i = 0; i < 10; i++) {
        ratios[i] = exp(flow[i] / 1000);
    }
    ratios[10] = exp(0.0559); /* above 55.8041 */
    judge(ratios, 11, 0.02);
    cr_expect_eq(series.band_count, 10);
    cr_expect_float_eq(1000 * log(series.band_low), 45.8159, 0.002);
    cr_expect_float_eq(1000 * log(series.band_high), 55.8041, 0.002);
    cr_expect(series.is_outside);
    cr_expect_float_eq(series.from_middle, 0.005103, 2e-6); /* exp(0.0559 - 0.05081) - 1 */
    cr_expect_eq(series.band_first, 0);
    ratios[10] = exp(0.0557);
    judge(ratios, 11, 0.02);
    cr_expect_not(series.is_outside);
    judge(ratios, 8, 0.02); /* seven before the last: too few */
    cr_expect(isnan(series.band_low));
    sessions[3].is_boundary = true; /* another machine: six before the last */
    judge(ratios, 10, 0.02);
    cr_expect(isnan(series.band_low));
    ratios[5] = (double)NAN; /* not fit: no value, no gap */
    sessions[3].is_boundary = false;
    judge(ratios, 11, 0.02);
    cr_expect_eq(series.band_count, 9);
}

/* 24 sessions alternate by 0.1 %; from the 13th on all are 10 % higher. */
Test(history, a_new_level_is_one_of_at_least_the_margin)
{
    static const struct {
        size_t count;
        double margin;
        size_t change_count;
        double band_low, band_high; /* 0: none */
        size_t band_count;
        bool is_outside;
    } rows[] = {
        /* exp(mean of logarithms ± 3 / 1.128 · mean moving range) of 11, 7, 23 and 18 values. */
        {24, 0.02, 1, 1.646368, 1.655144, 11, false},
        {20, 0.02, 1, 0, 0, 0, false},
        {24, 0.2, 0, 1.542330, 1.599608, 23, true}, /* the reach is 0.1 · ln 1.2 */
        {19, 0.02, 0, 1.522690, 1.576160, 18, true},
    };
    double ratios[24];

    for (size_t i = 0; i < 24; i++) {
        ratios[i] = (i < 12 ? 1.5 : 1.65) * (i % 2 ? 1.001 : 1);
    }
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        judge(ratios, rows[i].count, rows[i].margin);
        cr_expect_eq(series.change_count, rows[i].change_count, "row %zu", i);
        if (series.change_count > 0) {
            cr_expect_eq(series.changes[0], 12);
            cr_expect_eq(series.band_first, 12);
            cr_expect_float_eq(series.steps[0], 1.1, 1e-6, "1.65 / 1.5");
        }
        cr_expect_eq(series.band_count, rows[i].band_count, "row %zu", i);
        cr_expect_eq(series.is_outside, rows[i].is_outside, "row %zu", i);
        if (rows[i].band_count > 0) {
            cr_expect_float_eq(series.band_low, rows[i].band_low, 1e-5, "row %zu", i);
            cr_expect_float_eq(series.band_high, rows[i].band_high, 1e-5, "row %zu", i);
        }
    }
}

/* Ten sessions to the same digit: the band is ± a tenth of ln 1.02, 0.198 %. */
Test(history, sessions_that_are_alike_make_no_band_without_width)
{
    static const struct {
        double last;
        bool is_outside;
    } rows[] = {{1.5, false}, {1.5029, false}, {1.4971, false}, {1.5031, true}, {1.4969, true}};
    double ratios[11];

    for (size_t i = 0; i < 10; i++) {
        ratios[i] = 1.5;
    }
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        ratios[10] = rows[i].last;
        judge(ratios, 11, 0.02);
        cr_expect_eq(series.is_outside, rows[i].is_outside, "row %zu", i);
    }
}
