// SPDX-License-Identifier: Apache-2.0
// The result of a load by hand: sums, percentiles, texts, the histogram log.
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "collector/driver/rate_course.h"
#include "engines/base/clock.h"
#include "report/drive/drive_json.h"
#include "report/drive/drive_result.h"
#include "report/drive/drive_text.h"
#include "report/drive/hdr_log.h"

static struct histogram histogram;
static const struct driver_request request = {.byte_count = 50};
static const struct drive_request asked = {.weight = 1, .method = "GET", .path = "/"};
static struct driver_config config = {
    .requests = &request,
    .request_count = 1,
    .connection_count = 4,
    .thread_count = 2,
    .timeout_ns = CLOCK_NS_PER_S,
    .connect_rate_per_s = 2000,
    .grid = {.interval_ns = 500 * CLOCK_NS_PER_MS,
             .warmup_ns = 500 * CLOCK_NS_PER_MS,
             .window_ns = 750 * CLOCK_NS_PER_MS},
};
static const struct drive_setup setup = {.url = "http://h/",
                                         .requests = &asked,
                                         .request_count = 1,
                                         .program_version = "0",
                                         .config = &config,
                                         .threads_asked = 2};

/* An interval with so many ok requests of 1 ms each. */
static void interval_add(struct drive_result *result, uint32_t ok_count)
{
    uint32_t index = (uint32_t)result->interval_count;
    struct driver_interval interval = {.index = index,
                                       .phase = grid_phase(&config.grid, index),
                                       .start_ns = grid_start_ns(&config.grid, index),
                                       .end_ns = index < 3 ? grid_start_ns(&config.grid, index + 1)
                                                           : 1300 * CLOCK_NS_PER_MS};

    for (int i = 0; i < METRIC_COUNT; i++) {
        interval.metrics[i] = metric_infos[i].scope == METRIC_SCOPE_DRIVER ? 0 : METRIC_UNKNOWN;
    }
    histogram_clear(&histogram);
    for (uint32_t i = 0; i < ok_count; i++) {
        histogram_record(&histogram, CLOCK_NS_PER_MS);
    }
    interval.metrics[METRIC_started_count] = ok_count;
    interval.metrics[METRIC_ok_count] = ok_count;
    interval.metrics[METRIC_driver_user_ns] = 10 * CLOCK_NS_PER_MS;
    interval.metrics[METRIC_latency_max_ns] = ok_count ? CLOCK_NS_PER_MS : METRIC_UNKNOWN;
    interval.outcomes[OUTCOME_OK] = ok_count;
    drive_result_add(result, &interval, &histogram);
}

static struct drive_result *result_make(uint32_t ok_count)
{
    struct drive_result *result = NULL;
    struct driver_totals totals = {
        .connections_requested = 4, .connections_established = 4, .connections_served = 4};

    cr_assert_eq(drive_result_new(&setup, &result, NULL), ERR_OK);
    for (int i = 0; i < 4; i++) {
        interval_add(result, ok_count);
    }
    totals.started_count = 4 * (uint64_t)ok_count;
    totals.outcomes[OUTCOME_OK] = totals.started_count;
    drive_result_finish(result, &totals, false);
    return result;
}

/* 500 ms of warm-up, 750 ms of window in two intervals, the drain: 200 in 0.75 s are 266.67/s. */
Test(drive, counts_the_window_and_nothing_else)
{
    struct drive_result *result = result_make(100);

    cr_expect_eq(result->interval_count, 4);
    cr_expect_eq(result->window_ns, 750 * CLOCK_NS_PER_MS);
    cr_expect_eq(result->window[METRIC_ok_count], 200);
    cr_expect_float_eq(drive_result_rate(result, 200), 266.666, 0.001);
    cr_expect_eq(result->latency.total_count, 200);
    /* 20 ms of work in 2 threads of 750 ms */
    cr_expect_float_eq(drive_result_busy_percent(result), 1.3333, 0.0001);
    cr_expect(drive_result_is_measured(result));
    cr_expect_eq(result->notice_count, 1);
    cr_expect_str_eq(result->notices[0].kind, "coordinated_omission");
    drive_result_free(result);
    drive_result_free(NULL);
}

/* 60 % of 1000 requests were not sent in a window of 1 s: they had waited for the deadline, or up
 * to 0.6 s. A driver that was late by less than half of that is not why. */
Test(drive, says_whose_doing_it_is_that_requests_were_not_sent)
{
    static const struct {
        int64_t deadline_ns, lag_ns;
        const char *reason;
        bool is_late;
    } rows[] = {
        {0, 50 * CLOCK_NS_PER_US, "all connections waited", false},
        {0, 200 * CLOCK_NS_PER_US, "all connections waited", true},
        {0, 400 * CLOCK_NS_PER_MS, "the driver was late", true},
        {10 * CLOCK_NS_PER_MS, 200 * CLOCK_NS_PER_US, "all connections waited", true},
        {10 * CLOCK_NS_PER_MS, 9 * CLOCK_NS_PER_MS, "the driver was late", true},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct driver_config open = config;
        struct drive_setup open_setup = setup;
        struct drive_result *result = NULL;

        open.arrivals.rate_per_s = 1000;
        open.deadline_ns = rows[i].deadline_ns;
        open_setup.config = &open;
        cr_assert_eq(drive_result_new(&open_setup, &result, NULL), ERR_OK);
        for (int k = 0; k < 400; k++) {
            histogram_record(&result->lag, rows[i].lag_ns);
        }
        result->window_ns = CLOCK_NS_PER_S;
        result->window[METRIC_scheduled_count] = 1000;
        drive_result_finish(result, &(struct driver_totals){0}, false);
        bool is_late = false, has_reason = false;
        for (size_t k = 0; k < result->notice_count; k++) {
            const struct drive_notice *notice = &result->notices[k];

            is_late |= strcmp(notice->kind, "driver_limited") == 0;
            has_reason |= strcmp(notice->kind, "rate_not_reached") == 0 &&
                          strstr(notice->text, rows[i].reason) != NULL;
        }
        cr_expect_eq(is_late, rows[i].is_late, "row %zu", i);
        cr_expect(has_reason, "row %zu", i);
        drive_result_free(result);
    }
}

/* B02: a percentile with nothing beyond it is the maximum under another name. */
Test(drive, shows_a_percentile_only_when_something_lies_beyond_it)
{
    static const struct {
        uint32_t count;
        double q;
        bool is_known;
    } rows[] = {
        {0, 0.5, false},         {1, 0.5, false},         {2, 0.5, true},
        {99, 0.99, false},       {100, 0.99, true},       {999, 0.999, false},
        {1000, 0.999, true},     {9999, 0.9999, false},   {10000, 0.9999, true},
        {99999, 0.99999, false}, {100000, 0.99999, true},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        histogram_clear(&histogram);
        for (uint32_t k = 0; k < rows[i].count; k++) {
            histogram_record(&histogram, 1000);
        }
        cr_expect_eq(drive_quantile_ns(&histogram, rows[i].q),
                     rows[i].is_known ? 1000 : METRIC_UNKNOWN, "%u values, %g", rows[i].count,
                     rows[i].q);
    }
}

/* A04: nothing is zero that is not known. */
Test(drive, shows_nothing_where_nothing_was_measured)
{
    struct drive_result *result = result_make(0);
    struct buf out;
    json_error_t where;

    cr_expect_not(drive_result_is_measured(result));
    cr_expect_str_eq(result->notices[0].kind, "no_response");
    buf_init(&out, 1 << 20);
    drive_text_render(result, true, &out);
    cr_expect_not_null(strstr(out.bytes, "n/a: no right answer"), "%s", out.bytes);
    cr_expect_null(strstr(out.bytes, "nan"), "%s", out.bytes);
    buf_clear(&out);
    cr_assert_eq(drive_json_render(result, &out, NULL), ERR_OK);
    json_t *root = json_loads(out.bytes, 0, &where);
    cr_assert_not_null(root, "%s", where.text);
    json_t *latency = json_object_get(root, "latency");
    cr_expect(json_is_null(json_object_get(latency, "p50_ns")));
    cr_expect(json_is_null(json_object_get(latency, "mean_ns")));
    cr_expect(json_is_null(json_object_get(latency, "max_ns")));
    cr_expect_str_eq(json_string_value(json_object_get(root, "status")), "nothing_measured");
    json_decref(root);
    buf_release(&out);
    drive_result_free(result);
}

/* 12 ms of 8 handshakes are 1.5 ms each. */
Test(drive, tells_what_was_spoken_over_tls)
{
    static const struct tls_settings tls = {.host = "h", .ca_file = "a.pem", .never_resumes = true};
    static const char failure[] = "certificate has expired";
    struct drive_result *result = result_make(3);
    struct buf out;

    config.tls = &tls;
    result->totals.tls = (struct tls_total){.version = "TLSv1.3",
                                            .cipher = "TLS_AES_256_GCM_SHA384",
                                            .full_count = 2,
                                            .resumed_count = 6,
                                            .handshake_ns = 12 * CLOCK_NS_PER_MS};
    buf_init(&out, 1 << 20);
    drive_text_render(result, false, &out);
    cr_expect(strstr(out.bytes, "\n  TLSv1.3, TLS_AES_256_GCM_SHA384; 2 full handshakes and 6 "
                                "resumed, 1.50 ms each on average\n"),
              "%s", out.bytes);
    buf_clear(&out);
    cr_assert_eq(drive_json_render(result, &out, NULL), ERR_OK);
    json_t *root = json_loads(out.bytes, 0, NULL);
    const char *host = NULL, *ca = NULL, *version = NULL, *cipher = NULL;
    int verifies = 0, reuses = 1, full = 0, resumed = 0;
    long long handshake_ns = 0;
    cr_expect_eq(json_unpack(root, "{s:{s:{s:s, s:b, s:s, s:b}}, s:{s:s, s:s, s:i, s:i, s:I, s:n}}",
                             "config", "tls", "host", &host, "verify", &verifies, "ca_file", &ca,
                             "reuse", &reuses, "tls", "version", &version, "cipher", &cipher,
                             "full_count", &full, "resumed_count", &resumed, "handshake_ns",
                             &handshake_ns, "failure"),
                 0, "%s", out.bytes);
    cr_expect(verifies && !reuses && full == 2 && resumed == 6 && handshake_ns == 12000000);
    json_decref(root);
    buf_clear(&out);
    struct driver_totals totals = {.tls.is_distrusted = true};
    memcpy(totals.tls.failure, failure, sizeof(failure));
    drive_result_finish(result, &totals, false);
    drive_text_render(result, false, &out);
    cr_expect(strstr(out.bytes, "\n  TLS: no handshake ended well\n"));
    cr_expect(strstr(out.bytes, "note: a TLS handshake failed: certificate has expired; --cacert "
                                "FILE trusts another one, --insecure any\n"),
              "%s", out.bytes);
    config.tls = NULL;
    buf_release(&out);
    drive_result_free(result);
}

Test(drive, keeps_the_order_of_the_json_keys)
{
    static const char *const keys[] = {
        "schema_version", "program",  "url",    "started_utc", "status",  "loop", "config",
        "connections",    "tls",      "window", "latency",     "service", "lag",  "started_count",
        "outcomes",       "requests", "driver", "intervals",   "notices"};
    struct drive_result *result = result_make(3);
    const char *key = NULL;
    json_t *value = NULL;
    size_t i = 0;
    struct buf out;

    buf_init(&out, 1 << 20);
    cr_assert_eq(drive_json_render(result, &out, NULL), ERR_OK);
    json_t *root = json_loads(out.bytes, 0, NULL);
    cr_assert_not_null(root);
    json_object_foreach(root, key, value)
    {
        cr_assert_lt(i, ARRAY_COUNT(keys), "%s", key);
        cr_expect_str_eq(key, keys[i]);
        i++;
    }
    cr_expect_eq(i, ARRAY_COUNT(keys));
    cr_expect_eq(json_array_size(json_object_get(root, "intervals")), 4);
    json_decref(root);
    buf_release(&out);
    drive_result_free(result);
}

Test(drive, writes_times_with_three_digits)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {METRIC_UNKNOWN, "n/a"}, {0, "0 ns"},          {999, "999 ns"},        {1000, "1.00 us"},
        {12345, "12.3 us"},      {123456, "123 us"},   {999999, "1.00 ms"},    {9994999, "9.99 ms"},
        {9995000, "10.0 ms"},    {99950000, "100 ms"}, {1234567890, "1.23 s"},
    };
    char text[DRIVE_TIME_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_expect_str_eq(drive_text_time(rows[i].ns, text), rows[i].text);
    }
}

/* Form of the lines from HdrHistogram's HistogramLogWriter (Java 2.1.12). The base64 of a
 * compressed V2 histogram begins with the cookie 0x1c849304 | 0x10 and the high byte of a short
 * length. */
Test(drive, writes_a_histogram_log)
{
    struct buf out;

    buf_init(&out, 1 << 16);
    histogram_clear(&histogram);
    histogram_record(&histogram, 2500000);
    hdr_log_begin(INT64_C(1441812279474000000), "what", &out);
    cr_assert_eq(
        hdr_log_add(NULL, 127 * CLOCK_NS_PER_MS, 1134 * CLOCK_NS_PER_MS, &histogram, &out, NULL),
        ERR_OK);
    cr_assert_eq(hdr_log_add("warmup", 0, CLOCK_NS_PER_S, &histogram, &out, NULL), ERR_OK);
    cr_expect_not_null(strstr(out.bytes, "#[Histogram log format version 1.3]\n"));
    cr_expect_not_null(strstr(out.bytes, "#[StartTime: 1441812279.474 (seconds since epoch), "
                                         "2015-09-09T15:24:39Z]\n"),
                       "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "\n0.127,1.007,2.500,HISTFAAAA"), "%s", out.bytes);
    cr_expect_not_null(strstr(out.bytes, "\nTag=warmup,0.000,1.000,2.500,HISTFAAAA"));
    cr_expect_eq(out.bytes[out.length - 1], '\n');
    buf_release(&out);
}

static const struct {
    const char *text, *told; /* as it is said again; NULL: refused */
    enum err_code code;
    const char *why;
} courses[] = {
    {"1000", "1000", ERR_OK, ""},
    {"10k", "10000", ERR_OK, ""},
    {"1k,2k,4k", "1000, then 2000, then 4000", ERR_OK, ""},
    {"100..5k", "from 100 to 5000", ERR_OK, ""},
    {"100..5k..100", "from 100 to 5000 to 100", ERR_OK, ""},
    {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
     "1, then 2, then 3, then 4, then 5, then 6, then 7, then 8, then 9, then 10, then 11, then "
     "12, then 13, then 14, then 15, then 16",
     ERR_OK, ""},
    {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", NULL, ERR_USAGE, "at most 16 rates"},
    {"", NULL, ERR_USAGE, ""},
    {"0", NULL, ERR_USAGE, ""},
    {"1000,", NULL, ERR_USAGE, ""},
    {"..1000", NULL, ERR_USAGE, ""},
    {"1000.2000", NULL, ERR_USAGE, ""},
    {"4294967296", NULL, ERR_USAGE, ""},
    {"100000000000000000000000000000000000000", NULL, ERR_USAGE, ""},
    {"1..2,3", NULL, ERR_USAGE, "\"1..2,3\" has steps and a ramp; write 1000,2000 or"},
};

Test(drive, reads_rates_steps_and_ramps)
{
    for (size_t i = 0; i < ARRAY_COUNT(courses); i++) {
        struct arrivals_config arrivals = {0};
        struct err e = {0};
        struct buf out;

        buf_init(&out, 1 << 16);
        cr_expect_eq(rate_course_parse(courses[i].text, UINT32_MAX, &arrivals.course, &e),
                     courses[i].code, "row %zu: %s", i, e.text);
        cr_expect_eq(strncmp(e.text, courses[i].why, strlen(courses[i].why)), 0, "row %zu: %s", i,
                     e.text);
        arrivals.rate_per_s = arrivals.course.rates_per_s[0];
        if (courses[i].told) {
            rate_course_format(&arrivals, &out);
            cr_expect_str_eq(out.bytes, courses[i].told);
        } else {
            cr_expect_eq(arrivals.course.count, 0, "row %zu", i);
        }
        buf_release(&out);
    }
}

/* Means by hand: steps (1 + 2 + 6) / 3 = 3 and (1 + 2) / 2 = 1.5, rounded; a ramp's ends count
 * half, (100 / 2 + 5000 + 100 / 2) / 2 = 2550. */
Test(drive, a_course_is_written_as_it_is_read_and_has_a_mean)
{
    static const struct {
        const char *text, *written;
        uint32_t mean, highest;
    } rows[] = {
        {"10k", "", 10000, 10000},
        {"1,2,6", "1,2,6", 3, 6},
        {"1,2", "1,2", 2, 2},
        {"1k..5k", "1000..5000", 3000, 5000},
        {"100..5k..100", "100..5000..100", 2550, 5000},
        {"4294967295..4294967295", "4294967295..4294967295", UINT32_MAX, UINT32_MAX},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct arrivals_course course = {0};
        char written[RATE_COURSE_BYTES];
        struct err e;

        cr_assert_eq(rate_course_parse(rows[i].text, UINT32_MAX, &course, &e), ERR_OK, "%s",
                     e.text);
        rate_course_write(&course, written);
        cr_expect_str_eq(written, rows[i].written);
        cr_expect_eq(rate_course_mean(&course), rows[i].mean, "%s", rows[i].text);
        cr_expect_eq(rate_course_highest(&course), rows[i].highest, "%s", rows[i].text);
    }
}
