// SPDX-License-Identifier: Apache-2.0
// Lets the thread that samples run when it wakes.
#include "collector/run/sampler_priority.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000 /* the least that the kernel takes */

/* sched_setattr(2), first version. The C library of Debian 12 has neither it nor the struct, and
 * the kernel's header repeats what sched.h has. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
};

/* A slice of 0 is the kernel's own choice. Kernels before 6.12 take any slice and forget it. */
static bool priority_set(const struct sampler_priority *priority)
{
    const struct attributes attributes = {.size = sizeof(attributes),
                                          .policy = priority->policy,
                                          .nice = priority->nice,
                                          .priority = priority->priority,
                                          .runtime_ns = priority->slice_ns};

    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

static struct attributes attributes_get(void)
{
    struct attributes attributes = {.policy = SCHED_OTHER};

    (void)syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0);
    return attributes;
}

const char *sampler_priority_raise(struct sampler_priority *before_out)
{
    const struct attributes now = attributes_get();
    const struct sampler_priority real_time = {.policy = SCHED_FIFO, .priority = 1};
    struct sampler_priority short_slice = {
        .policy = now.policy, .priority = now.priority, .nice = now.nice, .slice_ns = SLICE_NS};

    *before_out =
        (struct sampler_priority){.policy = now.policy, .priority = now.priority, .nice = now.nice};
    if (priority_set(&real_time)) {
        return "SCHED_FIFO 1";
    }
    if (now.policy == SCHED_OTHER && priority_set(&short_slice) &&
        attributes_get().runtime_ns == SLICE_NS) {
        return "SCHED_OTHER with a slice of 100 us";
    }
    return "SCHED_OTHER";
}

void sampler_priority_restore(const struct sampler_priority *before)
{
    (void)priority_set(before);
}
