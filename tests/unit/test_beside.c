// SPDX-License-Identifier: Apache-2.0
// Published numbers beside those of a session: who stands for whom, and where a published ratio
// lies.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/judge/beside.h"
#include "tests/support/results_builder.h"
#include "tests/support/session_fixture.h"

TestSuite(beside, .init = session_folder_make, .fini = session_folder_remove);

/* epoll stands for X, blocking for itself; Z has nobody. */
#define FILE_OF(rate, connections)                                                                 \
    "{\"format\": \"tachograph-published-1\", \"title\": \"t\", \"source\": \"s\", "               \
    "\"conditions\": {}, \"engines\": [{\"name\": \"X\", \"stand_in\": \"epoll\"}, {\"name\": "    \
    "\"blocking\"}, {\"name\": \"Z\"}], \"workloads\": [{\"name\": \"pong\", \"stand_in\": "       \
    "\"ping\", \"connections\": " connections "}], \"figures\": ["                                 \
    "{\"engine\": \"X\", \"workload\": \"pong\", \"requests_per_s\": " rate                        \
    ", \"latency_mean_ms\": 2.5, \"latency_max_s\": {\"over\": 1}, \"error_count\": 3, "           \
    "\"rss_mib\": 4, \"thread_count\": 2},"                                                        \
    "{\"engine\": \"blocking\", \"workload\": \"pong\", \"requests_per_s\": 1000, \"rss_mib\": "   \
    "{\"under\": 9}},"                                                                             \
    "{\"engine\": \"Z\", \"workload\": \"pong\", \"requests_per_s\": 7}]}"

static struct published *parse(const char *text)
{
    struct published *published = NULL;
    struct err e;

    cr_assert_eq(published_parse("p.json", text, strlen(text), &published, &e), ERR_OK, "%s",
                 e.text);
    return published;
}

static struct beside make(const struct analysis *analysis, const struct published *published)
{
    struct beside beside;
    struct err e;

    cr_assert_eq(beside_make(analysis, published, &beside, &e), ERR_OK, "%s", e.text);
    return beside;
}

Test(beside, a_figure_meets_what_was_measured_of_its_stand_in)
{
    struct results *results = session_build(&(struct results_builder){0});
    struct analysis *analysis = session_analyse(results);
    struct published *published = parse(FILE_OF("1700", "125"));
    struct beside beside = make(analysis, published);
    const struct analysis_row *epoll = analysis_find_row(analysis, "epoll");

    cr_expect_eq(beside_find_row(analysis, published, &published->figures[0]), epoll);
    cr_expect_eq(beside_find_row(analysis, published, &published->figures[1]),
                 analysis_find_row(analysis, "blocking"));
    cr_expect_null(beside_find_row(analysis, published, &published->figures[2]));
    /* X: rate, mean, max, memory, threads, not errors; blocking: rate, memory */
    cr_assert_eq(beside.value_count, 7);
    cr_expect_eq(beside.values[0].metric, PUBLISHED_RATE);
    cr_expect_eq(beside.values[0].measured.value, epoll->ok_per_s.value);
    cr_expect_eq(beside.values[0].measured.low, epoll->ok_per_s.low);
    cr_expect_eq(beside.values[1].metric, PUBLISHED_LATENCY_MEAN);
    cr_expect_eq(beside.values[1].measured.count, 6);
    /* Little's law: 125 connections over the rate, within 1 % */
    cr_expect_float_eq(beside.values[1].measured.value, 125e9 / epoll->ok_per_s.value,
                       0.01 * 125e9 / epoll->ok_per_s.value);
    cr_expect_eq(beside.values[2].metric, PUBLISHED_LATENCY_MAX);
    cr_expect_eq(beside.values[2].measured.value, (double)epoll->latency_max_ns);
    cr_expect_eq(beside.values[2].measured.count, 0);
    cr_expect_eq(beside.values[3].metric, PUBLISHED_RSS);
    cr_expect_eq(beside.values[3].measured.value, (double)epoll->rss_kib_peak * 1024);
    beside_release(&beside);
    published_free(published);
    session_discard(analysis, results);
}

/* The session's ratio is about 52000 / 31000 = 1.68, the verdicts' own over the same blocks. */
Test(beside, a_published_ratio_lies_within_above_or_below_the_measured_interval)
{
    static const struct {
        const char *text;
        unsigned faults;
        uint32_t block_count;
        enum beside_place place;
    } rows[] = {
        {FILE_OF("1900", "125"), 0, 0, BESIDE_ABOVE},
        {FILE_OF("1500", "125"), 0, 0, BESIDE_BELOW},
        {FILE_OF("1900", "125"), 0, 5, BESIDE_UNTOLD}, /* fewer than 6 blocks */
        {FILE_OF("1900", "125"), RESULTS_BUILDER_FOREIGN_CPU, 0, BESIDE_UNTOLD},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results = session_build(&(struct results_builder){
            .faults = rows[i].faults, .block_count = rows[i].block_count});
        struct analysis *analysis = session_analyse(results);
        struct published *published = parse(rows[i].text);
        struct beside beside = make(analysis, published);

        if (rows[i].faults) { /* no trial counts: nothing to stand beside */
            cr_expect_eq(beside.ratio_count, 0, "row %zu", i);
        } else {
            /* blocking's memory is only a bound: the rates alone make a ratio */
            cr_assert_eq(beside.ratio_count, 1, "row %zu: %zu", i, beside.ratio_count);
            cr_expect_eq(beside.ratios[0].metric, PUBLISHED_RATE);
            cr_expect_eq(beside.ratios[0].place, rows[i].place, "row %zu: %s", i,
                         beside_place_words[beside.ratios[0].place]);
            cr_expect_eq(beside.ratios[0].measured.value,
                         analysis_find_row(analysis, "epoll")->ratio.value);
        }
        if (i == 0) { /* the middle of the interval, published with all its digits, is within */
            char text[1200];

            snprintf(text, sizeof(text), FILE_OF("%.3f", "125"),
                     1000 * beside.ratios[0].measured.value);
            struct published *same = parse(text);
            struct beside within = make(analysis, same);

            cr_expect_eq(within.ratios[0].place, BESIDE_WITHIN);
            beside_release(&within);
            published_free(same);
        }
        beside_release(&beside);
        published_free(published);
        session_discard(analysis, results);
    }
}

Test(beside, the_cell_with_the_nearest_number_of_connections_stands_for_a_workload)
{
    static const struct {
        const char *text;
        int64_t connections;
    } rows[] = {{FILE_OF("1", "125"), 125},
                {FILE_OF("1", "64"), 64},
                {FILE_OF("1", "90"), 64},
                {FILE_OF("1", "2048"), 125}};
    struct results *results =
        session_build(&(struct results_builder){.connection_counts = {64, 125}});
    struct analysis *analysis = session_analyse(results);

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct published *published = parse(rows[i].text);
        const struct analysis_row *row =
            beside_find_row(analysis, published, &published->figures[0]);

        cr_assert_not_null(row);
        cr_expect_eq(results->cells[row->cell_index].connection_count, rows[i].connections,
                     "row %zu", i);
        published_free(published);
    }
    session_discard(analysis, results);
}
