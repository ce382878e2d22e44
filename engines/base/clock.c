// SPDX-License-Identifier: Apache-2.0
// Time: the only file that calls clock_gettime and clock_nanosleep.
#include "engines/base/clock.h"

#include <stdio.h>
#include <sys/timex.h>
#include <time.h>

static int64_t clock_read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

int64_t clock_coarse_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC_COARSE);
}

int64_t clock_thread_cpu_ns(void)
{
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int64_t system_monotonic_ns(void *self)
{
    (void)self;
    return clock_read_ns(CLOCK_MONOTONIC);
}

static int64_t system_wall_ns(void *self)
{
    (void)self;
    return clock_read_ns(CLOCK_REALTIME);
}

static void system_sleep_until_ns(void *self, int64_t deadline_ns)
{
    (void)self;
    struct timespec deadline = {
        .tv_sec = (time_t)(deadline_ns / CLOCK_NS_PER_S),
        .tv_nsec = (long)(deadline_ns % CLOCK_NS_PER_S),
    };
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
}

const struct clock *clock_system(void)
{
    static const struct clock system_clock = {
        .monotonic_ns = system_monotonic_ns,
        .wall_ns = system_wall_ns,
        .sleep_until_ns = system_sleep_until_ns,
    };
    return &system_clock;
}

void clock_format_utc(int64_t wall_ns, char out[CLOCK_TEXT_BYTES])
{
    time_t seconds = (time_t)(wall_ns / CLOCK_NS_PER_S);
    struct tm utc;

    if (!gmtime_r(&seconds, &utc)) {
        snprintf(out, CLOCK_TEXT_BYTES, "unknown");
        return;
    }
    strftime(out, CLOCK_TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

int clock_is_synchronised(void)
{
    struct timex state = {.modes = 0};

    if (adjtimex(&state) < 0) {
        return -1;
    }
    return !(state.status & STA_UNSYNC);
}
