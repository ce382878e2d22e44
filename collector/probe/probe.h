// SPDX-License-Identifier: Apache-2.0
// Reads a server's process tree and the machine from /proc, as counters since boot or start;
// differences make a sample. With proc.c this module alone knows /proc; both take the root as an
// argument, so that tests read recorded trees.
#ifndef COLLECTOR_PROBE_PROBE_H
#define COLLECTOR_PROBE_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "engines/counters.h"

struct probe;

struct probe_config {
    const char *proc_root, *sys_root; /* "/proc" and "/sys", or recorded trees */
    /* the server that was started; its descendants belong to it as long as they can be found */
    pid_t root_pid;      /* 0: nobody knows: then no metrics of the server */
    bool root_is_keeper; /* its children are the server (engines/keeper.h) */
    const struct counters_page
        *counters;    /* the server's own; NULL: it has none; kept by reference */
    uint16_t port;    /* it listens there */
    bool asks_kernel; /* over netlink as well; false for a recorded tree, of which the kernel knows
                         nothing */
};

/* errors   ERR_SYS: the process or /proc/stat cannot be read; ERR_LIMIT: no memory */
enum err_code probe_open(const struct probe_config *config, struct probe **probe_out,
                         struct err *e) ATTR_MUST_USE;

/* Where switches and run-queue waits come from on this machine: a fact of a session. */
const char *probe_scheduling_source(void);

/*
 * Reads now and fills the metrics of scope SERVER and MACHINE: deltas since the previous call
 * (since probe_open for the first), gauges as they are. What cannot be read is METRIC_UNKNOWN; a
 * counter that ran backwards as well. Allocates nothing.
 *
 * ends_phase   reads the states of the connections as well, which costs 1 to 2 ms
 */
void probe_read(struct probe *probe, bool ends_phase, int64_t metrics[METRIC_COUNT]);

void probe_close(struct probe *probe);

#endif
