// SPDX-License-Identifier: Apache-2.0
// Rules over published numbers.
#include "report/judge/published_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/plausible.h"
#include "report/judge/published_claim_judge.h"

/* At most so many of a figure: one of each kind, but one of ORDER for each pair that is wrong. */
#define CHECKS_OF_FIGURE   (PUBLISHED_CHECK_KIND_COUNT + PUBLISHED_METRIC_COUNT)
#define CHECKS_OF_WORKLOAD 3

const char *const published_check_names[PUBLISHED_CHECK_KIND_COUNT] = {
    [PUBLISHED_CHECK_LITTLE] = "little",
    [PUBLISHED_CHECK_LOADED] = "loaded",
    [PUBLISHED_CHECK_PEAK] = "peak",
    [PUBLISHED_CHECK_TOTAL] = "total",
    [PUBLISHED_CHECK_TRANSFER] = "transfer",
    [PUBLISHED_CHECK_THREADS] = "driver_threads",
    [PUBLISHED_CHECK_DURATION] = "duration",
    [PUBLISHED_CHECK_ORDER] = "order",
    [PUBLISHED_CHECK_SPREAD] = "spread",
    [PUBLISHED_CHECK_WITHIN] = "within_stdev",
    [PUBLISHED_CHECK_NOTHING] = "nothing_measured",
    [PUBLISHED_CHECK_TAIL] = "tail",
    [PUBLISHED_CHECK_ERRORS] = "errors",
    [PUBLISHED_CHECK_CONNECTS] = "connects",
    [PUBLISHED_CHECK_SIZE] = "response_size",
    [PUBLISHED_CHECK_CLUSTER] = "cluster",
    [PUBLISHED_CHECK_REPEATED] = "repeated",
};

const char *const published_outcome_names[] = {
    [PUBLISHED_CONSISTENT] = "CONSISTENT",
    [PUBLISHED_NOTED] = "NOTED",
    [PUBLISHED_SUSPECT] = "SUSPECT",
    [PUBLISHED_IMPOSSIBLE] = "IMPOSSIBLE",
};

/* What the rules of one figure share. */
struct look {
    struct published_analysis *analysis;
    const struct published_workload *workload;
    const struct published_figure *figure;
    struct published_check check; /* with its place filled in */
};

static void add(const struct look *look, enum published_check_kind kind,
                enum published_outcome outcome, double value, double want)
{
    struct published_analysis *analysis = look->analysis;
    struct published_check check = look->check;

    check.kind = kind;
    check.outcome = outcome;
    check.value = value;
    check.want = want;
    analysis->checks[analysis->check_count++] = check;
    if (kind != PUBLISHED_CHECK_REPEATED) {
        analysis->has_checked = true;
    }
    if (outcome > analysis->worst) {
        analysis->worst = outcome;
    }
}

/* NaN for what is only a bound: it can be held against nothing. */
static double get(const struct look *look, enum published_metric metric)
{
    const struct published_value *value = &look->figure->values[metric];

    return value->bound == PUBLISHED_OVER || value->bound == PUBLISHED_UNDER ? (double)NAN
                                                                             : value->value;
}

/* How much of the number may be rounding. */
static double rounding(const struct look *look, enum published_metric metric)
{
    const struct published_value *value = &look->figure->values[metric];

    return value->value > 0 ? value->half_unit / value->value : 0;
}

static double in_flight_of(const struct published_workload *workload)
{
    double connections =
        workload->connection_count > 0 ? (double)workload->connection_count : (double)NAN;

    return connections * (workload->pipeline_count > 0 ? (double)workload->pipeline_count : 1);
}

static double error_share(const struct look *look)
{
    return get(look, PUBLISHED_ERRORS) / get(look, PUBLISHED_REQUESTS);
}

/* Little's law is asked of a closed loop alone, in which opening connections takes no time that a
 * latency may leave out. */
static bool is_kept_busy(const struct look *look)
{
    return isnan(look->workload->rate_per_s) && look->workload->requests_per_connection == 0;
}

/* Failed requests occupy connections as well: with many of them the law says nothing of the others.
 */
static void check_little(const struct look *look)
{
    double in_flight = in_flight_of(look->workload);
    double rate = get(look, PUBLISHED_RATE), mean_ns = get(look, PUBLISHED_LATENCY_MEAN);
    double off = plausible_little(rate, mean_ns, in_flight);
    double limit = PLAUSIBLE_LITTLE_MAX + rounding(look, PUBLISHED_RATE) +
                   rounding(look, PUBLISHED_LATENCY_MEAN);

    if (isnan(off) || !is_kept_busy(look) || error_share(look) > PLAUSIBLE_ERRORS_MAX) {
        return;
    }
    add(look, PUBLISHED_CHECK_LITTLE,
        off < -limit  ? PUBLISHED_SUSPECT
        : off > limit ? PUBLISHED_NOTED
                      : PUBLISHED_CONSISTENT,
        in_flight * (1 + off), in_flight);
}

/* Without a mean: the mean that the law asks for must be one that the quantiles allow. */
static void check_loaded(const struct look *look)
{
    double implied_ns = in_flight_of(look->workload) / get(look, PUBLISHED_RATE) * 1e9;
    double p99_ns = get(look, PUBLISHED_LATENCY_P99), max_ns = get(look, PUBLISHED_LATENCY_MAX);
    double bound_ns = isnan(max_ns) ? p99_ns : plausible_mean_max(0.99, p99_ns, max_ns);
    double limit = PLAUSIBLE_LITTLE_MAX + rounding(look, PUBLISHED_RATE) +
                   rounding(look, PUBLISHED_LATENCY_P99);

    if (isnan(implied_ns + bound_ns) || !is_kept_busy(look) ||
        !isnan(look->figure->values[PUBLISHED_LATENCY_MEAN].value) ||
        error_share(look) > PLAUSIBLE_ERRORS_MAX) {
        return;
    }
    add(look, PUBLISHED_CHECK_LOADED,
        implied_ns > bound_ns * (1 + limit) ? PUBLISHED_SUSPECT : PUBLISHED_CONSISTENT, implied_ns,
        bound_ns);
}

static void check_peak(const struct look *look)
{
    double ratio = get(look, PUBLISHED_RATE_MAX) / get(look, PUBLISHED_RATE);

    if (isfinite(ratio)) {
        add(look, PUBLISHED_CHECK_PEAK,
            ratio > PLAUSIBLE_PEAK_MAX ? PUBLISHED_SUSPECT : PUBLISHED_CONSISTENT, ratio,
            PLAUSIBLE_PEAK_MAX);
    }
}

/* Two ways to the same number. */
static void check_equal(const struct look *look, enum published_check_kind kind, double value,
                        double want, double limit)
{
    if (isfinite(value) && want > 0) {
        add(look, kind,
            fabs(value / want - 1) <= limit    ? PUBLISHED_CONSISTENT
            : kind == PUBLISHED_CHECK_THREADS  ? PUBLISHED_SUSPECT
            : kind == PUBLISHED_CHECK_DURATION ? PUBLISHED_SUSPECT
                                               : PUBLISHED_IMPOSSIBLE,
            value, want);
    }
}

static void check_totals(const struct look *look)
{
    double duration_s = get(look, PUBLISHED_DURATION) / 1e9;
    double shared = rounding(look, PUBLISHED_DURATION) + PUBLISHED_TOTALS_MAX;
    double threads =
        look->workload->thread_count > 0 ? (double)look->workload->thread_count : (double)NAN;

    check_equal(look, PUBLISHED_CHECK_TOTAL, get(look, PUBLISHED_REQUESTS) / duration_s,
                get(look, PUBLISHED_RATE),
                shared + rounding(look, PUBLISHED_REQUESTS) + rounding(look, PUBLISHED_RATE));
    check_equal(look, PUBLISHED_CHECK_TRANSFER, get(look, PUBLISHED_BYTES) / duration_s,
                get(look, PUBLISHED_BYTE_RATE),
                shared + rounding(look, PUBLISHED_BYTES) + rounding(look, PUBLISHED_BYTE_RATE));
    check_equal(look, PUBLISHED_CHECK_THREADS, threads * get(look, PUBLISHED_THREAD_RATE_MEAN),
                get(look, PUBLISHED_RATE),
                PUBLISHED_THREADS_MAX + rounding(look, PUBLISHED_THREAD_RATE_MEAN));
    check_equal(look, PUBLISHED_CHECK_DURATION, duration_s, look->workload->duration_s,
                PUBLISHED_DURATION_MAX);
}

/* Minimum, quantiles and maximum must ascend; the mean lies between the ends. */
static void check_order(const struct look *look)
{
    static const enum published_metric pairs[][2] = {
        {PUBLISHED_LATENCY_MIN, PUBLISHED_LATENCY_P50},
        {PUBLISHED_LATENCY_P50, PUBLISHED_LATENCY_P75},
        {PUBLISHED_LATENCY_P75, PUBLISHED_LATENCY_P90},
        {PUBLISHED_LATENCY_P50, PUBLISHED_LATENCY_P90},
        {PUBLISHED_LATENCY_P90, PUBLISHED_LATENCY_P99},
        {PUBLISHED_LATENCY_P99, PUBLISHED_LATENCY_P999},
        {PUBLISHED_LATENCY_P999, PUBLISHED_LATENCY_MAX},
        {PUBLISHED_LATENCY_P99, PUBLISHED_LATENCY_MAX},
        {PUBLISHED_LATENCY_P90, PUBLISHED_LATENCY_MAX},
        {PUBLISHED_LATENCY_P50, PUBLISHED_LATENCY_MAX},
        {PUBLISHED_LATENCY_MIN, PUBLISHED_LATENCY_MEAN},
        {PUBLISHED_LATENCY_MEAN, PUBLISHED_LATENCY_MAX},
    };
    size_t known = 0, wrong = 0;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        double low = get(look, pairs[i][0]), high = get(look, pairs[i][1]);
        double limit = 1 + rounding(look, pairs[i][0]) + rounding(look, pairs[i][1]);

        known += isnan(low + high) ? 0 : 1;
        if (low > high * limit) {
            struct look place = *look;

            wrong++;
            place.check.metric = pairs[i][0];
            place.check.other = pairs[i][1];
            add(&place, PUBLISHED_CHECK_ORDER, PUBLISHED_IMPOSSIBLE, low, high);
        }
    }
    if (known > 0 && wrong == 0) {
        add(look, PUBLISHED_CHECK_ORDER, PUBLISHED_CONSISTENT, (double)NAN, (double)NAN);
    }
}

static void check_spread(const struct look *look)
{
    double mean = get(look, PUBLISHED_LATENCY_MEAN), max = get(look, PUBLISHED_LATENCY_MAX);
    double min = get(look, PUBLISHED_LATENCY_MIN), stdev = get(look, PUBLISHED_LATENCY_STDEV);
    double within = get(look, PUBLISHED_LATENCY_WITHIN);
    double bound = plausible_stdev_max(mean, isnan(min) ? 0 : min, max);
    double limit = 1 + rounding(look, PUBLISHED_LATENCY_MEAN) +
                   rounding(look, PUBLISHED_LATENCY_MAX) + rounding(look, PUBLISHED_LATENCY_STDEV);

    if (!isnan(bound + stdev)) {
        add(look, PUBLISHED_CHECK_SPREAD,
            stdev > bound * limit ? PUBLISHED_IMPOSSIBLE : PUBLISHED_CONSISTENT, stdev, bound);
    }
    if (!isnan(within)) {
        bool is_beyond = within >= 100 && max > (mean + stdev) * limit;

        add(look, PUBLISHED_CHECK_WITHIN,
            within > 100 || is_beyond ? PUBLISHED_IMPOSSIBLE : PUBLISHED_CONSISTENT, within, 100);
    }
}

/* A quantile alone says between what the mean must lie. */
static void check_tail(const struct look *look)
{
    static const struct {
        enum published_metric metric;
        double share;
    } quantiles[] = {{PUBLISHED_LATENCY_P50, 0.5},
                     {PUBLISHED_LATENCY_P75, 0.75},
                     {PUBLISHED_LATENCY_P90, 0.9},
                     {PUBLISHED_LATENCY_P99, 0.99},
                     {PUBLISHED_LATENCY_P999, 0.999}};
    double mean = get(look, PUBLISHED_LATENCY_MEAN), max = get(look, PUBLISHED_LATENCY_MAX);
    bool is_known = false, is_wrong = false;

    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        struct look place = *look;
        double quantile = get(look, quantiles[i].metric);
        double limit = 1 + rounding(look, quantiles[i].metric) +
                       rounding(look, PUBLISHED_LATENCY_MEAN) +
                       rounding(look, PUBLISHED_LATENCY_MAX);
        double low = plausible_mean_min(quantiles[i].share, quantile);
        double high = plausible_mean_max(quantiles[i].share, quantile, max);

        place.check.metric = quantiles[i].metric;
        is_known = is_known || !isnan(mean + quantile);
        if (mean * limit < low || mean > high * limit) {
            is_wrong = true;
            add(&place, PUBLISHED_CHECK_TAIL, PUBLISHED_IMPOSSIBLE, mean,
                mean * limit < low ? low : high);
        }
    }
    if (is_known && !is_wrong) {
        add(look, PUBLISHED_CHECK_TAIL, PUBLISHED_CONSISTENT, mean, (double)NAN);
    }
}

static void check_errors(const struct look *look)
{
    double share = error_share(look);

    if (isfinite(share)) {
        add(look, PUBLISHED_CHECK_ERRORS,
            share > PLAUSIBLE_ERRORS_MAX ? PUBLISHED_SUSPECT
            : share > 0                  ? PUBLISHED_NOTED
                                         : PUBLISHED_CONSISTENT,
            share, PLAUSIBLE_ERRORS_MAX);
    }
}

/* A load over fewer connections than it is named after, however few these are of the requests. */
static void check_connects(const struct look *look)
{
    double failed = get(look, PUBLISHED_CONNECT_ERRORS);
    int64_t connection_count = look->workload->connection_count;

    if (isfinite(failed)) {
        add(look, PUBLISHED_CHECK_CONNECTS, failed > 0 ? PUBLISHED_SUSPECT : PUBLISHED_CONSISTENT,
            failed, connection_count > 0 ? (double)connection_count : (double)NAN);
    }
}

/* Silent when something was: that speaks for itself. */
static void check_nothing(const struct look *look)
{
    double rate = get(look, PUBLISHED_RATE), requests = get(look, PUBLISHED_REQUESTS);

    if (rate <= 0 || requests <= 0) {
        add(look, PUBLISHED_CHECK_NOTHING, PUBLISHED_SUSPECT, rate <= 0 ? rate : requests, 1);
    }
}

static void check_figure(const struct look *look)
{
    check_little(look);
    check_loaded(look);
    check_peak(look);
    check_totals(look);
    check_order(look);
    check_spread(look);
    check_tail(look);
    check_errors(look);
    check_connects(look);
    check_nothing(look);
}

/* --- of a workload --- */

double published_response_bytes(const struct published_figure *figure)
{
    double by_total =
        figure->values[PUBLISHED_BYTES].value / figure->values[PUBLISHED_REQUESTS].value;

    return isfinite(by_total)
               ? by_total
               : figure->values[PUBLISHED_BYTE_RATE].value / figure->values[PUBLISHED_RATE].value;
}

static void check_size(struct look *look, size_t workload_index)
{
    const struct published *published = look->analysis->published;
    double low = (double)INFINITY, high = 0;
    size_t count = 0;

    for (size_t i = 0; i < published->figure_count; i++) {
        double bytes = published_response_bytes(&published->figures[i]);

        if (published->figures[i].workload_index == workload_index && isfinite(bytes)) {
            low = bytes < low ? bytes : low;
            high = bytes > high ? bytes : high;
            count++;
        }
    }
    if (count >= 2) {
        add(look, PUBLISHED_CHECK_SIZE,
            high > low * (1 + PUBLISHED_SIZE_MAX) ? PUBLISHED_NOTED : PUBLISHED_CONSISTENT, low,
            high);
    }
}

/* Many different servers at one rate: what was measured is the driver. */
static void check_cluster(struct look *look, size_t workload_index)
{
    const struct published *published = look->analysis->published;
    double best = 0;
    size_t near = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < published->figure_count; i++) {
            double rate = published->figures[i].values[PUBLISHED_RATE].value;
            bool is_here = published->figures[i].workload_index == workload_index;

            best = pass == 0 && is_here && rate > best ? rate : best;
            near += pass == 1 && is_here && rate >= best * (1 - PUBLISHED_CLUSTER_MAX);
        }
    }
    if (near >= PUBLISHED_CLUSTER_MIN) {
        add(look, PUBLISHED_CHECK_CLUSTER, PUBLISHED_SUSPECT, (double)near, PUBLISHED_CLUSTER_MIN);
    }
}

static void check_workload(struct published_analysis *analysis, size_t workload_index)
{
    const struct published *published = analysis->published;
    struct look look = {
        .analysis = analysis,
        .workload = &published->workloads[workload_index],
        .check = {.figure_index = SIZE_MAX,
                  .workload_index = workload_index,
                  .metric = PUBLISHED_METRIC_COUNT,
                  .other = PUBLISHED_METRIC_COUNT},
    };

    add(&look, PUBLISHED_CHECK_REPEATED, PUBLISHED_NOTED, (double)look.workload->run_count, 1);
    check_size(&look, workload_index);
    check_cluster(&look, workload_index);
    for (size_t i = 0; i < published->figure_count; i++) {
        if (published->figures[i].workload_index == workload_index) {
            look.figure = &published->figures[i];
            look.check.figure_index = i;
            check_figure(&look);
        }
    }
}

enum err_code published_analyse(const struct published *published,
                                struct published_analysis *analysis_out, struct err *e)
{
    struct published_analysis analysis = {.published = published};
    size_t check_count =
        published->figure_count * CHECKS_OF_FIGURE + published->workload_count * CHECKS_OF_WORKLOAD;

    analysis.checks = calloc(check_count + 1, sizeof(*analysis.checks));
    analysis.claims = calloc(published->claim_count + 1, sizeof(*analysis.claims));
    if (!analysis.checks || !analysis.claims) {
        published_analysis_release(&analysis);
        return err_set(e, ERR_LIMIT, "no memory for the checks of the published numbers");
    }
    for (size_t i = 0; i < published->workload_count; i++) {
        check_workload(&analysis, i);
    }
    for (size_t i = 0; i < published->claim_count; i++) {
        analysis.claims[i] = published_claim_judge(published, &published->claims[i]);
    }
    *analysis_out = analysis;
    return ERR_OK;
}

void published_analysis_release(struct published_analysis *analysis)
{
    free(analysis->checks);
    free(analysis->claims);
    analysis->checks = NULL;
    analysis->claims = NULL;
}

static bool check_is_of(const struct published_check *check, enum published_metric metric)
{
    if (check->kind == PUBLISHED_CHECK_PEAK) {
        return metric == PUBLISHED_RATE_MAX;
    }
    /* No number of such a run is of the load that it is said of. */
    if (check->kind == PUBLISHED_CHECK_CONNECTS || check->kind == PUBLISHED_CHECK_ERRORS) {
        return true;
    }
    return (check->kind == PUBLISHED_CHECK_ORDER || check->kind == PUBLISHED_CHECK_TAIL) &&
           (check->metric == metric || check->other == metric);
}

bool published_claim_is_doubtful(const struct published_analysis *analysis, size_t claim_index)
{
    const struct published *published = analysis->published;
    const struct published_claim *claim = &published->claims[claim_index];

    for (size_t i = 0; i < analysis->check_count; i++) {
        const struct published_check *check = &analysis->checks[i];
        bool is_figure = check->figure_index != SIZE_MAX && check->outcome >= PUBLISHED_SUSPECT &&
                         check_is_of(check, claim->metric);

        for (size_t k = 0; is_figure && k < claim->engine_count; k++) {
            if (published_find(published, claim->engines[k], claim->workload_index) ==
                &published->figures[check->figure_index]) {
                return true;
            }
        }
    }
    return false;
}

const char *published_word(const struct published_analysis *analysis)
{
    bool is_less = false, is_checked = analysis->has_checked;

    for (size_t i = 0; i < analysis->published->claim_count; i++) {
        enum published_claim_word word = analysis->claims[i].word;

        is_less = is_less || word == PUBLISHED_CLAIM_LESS || word == PUBLISHED_CLAIM_DISAGREES;
        is_checked = is_checked || word != PUBLISHED_CLAIM_NO_NUMBERS;
    }
    if (analysis->worst == PUBLISHED_IMPOSSIBLE) {
        return "CONTRADICTORY";
    }
    if (analysis->worst == PUBLISHED_SUSPECT || is_less) {
        return "QUESTIONABLE";
    }
    return is_checked ? "PLAUSIBLE" : "NOT CHECKABLE";
}
