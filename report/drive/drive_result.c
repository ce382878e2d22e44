// SPDX-License-Identifier: Apache-2.0
// Adding up the intervals of a load by hand.
#include "report/drive/drive_result.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/clock.h"
#include "engines/base/units.h"

#define BUSY_PERCENT_LIMIT 90.0 /* above it the driver itself may be what was measured */
#define LAG_LIMIT_NS       (100 * CLOCK_NS_PER_US) /* of p99: above it the driver was late */
#define ACHIEVED_LIMIT     0.99

const struct drive_quantile drive_quantiles[DRIVE_QUANTILE_COUNT] = {
    {"p50", 0.5},  {"p75", 0.75},    {"p90", 0.9},       {"p95", 0.95},
    {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"p99.999", 0.99999},
};

enum err_code drive_result_new(const struct drive_setup *setup, struct drive_result **result_out,
                               struct err *e)
{
    size_t interval_count = (size_t)grid_interval_count(&setup->config->grid) + 1;
    struct drive_result *result = calloc(1, sizeof(*result));

    if (!result) {
        return err_set(e, ERR_LIMIT, "no memory for the result");
    }
    result->setup = setup;
    result->interval_capacity = interval_count;
    result->backlog_count = METRIC_UNKNOWN;
    result->intervals = calloc(result->interval_capacity, sizeof(*result->intervals));
    if (!result->intervals) {
        free(result);
        return err_set(e, ERR_LIMIT, "no memory for %zu intervals", interval_count);
    }
    *result_out = result;
    return ERR_OK;
}

void drive_result_free(struct drive_result *result)
{
    if (result) {
        free(result->intervals);
        free(result);
    }
}

int64_t drive_quantile_ns(const struct histogram *histogram, double q)
{
    double beyond = (1 - q) * (double)histogram->total_count;

    /* 1 - 0.9999 is a little less than it should be; 10000 values do have one beyond. */
    return beyond < 1 - 1e-6 ? METRIC_UNKNOWN : histogram_quantile(histogram, q);
}

void drive_result_add(struct drive_result *result, const struct driver_interval *interval,
                      const struct histogram *histogram)
{
    assert(result->interval_count < result->interval_capacity);
    struct drive_interval *kept = &result->intervals[result->interval_count++];

    *kept = (struct drive_interval){
        .counts = *interval,
        .p50_ns = drive_quantile_ns(histogram, 0.5),
        .p99_ns = drive_quantile_ns(histogram, 0.99),
        .max_ns = interval->metrics[METRIC_latency_max_ns],
    };
    result->is_folded |= interval->is_folded;
    if (interval->phase != SAMPLE_PHASE_WINDOW) {
        return;
    }
    result->window_ns += interval->end_ns - interval->start_ns;
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metric_infos[i].scope == METRIC_SCOPE_DRIVER &&
            metric_infos[i].kind == METRIC_KIND_DELTA && interval->metrics[i] != METRIC_UNKNOWN) {
            result->window[i] += interval->metrics[i];
        }
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        result->window_outcomes[i] += interval->outcomes[i];
    }
    histogram_merge(&result->latency, histogram);
    if (interval->service) {
        histogram_merge(&result->service, interval->service);
        histogram_merge(&result->lag, interval->lag);
        result->backlog_count = interval->metrics[METRIC_backlog_count];
    }
}

bool drive_result_is_open(const struct drive_result *result)
{
    return result->setup->config->arrivals.rate_per_s > 0;
}

double drive_result_achieved(const struct drive_result *result)
{
    int64_t scheduled = result->window[METRIC_scheduled_count];
    /* Attempts to connect that failed are started requests, but none of the schedule. */
    int64_t sent = (int64_t)result->lag.total_count;

    return drive_result_is_open(result) && scheduled > 0 ? (double)sent / (double)scheduled
                                                         : (double)NAN;
}

bool drive_result_is_measured(const struct drive_result *result)
{
    return result->window[METRIC_ok_count] > 0;
}

double drive_result_rate(const struct drive_result *result, int64_t count)
{
    return result->window_ns > 0 ? (double)count * 1e9 / (double)result->window_ns : 0.0;
}

double drive_result_busy_percent(const struct drive_result *result)
{
    double time_ns = (double)result->window_ns * (double)result->setup->config->thread_count;
    int64_t work_ns = result->window[METRIC_driver_user_ns] +
                      result->window[METRIC_driver_system_ns] -
                      result->window[METRIC_driver_spin_ns];

    if (time_ns <= 0) {
        return DRIVE_UNKNOWN_PERCENT;
    }
    return work_ns > 0 ? 100 * (double)work_ns / time_ns : 0.0;
}

static void notice_add(struct drive_result *result, const char *kind, const char *format, ...)
    ATTR_PRINTF(3, 4);
static void notice_add(struct drive_result *result, const char *kind, const char *format, ...)
{
    va_list arguments;

    assert(result->notice_count < DRIVE_NOTICE_COUNT);
    struct drive_notice *notice = &result->notices[result->notice_count++];
    notice->kind = kind;
    va_start(arguments, format);
    vsnprintf(notice->text, sizeof(notice->text), format, arguments);
    va_end(arguments);
}

static void notices_of_answers(struct drive_result *result)
{
    int64_t errors = result->window[METRIC_http_error_count];

    if (drive_result_is_measured(result)) {
        return;
    }
    if (errors > 0) {
        notice_add(result, "all_wrong",
                   "not one of %" PRId64 " responses was the expected one: nothing was measured",
                   errors);
    } else {
        notice_add(result, "no_response", "no request was answered: nothing was measured");
    }
}

static void notices_of_connections(struct drive_result *result)
{
    const struct driver_totals *totals = &result->totals;
    uint64_t client_faults =
        totals->outcomes[OUTCOME_CONNECT_NO_PORT] + totals->outcomes[OUTCOME_CONNECT_NO_FD];

    if (totals->connections_established < totals->connections_requested) {
        notice_add(result, "connections_missing",
                   "%" PRIu32 " of %" PRIu32 " connections were established before the load began",
                   totals->connections_established, totals->connections_requested);
    }
    if (client_faults > 0) {
        notice_add(result, "client_fault",
                   "%" PRIu64
                   " connection%s failed for want of local ports or descriptors: that is "
                   "this machine's limit, not the server's",
                   client_faults, units_word((int64_t)client_faults, "", "s"));
    }
}

static void notices_of_tls(struct drive_result *result)
{
    const struct driver_totals *totals = &result->totals;

    if (totals->tls.failure[0]) {
        notice_add(result, "tls_failed", "a TLS handshake failed: %s%s", totals->tls.failure,
                   totals->tls.is_distrusted ? "; --cacert FILE trusts another one, --insecure any"
                                             : "");
    }
}

static void notices_of_driver(struct drive_result *result)
{
    const struct drive_setup *setup = result->setup;
    double busy = drive_result_busy_percent(result);

    if (setup->threads_asked > setup->config->thread_count) {
        notice_add(result, "threads_lowered",
                   "%" PRIu32 " threads for %" PRIu32 " connection%s: %" PRIu32 " used",
                   setup->threads_asked, setup->config->connection_count,
                   units_word(setup->config->connection_count, "", "s"),
                   setup->config->thread_count);
    }
    if (result->totals.io != setup->config->io) {
        notice_add(result, "io_fallback", "epoll instead of io_uring: %s",
                   result->totals.io_reason);
    }
    if (busy > BUSY_PERCENT_LIMIT) {
        notice_add(result, "driver_busy",
                   "the driver's threads worked %.0f %% of the time: it may be the driver that was "
                   "measured; add threads",
                   busy);
    }
    if (result->is_folded) {
        notice_add(result, "samples_folded",
                   "this program stood still: some intervals are counted in later ones");
    }
    if (result->is_interrupted) {
        notice_add(result, "interrupted", "interrupted: the numbers are of %.2f s",
                   (double)result->window_ns / 1e9);
    }
}

/* Why requests that were due were not sent: the driver had free connections and came late, or all
 * waited. What was not sent had waited for the deadline, or until the window ended: a lag that is
 * much shorter is not why. */
static const char *shortfall_reason(const struct drive_result *result, double achieved)
{
    int64_t deadline_ns = result->setup->config->deadline_ns;
    int64_t waited_ns =
        deadline_ns > 0 ? deadline_ns : (int64_t)((1 - achieved) * (double)result->window_ns);

    return result->lag.max_ns > waited_ns / 2 ? "the driver was late"
                                              : "all connections waited for the server";
}

static void notices_of_schedule(struct drive_result *result)
{
    double achieved = drive_result_achieved(result);
    int64_t lag_p99_ns = drive_quantile_ns(&result->lag, 0.99);
    int64_t shed = result->window[METRIC_shed_count];

    if (lag_p99_ns != METRIC_UNKNOWN && lag_p99_ns > LAG_LIMIT_NS) {
        notice_add(result, "driver_limited",
                   "the driver was late: p99 of its lag is %" PRId64
                   " us; response times contain that; free a CPU for it, try --spin",
                   lag_p99_ns / CLOCK_NS_PER_US);
    }
    if (achieved < ACHIEVED_LIMIT) {
        notice_add(result, "rate_not_reached", "%.1f %% of the rate was sent: %s", 100 * achieved,
                   shortfall_reason(result, achieved));
    }
    if (result->backlog_count > 0 && result->setup->config->request_limit == 0) {
        notice_add(result, "backlog",
                   "%" PRId64 " %s due and not sent when the window ended, and in "
                   "no percentile",
                   result->backlog_count,
                   units_word(result->backlog_count, "request was", "requests were"));
    }
    if (shed > 0) {
        notice_add(result, "shed", "%" PRId64 " %s given up at the deadline, and in no percentile",
                   shed, units_word(shed, "request was", "requests were"));
    }
    if (result->latency.max_ns > result->setup->config->timeout_ns) {
        notice_add(result, "beyond_timeout",
                   "response times exceed the timeout, which counts from sending, not from when a "
                   "request was due");
    }
}

void drive_result_finish(struct drive_result *result, const struct driver_totals *totals,
                         bool is_interrupted)
{
    result->totals = *totals;
    result->is_interrupted = is_interrupted;
    notices_of_answers(result);
    notices_of_connections(result);
    notices_of_tls(result);
    notices_of_driver(result);
    if (drive_result_is_open(result)) {
        notices_of_schedule(result);
    } else if (drive_result_is_measured(result)) {
        notice_add(result, "coordinated_omission",
                   "closed loop: while the server stalls it is asked less, so these service times "
                   "do not show what users who do not wait would see");
    }
}

void drive_result_add_part(struct drive_result *result, uint32_t index,
                           const struct driver_request_total *total,
                           const struct histogram *latency)
{
    result->parts[index] = (struct drive_part){
        .total = *total,
        .p50_ns = drive_quantile_ns(latency, 0.5),
        .p99_ns = drive_quantile_ns(latency, 0.99),
        .max_ns = total->outcomes[OUTCOME_OK] > 0 ? latency->max_ns : METRIC_UNKNOWN};
}

void drive_result_name(const struct drive_setup *setup, struct buf *out)
{
    if (setup->request_count == 1) {
        buf_addf(out, "%s %s", setup->requests[0].method, setup->url);
        return;
    }
    for (size_t i = 0; i < setup->request_count; i++) {
        const struct drive_request *request = &setup->requests[i];

        buf_addf(out, "%s%" PRIu32 " %s %s", i ? ", " : "", request->weight, request->method,
                 request->path);
    }
    buf_addf(out, " at %s", setup->url);
}
