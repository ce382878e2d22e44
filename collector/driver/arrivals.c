// SPDX-License-Identifier: Apache-2.0
// When requests are due.
#include "collector/driver/arrivals.h"

#include <math.h>

#include "engines/base/clock.h"

static void poisson_advance(struct arrivals *a)
{
    double exact_ns = a->carry_ns - log1p(-rng_unit(&a->rng)) * a->mean_ns;
    double whole_ns = floor(exact_ns);

    a->carry_ns = exact_ns - whole_ns;
    a->due_ns += (int64_t)whole_ns;
}

/* --- a course --- */

struct piece {
    double start_s, length_s; /* the last one has no end */
    double from_per_s, to_per_s;
};

/* 0 is what comes before the course; what comes after it is the last. */
static struct piece piece_get(const struct arrivals_course *course, uint32_t index)
{
    uint32_t count = course->is_ramp ? course->count - 1 : course->count;
    double begin_s = (double)course->from_ns / 1e9, each_s = (double)course->for_ns / 1e9 / count;
    double first = course->rates_per_s[0], last = course->rates_per_s[course->count - 1];

    if (index == 0) {
        return (struct piece){0, begin_s, first, first};
    }
    if (index > count) {
        return (struct piece){begin_s + each_s * count, HUGE_VAL, last, last};
    }
    return (struct piece){begin_s + each_s * (index - 1), each_s, course->rates_per_s[index - 1],
                          course->rates_per_s[course->is_ramp ? index : index - 1]};
}

/* When as many requests are due as `at` says: where the integral of the rate reaches that. */
static void course_place(struct arrivals *a)
{
    struct piece piece = piece_get(a->course, a->piece);
    double within = (piece.from_per_s + piece.to_per_s) / 2 * piece.length_s;

    while (a->at >= a->before + within) {
        a->before += within;
        a->piece++;
        piece = piece_get(a->course, a->piece);
        within = (piece.from_per_s + piece.to_per_s) / 2 * piece.length_s;
    }
    double count = a->at - a->before;
    double slope = (piece.to_per_s - piece.from_per_s) / piece.length_s;
    double rate = sqrt(fmax(0, piece.from_per_s * piece.from_per_s + 2 * slope * count));
    int64_t due_ns = (int64_t)((piece.start_s + 2 * count / (piece.from_per_s + rate)) * 1e9);

    a->due_ns = due_ns > a->due_ns ? due_ns : a->due_ns;
}

static void course_advance(struct arrivals *a)
{
    a->at += a->is_poisson ? -log1p(-rng_unit(&a->rng)) * a->thread_count : a->thread_count;
    course_place(a);
}

static void course_init(struct arrivals *a, const struct arrivals_config *config,
                        uint32_t thread_count, uint32_t number)
{
    a->course = &config->course;
    a->thread_count = thread_count;
    if (a->is_poisson) {
        rng_init(&a->rng, config->seed + number);
        course_advance(a);
    } else {
        a->at = number;
        course_place(a);
    }
}

/* --- arrivals --- */

void arrivals_init(struct arrivals *a, const struct arrivals_config *config, uint32_t thread_count,
                   uint32_t number)
{
    uint64_t first = (uint64_t)number * (uint64_t)CLOCK_NS_PER_S;
    uint64_t step = (uint64_t)thread_count * (uint64_t)CLOCK_NS_PER_S;

    *a = (struct arrivals){.rate = config->rate_per_s,
                           .is_poisson = config->kind == ARRIVALS_POISSON};
    if (config->course.count > 1) {
        course_init(a, config, thread_count, number);
        return;
    }
    if (a->is_poisson) {
        rng_init(&a->rng, config->seed + number);
        a->mean_ns = (double)step / (double)config->rate_per_s;
        poisson_advance(a);
        return;
    }
    a->due_ns = (int64_t)(first / a->rate);
    a->rest = first % a->rate;
    a->step_ns = step / a->rate;
    a->step_rest = step % a->rate;
}

void arrivals_advance(struct arrivals *a)
{
    if (a->course) {
        course_advance(a);
        return;
    }
    if (a->is_poisson) {
        poisson_advance(a);
        return;
    }
    a->due_ns += (int64_t)a->step_ns;
    a->rest += a->step_rest;
    if (a->rest >= a->rate) {
        a->rest -= a->rate;
        a->due_ns++;
    }
}
