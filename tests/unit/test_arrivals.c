// SPDX-License-Identifier: Apache-2.0
// Schedules of an open loop.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "collector/driver/arrivals.h"
#include "engines/base/clock.h"

/* Requests of all threads that are due before `end_ns`. */
static int64_t count_due(uint32_t rate_per_s, uint32_t thread_count, int64_t end_ns)
{
    const struct arrivals_config config = {.rate_per_s = rate_per_s};
    int64_t count = 0;

    for (uint32_t i = 0; i < thread_count; i++) {
        struct arrivals arrivals;
        for (arrivals_init(&arrivals, &config, thread_count, i); arrivals.due_ns < end_ns;
             arrivals_advance(&arrivals)) {
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
        /* Due before T: k / rate < T, so k = 0 … rate·T - 1. */
        cr_expect_eq(
            count_due(rows[i].rate_per_s, rows[i].thread_count, rows[i].seconds * CLOCK_NS_PER_S),
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
