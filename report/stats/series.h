// SPDX-License-Identifier: Apache-2.0
// Statistics of values in the order of time: dependence, changes, drift. They describe a trial's
// samples; no inference rests on them.
#ifndef REPORT_STATS_SERIES_H
#define REPORT_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Autocorrelation at a lag, with the variance's divisor n (R's acf).
 *
 * returns   NaN when lag >= count or all values are equal
 * source    Box and Jenkins 1976
 */
double series_autocorrelation(const double *values, size_t count, size_t lag);

/* Independent values that carry as much about the mean as `count` of an AR(1) process with lag-1
 * autocorrelation r: count·(1 − r)/(1 + r). NaN when r is. */
double series_effective_count(size_t count, double r);

/*
 * Portmanteau test of "no autocorrelation up to `lags`".
 *
 * statistic_out  may be NULL
 * returns        p by the chi² distribution with `lags` degrees of freedom; NaN where a lag has no
 *                autocorrelation
 * source         Ljung and Box 1978
 */
double series_ljung_box_p(const double *values, size_t count, size_t lags, double *statistic_out);

/*
 * Change points in mean or variance: the segmentation with the least sum of Gaussian costs
 * n·(ln 2πσ² + 1) and penalties of 15 ln n for each change, segments not shorter than
 * SERIES_SEGMENT_MIN.
 *
 * changes_out  at least count/SERIES_SEGMENT_MIN indices; where each segment but the first begins,
 *              ascending. A spread below a millionth of the mean counts as that.
 * Time grows with count².
 *
 * errors       ERR_LIMIT: memory
 * source       Jackson et al. 2005 (what PELT finds, without its pruning); penalty of Barrett et
 * al. 2017
 */
#define SERIES_SEGMENT_MIN 5
enum err_code series_find_changes(const double *values, size_t count, size_t *changes_out,
                                  size_t *change_count_out, struct err *e) ATTR_MUST_USE;

enum series_class {
    SERIES_TOO_SHORT,   /* fewer than two segments' worth of values: nothing can be said */
    SERIES_FLAT,        /* one level */
    SERIES_WARMUP,      /* lower first */
    SERIES_SLOWDOWN,    /* higher first */
    SERIES_NEVER_STEADY /* the last change lies in the second half */
};

/*
 * The class of a series of rates. Levels that differ from the last one by less than 1 % of it or
 * one SD count as the last one. Longer series than SERIES_COUNT_MAX are averaged in groups first.
 *
 * errors   ERR_LIMIT: memory
 * source   Barrett et al. 2017
 */
#define SERIES_COUNT_MAX 1000
enum err_code series_classify(const double *values, size_t count, enum series_class *class_out,
                              struct err *e) ATTR_MUST_USE;

/* A slow ramp, which change points miss: second half against the first, with the standard error of
 * means over batches of 5. */
struct series_drift {
    double share; /* of the first half's mean; NaN with fewer than 20 values */
    double z;
    bool is_drift; /* |z| > 3 and more than 1 % */
};
struct series_drift series_find_drift(const double *values, size_t count);

/*
 * Values at the beginning that the MSER-5 rule would leave out: a multiple of 5, at most half. It
 * cuts from flat series as well, so it may suggest a warm-up and decides nothing.
 *
 * source   White, Cobb, Spratt 2000
 */
size_t series_suggest_cut(const double *values, size_t count);

#endif
