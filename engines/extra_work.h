// SPDX-License-Identifier: Apache-2.0
// Busy work beside a server's own: makes it slower by a known share, to see whether that is found.
#ifndef ENGINES_EXTRA_WORK_H
#define ENGINES_EXTRA_WORK_H

#include <stddef.h>
#include <stdint.h>

#define EXTRA_WORK_PERCENT_MAX 1000

/* Of one thread. Zeroed with a percent of 0: does nothing. */
struct extra_work {
    uint32_t percent;
    uint32_t request_count; /* since the thread's CPU time was last read */
    int64_t begin_ns;       /* the thread's CPU time when it began */
    int64_t done_ns;        /* CPU time that was busy work */
};

/* By the thread that does the work, before its first request. */
void extra_work_begin(struct extra_work *work, uint32_t percent);

/* Catches up: makes the thread's busy work `percent` of all its other CPU time since it began. */
void extra_work_settle(struct extra_work *work);

/* The clock costs a system call, so the debt is settled every so many requests, in one go. */
#define EXTRA_WORK_EVERY 16

/* Before the answers to `request_count` requests are sent. */
static inline void extra_work_add(struct extra_work *work, size_t request_count)
{
    if (work->percent == 0) {
        return;
    }
    work->request_count += (uint32_t)request_count;
    if (work->request_count >= EXTRA_WORK_EVERY) {
        work->request_count = 0;
        extra_work_settle(work);
    }
}

#endif
