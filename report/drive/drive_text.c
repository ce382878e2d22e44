// SPDX-License-Identifier: Apache-2.0
// Text for people: the throughput of right answers first, every way to fail by name.
#include "report/drive/drive_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/driver/rate_course.h"
#include "engines/base/attr.h"
#include "engines/base/units.h"
#include "report/render/number.h"

const char *drive_text_time(int64_t ns, char out[DRIVE_TIME_BYTES])
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};

    if (ns == METRIC_UNKNOWN) {
        snprintf(out, DRIVE_TIME_BYTES, NUMBER_NONE);
        return out;
    }
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        double value = (double)ns / units[i].scale;
        if (value >= 0.9995) {
            snprintf(out, DRIVE_TIME_BYTES, "%.*f %s",
                     value < 9.995   ? 2
                     : value < 99.95 ? 1
                                     : 0,
                     value, units[i].unit);
            return out;
        }
    }
    snprintf(out, DRIVE_TIME_BYTES, "%" PRId64 " ns", ns);
    return out;
}

static void tls_render(const struct tls_total *tls, struct buf *out)
{
    uint64_t count = tls->full_count + tls->resumed_count;
    char mean[DRIVE_TIME_BYTES];

    if (count == 0) {
        buf_add_text(out, "  TLS: no handshake ended well\n");
        return;
    }
    buf_addf(
        out, "  %s, %s; %" PRIu64 " full handshake%s and %" PRIu64 " resumed, %s each on average\n",
        tls->version, tls->cipher, tls->full_count, units_word((int64_t)tls->full_count, "", "s"),
        tls->resumed_count, drive_text_time(tls->handshake_ns / (int64_t)count, mean));
}

static void head_render(const struct drive_result *result, struct buf *out)
{
    const struct driver_config *config = result->setup->config;
    const struct driver_totals *totals = &result->totals;
    char warmup[UNITS_TEXT_BYTES], spin[UNITS_TEXT_BYTES];

    units_format_duration(config->grid.warmup_ns, warmup);
    units_format_duration(config->spin_ns, spin);
    drive_result_name(result->setup, out);
    buf_add_text(out, "\n");
    buf_addf(out,
             "  %" PRIu32 " thread%s, %" PRIu32 " connection%s (%" PRIu32 " established, %" PRIu32
             " served), %s loop\n",
             config->thread_count, units_word(config->thread_count, "", "s"),
             totals->connections_requested, units_word(totals->connections_requested, "", "s"),
             totals->connections_established, totals->connections_served,
             drive_result_is_open(result) ? "open" : "closed");
    if (drive_result_is_open(result)) {
        buf_add_text(out, "  ");
        rate_course_format(&config->arrivals, out);
        buf_addf(out, " requests due per second, %s arrivals\n",
                 config->arrivals.kind == ARRIVALS_POISSON ? "Poisson" : "uniform");
    }
    if (config->pipeline_count > 1) {
        buf_addf(out, "  %" PRIu32 " requests on the way on each connection\n",
                 config->pipeline_count);
    }
    if (config->think.mean_ns > 0) {
        char think[UNITS_TEXT_BYTES];

        units_format_duration(config->think.mean_ns, think);
        buf_addf(out, "  %s of think time%s on each connection before its next request\n", think,
                 config->think.kind == THINK_EXPONENTIAL ? " on average, exponential," : "");
    }
    if (config->connection_requests > 0) {
        buf_addf(out,
                 "  a new connection after %" PRIu32 " request%s; connecting counts in the first\n",
                 config->connection_requests, units_word(config->connection_requests, "", "s"));
    }
    if (config->tls) {
        tls_render(&totals->tls, out);
    }
    buf_addf(out, "  %.3f s measured after %s of warm-up, spin %s\n\n",
             (double)result->window_ns / 1e9, warmup, spin);
}

static void rates_render(const struct drive_result *result, struct buf *out)
{
    const int64_t *window = result->window;
    int64_t raw = window[METRIC_ok_count] + window[METRIC_http_error_count];
    char received[NUMBER_TEXT_BYTES], sent[NUMBER_TEXT_BYTES];

    number_format_bytes(drive_result_rate(result, window[METRIC_received_bytes]), 2, received);
    number_format_bytes(drive_result_rate(result, window[METRIC_sent_bytes]), 2, sent);
    buf_addf(out, "  goodput   %12.1f /s   right answers: %" PRId64 "\n",
             drive_result_rate(result, window[METRIC_ok_count]), window[METRIC_ok_count]);
    buf_addf(out, "  raw       %12.1f /s   whole responses of any kind: %" PRId64 "\n",
             drive_result_rate(result, raw), raw);
    if (drive_result_is_open(result)) {
        buf_addf(out, "  offered   %12.1f /s   sent: %.2f %%, not sent at the end: %" PRId64 "\n",
                 drive_result_rate(result, window[METRIC_scheduled_count]),
                 100 * drive_result_achieved(result), result->backlog_count);
    }
    buf_addf(out, "  received  %12s/s   sent: %s/s\n\n", received, sent);
}

static bool quantile_is_usual(double q)
{
    return q == 0.5 || q == 0.9 || q == 0.99 || q == 0.999;
}

static void histogram_render(const struct histogram *histogram, bool shows_tail, struct buf *out)
{
    char text[DRIVE_TIME_BYTES];

    for (size_t i = 0; i < DRIVE_QUANTILE_COUNT; i++) {
        double q = drive_quantiles[i].q;
        if (!shows_tail && !quantile_is_usual(q)) {
            continue;
        }
        int64_t ns = drive_quantile_ns(histogram, q);
        buf_addf(out, "    %-9s %10s", drive_quantiles[i].name, drive_text_time(ns, text));
        if (ns == METRIC_UNKNOWN) {
            buf_addf(out, "   needs %.0f values", 1 / (1 - q));
        } else if (shows_tail) {
            buf_addf(out, "   %.0f values beyond", (1 - q) * (double)histogram->total_count);
        }
        buf_add_text(out, "\n");
    }
    buf_addf(out, "    %-9s %10s\n", "max", drive_text_time(histogram->max_ns, text));
    if (histogram->overflow_count > 0) {
        buf_addf(out, "    %" PRIu64 " were longer than an hour and are in no percentile\n",
                 histogram->overflow_count);
    }
    buf_add_text(out, "\n");
}

/* "p50 1.00 ms  p99 2.00 ms  max 3.00 ms" */
static void histogram_render_short(const char *name, const struct histogram *histogram,
                                   struct buf *out)
{
    char p50[DRIVE_TIME_BYTES], p99[DRIVE_TIME_BYTES], max[DRIVE_TIME_BYTES];

    buf_addf(out, "  %-13s p50 %s  p99 %s  max %s\n", name,
             drive_text_time(drive_quantile_ns(histogram, 0.5), p50),
             drive_text_time(drive_quantile_ns(histogram, 0.99), p99),
             drive_text_time(histogram->total_count ? histogram->max_ns : METRIC_UNKNOWN, max));
}

static void latency_render(const struct drive_result *result, bool shows_tail, struct buf *out)
{
    const struct histogram *latency = &result->latency;
    bool is_open = drive_result_is_open(result);

    if (latency->total_count + latency->overflow_count == 0) {
        buf_addf(out, "  %s time n/a: no right answer\n\n", is_open ? "response" : "service");
        return;
    }
    buf_addf(out, "  %s\n",
             is_open
                 ? "response time of right answers, from when a request was due to its last byte"
                 : "service time of right answers, from sending a request to its last byte");
    histogram_render(latency, shows_tail, out);
    if (is_open) {
        histogram_render_short("service time", &result->service, out);
        histogram_render_short("driver's lag", &result->lag, out);
        buf_add_text(out, "\n");
    }
}

static void outcomes_render(const struct drive_result *result, struct buf *out)
{
    const struct driver_totals *totals = &result->totals;

    buf_addf(out, "  requests started %" PRIu64 ", in all phases; each has one outcome\n",
             totals->started_count);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (totals->outcomes[i] > 0) {
            buf_addf(out, "    %-17s %12" PRIu64 "   %s\n", outcome_infos[i].name,
                     totals->outcomes[i],
                     i == OUTCOME_OK ? "a right answer" : outcome_infos[i].help);
        }
    }
    buf_add_text(out, "\n");
}

/* Of a mix. */
static void parts_render(const struct drive_result *result, struct buf *out)
{
    char p50[DRIVE_TIME_BYTES], p99[DRIVE_TIME_BYTES], name[64];
    size_t count = result->setup->request_count;

    if (count > 1) {
        buf_addf(out, "  in the window, by request\n    %-32s %10s %10s %10s %10s %10s\n", "",
                 "sent", "right", "not right", "p50", "p99");
    }
    for (size_t i = 0; count > 1 && i < count; i++) {
        const struct drive_request *request = &result->setup->requests[i];
        const struct drive_part *part = &result->parts[i];
        uint64_t ended = 0;

        for (int k = 0; k < OUTCOME_IN_FLIGHT_AT_END; k++) {
            ended += part->total.outcomes[k];
        }
        snprintf(name, sizeof(name), "%" PRIu32 " %s %.20s", request->weight, request->method,
                 request->path);
        buf_addf(out, "    %-32s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10s %10s\n", name,
                 part->total.started_count, part->total.outcomes[OUTCOME_OK],
                 ended - part->total.outcomes[OUTCOME_OK], drive_text_time(part->p50_ns, p50),
                 drive_text_time(part->p99_ns, p99));
    }
    if (count > 1) {
        buf_add_text(out, "\n");
    }
}

/* Of a rate that changes, whose sums say little. */
static void course_render(const struct drive_result *result, struct buf *out)
{
    bool has_course = result->setup->config->arrivals.course.count > 1;
    int64_t begin_ns = result->setup->config->grid.warmup_ns;

    if (has_course) {
        buf_addf(out, "  in the window, from its beginning\n    %8s %10s %10s %10s %10s %10s\n", "",
                 "due/s", "right/s", "p50", "p99", "max");
    }
    for (size_t i = 0; has_course && i < result->interval_count; i++) {
        const struct drive_interval *interval = &result->intervals[i];
        const struct driver_interval *counts = &interval->counts;
        double length_s = (double)(counts->end_ns - counts->start_ns) / 1e9;
        char p50[DRIVE_TIME_BYTES], p99[DRIVE_TIME_BYTES], max[DRIVE_TIME_BYTES];

        if (counts->phase == SAMPLE_PHASE_WINDOW && length_s > 0) {
            buf_addf(out, "    %6.1f s %10.0f %10.0f %10s %10s %10s\n",
                     (double)(counts->start_ns - begin_ns) / 1e9,
                     (double)counts->metrics[METRIC_scheduled_count] / length_s,
                     (double)counts->metrics[METRIC_ok_count] / length_s,
                     drive_text_time(interval->p50_ns, p50), drive_text_time(interval->p99_ns, p99),
                     drive_text_time(interval->max_ns, max));
        }
    }
    if (has_course) {
        buf_add_text(out, "\n");
    }
}

static void driver_render(const struct drive_result *result, struct buf *out)
{
    const int64_t *window = result->window;
    double done = (double)(window[METRIC_ok_count] + window[METRIC_http_error_count]);
    double work_us = (double)(window[METRIC_driver_user_ns] + window[METRIC_driver_system_ns] -
                              window[METRIC_driver_spin_ns]) /
                     1e3;
    double busy = drive_result_busy_percent(result);

    buf_add_text(out, "  driver    ");
    if (done > 0 && busy >= 0) {
        buf_addf(out,
                 "%.2f us of CPU a response, busy %.0f %% of its time, %.1f sleeps per 1000 "
                 "responses, %s\n",
                 work_us / done, busy, (double)window[METRIC_driver_sleep_count] * 1e3 / done,
                 driver_io_names[result->totals.io]);
    } else {
        buf_add_text(out, NUMBER_NONE "\n");
    }
    buf_addf(out, "  reconnects %" PRId64, window[METRIC_reconnect_count]);
    if (window[METRIC_resent_count] > 0) {
        buf_addf(out, "; %" PRId64 " requests crossed a close and were sent again",
                 window[METRIC_resent_count]);
    }
    buf_add_text(out, "\n");
}

void drive_text_render(const struct drive_result *result, bool shows_tail, struct buf *out)
{
    head_render(result, out);
    rates_render(result, out);
    latency_render(result, shows_tail, out);
    outcomes_render(result, out);
    parts_render(result, out);
    course_render(result, out);
    driver_render(result, out);
    for (size_t i = 0; i < result->notice_count; i++) {
        buf_addf(out, "  note: %s\n", result->notices[i].text);
    }
}
