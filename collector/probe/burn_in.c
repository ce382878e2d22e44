// SPDX-License-Identifier: Apache-2.0
// What the machine does with a fixed piece of work, and what its clock costs.
#include "collector/probe/burn_in.h"

#include <math.h>
#include <stdlib.h>

#define CLOCK_READ_COUNT    200000
#define PIECE_NS            (10 * CLOCK_NS_PER_MS)
#define STEP_COUNT_TO_START 100000

struct burn_in_clock burn_in_clock_measure(const struct clock *clock)
{
    struct burn_in_clock result = {0};
    int64_t first_ns = clock_now_ns(clock);
    int64_t before_ns = first_ns;

    for (int i = 0; i < CLOCK_READ_COUNT; i++) {
        int64_t now_ns = clock_now_ns(clock);
        int64_t step_ns = now_ns - before_ns;

        result.backward_count += step_ns < 0;
        if (step_ns > 0 && (result.resolution_ns == 0 || step_ns < result.resolution_ns)) {
            result.resolution_ns = step_ns;
        }
        before_ns = now_ns;
    }
    result.cost_ns = (double)(before_ns - first_ns) / CLOCK_READ_COUNT;
    return result;
}

/* Registers only: what is measured is the CPU, not the memory. The volatile keeps the work. */
static void work_do(uint64_t step_count)
{
    static volatile uint64_t kept;
    uint64_t state = kept | 1;

    for (uint64_t i = 0; i < step_count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    kept = state;
}

static int64_t work_time_ns(const struct clock *clock, uint64_t step_count)
{
    int64_t began_ns = clock_now_ns(clock);

    work_do(step_count);
    return clock_now_ns(clock) - began_ns;
}

static uint64_t piece_size_find(const struct clock *clock)
{
    uint64_t step_count = STEP_COUNT_TO_START;
    int64_t time_ns = work_time_ns(clock, step_count);

    while (time_ns < PIECE_NS && step_count < UINT64_C(1) << 40) {
        step_count *= 2;
        time_ns = work_time_ns(clock, step_count);
    }
    return step_count;
}

static int duration_compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

struct burn_in_pieces burn_in_summarise(int64_t *durations_ns, size_t count)
{
    struct burn_in_pieces result = {count, (double)NAN, (double)NAN, (double)NAN};
    double mean = 0.0, squares = 0.0;

    if (count < 2) {
        return result;
    }
    qsort(durations_ns, count, sizeof(durations_ns[0]), duration_compare);
    for (size_t i = 0; i < count; i++) {
        mean += (double)durations_ns[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double off = (double)durations_ns[i] - mean;

        squares += off * off;
    }
    size_t low = (count - 1) / 2, high = count / 2;
    result.median_ns = ((double)durations_ns[low] + (double)durations_ns[high]) / 2;
    result.variation = sqrt(squares / (double)(count - 1)) / mean;
    result.slowest_ratio = (double)durations_ns[count - 1] / result.median_ns;
    return result;
}

struct burn_in_pieces burn_in_run(const struct clock *clock, int64_t duration_ns,
                                  const volatile sig_atomic_t *stop)
{
    int64_t durations_ns[BURN_IN_PIECE_COUNT_MAX];
    size_t count = 0;
    int64_t end_ns = clock_now_ns(clock) + duration_ns;
    uint64_t step_count = piece_size_find(clock);

    while (count < BURN_IN_PIECE_COUNT_MAX && clock_now_ns(clock) < end_ns && !(stop && *stop)) {
        durations_ns[count++] = work_time_ns(clock, step_count);
    }
    return burn_in_summarise(durations_ns, count);
}
