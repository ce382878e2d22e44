// SPDX-License-Identifier: Apache-2.0
// Inside the facts of the machine: those that take more than one line of one file.
#ifndef COLLECTOR_PROBE_MACHINE_PARTS_H
#define COLLECTOR_PROBE_MACHINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/probe/machine.h"
#include "engines/base/attr.h"

#define MACHINE_FILE_BYTES  65536
#define MACHINE_VALUE_BYTES 1024

/* Where facts are read from and put. */
struct machine_reader {
    const char *proc_root, *sys_root;
    const struct machine_sink *sink;
    char *text; /* MACHINE_FILE_BYTES */
};

void machine_put(const struct machine_reader *reader, const char *name, const char *value);
void machine_put_format(const struct machine_reader *reader, const char *name, const char *format,
                        ...) ATTR_PRINTF(3, 4);

/* The first line of a file below /sys without what ends it. False: it cannot be read, or is empty.
 */
bool machine_read_line(const struct machine_reader *reader, char *out, size_t capacity,
                       const char *path_format, ...) ATTR_PRINTF(4, 5);

/* Sockets, caches, the flags that matter, governors of all CPUs, whether it is a virtual one. */
void machine_put_cpus(const struct machine_reader *reader);
/* What of the command line and of the configuration changes how programs run. */
void machine_put_kernel(const struct machine_reader *reader);
/* Container, control group and its limits. */
void machine_put_container(const struct machine_reader *reader);
/* The loopback's queue, the rules of nftables. */
void machine_put_network(const struct machine_reader *reader);
/* "mains", "battery", or not known: there is no supply that tells. */
void machine_put_power(const struct machine_reader *reader);
/* Environment variables that change how programs run: these, and no others. */
void machine_put_environment(const struct machine_reader *reader);

/* Pure: the words of a kernel command line that matter, with a blank between them. Names of disks,
 * hosts and keys stay out. */
void machine_filter_command_line(const char *line, char *out, size_t capacity);

#endif
