// SPDX-License-Identifier: Apache-2.0
// Frequency, throttling by heat and temperature of the CPUs. Reading a file of each CPU costs 10
// us, so that of many CPUs a few are read at a time.
#ifndef COLLECTOR_PROBE_CPU_STATE_H
#define COLLECTOR_PROBE_CPU_STATE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_STATE_COUNT_MAX CPU_SETSIZE
#define CPU_STATE_STRIDE    8 /* CPUs that one reading asks */
#define CPU_STATE_CADENCE   4 /* /proc/cpuinfo and the temperatures are read each so many times */
#define CPU_STATE_ZONE_MAX  16

struct cpu_state {
    const char *proc_root, *sys_root; /* the caller's */
    size_t cpu_count, next_cpu;
    uint32_t read_count;
    bool has_cpufreq, has_throttle, has_zone;
    /* by CPU; METRIC_UNKNOWN: not read yet, or offline */
    int64_t khz[CPU_STATE_COUNT_MAX], throttles[CPU_STATE_COUNT_MAX];
};

/* Finds out what there is to read. */
void cpu_state_open(struct cpu_state *state, const char *proc_root, const char *sys_root);

/* METRIC_UNKNOWN where not known, or not read this time. */
struct cpu_state_reading {
    int64_t min_khz, max_khz; /* of the CPUs that are online */
    int64_t throttle_count;   /* since boot */
    int64_t millicelsius;     /* of the hottest zone */
};

/* `text` is room for /proc/cpuinfo, of which what does not fit is not looked at. */
void cpu_state_read(struct cpu_state *state, char *text, size_t capacity,
                    struct cpu_state_reading *reading_out);

/* Pure: slowest and fastest "cpu MHz" of /proc/cpuinfo, in kHz. False when there is none. */
bool cpu_state_find_mhz(const char *bytes, size_t length, int64_t *min_khz_out,
                        int64_t *max_khz_out);

#endif
