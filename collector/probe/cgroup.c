// SPDX-License-Identifier: Apache-2.0
// The control group of a process.
#include "collector/probe/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "engines/base/cursor.h"
#include "engines/base/proc.h"

#define MOUNTS_BYTES (256 << 10)
#define FILE_BYTES   4096
#define NS_PER_US    1000

/* --- text --- */

/* The part before the next `stop`; the cursor moves behind it. False: there is no such byte. */
static bool part_take(struct cursor *cursor, char stop, struct cursor *part_out)
{
    const char *at = memchr(cursor->at, stop, (size_t)(cursor->end - cursor->at));

    if (!at) {
        return false;
    }
    *part_out = (struct cursor){cursor->at, at};
    cursor->at = at + 1;
    return true;
}

/* Whether a list "cpu,cpuacct" has the name; "" is in the empty list alone. */
static bool list_has(struct cursor list, const char *name)
{
    struct cursor part;

    if (!*name) {
        return list.at == list.end;
    }
    while (part_take(&list, ',', &part)) {
        if (cursor_is(&part, name)) {
            return true;
        }
    }
    return cursor_is(&list, name);
}

bool cgroup_find_path(const char *bytes, size_t length, const char *controller, char *out,
                      size_t capacity)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, number, controllers;

    while (cursor_take_line(&all, &line)) {
        if (part_take(&line, ':', &number) && part_take(&line, ':', &controllers) &&
            list_has(controllers, controller) && line.at < line.end && *line.at == '/') {
            return cursor_copy(&line, out, capacity);
        }
    }
    return false;
}

/* "31 23 0:28 ROOT POINT OPTIONS [TAGS…] - TYPE SOURCE OPTIONS" */
static bool mount_parse(struct cursor line, const char *controller, struct cursor *root_out,
                        struct cursor *point_out)
{
    struct cursor words[5], word, type, source, options;

    for (size_t i = 0; i < 5; i++) {
        if (!cursor_take_word(&line, &words[i])) {
            return false;
        }
    }
    do {
        if (!cursor_take_word(&line, &word)) {
            return false;
        }
    } while (!cursor_is(&word, "-"));
    if (!cursor_take_word(&line, &type) || !cursor_take_word(&line, &source) ||
        !cursor_take_word(&line, &options)) {
        return false;
    }
    *root_out = words[3];
    *point_out = words[4];
    return *controller ? cursor_is(&type, "cgroup") && list_has(options, controller)
                       : cursor_is(&type, "cgroup2");
}

bool cgroup_find_mount(const char *bytes, size_t length, const char *controller,
                       struct cgroup_mount *mount_out)
{
    struct cursor all = {bytes, bytes + length};
    struct cursor line, root, point;
    struct cgroup_mount mount;

    while (cursor_take_line(&all, &line)) {
        if (mount_parse(line, controller, &root, &point) &&
            cursor_copy(&root, mount.root, sizeof(mount.root)) &&
            cursor_copy(&point, mount.point, sizeof(mount.point))) {
            *mount_out = mount;
            return true;
        }
    }
    return false;
}

/* --- folders --- */

/* What of the path lies below the part that is mounted: all of it where that is the whole, or where
 * the path is told from inside a namespace. */
static const char *path_below(const char *path, const char *root)
{
    size_t length = strlen(root);

    if (strcmp(root, "/") == 0 || strncmp(path, root, length) != 0 ||
        (path[length] != '/' && path[length] != '\0')) {
        return path;
    }
    return path + length;
}

static void folder_find(struct cgroup_folder *folder, const char *groups, const char *mounts,
                        const char *controller)
{
    char path[CGROUP_PATH_BYTES];
    struct cgroup_mount mount;
    static const char sys[] = "/sys/";

    if (!cgroup_find_path(groups, strlen(groups), controller, path, sizeof(path)) ||
        !cgroup_find_mount(mounts, strlen(mounts), controller, &mount) ||
        strncmp(mount.point, sys, sizeof(sys) - 1) != 0 || strstr(path, "..")) {
        return;
    }
    const char *point = mount.point + sizeof(sys) - 1;
    const char *below = path_below(path, mount.root);
    int length = snprintf(folder->path, sizeof(folder->path), "%s%s", point,
                          strcmp(below, "/") == 0 ? "" : below);
    if (length < (int)sizeof(folder->path)) {
        folder->mount_length = strlen(point);
        folder->version = *controller ? 1 : 2;
    }
}

/* Version 1 where the controller has a hierarchy of its own: then version 2 has it not. */
static void controller_find(struct cgroup_folder *folder, const char *groups, const char *mounts,
                            const char *controller)
{
    folder_find(folder, groups, mounts, controller);
    if (!folder->version) {
        folder_find(folder, groups, mounts, "");
    }
}

void cgroup_open(struct cgroup *cgroup, const char *proc_root, const char *sys_root, pid_t pid)
{
    char who[16] = "self", groups[FILE_BYTES];
    char *mounts = malloc(MOUNTS_BYTES);

    *cgroup = (struct cgroup){.sys_root = sys_root};
    if (pid) {
        snprintf(who, sizeof(who), "%d", (int)pid);
    }
    if (mounts && proc_read(proc_root, groups, sizeof(groups), "%s/cgroup", who) > 0 &&
        proc_read(proc_root, mounts, MOUNTS_BYTES, "self/mountinfo") > 0) {
        controller_find(&cgroup->usage, groups, mounts, "cpuacct");
        controller_find(&cgroup->cpu, groups, mounts, "cpu");
        controller_find(&cgroup->memory, groups, mounts, "memory");
        controller_find(&cgroup->pids, groups, mounts, "pids");
        controller_find(&cgroup->cpuset, groups, mounts, "cpuset");
    }
    free(mounts);
}

/* --- numbers --- */

/* Reads a file of a folder's first `path_length` bytes. -1: it cannot be read. */
static ssize_t file_read(const struct cgroup *cgroup, const struct cgroup_folder *folder,
                         size_t path_length, const char *name, char text[FILE_BYTES])
{
    if (!folder->version) {
        return -1;
    }
    return proc_read(cgroup->sys_root, text, FILE_BYTES, "%.*s/%s", (int)path_length, folder->path,
                     name);
}

/* The first number of a file; METRIC_UNKNOWN: there is none, as in "max". */
static int64_t number_read(const struct cgroup *cgroup, const struct cgroup_folder *folder,
                           size_t path_length, const char *name)
{
    char text[FILE_BYTES];
    uint64_t number;
    ssize_t length = file_read(cgroup, folder, path_length, name, text);

    return length > 0 && proc_find_word(text, (size_t)length, 0, &number) && number <= INT64_MAX
               ? (int64_t)number
               : METRIC_UNKNOWN;
}

/* The length of the path one level up; 0 above the mount point. */
static size_t level_up(const struct cgroup_folder *folder, size_t path_length)
{
    while (path_length > folder->mount_length) {
        if (folder->path[--path_length] == '/') {
            return path_length;
        }
    }
    return 0;
}

static int64_t named_find(const char *text, ssize_t length, const char *name, int64_t factor)
{
    uint64_t number;
    int64_t product;

    if (length <= 0 || !proc_find_named(text, (size_t)length, name, &number) ||
        __builtin_mul_overflow(number, factor, &product)) {
        return METRIC_UNKNOWN;
    }
    return product;
}

static void sum_known(int64_t *sum, int64_t value)
{
    if (value != METRIC_UNKNOWN) {
        *sum = *sum == METRIC_UNKNOWN ? value : *sum + value;
    }
}

static void throttling_read(const struct cgroup *cgroup, struct cgroup_usage *usage)
{
    const struct cgroup_folder *cpu = &cgroup->cpu;
    bool is_v2 = cpu->version == 2;
    size_t path_length = strlen(cpu->path);
    char text[FILE_BYTES];

    for (int i = 0; i < CGROUP_LEVEL_COUNT_MAX && path_length > 0; i++) {
        ssize_t length = file_read(cgroup, cpu, path_length, "cpu.stat", text);

        sum_known(&usage->throttled_count, named_find(text, length, "nr_throttled", 1));
        sum_known(&usage->throttled_ns, is_v2
                                            ? named_find(text, length, "throttled_usec", NS_PER_US)
                                            : named_find(text, length, "throttled_time", 1));
        path_length = level_up(cpu, path_length);
    }
}

void cgroup_read(const struct cgroup *cgroup, struct cgroup_usage *usage_out)
{
    struct cgroup_usage usage = {METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN};
    const struct cgroup_folder *of = &cgroup->usage, *memory = &cgroup->memory;
    char text[FILE_BYTES];

    if (of->version == 2) {
        ssize_t length = file_read(cgroup, of, strlen(of->path), "cpu.stat", text);
        usage.cpu_ns = named_find(text, length, "usage_usec", NS_PER_US);
    } else {
        usage.cpu_ns = number_read(cgroup, of, strlen(of->path), "cpuacct.usage");
    }
    int64_t bytes = number_read(cgroup, memory, strlen(memory->path),
                                memory->version == 2 ? "memory.current" : "memory.usage_in_bytes");
    usage.memory_kib = bytes == METRIC_UNKNOWN ? METRIC_UNKNOWN : bytes / 1024;
    throttling_read(cgroup, &usage);
    *usage_out = usage;
}

/* --- limits --- */

static int64_t least(int64_t left, int64_t right)
{
    return left == METRIC_UNKNOWN || (right != METRIC_UNKNOWN && right < left) ? right : left;
}

/* "50000 100000" and "max 100000" of version 2; two files of version 1, the quota -1 for none. */
static int64_t quota_read(const struct cgroup *cgroup, size_t path_length)
{
    const struct cgroup_folder *cpu = &cgroup->cpu;
    char text[FILE_BYTES];
    uint64_t quota = 0, period = 0;

    if (cpu->version == 2) {
        ssize_t length = file_read(cgroup, cpu, path_length, "cpu.max", text);
        if (length <= 0 || !proc_find_word(text, (size_t)length, 0, &quota) ||
            !proc_find_word(text, (size_t)length, 1, &period)) {
            return METRIC_UNKNOWN;
        }
    } else {
        int64_t numbers[2] = {number_read(cgroup, cpu, path_length, "cpu.cfs_quota_us"),
                              number_read(cgroup, cpu, path_length, "cpu.cfs_period_us")};
        quota = numbers[0] > 0 ? (uint64_t)numbers[0] : 0;
        period = numbers[1] > 0 ? (uint64_t)numbers[1] : 0;
    }
    return quota && period && quota < UINT64_MAX / 100 ? (int64_t)(quota * 100 / period)
                                                       : METRIC_UNKNOWN;
}

/* The least number that a file holds on all levels. */
static int64_t least_read(const struct cgroup *cgroup, const struct cgroup_folder *folder,
                          const char *name)
{
    size_t path_length = strlen(folder->path);
    int64_t found = METRIC_UNKNOWN;

    for (int i = 0; i < CGROUP_LEVEL_COUNT_MAX && path_length > 0; i++) {
        found = least(found, number_read(cgroup, folder, path_length, name));
        path_length = level_up(folder, path_length);
    }
    return found;
}

void cgroup_read_limits(const struct cgroup *cgroup, struct cgroup_limits *limits_out)
{
    /* Version 1 writes "no limit" as the largest multiple of a page. */
    const int64_t memory_none = INT64_MAX / 2;
    struct cgroup_limits limits = {METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN, ""};
    const struct cgroup_folder *memory = &cgroup->memory, *cpuset = &cgroup->cpuset;
    size_t path_length = strlen(cgroup->cpu.path);
    char text[FILE_BYTES];

    for (int i = 0; i < CGROUP_LEVEL_COUNT_MAX && path_length > 0; i++) {
        limits.cpu_centi = least(limits.cpu_centi, quota_read(cgroup, path_length));
        path_length = level_up(&cgroup->cpu, path_length);
    }
    int64_t bytes =
        least_read(cgroup, memory, memory->version == 2 ? "memory.max" : "memory.limit_in_bytes");
    limits.memory_kib =
        bytes == METRIC_UNKNOWN || bytes >= memory_none ? METRIC_UNKNOWN : bytes / 1024;
    limits.pid_count = least_read(cgroup, &cgroup->pids, "pids.max");
    ssize_t length =
        file_read(cgroup, cpuset, strlen(cpuset->path),
                  cpuset->version == 2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus", text);
    if (length > 0) {
        snprintf(limits.cpus, sizeof(limits.cpus), "%.*s", (int)strcspn(text, "\n"), text);
    }
    *limits_out = limits;
}

/* --- facts --- */

const char *cgroup_version(const struct cgroup *cgroup)
{
    const struct cgroup_folder *folders[] = {&cgroup->usage, &cgroup->cpu, &cgroup->memory};
    bool has[3] = {false};

    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        has[folders[i]->version] = true;
    }
    return has[1] && has[2] ? "v1 and v2" : has[1] ? "v1" : has[2] ? "v2" : "none";
}

bool cgroup_hash_path(const struct cgroup *cgroup, char hex_out[DIGEST_HEX_BYTES])
{
    const struct cgroup_folder *folder = cgroup->memory.version ? &cgroup->memory : &cgroup->usage;
    const char *below = folder->path + folder->mount_length;

    return folder->version && digest_bytes(below, strlen(below), hex_out, NULL) == ERR_OK;
}
