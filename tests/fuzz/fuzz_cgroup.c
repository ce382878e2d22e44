// SPDX-License-Identifier: Apache-2.0
// Fuzzes what finds a control group and its mount, and the frequencies of /proc/cpuinfo.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/probe/cgroup.h"
#include "collector/probe/cpu_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct cgroup_mount mount;
    char path[32];
    int64_t min_khz, max_khz;

    (void)cgroup_find_path(bytes, size, "", path, sizeof(path));
    if (cgroup_find_path(bytes, size, "cpu", path, sizeof(path)) && path[0] != '/') {
        __builtin_trap();
    }
    (void)cgroup_find_mount(bytes, size, "cpu", &mount);
    (void)cgroup_find_mount(bytes, size, "", &mount);
    if (cpu_state_find_mhz(bytes, size, &min_khz, &max_khz) && min_khz > max_khz) {
        __builtin_trap();
    }
    return 0;
}
