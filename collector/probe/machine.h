// SPDX-License-Identifier: Apache-2.0
// What is known of the machine, as facts: a dotted name and a value. Host names are hashed;
// addresses and serial numbers are not read.
#ifndef COLLECTOR_PROBE_MACHINE_H
#define COLLECTOR_PROBE_MACHINE_H

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

/* "mains", "battery", or NULL: no supply tells. */
const char *machine_power(const char *sys_root);

#endif
