// SPDX-License-Identifier: Apache-2.0
// What is known of the machine, as facts: a dotted name and a value. Host names are hashed;
// addresses and serial numbers are not read.
#ifndef COLLECTOR_PROBE_MACHINE_H
#define COLLECTOR_PROBE_MACHINE_H

#include <stdbool.h>

/* Where the real ones lie. */
#define MACHINE_PROC_ROOT "/proc"
#define MACHINE_SYS_ROOT  "/sys"

/* Told each fact; value NULL: looked for, not known. */
struct machine_sink {
    void *self;
    void (*put)(void *self, const char *name, const char *value);
};

/* What stays as it is during a session, and the fingerprint of it (fingerprint.h) at the end. Roots
 * "/proc" and "/sys", or recorded trees. */
void machine_describe(const char *proc_root, const char *sys_root, const struct machine_sink *sink);

/* What moves: load, pressure, memory, frequency, sockets, power, environment. For the start and the
 * end. */
void machine_describe_state(const char *proc_root, const char *sys_root,
                            const struct machine_sink *sink);

/* The fact that tells whose time soft interrupts are: of processes, or "apart". */
#define MACHINE_SOFTIRQ_FACT    "kernel.softirq_time"
#define MACHINE_SOFTIRQ_CHARGED "processes"

/*
 * Whether soft interrupts are part of the time of the process that they came upon: a kernel without
 * IRQ_TIME_ACCOUNTING, which counts no hard interrupt's time since boot although the timer's are
 * some. False as well where nothing is known.
 *
 * source   Linux, kernel/sched/cputime.c
 */
bool machine_softirq_is_charged(const char *proc_root);

/* "mains", "battery", or NULL: no supply tells. */
const char *machine_power(const char *sys_root);

#endif
