// SPDX-License-Identifier: Apache-2.0
// The schedule of an open loop: when each request of one thread is due, whatever the server does.
// Exact integers, so that neither rounding nor a late thread moves what comes after.
#ifndef COLLECTOR_DRIVER_ARRIVALS_H
#define COLLECTOR_DRIVER_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/base/rng.h"

enum arrivals_kind {
    ARRIVALS_UNIFORM, /* request k of all threads together is due at k / rate */
    ARRIVALS_POISSON, /* gaps are exponential and independent */
};

/* A rate that changes: the first one up to from_ns, then through all of them in for_ns, in steps of
 * equal length or straight from one to the next, and on with the last. */
#define ARRIVALS_RATE_COUNT_MAX 16
struct arrivals_course {
    uint32_t rates_per_s[ARRIVALS_RATE_COUNT_MAX]; /* > 0 */
    uint32_t count;                                /* 0: the rate is what it is */
    bool is_ramp;
    int64_t from_ns, for_ns; /* from grid zero; > 0 */
};

struct arrivals_config {
    uint32_t rate_per_s; /* of all threads together; > 0; of a course the first one */
    enum arrivals_kind kind;
    uint64_t seed; /* of ARRIVALS_POISSON */
    struct arrivals_course course;
};

struct arrivals {
    int64_t due_ns;              /* of the next request, from grid zero */
    uint64_t rate, rest;         /* uniform: the fraction rest / rate of a ns is still owed */
    uint64_t step_ns, step_rest; /* uniform: from one request of this thread to its next */
    bool is_poisson;
    double mean_ns, carry_ns; /* Poisson: mean gap; what rounding left over */
    struct rng rng;
    const struct arrivals_course *course; /* NULL: none; else of these, is_poisson and rng count */
    double at, before;                    /* requests up to this one; up to the piece it is in */
    uint32_t piece, thread_count;
};

/*
 * The first request of thread `number` of `thread_count`. Uniform: thread i has the requests i, i +
 * thread_count, …, so that any number of threads gives the same schedule. Poisson: each thread has
 * a process of its own with its share of the rate; their sum is one with the whole rate. Along a
 * course both are the same in the count of requests, which the integral of the rate turns into
 * time.
 *
 * config   outlives the arrivals
 */
void arrivals_init(struct arrivals *arrivals, const struct arrivals_config *config,
                   uint32_t thread_count, uint32_t number);

/* Goes on to the next request. */
void arrivals_advance(struct arrivals *arrivals);

#endif
