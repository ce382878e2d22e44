// SPDX-License-Identifier: Apache-2.0
// Switches and run-queue wait of a whole process in one question (TASKSTATS_CMD_ATTR_TGID), however
// many threads it has. The kernel answers only with CAP_NET_ADMIN.
#ifndef COLLECTOR_PROBE_TASKSTATS_H
#define COLLECTOR_PROBE_TASKSTATS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/probe/netlink.h"
#include "engines/base/attr.h"

struct taskstats_link {
    struct netlink netlink;
    uint16_t family; /* the kernel's number for TASKSTATS */
};

/* Sums over the threads of a process since its start. */
struct taskstats_total {
    uint64_t voluntary_switch_count, involuntary_switch_count;
    bool has_run_delay;    /* false: this kernel does not count it */
    uint64_t run_delay_ns; /* runnable, and waiting for a CPU */
};

/* Asks for this process as a trial. False with errno when the kernel does not answer. */
bool taskstats_open(struct taskstats_link *link) ATTR_MUST_USE;
void taskstats_close(struct taskstats_link *link);

/* False with errno. Allocates nothing. */
bool taskstats_read(struct taskstats_link *link, pid_t pid,
                    struct taskstats_total *total_out) ATTR_MUST_USE;

/* Pure: what the kernel answered. False when it is something else. */
bool taskstats_parse_family(struct netlink_bytes answer, uint32_t sequence, uint16_t *family_out);
bool taskstats_parse_total(struct netlink_bytes answer, uint32_t sequence, pid_t pid,
                           struct taskstats_total *total_out);

#endif
