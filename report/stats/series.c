// SPDX-License-Identifier: Apache-2.0
// Dependence, change points and drift of one series.
#include "report/stats/series.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/stats/distribution.h"
#include "report/stats/summary.h"

#define PI                3.14159265358979323846
#define LN_2              0.69314718055994530942
#define ROUNDING_MAX      1e-3 /* of a value's cost, where a variance is the rest of large sums */
#define ROUNDING_SHARE    0x1p-40 /* of all squares: what a difference of sums may lose, and more */
#define BLOCK             16      /* beginnings that are left out together */
#define PENALTY_LOGS      15.0
#define SPREAD_LEAST      1e-6 /* of the mean: smaller spreads are rounding */
#define LEVEL_SHARE       0.01
#define DRIFT_Z_MAX       3.0
#define DRIFT_SHARE       0.01
#define BATCH             5
#define DRIFT_COUNT_LEAST 20

double series_autocorrelation(const double *values, size_t count, size_t lag)
{
    double mean = stats_mean(values, count);
    double squares = 0;
    double products = 0;

    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
        products += i + lag < count ? (values[i] - mean) * (values[i + lag] - mean) : 0;
    }
    return lag < count && squares > 0 ? products / squares : (double)NAN;
}

double series_effective_count(size_t count, double r)
{
    return (double)count * (1 - r) / (1 + r);
}

double series_ljung_box_p(const double *values, size_t count, size_t lags, double *statistic_out)
{
    double n = (double)count;
    double sum = 0;

    for (size_t lag = 1; lag <= lags; lag++) {
        double r = series_autocorrelation(values, count, lag);

        sum += r * r / (n - (double)lag);
    }
    double statistic = n * (n + 2) * sum;

    if (statistic_out) {
        *statistic_out = statistic;
    }
    return isnan(statistic) ? statistic : distribution_chi_square_tail(statistic, (double)lags);
}

/* --- change points --- */

struct search {
    double *sums, *squares; /* of the first i values less their mean */
    double *cost;           /* least cost of the first i values */
    double *inverses;       /* 1 / i */
    double *bounds;         /* of each block of beginnings: bound_make */
    size_t *last;           /* where the last segment of that begins */
    double spread_least;
};

static double segment_cost(const struct search *search, size_t begin, size_t end)
{
    double n = (double)(end - begin);
    double sum = search->sums[end] - search->sums[begin];
    double variance = (search->squares[end] - search->squares[begin] - sum * sum / n) / n;

    variance = variance > search->spread_least ? variance : search->spread_least;
    return n * (log(2 * PI * variance) + 1);
}

static void search_release(struct search *search)
{
    free(search->sums);
    free(search->squares);
    free(search->cost);
    free(search->inverses);
    free(search->bounds);
    free(search->last);
}

static enum err_code search_begin(struct search *search, const double *values, size_t count,
                                  struct err *e)
{
    double mean = stats_mean(values, count);

    *search = (struct search){.sums = calloc(count + 1, sizeof(double)),
                              .squares = calloc(count + 1, sizeof(double)),
                              .cost = calloc(count + 1, sizeof(double)),
                              .inverses = calloc(count + 1, sizeof(double)),
                              .bounds = calloc(count / BLOCK + 1, sizeof(double)),
                              .last = calloc(count + 1, sizeof(size_t))};
    if (!search->sums || !search->squares || !search->cost || !search->inverses ||
        !search->bounds || !search->last) {
        search_release(search);
        return err_set(e, ERR_LIMIT, "no memory for the change points of %zu values", count);
    }
    search->spread_least = mean * SPREAD_LEAST * mean * SPREAD_LEAST + 1e-300;
    for (size_t i = 0; i < count; i++) {
        double x = values[i] - mean;

        search->sums[i + 1] = search->sums[i] + x;
        search->squares[i + 1] = search->squares[i] + x * x;
        search->inverses[i + 1] = 1 / (double)(i + 1);
    }
    return ERR_OK;
}

/* At most the logarithm of a normal number, less by 0.06 at most: the mantissa is taken for a
 * straight line between powers of two. */
static double log_below(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return ((double)bits * 0x1p-52 - 1023) * LN_2;
}

/* At most the cost; without logarithm and division, which are nearly all of the search's time. */
static double segment_cost_below(const struct search *search, size_t begin, size_t end)
{
    double n = (double)(end - begin), inverse = search->inverses[end - begin];
    double sum = search->sums[end] - search->sums[begin];
    double variance =
        (search->squares[end] - search->squares[begin] - sum * sum * inverse) * inverse;

    variance = variance > search->spread_least ? variance : search->spread_least;
    return n * (log_below(2 * PI * variance) + 1 - ROUNDING_MAX);
}

/* The least cost of all before `end` in two segments of which the second begins in the block that
 * ends there, or less. */
static double bound_make(const struct search *search, size_t end)
{
    double bound = (double)INFINITY;

    for (size_t begin = end - BLOCK; begin < end; begin++) {
        double cost = search->cost[begin] + segment_cost_below(search, begin, end);

        bound = cost < bound ? cost : bound;
    }
    return bound;
}

/*
 * True when no last segment that begins in the block is better than what is known: parted where the
 * block ends, it costs less, but for the least spread, which may count in either part. With
 * variances v of n values, v1 of n1 and v2 of n2: n v >= n1 v1 + n2 v2, and the logarithm is
 * concave. The least spread f makes n log(1 + f / v) of it, n / 1000 where n2 v2 >= 1000 n f.
 */
static bool block_is_worse(const struct search *search, size_t block, size_t end, double penalty)
{
    size_t parting = block + BLOCK;

    if (parting >= end) {
        return false;
    }
    double n = (double)(end - block);
    double sum = search->sums[end] - search->sums[parting];
    double squares = search->squares[end] - search->squares[parting] -
                     sum * sum * search->inverses[end - parting];
    double lost = search->squares[end] * ROUNDING_SHARE;

    return squares * ROUNDING_MAX >= n * search->spread_least + lost &&
           search->bounds[block / BLOCK] + segment_cost_below(search, parting, end) + penalty -
                   n * ROUNDING_MAX >=
               search->cost[end];
}

/* The best beginning of a last segment that ends at `end`. */
static void search_extend(struct search *search, size_t end, double penalty)
{
    search->cost[end] = (double)INFINITY;
    for (size_t begin = 0; begin + SERIES_SEGMENT_MIN <= end; begin++) {
        if (begin % BLOCK == 0 && block_is_worse(search, begin, end, penalty)) {
            begin += BLOCK - 1;
            continue;
        }
        double least = search->cost[begin] + segment_cost_below(search, begin, end) + penalty;

        if (least >= search->cost[end]) {
            continue;
        }
        double cost = search->cost[begin] + segment_cost(search, begin, end) + penalty;

        if (cost < search->cost[end]) {
            search->cost[end] = cost;
            search->last[end] = begin;
        }
    }
    if (end % BLOCK == 0) {
        search->bounds[end / BLOCK - 1] = bound_make(search, end);
    }
}

enum err_code series_find_changes(const double *values, size_t count, size_t *changes_out,
                                  size_t *change_count_out, struct err *e)
{
    struct search search;
    size_t change_count = 0;

    if (count < SERIES_SEGMENT_MIN) {
        *change_count_out = 0;
        return ERR_OK;
    }
    enum err_code code = search_begin(&search, values, count, e);

    if (code != ERR_OK) {
        return code;
    }
    double penalty = PENALTY_LOGS * log((double)count);

    search.cost[0] = -penalty; /* the first segment is no change */
    for (size_t end = 1; end <= count; end++) {
        search_extend(&search, end, penalty);
    }
    for (size_t end = search.last[count]; end > 0; end = search.last[end]) {
        change_count++;
    }
    size_t at = change_count;

    for (size_t end = search.last[count]; end > 0; end = search.last[end]) {
        changes_out[--at] = end;
    }
    search_release(&search);
    *change_count_out = change_count;
    return ERR_OK;
}

/* --- classes --- */

/* The segment is on the level of the last one. */
static bool is_level(const double *segment, size_t count, const double *last, size_t last_count)
{
    double last_mean = stats_mean(last, last_count);
    double distance = fabs(stats_mean(segment, count) - last_mean);
    double allowed = fmax(LEVEL_SHARE * fabs(last_mean),
                          fmax(stats_sd(segment, count), stats_sd(last, last_count)));

    return distance < allowed;
}

static enum series_class class_of(const double *values, size_t count, const size_t *changes,
                                  size_t change_count)
{
    size_t last_begin = change_count ? changes[change_count - 1] : 0;
    const double *last = values + last_begin;
    size_t last_count = count - last_begin;
    bool is_faster = false;
    size_t steady_from = 0; /* after the last segment that is not on the level */

    for (size_t i = 0; i < change_count; i++) {
        size_t begin = i ? changes[i - 1] : 0;
        size_t length = changes[i] - begin;

        if (!is_level(values + begin, length, last, last_count)) {
            steady_from = changes[i];
            is_faster =
                is_faster || stats_mean(values + begin, length) > stats_mean(last, last_count);
        }
    }
    if (steady_from == 0) {
        return SERIES_FLAT;
    }
    if (2 * steady_from > count) {
        return SERIES_NEVER_STEADY;
    }
    return is_faster ? SERIES_SLOWDOWN : SERIES_WARMUP;
}

/* Means of equal groups, at most SERIES_COUNT_MAX; what is left over at the end is dropped. */
static size_t group(const double *values, size_t count, double *grouped)
{
    size_t size = (count + SERIES_COUNT_MAX - 1) / SERIES_COUNT_MAX;

    for (size_t i = 0; i < count / size; i++) {
        grouped[i] = stats_mean(values + i * size, size);
    }
    return count / size;
}

enum err_code series_classify(const double *values, size_t count, enum series_class *class_out,
                              struct err *e)
{
    double grouped[SERIES_COUNT_MAX];
    size_t changes[SERIES_COUNT_MAX / SERIES_SEGMENT_MIN + 1];
    size_t change_count = 0;

    if (count < 2 * SERIES_SEGMENT_MIN) {
        *class_out = SERIES_TOO_SHORT;
        return ERR_OK;
    }
    size_t grouped_count = group(values, count, grouped);
    enum err_code code = series_find_changes(grouped, grouped_count, changes, &change_count, e);

    if (code == ERR_OK) {
        *class_out = class_of(grouped, grouped_count, changes, change_count);
    }
    return code;
}

/* --- drift and cut --- */

/* Mean of whole batches of a stretch, and the squared standard error from their spread. */
static double batch_mean(const double *values, size_t batch_count, double *square_error_out)
{
    double mean = stats_mean(values, batch_count * BATCH);
    double squares = 0;

    for (size_t i = 0; i < batch_count; i++) {
        double residual = stats_mean(values + i * BATCH, BATCH) - mean;

        squares += residual * residual;
    }
    *square_error_out = squares / (double)(batch_count - 1) / (double)batch_count;
    return mean;
}

struct series_drift series_find_drift(const double *values, size_t count)
{
    struct series_drift drift = {(double)NAN, (double)NAN, false};
    size_t batch_count = count / 2 / BATCH;
    double first_error, last_error;

    if (count < DRIFT_COUNT_LEAST) {
        return drift;
    }
    double first = batch_mean(values, batch_count, &first_error);
    double last = batch_mean(values + count - batch_count * BATCH, batch_count, &last_error);
    double error = sqrt(first_error + last_error);

    drift.share = last / first - 1;
    drift.z = (last - first) / error;
    drift.is_drift = fabs(drift.z) > DRIFT_Z_MAX && fabs(drift.share) > DRIFT_SHARE;
    return drift;
}

size_t series_suggest_cut(const double *values, size_t count)
{
    size_t batch_count = count / BATCH;
    double least = (double)INFINITY;
    size_t best = 0;
    double sum = 0;
    double squares = 0;
    double mean_of_all = stats_mean(values, count);

    /* From the end, so that each batch is added once. */
    for (size_t i = batch_count; i-- > 0;) {
        double mean = stats_mean(values + i * BATCH, BATCH) - mean_of_all;
        double n = (double)(batch_count - i);

        sum += mean;
        squares += mean * mean;
        double statistic = (squares - sum * sum / n) / (n * n);

        if (2 * i <= batch_count && statistic <= least) {
            least = statistic;
            best = i;
        }
    }
    return best * BATCH;
}
