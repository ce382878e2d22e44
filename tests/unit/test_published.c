// SPDX-License-Identifier: Apache-2.0
// Published numbers: what the reader takes and refuses, what the rules notice, with hand
// calculations.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/judge/plausible.h"
#include "report/judge/published_checks.h"
#include "tests/support/edge_buf.h"

static const char *const files[] = {"datasets/published/dext.json",
                                    "datasets/published/mooncompiler.json",
                                    "datasets/published/wrk.json"};

static struct published *load(const char *path)
{
    struct published *published = NULL;
    struct err e;

    cr_assert_eq(published_load(path, &published, &e), ERR_OK, "%s", e.text);
    return published;
}

static struct published *parse(const char *text)
{
    struct published *published = NULL;
    struct err e;

    cr_assert_eq(published_parse("p.json", text, strlen(text), &published, &e), ERR_OK, "%s",
                 e.text);
    return published;
}

static struct published_analysis analyse(const struct published *published)
{
    struct published_analysis analysis;
    struct err e;

    cr_assert_eq(published_analyse(published, &analysis, &e), ERR_OK, "%s", e.text);
    return analysis;
}

/* --- reading --- */

#define HEAD(conditions, engines, workloads)                                                       \
    "{\"format\": \"tachograph-published-1\", \"title\": \"t\", \"source\": \"s\", "               \
    "\"conditions\": {" conditions "}, \"engines\": [" engines "], \"workloads\": [" workloads     \
    "], "
#define BASE       HEAD("", "{\"name\": \"a\"}, {\"name\": \"b\"}", "{\"name\": \"w\"}")
#define FIGURES(x) BASE "\"figures\": [" x "]}"
#define FIGURE(x)  FIGURES("{\"engine\": \"a\", \"workload\": \"w\"" x "}")
#define CLAIM(x)                                                                                   \
    BASE "\"figures\": [{\"engine\": \"a\", \"workload\": \"w\"}], \"claims\": [{\"id\": \"c\", "  \
         "\"text\": \"t\"" x "}]}"

static const struct {
    const char *text, *want; /* how the message begins */
} mistakes[] = {
    {"", "p.json:1:0: no JSON: "},
    {"{", "p.json:1:1: no JSON: "},
    {"[]", "p.json: write an object"},
    {"{}", "p.json: \"format\" is missing"},
    {"{\"format\": \"tachograph-published-2\"}",
     "p.json: format: only \"tachograph-published-1\" is known here"},
    {"{\"format\": \"tachograph-published-1\", \"format\": 1}", "p.json:1:45: no JSON: "},
    {"{\"format\": \"tachograph-published-1\", \"titel\": 1}", "p.json: unknown key \"titel\""},
    {"{\"format\": \"tachograph-published-1\"}", "p.json: \"title\" is missing"},
    {"{\"format\": \"tachograph-published-1\", \"title\": \"\"}",
     "p.json: title: write a text of 1 to 300 bytes"},
    {"{\"format\": \"tachograph-published-1\", \"title\": 7}",
     "p.json: title: write a text of 1 to 300 bytes"},
    {BASE "\"figures\": []}", "p.json: figures: write a list of 1 to 4096"},
    {BASE "\"figures\": {}}", "p.json: figures: write a list of 1 to 4096"},
    {HEAD("\"nofile\": 0", "{\"name\": \"a\"}", "{\"name\": \"w\"}") "\"figures\": []}",
     "p.json: conditions.nofile: write a whole number, at least 1"},
    {HEAD("\"cpu\": \"x\"", "{\"name\": \"a\"}", "{\"name\": \"w\"}") "\"figures\": []}",
     "p.json: conditions: unknown key \"cpu\""},
    {HEAD("", "{\"name\": \"a\"}, {\"name\": \"a\"}", "{\"name\": \"w\"}") "\"figures\": []}",
     "p.json: engines[1].name: two have the name \"a\""},
    {HEAD("", "{\"about\": \"a\"}", "{\"name\": \"w\"}") "\"figures\": []}",
     "p.json: engines[0]: \"name\" is missing"},
    {HEAD("", "3", "{\"name\": \"w\"}") "\"figures\": []}", "p.json: engines[0]: write an object"},
    {HEAD("", "{\"name\": \"a\"}", "{\"name\": \"w\"}, {\"name\": \"w\"}") "\"figures\": []}",
     "p.json: workloads[1].name: two have the name \"w\""},
    {HEAD("", "{\"name\": \"a\"}", "{\"name\": \"w\", \"connections\": 1.5}") "\"figures\": []}",
     "p.json: workloads[0].connections: write a whole number, at least 1"},
    {HEAD("", "{\"name\": \"a\"}", "{\"name\": \"w\", \"duration_s\": \"10\"}") "\"figures\": []}",
     "p.json: workloads[0].duration_s: write a number"},
    {FIGURES("{\"workload\": \"w\"}"), "p.json: figures[0]: \"engine\" is missing"},
    {FIGURES("{\"engine\": \"z\", \"workload\": \"w\"}"),
     "p.json: figures[0].engine: \"z\" is none of the file's engines"},
    {FIGURES("{\"engine\": \"a\", \"workload\": \"z\"}"),
     "p.json: figures[0].workload: \"z\" is none of the file's workloads"},
    {FIGURES("{\"engine\": \"a\", \"workload\": \"w\"}, {\"engine\": \"a\", \"workload\": \"w\"}"),
     "p.json: figures[1]: a second one of this engine and workload"},
    {FIGURE(", \"latency_mean\": 1"), "p.json: figures[0]: unknown key \"latency_mean\""},
    {FIGURE(", \"latency_mean_h\": 1"), "p.json: figures[0]: unknown key \"latency_mean_h\""},
    {FIGURE(", \"requests_per_s_ms\": 1"), "p.json: figures[0]: unknown key \"requests_per_s_ms\""},
    {FIGURE(", \"latency_mean_ms\": 1, \"latency_mean_us\": 1000"),
     "p.json: figures[0].latency_mean_us: stands twice, in two units"},
    /* B06: a sentinel is no figure */
    {FIGURE(", \"latency_mean_ms\": -1"),
     "p.json: figures[0].latency_mean_ms: a negative number is no figure; leave out"},
    {FIGURE(", \"requests_per_s\": null"), "p.json: figures[0].requests_per_s: write a number"},
    {FIGURE(", \"requests_per_s\": \"5\""), "p.json: figures[0].requests_per_s: write a number"},
    {FIGURE(", \"requests_per_s\": 1e16"), "p.json: figures[0].requests_per_s: a number above"},
    {FIGURE(", \"requests_per_s\": 1e999"), "p.json:1:"},
    {FIGURE(", \"requests_per_s\": NaN"), "p.json:1:"},
    {FIGURE(", \"rss_mib\": {}"), "p.json: figures[0].rss_mib: write a number, or one as {"},
    {FIGURE(", \"rss_mib\": {\"near\": 4}"), "p.json: figures[0].rss_mib: write a number, or"},
    {FIGURE(", \"rss_mib\": {\"over\": 4, \"under\": 5}"), "p.json: figures[0].rss_mib: write"},
    {FIGURE(", \"rss_mib\": {\"over\": -4}"), "p.json: figures[0].rss_mib: a negative number"},
    {CLAIM(", \"says\": 3"), "p.json: claims[0]: \"metric\" is missing"},
    {CLAIM(", \"metric\": \"speed\""), "p.json: claims[0].metric: \"speed\" is no key of a figure"},
    {CLAIM(", \"metric\": \"requests_per_s\", \"of\": \"a\", \"says\": 3"),
     "p.json: claims[0]: \"workload\" is missing"},
    {CLAIM(", \"metric\": \"requests_per_s\", \"workload\": \"w\""),
     "p.json: claims[0]: write one of \"of\" and \"order\""},
    {CLAIM(", \"metric\": \"requests_per_s\", \"workload\": \"w\", \"of\": \"a\""),
     "p.json: claims[0]: write \"says\" with \"of\""},
    {CLAIM(", \"metric\": \"requests_per_s\", \"workload\": \"w\", \"order\": [\"a\", \"b\"], "
           "\"over\": \"b\""),
     "p.json: claims[0]: \"over\" without \"of\""},
    {CLAIM(", \"metric\": \"requests_per_s\", \"workload\": \"w\", \"order\": [\"a\"]"),
     "p.json: claims[0].order: write at least two engines"},
    {CLAIM(", \"metric\": \"requests_per_s\", \"workload\": \"w\", \"order\": [\"a\", \"z\"]"),
     "p.json: claims[0].order: \"z\" is none of the file's engines"},
    {CLAIM("}, {\"id\": \"c\", \"text\": \"u\""), "p.json: claims[1].id: \"c\" a second time"},
};

Test(published, a_mistake_is_told_with_its_place)
{
    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        struct published *published = NULL;
        struct edge_buf edge;
        struct err e = {0};

        edge_buf_init(&edge, mistakes[i].text, strlen(mistakes[i].text));
        cr_expect_eq(published_parse("p.json", edge.bytes, edge.length, &published, &e), ERR_FORMAT,
                     "%s", mistakes[i].text);
        cr_expect_null(published);
        cr_expect(strncmp(e.text, mistakes[i].want, strlen(mistakes[i].want)) == 0,
                  "row %zu: \"%s\", not \"%s\"", i, e.text, mistakes[i].want);
        edge_buf_release(&edge);
    }
}

/* Whatever is cut off, and any byte changed: refused or taken, and nothing beyond the end is read.
 */
Test(published, every_cut_and_every_flip_of_a_file_is_refused_or_read)
{
    struct buf text;
    struct err e;
    size_t taken = 0;

    buf_init(&text, PUBLISHED_TEXT_BYTES_MAX);
    cr_assert_eq(fs_read_file(files[0], &text, &e), ERR_OK);
    for (size_t at = 0; at < text.length; at++) {
        struct published *published = NULL;
        struct edge_buf edge;

        edge_buf_init(&edge, text.bytes, at);
        /* The last byte is a line feed: without it the file is whole. */
        cr_expect_eq(published_parse("p.json", edge.bytes, at, &published, &e) == ERR_OK,
                     at + 1 == text.length, "cut at %zu", at);
        edge_buf_release(&edge);
        published_free(published);
        published = NULL;
        text.bytes[at] ^= 1;
        taken += published_parse("p.json", text.bytes, text.length, &published, &e) == ERR_OK;
        text.bytes[at] ^= 1;
        published_free(published);
    }
    cr_expect(taken > 0 && taken < text.length); /* in a text; in a key */
    buf_release(&text);
}

Test(published, numbers_keep_their_unit_their_bound_and_their_digits)
{
    struct published *published = load(files[2]);
    const struct published_value *values = published->figures[0].values;

    /* 698.32 us; 781.92 MiB = 781.92 x 1048576 B; half of the last digit: 0.005 of each unit */
    cr_expect_float_eq(values[PUBLISHED_LATENCY_STDEV].value, 698320, 1e-6);
    cr_expect_float_eq(values[PUBLISHED_LATENCY_STDEV].half_unit, 5, 1e-9);
    cr_expect_float_eq(values[PUBLISHED_BYTES].value, 819902545.92, 1e-3);
    cr_expect_float_eq(values[PUBLISHED_BYTES].half_unit, 5242.88, 1e-6);
    cr_expect_float_eq(values[PUBLISHED_REQUESTS].half_unit, 0.5, 1e-12);
    cr_expect_float_eq(values[PUBLISHED_THREAD_RATE_MEAN].half_unit, 5, 1e-12); /* 9590 */
    cr_expect(isnan(values[PUBLISHED_RSS].value));
    published_free(published);

    published = load(files[1]);
    const struct published_figure *flood = published_find(published, 2, 4);

    cr_expect_eq(flood->values[PUBLISHED_RSS].bound, PUBLISHED_ABOUT);
    cr_expect_float_eq(flood->values[PUBLISHED_RSS].value, 4.7 * 1073741824, 1e-3);
    cr_expect_eq(published_find(published, 0, 4)->values[PUBLISHED_RSS].bound, PUBLISHED_UNDER);
    cr_expect_null(published_find(published, 1, 4));
    published_free(published);
}

/* --- rules --- */

static const struct published_check *find(const struct published_analysis *analysis,
                                          const char *engine, enum published_check_kind kind)
{
    for (size_t i = 0; i < analysis->check_count; i++) {
        const struct published_check *check = &analysis->checks[i];
        size_t figure = check->figure_index;
        const char *name =
            figure == SIZE_MAX
                ? ""
                : analysis->published->engines[analysis->published->figures[figure].engine_index]
                      .name;

        if (check->kind == kind && strcmp(name, engine) == 0) {
            return check;
        }
    }
    return NULL;
}

struct expectation {
    const char *engine; /* "": of the workload */
    enum published_check_kind kind;
    enum published_outcome outcome;
    double value;
};

static void expect(const struct published_analysis *analysis, const struct expectation *rows,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct published_check *check = find(analysis, rows[i].engine, rows[i].kind);

        cr_assert_not_null(check, "%s: no check %s", rows[i].engine,
                           published_check_names[rows[i].kind]);
        cr_expect_eq(check->outcome, rows[i].outcome, "%s: %s is %s", rows[i].engine,
                     published_check_names[rows[i].kind], published_outcome_names[check->outcome]);
        cr_expect_float_eq(check->value, rows[i].value, fabs(rows[i].value) * 1e-4 + 1e-9,
                           "%s: %s: %.9g", rows[i].engine, published_check_names[rows[i].kind],
                           check->value);
    }
}

Test(published, the_articles_say_on_their_own_what_a_careful_reader_notices)
{
    static const struct expectation dext[] = {
        /* 19900 x 0.00627 = 124.773 of 125; 200674.63 / 19900 = 10.08415 */
        {"Dext/Epoll", PUBLISHED_CHECK_LITTLE, PUBLISHED_CONSISTENT, 124.773},
        {"Dext/Epoll", PUBLISHED_CHECK_PEAK, PUBLISHED_SUSPECT, 10.08415},
        {"", PUBLISHED_CHECK_REPEATED, PUBLISHED_NOTED, 0},
    };
    static const struct expectation wrk[] = {
        /* 4477.74 x 0.022 = 98.51028 of 400; 190629.72 x 0.00211 = 402.2287; 98170.39 x 0.00411 =
         * 403.4803; 54393.35 x 0.00742 = 403.5987 */
        {"Flask + waitress", PUBLISHED_CHECK_LITTLE, PUBLISHED_SUSPECT, 98.51028},
        {"mORMot 2", PUBLISHED_CHECK_LITTLE, PUBLISHED_CONSISTENT, 402.2287},
        {"Brook", PUBLISHED_CHECK_LITTLE, PUBLISHED_CONSISTENT, 403.4803},
        {"Node http", PUBLISHED_CHECK_LITTLE, PUBLISHED_CONSISTENT, 403.5987},
        /* 134779 / 30.10 = 4477.708; 20 x 754.90 = 15098 against 4477.74 */
        {"Flask + waitress", PUBLISHED_CHECK_TOTAL, PUBLISHED_CONSISTENT, 4477.708},
        {"Flask + waitress", PUBLISHED_CHECK_THREADS, PUBLISHED_SUSPECT, 15098},
        {"Node http", PUBLISHED_CHECK_THREADS, PUBLISHED_CONSISTENT, 54600},
        /* 240.29 x 1048576 / 30.08 = 8376428 */
        {"Node http", PUBLISHED_CHECK_TRANSFER, PUBLISHED_CONSISTENT, 8376428},
        {"Brook", PUBLISHED_CHECK_DURATION, PUBLISHED_CONSISTENT, 30.07},
        {"Brook", PUBLISHED_CHECK_SPREAD, PUBLISHED_CONSISTENT, 1.61e6},
        {"", PUBLISHED_CHECK_REPEATED, PUBLISHED_NOTED, 1},
        /* 363.20 x 1048576 / 2952298 = 129.0 bytes to 240.29 x 1048576 / 1636125 = 154.0 */
        {"", PUBLISHED_CHECK_SIZE, PUBLISHED_NOTED, 129.0},
    };
    struct published *published = load(files[0]);
    struct published_analysis analysis = analyse(published);

    expect(&analysis, dext, ARRAY_COUNT(dext));
    cr_expect_str_eq(published_word(&analysis), "QUESTIONABLE");
    published_analysis_release(&analysis);
    published_free(published);
    published = load(files[2]);
    analysis = analyse(published);
    expect(&analysis, wrk, ARRAY_COUNT(wrk));
    cr_expect_float_eq(find(&analysis, "", PUBLISHED_CHECK_SIZE)->want, 154.0, 0.1);
    cr_expect_null(find(&analysis, "mORMot 2", PUBLISHED_CHECK_PEAK));
    cr_expect_str_eq(published_word(&analysis), "QUESTIONABLE");
    published_analysis_release(&analysis);
    published_free(published);
    published = load(files[1]);
    analysis = analyse(published);
    cr_expect_str_eq(published_word(&analysis), "PLAUSIBLE");
    published_analysis_release(&analysis);
    published_free(published);
}

#define ONE(workload, values)                                                                      \
    HEAD("", "{\"name\": \"a\"}", "{\"name\": \"w\"" workload "}")                                 \
    "\"figures\": [{\"engine\": \"a\", \"workload\": \"w\"" values "}]}"
#define OF_100(values) ONE(", \"connections\": 100, \"duration_s\": 10", values)

/* One figure each; a kind of COUNT: the rule must be silent. */
static const struct {
    const char *text;
    enum published_check_kind kind;
    bool is_made;
    enum published_outcome outcome;
} rules[] = {
    /* Little: 1000 x 0.097 = 97.0 is 3 % off; the digits published leave half a unit each */
    {OF_100(", \"requests_per_s\": 1000.01, \"latency_mean_ms\": 97.001"), PUBLISHED_CHECK_LITTLE,
     true, PUBLISHED_CONSISTENT},
    {OF_100(", \"requests_per_s\": 1000.01, \"latency_mean_ms\": 96.901"), PUBLISHED_CHECK_LITTLE,
     true, PUBLISHED_SUSPECT},
    {OF_100(", \"requests_per_s\": 1000.01, \"latency_mean_ms\": 103.101"), PUBLISHED_CHECK_LITTLE,
     true, PUBLISHED_NOTED},
    /* A32's note: 79070 x 19.23 ms = 1521 of 200: the tool's mean is corrected, no rejection */
    {ONE(", \"connections\": 200", ", \"requests_per_s\": 79070, \"latency_mean_ms\": 19.23"),
     PUBLISHED_CHECK_LITTLE, true, PUBLISHED_NOTED},
    {ONE(", \"connections\": 100, \"pipeline\": 2",
         ", \"requests_per_s\": 1000.01, \"latency_mean_ms\": 200.01"),
     PUBLISHED_CHECK_LITTLE, true, PUBLISHED_CONSISTENT},
    {ONE(", \"connections\": 100, \"rate_per_s\": 500",
         ", \"requests_per_s\": 500.1, \"latency_mean_ms\": 20.1"),
     PUBLISHED_CHECK_LITTLE, false, 0},
    {ONE(", \"connections\": 100, \"requests_per_connection\": 1",
         ", \"requests_per_s\": 500.1, \"latency_mean_ms\": 20.1"),
     PUBLISHED_CHECK_LITTLE, false, 0},
    {ONE("", ", \"requests_per_s\": 1000.1, \"latency_mean_ms\": 20.1"), PUBLISHED_CHECK_LITTLE,
     false, 0},
    {OF_100(", \"requests_per_s\": {\"over\": 1000}, \"latency_mean_ms\": 20.1"),
     PUBLISHED_CHECK_LITTLE, false, 0},
    {OF_100(", \"requests_per_s\": 1000.1, \"latency_mean_ms\": 20.1, \"request_count\": 10000, "
            "\"error_count\": 11"),
     PUBLISHED_CHECK_LITTLE, false, 0},
    /* A32: 512 / 148906 = 3.438 ms, above p99 = 2.19 ms */
    {ONE(", \"connections\": 512", ", \"requests_per_s\": 148906, \"latency_p50_ms\": 1.19, "
                                   "\"latency_p99_ms\": 2.19"),
     PUBLISHED_CHECK_LOADED, true, PUBLISHED_SUSPECT},
    {ONE(", \"connections\": 512", ", \"requests_per_s\": 148906, \"latency_p99_ms\": 3.44"),
     PUBLISHED_CHECK_LOADED, true, PUBLISHED_CONSISTENT},
    /* 0.99 x 2.19 + 0.01 x 200 = 4.17 ms: a maximum of 200 ms explains it */
    {ONE(", \"connections\": 512", ", \"requests_per_s\": 148906, \"latency_p99_ms\": 2.19, "
                                   "\"latency_max_ms\": 200.1"),
     PUBLISHED_CHECK_LOADED, true, PUBLISHED_CONSISTENT},
    {OF_100(", \"requests_per_s\": 1000, \"requests_per_s_max\": 1500"), PUBLISHED_CHECK_PEAK, true,
     PUBLISHED_CONSISTENT},
    {OF_100(", \"requests_per_s\": 1000, \"requests_per_s_max\": 1501"), PUBLISHED_CHECK_PEAK, true,
     PUBLISHED_SUSPECT},
    /* totals: 1 % of 1000.01/s */
    {OF_100(", \"requests_per_s\": 1000.01, \"request_count\": 10099, \"duration_s\": 10.001"),
     PUBLISHED_CHECK_TOTAL, true, PUBLISHED_CONSISTENT},
    {OF_100(", \"requests_per_s\": 1000.01, \"request_count\": 10113, \"duration_s\": 10.001"),
     PUBLISHED_CHECK_TOTAL, true, PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"transfer_mib\": 101.03, \"transfer_kib_per_s\": 9999.9, \"duration_s\": 10.001"),
     PUBLISHED_CHECK_TRANSFER, true, PUBLISHED_IMPOSSIBLE},
    /* A26: 833071 requests "in 1.25 ms" of 5 s: the totals agree, the duration does not */
    {ONE(", \"duration_s\": 5", ", \"requests_per_s\": 663801593.63, \"request_count\": 833071, "
                                "\"duration_ms\": 1.255"),
     PUBLISHED_CHECK_DURATION, true, PUBLISHED_SUSPECT},
    {OF_100(", \"duration_s\": 12"), PUBLISHED_CHECK_DURATION, true, PUBLISHED_CONSISTENT},
    {OF_100(", \"duration_s\": 7.9"), PUBLISHED_CHECK_DURATION, true, PUBLISHED_SUSPECT},
    /* B03: p90 2455, p95, p99 1639; a mean above the maximum */
    {OF_100(", \"latency_p90_ms\": 2455, \"latency_p99_ms\": 1639"), PUBLISHED_CHECK_ORDER, true,
     PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_mean_ms\": 5.28, \"latency_max_ms\": 3.01"), PUBLISHED_CHECK_ORDER, true,
     PUBLISHED_IMPOSSIBLE},
    /* B03's other half: a mean above a high quantile may be right */
    {OF_100(", \"latency_mean_ms\": 5.28, \"latency_p90_ms\": 2.33, \"latency_max_ms\": 301.1"),
     PUBLISHED_CHECK_TAIL, true, PUBLISHED_CONSISTENT},
    /* 0.99 x 2.01 + 0.01 x 30.1 = 2.2909 ms at most; (1 - 0.5) x 10.1 = 5.05 ms at least */
    {OF_100(", \"latency_mean_ms\": 2.401, \"latency_p99_ms\": 2.01, \"latency_max_ms\": 30.1"),
     PUBLISHED_CHECK_TAIL, true, PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_mean_ms\": 4.91, \"latency_p50_ms\": 10.1"), PUBLISHED_CHECK_TAIL, true,
     PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_mean_ms\": 5.11, \"latency_p50_ms\": 10.1"), PUBLISHED_CHECK_TAIL, true,
     PUBLISHED_CONSISTENT},
    /* sqrt((10.1 - 2.01) x 2.01) = 4.0325 ms */
    {OF_100(", \"latency_mean_ms\": 2.01, \"latency_max_ms\": 10.1, \"latency_stdev_ms\": 4.031"),
     PUBLISHED_CHECK_SPREAD, true, PUBLISHED_CONSISTENT},
    {OF_100(", \"latency_mean_ms\": 2.01, \"latency_max_ms\": 10.1, \"latency_stdev_ms\": 4.101"),
     PUBLISHED_CHECK_SPREAD, true, PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_within_stdev_percent\": 100.1"), PUBLISHED_CHECK_WITHIN, true,
     PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_within_stdev_percent\": 100, \"latency_mean_ms\": 2.01, "
            "\"latency_stdev_ms\": 1.01, \"latency_max_ms\": 9.01"),
     PUBLISHED_CHECK_WITHIN, true, PUBLISHED_IMPOSSIBLE},
    {OF_100(", \"latency_within_stdev_percent\": 99.9"), PUBLISHED_CHECK_WITHIN, true,
     PUBLISHED_CONSISTENT},
    /* A05: 15791 of 15791; 0.1 % is allowed */
    {OF_100(", \"request_count\": 15791, \"error_count\": 15791"), PUBLISHED_CHECK_ERRORS, true,
     PUBLISHED_SUSPECT},
    {OF_100(", \"request_count\": 10000, \"error_count\": 10"), PUBLISHED_CHECK_ERRORS, true,
     PUBLISHED_NOTED},
    {OF_100(", \"request_count\": 10000, \"error_count\": 0"), PUBLISHED_CHECK_ERRORS, true,
     PUBLISHED_CONSISTENT},
    /* however few they are of the requests: fewer connections than were asked for */
    {OF_100(", \"request_count\": 10000000, \"error_count\": 302, \"connect_error_count\": 302"),
     PUBLISHED_CHECK_CONNECTS, true, PUBLISHED_SUSPECT},
    {OF_100(", \"request_count\": 10000000, \"connect_error_count\": 0"), PUBLISHED_CHECK_CONNECTS,
     true, PUBLISHED_CONSISTENT},
    {OF_100(", \"request_count\": 10000000, \"error_count\": 302"), PUBLISHED_CHECK_CONNECTS, false,
     0},
    /* what got no answer is beyond the answered ones */
    {OF_100(", \"request_count\": 10, \"error_count\": 11"), PUBLISHED_CHECK_ERRORS, true,
     PUBLISHED_SUSPECT},
    /* A04 */
    {OF_100(", \"request_count\": 0, \"requests_per_s\": 0, \"duration_s\": 3.03"),
     PUBLISHED_CHECK_NOTHING, true, PUBLISHED_SUSPECT},
    {OF_100(", \"request_count\": 1, \"requests_per_s\": 0.33"), PUBLISHED_CHECK_NOTHING, false, 0},
};

Test(published, each_rule_has_its_limit)
{
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        struct published *published = parse(rules[i].text);
        struct published_analysis analysis = analyse(published);
        const struct published_check *check = find(&analysis, "a", rules[i].kind);

        cr_expect_eq(check != NULL, rules[i].is_made, "row %zu", i);
        if (check) {
            cr_expect_eq(check->outcome, rules[i].outcome, "row %zu: %s, %.6g against %.6g", i,
                         published_outcome_names[check->outcome], check->value, check->want);
        }
        published_analysis_release(&analysis);
        published_free(published);
    }
}

/* A32's second rule: ten engines within 1.5 % of the best. */
Test(published, many_engines_at_one_rate_are_the_load_generator)
{
    for (int spread = 0; spread < 2; spread++) {
        char engines[1024] = "", figures[2048] = "", text[4096];

        for (int i = 0; i < 10; i++) {
            /* 96.1 k to 97.5 k: 1.4 %; then with 95.9 k as the lowest: 1.64 % */
            double rate = i == 0 && spread ? 95900 : 96100 + i * 1400.0 / 9;

            snprintf(engines + strlen(engines), sizeof(engines) - strlen(engines),
                     "%s{\"name\": \"e%d\"}", i ? "," : "", i);
            snprintf(figures + strlen(figures), sizeof(figures) - strlen(figures),
                     "%s{\"engine\": \"e%d\", \"workload\": \"w\", \"requests_per_s\": %.1f}",
                     i ? "," : "", i, rate);
        }
        snprintf(text, sizeof(text), HEAD("", "%s", "{\"name\": \"w\"}") "\"figures\": [%s]}",
                 engines, figures);
        struct published *published = parse(text);
        struct published_analysis analysis = analyse(published);

        cr_expect_eq(find(&analysis, "", PUBLISHED_CHECK_CLUSTER) != NULL, !spread);
        published_analysis_release(&analysis);
        published_free(published);
    }
}

/* --- claims --- */

Test(published, claims_are_held_against_the_articles_own_numbers)
{
    static const struct {
        size_t file;
        const char *id;
        enum published_claim_word word;
        double own;
    } rows[] = {
        {0, "D1", PUBLISHED_CLAIM_NO_NUMBERS, NAN}, /* Indy's rate is not published */
        {0, "D2", PUBLISHED_CLAIM_AGREES, NAN},     /* 42 ms against over 3.6 s */
        {0, "D3", PUBLISHED_CLAIM_AGREES, 200674.63}, {0, "D4", PUBLISHED_CLAIM_NO_NUMBERS, NAN},
        {1, "M1", PUBLISHED_CLAIM_AGREES, 1.265377}, /* 112592 / 88979, 27 % to two digits */
        {1, "M2", PUBLISHED_CLAIM_AGREES, 1.324549}, /* 117857 / 88979 */
        {1, "M3", PUBLISHED_CLAIM_AGREES, 5.861764}, /* 48934 / 8348 */
        {1, "M4", PUBLISHED_CLAIM_AGREES, 2.638243}, /* 13273 / 5031 */
        {2, "W1", PUBLISHED_CLAIM_MORE, 3.504651},   /* 190629.72 / 54393.35 against 3 */
        {2, "W2", PUBLISHED_CLAIM_AGREES, 1.941825}, /* 190629.72 / 98170.39 against 2 */
        {2, "W3a", PUBLISHED_CLAIM_AGREES, NAN},      {2, "W3b", PUBLISHED_CLAIM_AGREES, NAN},
        {2, "W3c", PUBLISHED_CLAIM_AGREES, NAN},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct published *published = load(files[rows[i].file]);
        struct published_analysis analysis = analyse(published);
        size_t at = 0;

        while (at < published->claim_count && strcmp(published->claims[at].id, rows[i].id) != 0) {
            at++;
        }
        cr_assert_lt(at, published->claim_count, "%s", rows[i].id);
        cr_expect_eq(analysis.claims[at].word, rows[i].word, "%s: %s", rows[i].id,
                     published_claim_words[analysis.claims[at].word]);
        cr_expect(isnan(rows[i].own) ? isnan(analysis.claims[at].own)
                                     : fabs(analysis.claims[at].own / rows[i].own - 1) < 1e-6,
                  "%s: %.9g", rows[i].id, analysis.claims[at].own);
        published_analysis_release(&analysis);
        published_free(published);
    }
}

#define TWO(claim)                                                                                 \
    BASE "\"figures\": [{\"engine\": \"a\", \"workload\": \"w\", \"requests_per_s\": 101, "        \
         "\"latency_max_ms\": {\"over\": 50}}, {\"engine\": \"b\", \"workload\": \"w\", "          \
         "\"requests_per_s\": 202, \"latency_max_ms\": 40}], \"claims\": [{\"id\": \"c\", "        \
         "\"text\": \"t\", \"workload\": \"w\", " claim "}]}"

Test(published, a_claim_may_say_less_more_another_order_or_what_nobody_can_tell)
{
    static const struct {
        const char *text;
        enum published_claim_word word;
        const char *whole; /* of the file */
    } rows[] = {
        {TWO("\"metric\": \"requests_per_s\", \"of\": \"b\", \"over\": \"a\", \"says\": 3.1"),
         PUBLISHED_CLAIM_LESS, "QUESTIONABLE"},
        {TWO("\"metric\": \"requests_per_s\", \"of\": \"b\", \"over\": \"a\", \"says\": 1.5"),
         PUBLISHED_CLAIM_MORE, "PLAUSIBLE"},
        {TWO("\"metric\": \"requests_per_s\", \"of\": \"b\", \"over\": \"a\", \"says\": "
             "{\"over\": 1.5}"),
         PUBLISHED_CLAIM_AGREES, "PLAUSIBLE"},
        {TWO("\"metric\": \"requests_per_s\", \"of\": \"b\", \"over\": \"a\", \"says\": "
             "{\"under\": 1.5}"),
         PUBLISHED_CLAIM_MORE, "PLAUSIBLE"},
        {TWO("\"metric\": \"requests_per_s\", \"order\": [\"a\", \"b\"]"),
         PUBLISHED_CLAIM_DISAGREES, "QUESTIONABLE"},
        {TWO("\"metric\": \"requests_per_s\", \"order\": [\"b\", \"a\"]"), PUBLISHED_CLAIM_AGREES,
         "PLAUSIBLE"},
        {TWO("\"metric\": \"latency_max_ms\", \"order\": [\"b\", \"a\"]"), PUBLISHED_CLAIM_AGREES,
         "PLAUSIBLE"},
        {TWO("\"metric\": \"latency_max_ms\", \"of\": \"a\", \"says\": 70"), PUBLISHED_CLAIM_AGREES,
         "PLAUSIBLE"}, /* "over 50" may be 70 */
        {TWO("\"metric\": \"rss_mib\", \"of\": \"a\", \"says\": 70"), PUBLISHED_CLAIM_NO_NUMBERS,
         "NOT CHECKABLE"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct published *published = parse(rows[i].text);
        struct published_analysis analysis = analyse(published);

        cr_expect_eq(analysis.claims[0].word, rows[i].word, "row %zu: %s", i,
                     published_claim_words[analysis.claims[0].word]);
        cr_expect_str_eq(published_word(&analysis), rows[i].whole, "row %zu", i);
        published_analysis_release(&analysis);
        published_free(published);
    }
}
