// SPDX-License-Identifier: Apache-2.0
// What wrk prints, as figures: units, what stands for nothing, what is around it, what is refused.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/run/wrk_text.h"
#include "report/import/import_wrk.h"
#include "tests/support/edge_buf.h"

#define HEAD       "Running 30s test @ http://127.0.0.1:8080/ping?x=1\n  20 threads and 400 connections\n"
#define STATS      "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
#define TOTAL      "  1000 requests in 30.10s, 1.50MB read\n"
#define RATE       "Requests/sec:     33.22\n"
#define RUN(x)     HEAD STATS x TOTAL RATE
#define LATENCY(x) RUN("    Latency   " x "\n")

/* The run of a text in memory that ends at an unreadable page; what was warned of in `warnings`. */
static enum err_code parse(const char *text, size_t length, struct wrk_run *run,
                           struct buf *warnings, struct err *e)
{
    struct edge_buf edge;

    edge_buf_init(&edge, text, length);
    buf_init(warnings, 1 << 16);
    enum err_code code = wrk_text_parse("w.txt", edge.bytes, length, run, warnings, e);
    edge_buf_release(&edge);
    return code;
}

static const struct {
    const char *text, *key;
    double value;        /* NaN: the key must not be there */
    const char *warning; /* how the warnings begin; "": none */
} rows[] = {
    {LATENCY("2.11ms  698.32us   26.64ms   85.35%"), "latency_mean_ms", 2.11, ""},
    {LATENCY("2.11ms  698.32us   26.64ms   85.35%"), "latency_stdev_us", 698.32, ""},
    {LATENCY("2.11ms  698.32us   26.64ms   85.35%"), "latency_within_stdev_percent", 85.35, ""},
    {LATENCY("1.97s     1.28s    4.93s    60.75%"), "latency_max_s", 4.93, ""},
    {LATENCY("1.50m     2.00m    1.00h    60.75%"), "latency_mean_s", 90, ""},
    {LATENCY("1.50m     2.00m    1.00h    60.75%"), "latency_max_s", 3600, ""},
    /* A04, A07: nothing was recorded, so nothing is known */
    {LATENCY("0.00us    0.00us   0.00us    -nan%"), "latency_mean_us", NAN, ""},
    {LATENCY("0.00us    0.00us   0.00us     nan%"), "latency_stdev_us", NAN, ""},
    {LATENCY("0.00us    0.00us   0.00us    -nan%"), "latency_within_stdev_percent", NAN, ""},
    {LATENCY("1.35s     0.00us   1.35s   100.00%"), "latency_stdev_us", 0, ""},
    /* wg/wrk#77: no unit */
    {LATENCY("1531867 122203062 30744573    84.20%"), "latency_mean_us", NAN,
     "w.txt:4: left out, because it has no unit: \"1531867\""},
    {LATENCY("1531867 122203062 30744573    84.20%"), "latency_within_stdev_percent", 84.2,
     "w.txt:4: left out"},
    /* quantiles that a figure has; 0 is nothing */
    {RUN("  Latency Distribution\n     50%    2.36ms\n     75%    2.58ms\n     99%   38.39ms\n"),
     "latency_p99_ms", 38.39, ""},
    {RUN("  Latency Distribution\n     50%    2.36ms\n     75%    2.58ms\n"), "latency_p75_ms",
     2.58, ""},
    {RUN("     50%    0.00us\n     99.9%  1.00ms\n"), "latency_p50_us", NAN, ""},
    /* k and M are 1000, KB and GB 1024 */
    {RUN("    Req/Sec     9.59k     1.28k   19.71k    85.35%\n"), "thread_requests_per_s_mean",
     9590, ""},
    {RUN("    Req/Sec     1.07M   244.22     1.79M    78.19%\n"), "thread_requests_per_s_stdev",
     244.22, ""},
    {RUN("    Req/Sec     0.00      0.00     0.00      -nan%\n"), "thread_requests_per_s_mean", NAN,
     ""},
    {RUN("    Req/Sec       -nan      -nan   0.00      0.00%\n"), "thread_requests_per_s_stdev",
     NAN, ""},
    {RUN(""), "request_count", 1000, ""},
    {RUN(""), "duration_s", 30.1, ""},
    {RUN(""), "transfer_mib", 1.5, ""},
    {RUN(""), "requests_per_s", 33.22, ""},
    {HEAD STATS "  134622279 requests in 118.00m, 13.25GB read\n", "duration_s", 7080, ""},
    {HEAD STATS "  134622279 requests in 118.00m, 13.25GB read\n", "transfer_gib", 13.25, ""},
    {HEAD STATS "  0 requests in 3.03s, 0.00B read\n", "transfer_bytes", 0, ""},
    {RUN("") "Transfer/sec:    642.81KB\n", "transfer_kib_per_s", 642.81, ""},
    /* every kind of failure in one number: 694 + 728 + 1425 + 4898 + 53 = 7798 */
    {RUN("  Socket errors: connect 694, read 728, write 1425, timeout 4898\n"
         "  Non-2xx or 3xx responses: 53\n"),
     "error_count", 7798, ""},
    {RUN("  Socket errors: connect 694, read 728, write 1425, timeout 4898\n"),
     "connect_error_count", 694, ""},
    {RUN("  Socket errors: connect 0, read 728, write 0, timeout 0\n"), "connect_error_count", NAN,
     ""},
    {RUN("  Socket errors: connect 0, read 0, write 0, timeout 0\n"), "error_count", NAN, ""},
    /* what is around it: a prompt, tabs, CRLF, a fence, a script's own lines, words of nobody */
    {"$ wrk -t20 -c400 -d30s http://127.0.0.1:8080/ping\n" RUN(""), "requests_per_s", 33.22, ""},
    {"```\n\tRunning 2m test @ x\n\t 2 threads and 4 connections\r\n\t8 requests in 2.00m, 5.81KB "
     "read\r\n\tRequests/sec:   0.07\r\n```\n",
     "duration_s", 120, ""},
    {RUN("") "------\nSummary:\n  Latency of mine: 7\n  9 requests in all\n", "request_count", 1000,
     ""},
    {RUN("  hello\n"), "requests_per_s", 33.22, "w.txt:4: left out: \"hello\""},
    /* without its first two lines */
    {STATS "    Latency   366.38ms  373.46ms   1.04s     0.00%\n" TOTAL, "latency_mean_ms", 366.38,
     ""},
};

Test(wrk_text, a_line_becomes_a_value_with_its_unit_or_nothing)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct wrk_run run;
        struct buf warnings;
        struct err e;

        cr_assert_eq(parse(rows[i].text, strlen(rows[i].text), &run, &warnings, &e), ERR_OK,
                     "row %zu: %s", i, e.text);
        const json_t *value = json_object_get(run.figure, rows[i].key);

        cr_expect_eq(value == NULL, isnan(rows[i].value), "row %zu: %s", i, rows[i].key);
        cr_expect(!value || fabs(json_number_value(value) - rows[i].value) <= 1e-9,
                  "row %zu: %s is %.12g", i, rows[i].key, json_number_value(value));
        cr_expect(*rows[i].warning
                      ? strncmp(warnings.bytes, rows[i].warning, strlen(rows[i].warning)) == 0
                      : warnings.length == 0,
                  "row %zu: \"%s\"", i, warnings.bytes);
        wrk_run_release(&run);
        buf_release(&warnings);
    }
}

Test(wrk_text, what_is_no_run_of_wrk_is_refused_with_its_line)
{
    static const char *const mistakes[][2] = {
        {"", "w.txt: no output of wrk"},
        {"<html>\n<body>502 Bad Gateway</body>\n", "w.txt: no output of wrk"},
        {"\x1f\x8b\x08\x00garbage", "w.txt: no output of wrk"},
        {"R\0u\0n\0n\0i\0n\0g\0", "w.txt: no output of wrk"},
        {HEAD STATS, "w.txt: the run has no end"},
        {RUN("") RUN(""), "w.txt:6: a second run; write each run into a file of its own"},
        {STATS TOTAL STATS, "w.txt:3: a second run"},
        {"unable to connect to 127.0.0.1:9199 Connection refused\n",
         "w.txt:1: wrk could not connect: a failed run is no result"},
        {HEAD "  Thread calibration: mean lat.: 9747 usec, rate sampling interval: 21 msec\n",
         "w.txt:3: this is wrk2"},
        {"Running 30d test @ x\n", "w.txt:1: an unknown unit of a time: \"30d\""},
        {"0 threads and 4 connections\n", "w.txt:1: no such numbers of threads and connections"},
        {"1 threads and 2000000 connections\n", "w.txt:1: no such numbers of threads"},
        {LATENCY("2.11 ms  698.32us   26.64ms   85.35%"), "w.txt:4: this is not a number: \"ms\""},
        {LATENCY("2.11ns  698.32us   26.64ms   85.35%"),
         "w.txt:4: an unknown unit of a time: \"2.11ns\""},
        {LATENCY("2.11ms  698.32us   26.64ms   85.35"),
         "w.txt:4: this is not a percentage: \"85.35\""},
        {LATENCY("2.1.1ms  698.32us   26.64ms   85.35%"), "w.txt:4: an unknown unit of a time"},
        {LATENCY("-2.11ms  698.32us   26.64ms   85.35%"), "w.txt:4: this is not a number"},
        {LATENCY("99999999999999999ms  1us   1ms   1%"), "w.txt:4: this is not a number"},
        {HEAD STATS "  many requests in 30.10s, 1.50MB read\n",
         "w.txt:4: no number of requests: \"many\""},
        {HEAD STATS "  10 requests in 30.10s, 1.50XB read\n",
         "w.txt:4: an unknown unit of a size: \"1.50XB\""},
        {RUN("  Non-2xx or 3xx responses: some\n"), "w.txt:4: no number of responses: \"some\""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        size_t length = i == 3 ? 14 : strlen(mistakes[i][0]);
        struct wrk_run run = {.thread_count = -7};
        struct buf warnings;
        struct err e = {0};

        cr_expect_eq(parse(mistakes[i][0], length, &run, &warnings, &e), ERR_FORMAT, "row %zu", i);
        cr_expect(strncmp(e.text, mistakes[i][1], strlen(mistakes[i][1])) == 0,
                  "row %zu: \"%s\", not \"%s\"", i, e.text, mistakes[i][1]);
        cr_expect_eq(run.thread_count, -7, "row %zu", i);
        buf_release(&warnings);
    }
}

/* Whatever is cut off: an error, or the values that stand before the cut; no byte beyond is read.
 */
Test(wrk_text, every_beginning_of_a_run_is_read_to_its_end_and_no_further)
{
    static const char text[] = RUN("    Latency     2.11ms  698.32us  26.64ms   85.35%\n"
                                   "  Socket errors: connect 1, read 2, write 3, timeout 4\n");
    size_t taken = 0;

    for (size_t length = 0; length < sizeof(text); length++) {
        struct wrk_run run;
        struct buf warnings;
        struct err e;

        if (parse(text, length, &run, &warnings, &e) == ERR_OK) {
            taken++;
            cr_expect_eq(json_integer_value(json_object_get(run.figure, "request_count")), 1000);
            cr_expect_eq(run.connection_count, 400);
            cr_expect_str_eq(run.path, "/ping?x=1");
            wrk_run_release(&run);
        }
        buf_release(&warnings);
    }
    /* From the word "read" of the total on it is a run: one length for each byte behind it and one
     * for none; but "33." is no number. */
    cr_expect_eq(taken, strlen("\n" RATE) + 1 - 1);
}
