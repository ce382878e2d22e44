// SPDX-License-Identifier: Apache-2.0
// What is known of the machine, as facts.
#include "collector/probe/machine.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collector/digest.h"
#include "engines/base/proc.h"

#define FILE_BYTES  65536
#define VALUE_BYTES 1024

enum source { SOURCE_PROC, SOURCE_SYS };

struct fact_row {
    const char *name;
    enum source source;
    const char *path;
    const char *key; /* of a "KEY: value" line; NULL: the whole file on one line */
};

static const struct fact_row stable_rows[] = {
    {"cpu.model", SOURCE_PROC, "cpuinfo", "model name"},
    {"cpu.vendor", SOURCE_PROC, "cpuinfo", "vendor_id"},
    {"cpu.family", SOURCE_PROC, "cpuinfo", "cpu family"},
    {"cpu.model_number", SOURCE_PROC, "cpuinfo", "model"},
    {"cpu.stepping", SOURCE_PROC, "cpuinfo", "stepping"},
    {"cpu.microcode", SOURCE_PROC, "cpuinfo", "microcode"},
    {"cpu.cores_per_socket", SOURCE_PROC, "cpuinfo", "cpu cores"},
    {"cpu.online", SOURCE_SYS, "devices/system/cpu/online", NULL},
    {"cpu.isolated", SOURCE_SYS, "devices/system/cpu/isolated", NULL},
    {"cpu.smt_active", SOURCE_SYS, "devices/system/cpu/smt/active", NULL},
    {"cpu.governor", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL},
    {"cpu.frequency_driver", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/scaling_driver", NULL},
    {"cpu.no_turbo", SOURCE_SYS, "devices/system/cpu/intel_pstate/no_turbo", NULL},
    {"cpu.boost", SOURCE_SYS, "devices/system/cpu/cpufreq/boost", NULL},
    {"cpu.idle_driver", SOURCE_SYS, "devices/system/cpu/cpuidle/current_driver", NULL},
    {"cpu.mitigation.meltdown", SOURCE_SYS, "devices/system/cpu/vulnerabilities/meltdown", NULL},
    {"cpu.mitigation.spectre_v1", SOURCE_SYS, "devices/system/cpu/vulnerabilities/spectre_v1",
     NULL},
    {"cpu.mitigation.spectre_v2", SOURCE_SYS, "devices/system/cpu/vulnerabilities/spectre_v2",
     NULL},
    {"cpu.mitigation.mds", SOURCE_SYS, "devices/system/cpu/vulnerabilities/mds", NULL},
    {"cpu.mitigation.l1tf", SOURCE_SYS, "devices/system/cpu/vulnerabilities/l1tf", NULL},
    {"cpu.mitigation.retbleed", SOURCE_SYS, "devices/system/cpu/vulnerabilities/retbleed", NULL},
    {"cpu.mitigation.spec_store_bypass", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/spec_store_bypass", NULL},
    {"memory.total", SOURCE_PROC, "meminfo", "MemTotal"},
    {"memory.swap_total", SOURCE_PROC, "meminfo", "SwapTotal"},
    {"memory.transparent_hugepages", SOURCE_SYS, "kernel/mm/transparent_hugepage/enabled", NULL},
    {"memory.ksm_run", SOURCE_SYS, "kernel/mm/ksm/run", NULL},
    {"memory.overcommit", SOURCE_PROC, "sys/vm/overcommit_memory", NULL},
    {"memory.swappiness", SOURCE_PROC, "sys/vm/swappiness", NULL},
    {"kernel.numa_balancing", SOURCE_PROC, "sys/kernel/numa_balancing", NULL},
    {"kernel.address_randomisation", SOURCE_PROC, "sys/kernel/randomize_va_space", NULL},
    {"kernel.sched_autogroup", SOURCE_PROC, "sys/kernel/sched_autogroup_enabled", NULL},
    {"kernel.clocksource", SOURCE_SYS,
     "devices/system/clocksource/clocksource0/current_clocksource", NULL},
    {"kernel.boot_id", SOURCE_PROC, "sys/kernel/random/boot_id", NULL},
    {"machine.product", SOURCE_SYS, "class/dmi/id/product_name", NULL},
    {"machine.vendor", SOURCE_SYS, "class/dmi/id/sys_vendor", NULL},
    {"machine.hypervisor", SOURCE_SYS, "hypervisor/type", NULL},
    {"net.somaxconn", SOURCE_PROC, "sys/net/core/somaxconn", NULL},
    {"net.default_qdisc", SOURCE_PROC, "sys/net/core/default_qdisc", NULL},
    {"net.busy_poll", SOURCE_PROC, "sys/net/core/busy_poll", NULL},
    {"net.tcp_max_syn_backlog", SOURCE_PROC, "sys/net/ipv4/tcp_max_syn_backlog", NULL},
    {"net.tcp_syncookies", SOURCE_PROC, "sys/net/ipv4/tcp_syncookies", NULL},
    {"net.tcp_congestion_control", SOURCE_PROC, "sys/net/ipv4/tcp_congestion_control", NULL},
    {"net.ip_local_port_range", SOURCE_PROC, "sys/net/ipv4/ip_local_port_range", NULL},
    {"net.tcp_tw_reuse", SOURCE_PROC, "sys/net/ipv4/tcp_tw_reuse", NULL},
    {"net.tcp_fin_timeout", SOURCE_PROC, "sys/net/ipv4/tcp_fin_timeout", NULL},
    {"net.tcp_rmem", SOURCE_PROC, "sys/net/ipv4/tcp_rmem", NULL},
    {"net.tcp_wmem", SOURCE_PROC, "sys/net/ipv4/tcp_wmem", NULL},
    {"net.tcp_autocorking", SOURCE_PROC, "sys/net/ipv4/tcp_autocorking", NULL},
    {"net.tcp_slow_start_after_idle", SOURCE_PROC, "sys/net/ipv4/tcp_slow_start_after_idle", NULL},
    {"net.lo_mtu", SOURCE_SYS, "class/net/lo/mtu", NULL},
    {"cgroup.cpu_max", SOURCE_SYS, "fs/cgroup/cpu.max", NULL},
    {"cgroup.memory_max", SOURCE_SYS, "fs/cgroup/memory.max", NULL},
};

static const struct fact_row moving_rows[] = {
    {"state.load", SOURCE_PROC, "loadavg", NULL},
    {"state.pressure_cpu", SOURCE_PROC, "pressure/cpu", NULL},
    {"state.pressure_memory", SOURCE_PROC, "pressure/memory", NULL},
    {"state.pressure_io", SOURCE_PROC, "pressure/io", NULL},
    {"state.memory_available", SOURCE_PROC, "meminfo", "MemAvailable"},
    {"state.swap_free", SOURCE_PROC, "meminfo", "SwapFree"},
    {"state.cpu0_frequency_khz", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
     NULL},
    {"state.temperature_millicelsius", SOURCE_SYS, "class/thermal/thermal_zone0/temp", NULL},
    {"state.sockets", SOURCE_PROC, "net/sockstat", "TCP"},
};

/* One line: newlines and tabs become blanks, the last ones go. */
static void line_flatten(char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ') {
            text[i] = ' ';
        }
    }
    while (length && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
}

static void row_put(const struct fact_row *row, const char *root, char *text,
                    const struct machine_sink *sink)
{
    char value[VALUE_BYTES];
    ssize_t length = proc_read(root, text, FILE_BYTES, "%s", row->path);

    if (length < 0) {
        sink->put(sink->self, row->name, NULL);
        return;
    }
    if (!row->key) {
        snprintf(value, sizeof(value), "%.*s", VALUE_BYTES - 1, text);
        line_flatten(value);
        sink->put(sink->self, row->name, value);
        return;
    }
    bool found = proc_find_text(text, (size_t)length, row->key, value, sizeof(value));
    sink->put(sink->self, row->name, found ? value : NULL);
}

static void rows_put(const struct fact_row *rows, size_t count, const char *proc_root,
                     const char *sys_root, const struct machine_sink *sink)
{
    char *text = malloc(FILE_BYTES);

    for (size_t i = 0; text && i < count; i++) {
        row_put(&rows[i], rows[i].source == SOURCE_PROC ? proc_root : sys_root, text, sink);
    }
    free(text);
}

static void uname_put(const struct machine_sink *sink)
{
    struct utsname name;
    char hash[DIGEST_HEX_BYTES];

    if (uname(&name) < 0) {
        return;
    }
    sink->put(sink->self, "kernel.name", name.sysname);
    sink->put(sink->self, "kernel.release", name.release);
    sink->put(sink->self, "kernel.version", name.version);
    sink->put(sink->self, "cpu.architecture", name.machine);
    bool hashed = digest_bytes(name.nodename, strlen(name.nodename), hash, NULL) == ERR_OK;
    sink->put(sink->self, "machine.name_sha256", hashed ? hash : NULL);
}

static void limit_put(const struct machine_sink *sink, const char *name, int resource, bool is_hard)
{
    struct rlimit limit;
    char text[32] = "unlimited";

    if (getrlimit((__rlimit_resource_t)resource, &limit) < 0) {
        return;
    }
    rlim_t value = is_hard ? limit.rlim_max : limit.rlim_cur;
    if (value != RLIM_INFINITY) {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    }
    sink->put(sink->self, name, text);
}

static void process_put(const struct machine_sink *sink)
{
    char text[64];

    snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    sink->put(sink->self, "cpu.count", text);
    limit_put(sink, "limit.nofile_soft", RLIMIT_NOFILE, false);
    limit_put(sink, "limit.nofile_hard", RLIMIT_NOFILE, true);
    limit_put(sink, "limit.nproc_soft", RLIMIT_NPROC, false);
    limit_put(sink, "limit.memlock_soft", RLIMIT_MEMLOCK, false);
    limit_put(sink, "limit.core_soft", RLIMIT_CORE, false);
    snprintf(text, sizeof(text), "glibc %s", gnu_get_libc_version());
    sink->put(sink->self, "os.libc", text);
}

/* Hypervisors set a CPU flag. */
static void virtualisation_put(const char *proc_root, const struct machine_sink *sink)
{
    char flags[8192];
    char *text = malloc(FILE_BYTES);
    ssize_t length = text ? proc_read(proc_root, text, FILE_BYTES, "cpuinfo") : -1;

    if (length >= 0 && proc_find_text(text, (size_t)length, "flags", flags, sizeof(flags))) {
        sink->put(sink->self, "machine.virtual", strstr(flags, " hypervisor") ? "yes" : "no");
    } else {
        sink->put(sink->self, "machine.virtual", NULL);
    }
    free(text);
}

void machine_describe(const char *proc_root, const char *sys_root, const struct machine_sink *sink)
{
    uname_put(sink);
    process_put(sink);
    virtualisation_put(proc_root, sink);
    rows_put(stable_rows, ARRAY_COUNT(stable_rows), proc_root, sys_root, sink);
}

void machine_describe_state(const char *proc_root, const char *sys_root,
                            const struct machine_sink *sink)
{
    rows_put(moving_rows, ARRAY_COUNT(moving_rows), proc_root, sys_root, sink);
}
