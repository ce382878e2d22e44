// SPDX-License-Identifier: Apache-2.0
// Time as text, and the machine's clock.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"

/* Expected values: GNU date -u -d @SECONDS +%FT%TZ. */
Test(clock, writes_utc)
{
    static const struct {
        int64_t wall_ns;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00Z"},
        {INT64_C(784111777) * CLOCK_NS_PER_S, "1994-11-06T08:49:37Z"},
        {INT64_C(951782400) * CLOCK_NS_PER_S, "2000-02-29T00:00:00Z"},
        {INT64_C(1709251199) * CLOCK_NS_PER_S + 999999999, "2024-02-29T23:59:59Z"},
        /* B20: date -u -d @…; in London both were 01:30 on 30 October, and 27 March had no 01:30 */
        {INT64_C(1667089800) * CLOCK_NS_PER_S, "2022-10-30T00:30:00Z"},
        {INT64_C(1667093400) * CLOCK_NS_PER_S, "2022-10-30T01:30:00Z"},
        {INT64_C(1648344600) * CLOCK_NS_PER_S, "2022-03-27T01:30:00Z"},
        {INT64_C(4107542399) * CLOCK_NS_PER_S, "2100-02-28T23:59:59Z"},
        {INT64_C(4107542400) * CLOCK_NS_PER_S, "2100-03-01T00:00:00Z"},
    };

    setenv("TZ", "Europe/London", 1);
    tzset();
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[CLOCK_TEXT_BYTES];

        clock_format_utc(rows[i].wall_ns, text);
        cr_expect_str_eq(text, rows[i].text);
    }
}

Test(clock, never_goes_back)
{
    const struct clock *clock = clock_system();
    int64_t last_ns = clock_monotonic_ns();

    for (int i = 0; i < 10000; i++) {
        int64_t now_ns = clock_now_ns(clock);

        cr_assert_geq(now_ns, last_ns);
        last_ns = now_ns;
    }
    /* A tick is 10 ms at most (CONFIG_HZ_100). */
    int64_t coarse_ns = clock_coarse_ns();
    cr_expect_geq(coarse_ns, last_ns - 20 * CLOCK_NS_PER_MS);
    cr_expect_leq(coarse_ns, clock_monotonic_ns());
    clock->sleep_until_ns(clock->self, last_ns); /* a deadline that is over: returns at once */
    cr_expect_gt(clock_thread_cpu_ns(), 0);
    /* After 2026-01-01 and before 2100: seconds were not taken for nanoseconds. */
    int64_t wall_ns = clock->wall_ns(clock->self);
    cr_expect(wall_ns > INT64_C(1767225600) * CLOCK_NS_PER_S &&
              wall_ns < INT64_C(4102444800) * CLOCK_NS_PER_S);
}
