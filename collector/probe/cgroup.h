// SPDX-License-Identifier: Apache-2.0
// The control group of a process, version 1 or 2: what it used, what it may use, and how often a
// CPU quota stopped it. A quota of any group above it counts as well, as far as it can be seen.
#ifndef COLLECTOR_PROBE_CGROUP_H
#define COLLECTOR_PROBE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/digest.h"
#include "engines/base/attr.h"

#define CGROUP_PATH_BYTES      320
#define CGROUP_LEVEL_COUNT_MAX 12 /* levels of one path that are looked at, from its end */

/* The folder of one controller, below the root of /sys. */
struct cgroup_folder {
    uint8_t version;              /* 1, 2; 0: there is none */
    char path[CGROUP_PATH_BYTES]; /* "fs/cgroup/cpu/a/b" */
    size_t mount_length;          /* how much of it is the mount point */
};

struct cgroup {
    const char *sys_root; /* the caller's */
    struct cgroup_folder usage, cpu, memory, pids, cpuset;
};

/* Finds the folders, for which files of /proc are read: PID/cgroup and self/mountinfo. A process of
 * pid 0 is this one. */
void cgroup_open(struct cgroup *cgroup, const char *proc_root, const char *sys_root, pid_t pid);

/* Each METRIC_UNKNOWN where not known. */
struct cgroup_usage {
    int64_t cpu_ns, memory_kib;
    int64_t throttled_count, throttled_ns; /* of all levels together */
};
void cgroup_read(const struct cgroup *cgroup, struct cgroup_usage *usage_out);

/* The tightest of all levels; METRIC_UNKNOWN: there is no limit, or none can be seen. */
struct cgroup_limits {
    int64_t cpu_centi; /* hundredths of a CPU */
    int64_t memory_kib, pid_count;
    char cpus[128]; /* CPUs of the group, as the kernel lists them; "": not known */
};
void cgroup_read_limits(const struct cgroup *cgroup, struct cgroup_limits *limits_out);

/* "v1", "v2", "v1 and v2" (which of them accounts for CPU and memory differs), "none". */
const char *cgroup_version(const struct cgroup *cgroup);

/* Names of groups may name persons or customers: only the hash of the path below the mount point is
 * told. False: no controller, or no memory. */
bool cgroup_hash_path(const struct cgroup *cgroup, char hex_out[DIGEST_HEX_BYTES]) ATTR_MUST_USE;

/* Pure: the path of a controller ("" for version 2) in the text of /proc/PID/cgroup. False when
 * there is none. */
bool cgroup_find_path(const char *bytes, size_t length, const char *controller, char *out,
                      size_t capacity);

/* Pure: where a controller's hierarchy ("" for version 2) is mounted and which part of it, from the
 * text of mountinfo. False when there is none. */
struct cgroup_mount {
    char point[CGROUP_PATH_BYTES], root[CGROUP_PATH_BYTES];
};
bool cgroup_find_mount(const char *bytes, size_t length, const char *controller,
                       struct cgroup_mount *mount_out);

#endif
