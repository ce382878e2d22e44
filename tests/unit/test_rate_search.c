// SPDX-License-Identifier: Apache-2.0
// The search for the highest rate: what it reads, how a step is judged, which rate comes next.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/clock.h"
#include "report/drive/rate_search.h"
#include "report/drive/rate_text.h"
#include "tests/support/prop.h"

#define MS CLOCK_NS_PER_MS

Test(rate_search, reads_a_goal_and_nothing_else)
{
    static const struct {
        const char *text;
        double share;
        int64_t limit_ns;
    } rows[] = {{"p99<5ms", 0.99, 5 * MS},
                {"p50<250us", 0.5, 250 * CLOCK_NS_PER_US},
                {"p99.9<1s", 0.999, 1000 * MS},
                {"p0.5<1.5ms", 0.005, 1500 * CLOCK_NS_PER_US}};
    static const char *const wrong[] = {"",         "p99",      "p99<",     "99<5ms",  "p<5ms",
                                        "p99<5",    "p99<=5ms", "p100<5ms", "p0<5ms",  "p99<0s",
                                        "p99 <5ms", "p-1<5ms",  "pnan<5ms", "p99<-1s", "p9x<5ms",
                                        "p99<5msx", "pinf<5ms", "p+9<5ms",  "max<5ms", "p99>5ms"};
    struct rate_goal goal;
    struct err e = {0};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_assert_eq(rate_goal_parse(rows[i].text, &goal, &e), ERR_OK, "%s", e.text);
        cr_expect_float_eq(goal.share, rows[i].share, 1e-12);
        cr_expect_eq(goal.limit_ns, rows[i].limit_ns, "%s", rows[i].text);
        cr_expect_str_eq(goal.text, rows[i].text);
    }
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        cr_expect_eq(rate_goal_parse(wrong[i], &goal, &e), ERR_USAGE, "%s", wrong[i]);
    }
    cr_expect_str_eq(goal.text, "p0.5<1.5ms"); /* untouched since */
}

static void tell(struct rate_search *search, enum rate_verdict verdict)
{
    struct rate_step step = {.rate_per_s = search->next_per_s, .verdict = verdict};

    rate_search_tell(search, &step);
}

/* A server that keeps its bound up to `limit` per second. */
static void search_server(struct rate_search *search, uint32_t first, uint32_t limit)
{
    rate_search_begin(search, first);
    while (search->end == RATE_SEARCHING) {
        tell(search, search->next_per_s <= limit ? RATE_PASSED : RATE_FAILED);
    }
}

/* By hand: 100, 200, 400 pass; 800 fails twice; sqrt(400·800) = 566, sqrt(566·800) = 673, 734, 766
 * pass; 800 / 766 = 1.044 <= 1.05 */
Test(rate_search, doubles_and_then_halves_the_ratio)
{
    static const uint32_t want[] = {100, 200, 400, 800, 800, 566, 673, 734, 766};
    struct rate_search search;

    search_server(&search, 100, 790);
    cr_assert_eq(search.step_count, ARRAY_COUNT(want));
    for (size_t i = 0; i < ARRAY_COUNT(want); i++) {
        cr_expect_eq(search.steps[i].rate_per_s, want[i]);
    }
    cr_expect_eq(search.end, RATE_FOUND);
    cr_expect_eq(search.passed_per_s, 766);
    cr_expect_eq(search.failed_per_s, 800);
}

Test(rate_search, ends_between_what_passes_and_what_fails_wherever_it_begins)
{
    struct rate_search search;

    for_each_case(rng, 2000, 11)
    {
        uint32_t limit = 1 + (uint32_t)(rng_next(&rng) % (1U << (1 + rng_next(&rng) % 23)));
        uint32_t first = 1 + (uint32_t)(rng_next(&rng) % (1U << (1 + rng_next(&rng) % 23)));

        search_server(&search, first, limit);
        cr_assert_eq(search.end, RATE_FOUND, "seed %lu: %u of %u", prop_case_seed, first, limit);
        cr_assert_leq(search.passed_per_s, limit);
        cr_assert_gt(search.failed_per_s, limit);
        cr_assert(search.failed_per_s <= search.passed_per_s * 1.05 ||
                      search.failed_per_s == search.passed_per_s + 1,
                  "seed %lu: %u and %u", prop_case_seed, search.passed_per_s, search.failed_per_s);
    }
}

Test(rate_search, has_a_word_for_each_end)
{
    struct rate_search search;

    search_server(&search, 8, 0);
    cr_expect_eq(search.end, RATE_NONE);
    cr_expect_eq(search.passed_per_s, 0);
    search_server(&search, 1000, UINT32_MAX);
    cr_expect_eq(search.end, RATE_ABOVE_HIGHEST);
    cr_expect_eq(search.passed_per_s, RATE_HIGHEST);

    rate_search_begin(&search, 1000); /* the driver is late at 4000, twice */
    tell(&search, RATE_PASSED);
    tell(&search, RATE_PASSED);
    tell(&search, RATE_DRIVER_LIMITED);
    cr_expect_eq(search.next_per_s, 4000);
    tell(&search, RATE_DRIVER_LIMITED);
    cr_expect_eq(search.end, RATE_ABOVE_DRIVER);
    cr_expect_eq(search.passed_per_s, 2000);
    cr_expect_eq(search.failed_per_s, 0);

    rate_search_begin(&search, 1000); /* one hiccup is no limit */
    tell(&search, RATE_FAILED);
    tell(&search, RATE_PASSED);
    cr_expect_eq(search.end, RATE_SEARCHING);
    cr_expect_eq(search.next_per_s, 2000);
}

/* A window of so many right answers of 1 ms and of 100 ms, wrong ones, and requests never sent. */
static struct rate_step step_of(int fast, int slow, int wrong, int64_t backlog, int64_t lag_ns)
{
    static struct drive_result result;
    static struct driver_config config = {.arrivals = {.rate_per_s = 1000}};
    static const struct drive_setup setup = {.config = &config};
    struct rate_goal goal;
    struct rate_step step;

    memset(&result, 0, sizeof(result));
    cr_assert_eq(rate_goal_parse("p90<5ms", &goal, NULL), ERR_OK);
    result.setup = &setup;
    result.window[METRIC_ok_count] = fast + slow;
    result.window[METRIC_http_error_count] = wrong;
    result.backlog_count = backlog;
    for (int i = 0; i < fast + slow; i++) {
        histogram_record(&result.latency, i < fast ? MS : 100 * MS);
    }
    for (int i = 0; i < 200; i++) {
        histogram_record(&result.lag, lag_ns);
    }
    rate_step_judge(&result, &goal, &step);
    return step;
}

/* Of 100 that were due, 90 right and in time keep p90 < 5 ms, whatever became of the others. */
Test(rate_search, a_step_is_judged_by_all_that_was_due)
{
    static const struct {
        int fast, slow, wrong;
        int64_t backlog, lag_ns;
        enum rate_verdict want;
    } rows[] = {
        {90, 10, 0, 0, 1000, RATE_PASSED},       {89, 11, 0, 0, 1000, RATE_FAILED},
        {90, 0, 10, 0, 1000, RATE_PASSED},       {89, 0, 11, 0, 1000, RATE_FAILED},
        {90, 0, 0, 10, 1000, RATE_PASSED},       {90, 0, 0, 11, 1000, RATE_FAILED},
        {0, 0, 0, 0, 1000, RATE_FAILED},         {0, 0, 100, 0, 1000, RATE_FAILED},
        {89, 11, 0, 0, MS, RATE_DRIVER_LIMITED}, {90, 10, 0, 0, MS, RATE_PASSED},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct rate_step step =
            step_of(rows[i].fast, rows[i].slow, rows[i].wrong, rows[i].backlog, rows[i].lag_ns);
        cr_expect_eq(step.verdict, rows[i].want, "row %zu", i);
        cr_expect_eq(step.within_count, rows[i].fast);
        cr_expect_eq(step.rate_per_s, 1000);
    }
}

Test(rate_search, tells_what_was_found)
{
    static const struct {
        uint32_t limit;
        const char *want;
    } rows[] = {{790, "p99<5ms up to 766/s, no more at 800/s"},
                {0, "p99<5ms at no rate"},
                {UINT32_MAX, "p99<5ms at 10000000/s, the highest rate that is tried"}};
    static struct driver_config config = {.connection_count = 7, .grid = {.window_ns = 500 * MS}};
    static const struct drive_request asked = {.weight = 1, .method = "GET", .path = "/"};
    const struct drive_setup setup = {.url = "http://h/",
                                      .requests = &asked,
                                      .request_count = 1,
                                      .program_version = "0",
                                      .config = &config};
    struct rate_search search;
    struct rate_goal goal;
    struct buf out;
    struct err e = {0};

    buf_init(&out, 1 << 20);
    cr_assert_eq(rate_goal_parse("p99<5ms", &goal, NULL), ERR_OK);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        search_server(&search, 100, rows[i].limit);
        buf_clear(&out);
        rate_text_end(&search, &goal, &out);
        cr_expect_not_null(strstr(out.bytes, rows[i].want), "%s", out.bytes);
    }
    search_server(&search, 1, 0);
    buf_clear(&out);
    cr_assert_eq(rate_json_render(&setup, &goal, &search, &out, &e), ERR_OK, "%s", e.text);
    cr_expect_not_null(strstr(out.bytes, "\"end\": \"none\",\n  \"passed_per_s\": null,\n  "
                                         "\"failed_per_s\": 1,"),
                       "%s", out.bytes);
    buf_release(&out);
}
