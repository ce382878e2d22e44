// SPDX-License-Identifier: Apache-2.0
// Time. This module alone reads a clock or sleeps; everyone else is handed a struct clock or calls
// these.
#ifndef ENGINES_BASE_CLOCK_H
#define ENGINES_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S  INT64_C(1000000000)
#define CLOCK_NS_PER_MS INT64_C(1000000)
#define CLOCK_NS_PER_US INT64_C(1000)

/* A source of time. Tests put a fake one here (tests/support/clock_fake.h). */
struct clock {
    int64_t (*monotonic_ns)(void *self); /* durations and grids: never steps */
    int64_t (*wall_ns)(void *self);      /* labels only: ns since 1970-01-01 UTC */
    /* Returns at or after the monotonic instant, or earlier when a signal arrives (the caller looks
     * again). */
    void (*sleep_until_ns)(void *self, int64_t deadline_ns);
    void *self;
};

/* The machine's clock: CLOCK_MONOTONIC, CLOCK_REALTIME, clock_nanosleep(TIMER_ABSTIME). */
const struct clock *clock_system(void);

/* CLOCK_MONOTONIC in ns: for the hot loops, which cannot afford the indirection. */
int64_t clock_monotonic_ns(void);

/* The same as of the kernel's last tick, some ms ago (CLOCK_MONOTONIC_COARSE), for a fifth of the
 * cost: for limits that are seconds. */
int64_t clock_coarse_ns(void);

/* CPU time of the calling thread in ns (CLOCK_THREAD_CPUTIME_ID). */
int64_t clock_thread_cpu_ns(void);

/* Whether something keeps the wall clock right (adjtimex): 1, 0, or -1 where the kernel does not
 * tell. */
int clock_is_synchronised(void);

/*
 * "2026-11-30T09:04:18Z" of a wall time, always UTC.
 *
 * out      at least CLOCK_TEXT_BYTES
 */
#define CLOCK_TEXT_BYTES 32
void clock_format_utc(int64_t wall_ns, char out[CLOCK_TEXT_BYTES]);

static inline int64_t clock_now_ns(const struct clock *clock)
{
    return clock->monotonic_ns(clock->self);
}

#endif
