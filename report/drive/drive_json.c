// SPDX-License-Identifier: Apache-2.0
// JSON of a load by hand, built with jansson: keys stay in the order in which they are set.
#include "report/drive/drive_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engines/base/clock.h"

#define DIGITS_OF_REAL 12

/* jansson has no failure here that is not want of memory; one flag collects it. */
static _Thread_local bool has_failed;

static void put(json_t *object, const char *key, json_t *value)
{
    has_failed |= json_object_set_new(object, key, value) != 0;
}

static void append(json_t *array, json_t *value)
{
    has_failed |= json_array_append_new(array, value) != 0;
}

static json_t *number(int64_t value)
{
    return value == METRIC_UNKNOWN ? json_null() : json_integer(value);
}

/* Thousandths are enough for a rate, and a short number is easier to read. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(round(value * 1000) / 1000) : json_null();
}

static json_t *ratio(double part, double whole)
{
    return whole > 0 ? real(part / whole) : json_null();
}

static json_t *tls_config_make(const struct tls_settings *tls)
{
    if (!tls) {
        return json_null();
    }
    json_t *object = json_object();
    put(object, "host", json_string(tls->host));
    put(object, "verify", json_boolean(!tls->skips_certificate));
    put(object, "ca_file", tls->ca_file ? json_string(tls->ca_file) : json_null());
    put(object, "reuse", json_boolean(!tls->never_resumes));
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static json_t *tls_make(const struct tls_total *tls)
{
    json_t *object = json_object();

    put(object, "version", text_or_null(tls->version));
    put(object, "cipher", text_or_null(tls->cipher));
    put(object, "full_count", json_integer((json_int_t)tls->full_count));
    put(object, "resumed_count", json_integer((json_int_t)tls->resumed_count));
    put(object, "handshake_ns", json_integer(tls->handshake_ns));
    put(object, "failure", text_or_null(tls->failure));
    return object;
}

static void think_put(json_t *object, const struct think_config *think)
{
    bool is_on = think->mean_ns > 0;

    put(object, "think_time_ns", is_on ? json_integer(think->mean_ns) : json_null());
    put(object, "think_kind", is_on ? json_string(think_kind_names[think->kind]) : json_null());
}

/* Of a rate that changes. */
static json_t *rates_make(const struct arrivals_course *course)
{
    json_t *array = course->count > 1 ? json_array() : json_null();

    for (uint32_t i = 0; course->count > 1 && i < course->count; i++) {
        json_array_append_new(array, json_integer(course->rates_per_s[i]));
    }
    return array;
}

static json_t *config_make(const struct drive_setup *setup)
{
    const struct driver_config *config = setup->config;
    json_t *object = json_object();

    int status = config->requests[0].expect.status; /* the same of all */

    bool is_mix = setup->request_count > 1; /* then they stand in "requests" */

    put(object, "method", is_mix ? json_null() : json_string(setup->requests[0].method));
    put(object, "request_bytes",
        is_mix ? json_null() : json_integer((json_int_t)config->requests[0].byte_count));
    put(object, "expect_status", status ? json_integer(status) : json_null());
    put(object, "threads", json_integer(config->thread_count));
    put(object, "connections", json_integer(config->connection_count));
    put(object, "connect_rate_per_s", json_integer(config->connect_rate_per_s));
    put(object, "pipeline", json_integer(config->pipeline_count));
    put(object, "requests_per_connection",
        config->connection_requests ? json_integer(config->connection_requests) : json_null());
    put(object, "request_limit",
        config->request_limit ? json_integer((json_int_t)config->request_limit) : json_null());
    put(object, "warmup_ns", json_integer(config->grid.warmup_ns));
    put(object, "duration_ns", json_integer(config->grid.window_ns));
    put(object, "interval_ns", json_integer(config->grid.interval_ns));
    put(object, "timeout_ns", json_integer(config->timeout_ns));
    put(object, "spin_ns", json_integer(config->spin_ns));
    put(object, "rate_per_s",
        config->arrivals.rate_per_s ? json_integer(config->arrivals.rate_per_s) : json_null());
    put(object, "rates_per_s", rates_make(&config->arrivals.course));
    put(object, "rate_course",
        config->arrivals.course.count <= 1 ? json_null()
        : config->arrivals.course.is_ramp  ? json_string("ramp")
                                           : json_string("steps"));
    put(object, "arrivals",
        config->arrivals.rate_per_s == 0            ? json_null()
        : config->arrivals.kind == ARRIVALS_POISSON ? json_string("poisson")
                                                    : json_string("uniform"));
    put(object, "seed",
        config->arrivals.rate_per_s || config->think.mean_ns || config->request_count > 1
            ? json_integer((json_int_t)config->arrivals.seed)
            : json_null());
    put(object, "tls", tls_config_make(config->tls));
    think_put(object, &config->think);
    put(object, "deadline_ns",
        config->deadline_ns ? json_integer(config->deadline_ns) : json_null());
    return object;
}

static json_t *connections_make(const struct drive_result *result)
{
    json_t *object = json_object();

    put(object, "requested", json_integer(result->totals.connections_requested));
    put(object, "established", json_integer(result->totals.connections_established));
    put(object, "served", json_integer(result->totals.connections_served));
    put(object, "reconnects", json_integer(result->window[METRIC_reconnect_count]));
    put(object, "resent", json_integer(result->window[METRIC_resent_count]));
    return object;
}

static json_t *window_make(const struct drive_result *result)
{
    const int64_t *window = result->window;
    int64_t raw = window[METRIC_ok_count] + window[METRIC_http_error_count];
    json_t *object = json_object();

    put(object, "length_ns", json_integer(result->window_ns));
    put(object, "started_count", json_integer(window[METRIC_started_count]));
    put(object, "ok_count", json_integer(window[METRIC_ok_count]));
    put(object, "http_error_count", json_integer(window[METRIC_http_error_count]));
    put(object, "fault_count", json_integer(window[METRIC_fault_count]));
    put(object, "goodput_per_s", real(drive_result_rate(result, window[METRIC_ok_count])));
    put(object, "raw_per_s", real(drive_result_rate(result, raw)));
    bool is_open = drive_result_is_open(result);
    put(object, "scheduled_count",
        number(is_open ? window[METRIC_scheduled_count] : METRIC_UNKNOWN));
    put(object, "shed_count", number(is_open ? window[METRIC_shed_count] : METRIC_UNKNOWN));
    put(object, "backlog_count", number(result->backlog_count));
    put(object, "achieved_ratio", is_open ? real(drive_result_achieved(result)) : json_null());
    put(object, "sent_bytes", json_integer(window[METRIC_sent_bytes]));
    put(object, "received_bytes", json_integer(window[METRIC_received_bytes]));
    return object;
}

static json_t *latency_make(const char *kind, const struct histogram *histogram)
{
    uint64_t count = histogram->total_count + histogram->overflow_count;
    json_t *object = json_object();
    char key[16];

    put(object, "kind", json_string(kind));
    put(object, "count", json_integer((json_int_t)count));
    put(object, "overflow_count", json_integer((json_int_t)histogram->overflow_count));
    put(object, "mean_ns", count ? json_integer(histogram->sum_ns / (int64_t)count) : json_null());
    for (size_t i = 0; i < DRIVE_QUANTILE_COUNT; i++) {
        snprintf(key, sizeof(key), "%s_ns", drive_quantiles[i].name);
        put(object, key, number(drive_quantile_ns(histogram, drive_quantiles[i].q)));
    }
    put(object, "max_ns", count ? json_integer(histogram->max_ns) : json_null());
    return object;
}

static json_t *outcomes_make(const uint64_t outcomes[OUTCOME_COUNT])
{
    json_t *object = json_object();

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        put(object, outcome_infos[i].name, json_integer((json_int_t)outcomes[i]));
    }
    return object;
}

/* What became of each request of a mix in the window. */
static json_t *parts_make(const struct drive_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->setup->request_count; i++) {
        const struct drive_request *request = &result->setup->requests[i];
        const struct drive_part *part = &result->parts[i];
        json_t *object = json_object();

        put(object, "weight", json_integer(request->weight));
        put(object, "method", json_string(request->method));
        put(object, "path", json_string(request->path));
        put(object, "request_bytes",
            json_integer((json_int_t)result->setup->config->requests[i].byte_count));
        put(object, "started_count", json_integer((json_int_t)part->total.started_count));
        put(object, "outcomes", outcomes_make(part->total.outcomes));
        put(object, "sent_bytes", json_integer((json_int_t)part->total.sent_bytes));
        put(object, "received_bytes", json_integer((json_int_t)part->total.received_bytes));
        put(object, "p50_ns", number(part->p50_ns));
        put(object, "p99_ns", number(part->p99_ns));
        put(object, "max_ns", number(part->max_ns));
        append(array, object);
    }
    return array;
}

static json_t *driver_make(const struct drive_result *result)
{
    const int64_t *window = result->window;
    double done = (double)(window[METRIC_ok_count] + window[METRIC_http_error_count]);
    int64_t work_ns = window[METRIC_driver_user_ns] + window[METRIC_driver_system_ns] -
                      window[METRIC_driver_spin_ns];
    double busy = drive_result_busy_percent(result);
    json_t *object = json_object();

    put(object, "io", json_string(driver_io_names[result->totals.io]));
    put(object, "user_ns", json_integer(window[METRIC_driver_user_ns]));
    put(object, "system_ns", json_integer(window[METRIC_driver_system_ns]));
    put(object, "spin_ns", json_integer(window[METRIC_driver_spin_ns]));
    put(object, "cpu_us_per_response", ratio((double)work_ns / 1e3, done));
    put(object, "busy_percent", busy >= 0 ? real(busy) : json_null());
    put(object, "sleeps_per_1000_responses",
        ratio((double)window[METRIC_driver_sleep_count] * 1000, done));
    return object;
}

static json_t *interval_make(const struct drive_interval *interval)
{
    const struct driver_interval *counts = &interval->counts;
    json_t *object = json_object();

    put(object, "index", json_integer(counts->index));
    put(object, "phase", json_string(sample_phase_names[counts->phase]));
    put(object, "start_ns", json_integer(counts->start_ns));
    put(object, "end_ns", json_integer(counts->end_ns));
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metric_infos[i].scope == METRIC_SCOPE_DRIVER) {
            put(object, metric_infos[i].name, number(counts->metrics[i]));
        }
    }
    put(object, "p50_ns", number(interval->p50_ns));
    put(object, "p99_ns", number(interval->p99_ns));
    return object;
}

static json_t *intervals_make(const struct drive_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->interval_count; i++) {
        append(array, interval_make(&result->intervals[i]));
    }
    return array;
}

static json_t *notices_make(const struct drive_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->notice_count; i++) {
        json_t *object = json_object();
        put(object, "kind", json_string(result->notices[i].kind));
        put(object, "text", json_string(result->notices[i].text));
        append(array, object);
    }
    return array;
}

static const char *status_name(const struct drive_result *result)
{
    if (result->is_interrupted) {
        return "interrupted";
    }
    return drive_result_is_measured(result) ? "measured" : "nothing_measured";
}

enum err_code drive_json_write(json_t *root, bool is_whole, struct buf *out, struct err *e)
{
    char *text =
        json_dumps(root, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS_OF_REAL));

    json_decref(root);
    if (!text || !is_whole) {
        free(text);
        return err_set(e, ERR_LIMIT, "no memory for the JSON");
    }
    buf_add_text(out, text);
    buf_add_char(out, '\n');
    free(text);
    return buf_check(out, "the JSON", e);
}

enum err_code drive_json_render(const struct drive_result *result, struct buf *out, struct err *e)
{
    const struct drive_setup *setup = result->setup;
    bool is_open = drive_result_is_open(result);
    json_t *root = json_object();
    char utc[CLOCK_TEXT_BYTES];

    has_failed = false;
    clock_format_utc(setup->started_utc_ns, utc);
    put(root, "schema_version", json_integer(DRIVE_JSON_VERSION));
    put(root, "program", json_string(setup->program_version));
    put(root, "url", json_string(setup->url));
    put(root, "started_utc", json_string(utc));
    put(root, "status", json_string(status_name(result)));
    put(root, "loop", json_string(is_open ? "open" : "closed"));
    put(root, "config", config_make(setup));
    put(root, "connections", connections_make(result));
    put(root, "tls", setup->config->tls ? tls_make(&result->totals.tls) : json_null());
    put(root, "window", window_make(result));
    put(root, "latency", latency_make(is_open ? "response" : "service", &result->latency));
    put(root, "service", is_open ? latency_make("service", &result->service) : json_null());
    put(root, "lag", is_open ? latency_make("lag", &result->lag) : json_null());
    put(root, "started_count", json_integer((json_int_t)result->totals.started_count));
    put(root, "outcomes", outcomes_make(result->totals.outcomes));
    put(root, "requests", setup->request_count > 1 ? parts_make(result) : json_null());
    put(root, "driver", driver_make(result));
    put(root, "intervals", intervals_make(result));
    put(root, "notices", notices_make(result));
    return drive_json_write(root, !has_failed, out, e);
}
