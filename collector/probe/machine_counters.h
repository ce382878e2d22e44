// SPDX-License-Identifier: Apache-2.0
// The machine's own counters at one moment: CPU times, pressure, memory, TCP, packets, the control
// group, the CPUs' frequency and heat.
#ifndef COLLECTOR_PROBE_MACHINE_COUNTERS_H
#define COLLECTOR_PROBE_MACHINE_COUNTERS_H

#include <stdint.h>

#include "collector/probe/cgroup.h"
#include "collector/probe/cpu_state.h"
#include "collector/sample.h"

#define MACHINE_COUNTERS_TEXT_BYTES 65536 /* net/netstat has 4 KiB, stat of 256 CPUs about 30 */

struct machine_counters {
    const char *proc_root; /* the caller's */
    int64_t tick_ns, page_kib;
    struct cgroup cgroup; /* the server's */
    struct cpu_state cpus;
    char text[MACHINE_COUNTERS_TEXT_BYTES];
};

/* Both roots are kept by reference. */
void machine_counters_open(struct machine_counters *machine, const char *proc_root,
                           const char *sys_root, pid_t server_pid);

/* Sets the metrics that are known, as counters since boot or as they are. */
void machine_counters_read(struct machine_counters *machine, int64_t now[METRIC_COUNT]);

#endif
