// SPDX-License-Identifier: Apache-2.0
// Schedules of an open loop.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "collector/driver/arrivals.h"
#include "engines/base/clock.h"

#define MS CLOCK_NS_PER_MS

/* Requests of all threads that are due before `end_ns`. */
static int64_t count_due(const struct arrivals_config *config, uint32_t thread_count,
                         int64_t end_ns)
{
    int64_t count = 0, last_ns = 0;

    for (uint32_t i = 0; i < thread_count; i++) {
        struct arrivals arrivals;
        last_ns = 0;
        for (arrivals_init(&arrivals, config, thread_count, i); arrivals.due_ns < end_ns;
             arrivals_advance(&arrivals)) {
            cr_assert_geq(arrivals.due_ns, last_ns);
            last_ns = arrivals.due_ns;
            count++;
        }
    }
    return count;
}

/* A03: the rate is that of all threads together, also when it is smaller than their number. */
Test(arrivals, gives_the_whole_rate_to_any_number_of_threads)
{
    static const struct {
        uint32_t rate_per_s, thread_count;
        int64_t seconds;
    } rows[] = {{1, 8, 3}, {3, 2, 3}, {100, 7, 2}, {1999, 16, 1}, {7, 7, 10}, {1000003, 3, 1}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct arrivals_config config = {.rate_per_s = rows[i].rate_per_s};

        /* Due before T: k / rate < T, so k = 0 … rate·T - 1. */
        cr_expect_eq(count_due(&config, rows[i].thread_count, rows[i].seconds * CLOCK_NS_PER_S),
                     rows[i].rate_per_s * rows[i].seconds, "%u/s in %u threads", rows[i].rate_per_s,
                     rows[i].thread_count);
    }
}

/* Request k is due at floor(k·10^9 / rate), exactly, after any number of steps. */
Test(arrivals, does_not_drift)
{
    const struct arrivals_config config = {.rate_per_s = 7};
    struct arrivals arrivals;

    arrivals_init(&arrivals, &config, 3, 2);
    for (int64_t k = 2; k < 300000; k += 3) {
        cr_assert_eq(arrivals.due_ns, k * CLOCK_NS_PER_S / 7, "request %ld", k);
        arrivals_advance(&arrivals);
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Gaps of one thread are exponential with mean thread_count / rate: Kolmogorov's distance of n gaps
 * from 1 - exp(-x / mean) stays below 1.95 / sqrt(n) with probability 0.999 (Smirnov's table). */
Test(arrivals, poisson_gaps_are_exponential)
{
    enum { COUNT = 20000 };
    const struct arrivals_config config = {
        .rate_per_s = 5000, .kind = ARRIVALS_POISSON, .seed = 42};
    const double mean_ns = 2e9 / 5000;
    double *gaps = malloc(COUNT * sizeof(*gaps));
    double worst = 0;
    struct arrivals arrivals;
    int64_t last_ns = 0;

    cr_assert_not_null(gaps);
    arrivals_init(&arrivals, &config, 2, 1);
    for (int i = 0; i < COUNT; i++) {
        gaps[i] = (double)(arrivals.due_ns - last_ns);
        cr_assert_geq(gaps[i], 0);
        last_ns = arrivals.due_ns;
        arrivals_advance(&arrivals);
    }
    qsort(gaps, COUNT, sizeof(*gaps), compare);
    for (int i = 0; i < COUNT; i++) {
        double distance = fabs(1 - exp(-gaps[i] / mean_ns) - (i + 0.5) / COUNT);
        worst = distance > worst ? distance : worst;
    }
    cr_expect_lt(worst, 1.95 / sqrt(COUNT), "distance %g", worst);
    free(gaps);
}

Test(arrivals, a_seed_gives_the_same_schedule_and_threads_have_their_own)
{
    const struct arrivals_config config = {.rate_per_s = 1000, .kind = ARRIVALS_POISSON, .seed = 7};
    struct arrivals first, again, other;
    int same_count = 0;

    arrivals_init(&first, &config, 2, 0);
    arrivals_init(&again, &config, 2, 0);
    arrivals_init(&other, &config, 2, 1);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(first.due_ns, again.due_ns);
        same_count += first.due_ns == other.due_ns;
        arrivals_advance(&first);
        arrivals_advance(&again);
        arrivals_advance(&other);
    }
    cr_expect_lt(same_count, 10);
}

/* A course on a warm-up of 1 s: how many are due before a time is the integral of the rate up to
 * there, which is worked out beside each row. */
Test(arrivals, along_a_course_as_many_are_due_as_the_integral_of_the_rate)
{
    static const struct {
        struct arrivals_course course;
        int64_t end_ms, count;
    } rows[] = {
        {{{100, 200, 400}, 3, false, 1000 * MS, 3000 * MS}, 1000, 100},
        {{{100, 200, 400}, 3, false, 1000 * MS, 3000 * MS}, 2500, 100 + 100 + 100},
        {{{100, 200, 400}, 3, false, 1000 * MS, 3000 * MS}, 5000, 100 + 100 + 200 + 400 + 400},
        {{{100, 500}, 2, true, 1000 * MS, 4000 * MS}, 3000, 100 + 400}, /* 2 * (100 + 300) / 2 */
        {{{100, 500}, 2, true, 1000 * MS, 4000 * MS}, 6000, 100 + 1200 + 500}, /* 4 * 300 */
        {{{500, 100}, 2, true, 1000 * MS, 4000 * MS}, 5000, 500 + 1200},
        {{{1000, 3000, 1000}, 3, true, 1000 * MS, 2000 * MS}, 3000, 1000 + 2000 + 2000},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct arrivals_config config = {.rate_per_s = rows[i].course.rates_per_s[0],
                                               .course = rows[i].course};
        for (uint32_t threads = 1; threads <= 7; threads += 3) {
            int64_t count = count_due(&config, threads, rows[i].end_ms * MS);

            /* The one that is due at the end itself may be a ns before it. */
            cr_expect(count == rows[i].count || count == rows[i].count + 1, "row %zu: %ld", i,
                      count);
        }
    }
}

/* Poisson along a ramp from 1000 to 9000/s in 4 s: of 20,000 the first half of the time has 6,000
 * and the second 14,000; a count of Poisson differs from its mean by less than 4 standard
 * deviations with a probability of 0.99994. */
Test(arrivals, poisson_follows_a_ramp)
{
    const struct arrivals_config config = {.rate_per_s = 1000,
                                           .kind = ARRIVALS_POISSON,
                                           .seed = 3,
                                           .course = {{1000, 9000}, 2, true, 0, 4000 * MS}};
    int64_t half = count_due(&config, 3, 2000 * MS), all = count_due(&config, 3, 4000 * MS);

    cr_expect_lt(fabs((double)half - 6000), 4 * sqrt(6000), "%ld", half);
    cr_expect_lt(fabs((double)(all - half) - 14000), 4 * sqrt(14000), "%ld", all);
}
