// SPDX-License-Identifier: Apache-2.0
// Lets the thread that samples run when it wakes, beside threads that keep every CPU busy: it needs
// some 0.3 ms of each 500.
#ifndef COLLECTOR_RUN_SAMPLER_PRIORITY_H
#define COLLECTOR_RUN_SAMPLER_PRIORITY_H

#include <stdint.h>

/* What the thread had before. */
struct sampler_priority {
    uint32_t policy, priority;
    int32_t nice;
    uint64_t slice_ns;
};

/*
 * Raises the calling thread, as far as this process may: SCHED_FIFO 1 (CAP_SYS_NICE), else a short
 * slice (Linux 6.12), else not at all.
 *
 * returns   which it was, for people: "SCHED_FIFO 1"
 */
const char *sampler_priority_raise(struct sampler_priority *before_out);
void sampler_priority_restore(const struct sampler_priority *before);

#endif
