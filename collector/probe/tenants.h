// SPDX-License-Identifier: Apache-2.0
// Which programs take CPU time beside this one: their names, and nothing else of them.
#ifndef COLLECTOR_PROBE_TENANTS_H
#define COLLECTOR_PROBE_TENANTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TENANTS_COUNT_MAX  4096 /* processes that are looked at */
#define TENANTS_TOP_COUNT  5
#define TENANTS_NAME_BYTES 17

struct tenants {
    size_t count;
    struct tenant {
        pid_t pid;
        uint64_t start_ticks, ticks; /* ticks: user and system time */
    } rows[TENANTS_COUNT_MAX];
};

/* All processes but `own`, as they are now. */
void tenants_read(struct tenants *tenants, const char *proc_root, pid_t own);

/* Those that took most CPU time between two readings, most first; those that took none are left
 * out, and those that began in between count from 0. Returns how many there are. */
struct tenant_share {
    char name[TENANTS_NAME_BYTES];
    uint64_t ticks;
};
size_t tenants_compare(const struct tenants *before, const struct tenants *after,
                       const char *proc_root, struct tenant_share top_out[TENANTS_TOP_COUNT]);

#endif
