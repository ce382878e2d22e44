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
#include "collector/probe/fingerprint.h"
#include "collector/probe/machine_parts.h"
#include "engines/base/clock.h"
#include "engines/base/proc.h"

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
    {"cpu.nohz_full", SOURCE_SYS, "devices/system/cpu/nohz_full", NULL},
    {"cpu.smt_control", SOURCE_SYS, "devices/system/cpu/smt/control", NULL},
    {"cpu.siblings_of_0", SOURCE_SYS, "devices/system/cpu/cpu0/topology/thread_siblings_list",
     NULL},
    {"cpu.smt_active", SOURCE_SYS, "devices/system/cpu/smt/active", NULL},
    {"cpu.frequency_driver", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/scaling_driver", NULL},
    {"cpu.frequency_least_khz", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq",
     NULL},
    {"cpu.frequency_most_khz", SOURCE_SYS, "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
     NULL},
    {"cpu.energy_preference", SOURCE_SYS,
     "devices/system/cpu/cpu0/cpufreq/energy_performance_preference", NULL},
    {"cpu.pstate", SOURCE_SYS, "devices/system/cpu/intel_pstate/status", NULL},
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
    {"cpu.mitigation.gather_data_sampling", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/gather_data_sampling", NULL},
    {"cpu.mitigation.itlb_multihit", SOURCE_SYS, "devices/system/cpu/vulnerabilities/itlb_multihit",
     NULL},
    {"cpu.mitigation.indirect_target_selection", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/indirect_target_selection", NULL},
    {"cpu.mitigation.mmio_stale_data", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/mmio_stale_data", NULL},
    {"cpu.mitigation.reg_file_data_sampling", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/reg_file_data_sampling", NULL},
    {"cpu.mitigation.spec_rstack_overflow", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/spec_rstack_overflow", NULL},
    {"cpu.mitigation.srbds", SOURCE_SYS, "devices/system/cpu/vulnerabilities/srbds", NULL},
    {"cpu.mitigation.tsa", SOURCE_SYS, "devices/system/cpu/vulnerabilities/tsa", NULL},
    {"cpu.mitigation.tsx_async_abort", SOURCE_SYS,
     "devices/system/cpu/vulnerabilities/tsx_async_abort", NULL},
    {"cpu.mitigation.vmscape", SOURCE_SYS, "devices/system/cpu/vulnerabilities/vmscape", NULL},
    {"memory.total", SOURCE_PROC, "meminfo", "MemTotal"},
    {"memory.swap_total", SOURCE_PROC, "meminfo", "SwapTotal"},
    {"memory.transparent_hugepages", SOURCE_SYS, "kernel/mm/transparent_hugepage/enabled", NULL},
    {"memory.transparent_hugepages_defrag", SOURCE_SYS, "kernel/mm/transparent_hugepage/defrag",
     NULL},
    {"memory.numa_nodes", SOURCE_SYS, "devices/system/node/online", NULL},
    {"memory.ksm_run", SOURCE_SYS, "kernel/mm/ksm/run", NULL},
    {"memory.overcommit", SOURCE_PROC, "sys/vm/overcommit_memory", NULL},
    {"memory.swappiness", SOURCE_PROC, "sys/vm/swappiness", NULL},
    {"kernel.numa_balancing", SOURCE_PROC, "sys/kernel/numa_balancing", NULL},
    {"kernel.address_randomisation", SOURCE_PROC, "sys/kernel/randomize_va_space", NULL},
    {"kernel.sched_autogroup", SOURCE_PROC, "sys/kernel/sched_autogroup_enabled", NULL},
    {"kernel.sched_rt_runtime_us", SOURCE_PROC, "sys/kernel/sched_rt_runtime_us", NULL},
    {"kernel.sched_schedstats", SOURCE_PROC, "sys/kernel/sched_schedstats", NULL},
    {"kernel.sched_bandwidth_slice_us", SOURCE_PROC, "sys/kernel/sched_cfs_bandwidth_slice_us",
     NULL},
    {"kernel.task_delayacct", SOURCE_PROC, "sys/kernel/task_delayacct", NULL},
    {"kernel.nmi_watchdog", SOURCE_PROC, "sys/kernel/nmi_watchdog", NULL},
    {"kernel.perf_event_paranoid", SOURCE_PROC, "sys/kernel/perf_event_paranoid", NULL},
    {"kernel.real_time", SOURCE_SYS, "kernel/realtime", NULL},
    {"kernel.lockdown", SOURCE_SYS, "kernel/security/lockdown", NULL},
    {"kernel.clocksource", SOURCE_SYS,
     "devices/system/clocksource/clocksource0/current_clocksource", NULL},
    {"kernel.boot_id", SOURCE_PROC, "sys/kernel/random/boot_id", NULL},
    {"machine.product", SOURCE_SYS, "class/dmi/id/product_name", NULL},
    {"machine.vendor", SOURCE_SYS, "class/dmi/id/sys_vendor", NULL},
    {"machine.hypervisor", SOURCE_SYS, "hypervisor/type", NULL},
    {"net.somaxconn", SOURCE_PROC, "sys/net/core/somaxconn", NULL},
    {"net.rmem_max", SOURCE_PROC, "sys/net/core/rmem_max", NULL},
    {"net.wmem_max", SOURCE_PROC, "sys/net/core/wmem_max", NULL},
    {"net.netdev_max_backlog", SOURCE_PROC, "sys/net/core/netdev_max_backlog", NULL},
    {"net.busy_read", SOURCE_PROC, "sys/net/core/busy_read", NULL},
    {"net.default_qdisc", SOURCE_PROC, "sys/net/core/default_qdisc", NULL},
    {"net.busy_poll", SOURCE_PROC, "sys/net/core/busy_poll", NULL},
    {"net.tcp_max_syn_backlog", SOURCE_PROC, "sys/net/ipv4/tcp_max_syn_backlog", NULL},
    {"net.tcp_syncookies", SOURCE_PROC, "sys/net/ipv4/tcp_syncookies", NULL},
    {"net.tcp_congestion_control", SOURCE_PROC, "sys/net/ipv4/tcp_congestion_control", NULL},
    {"net.ip_local_port_range", SOURCE_PROC, "sys/net/ipv4/ip_local_port_range", NULL},
    {"net.tcp_tw_reuse", SOURCE_PROC, "sys/net/ipv4/tcp_tw_reuse", NULL},
    {"net.tcp_fin_timeout", SOURCE_PROC, "sys/net/ipv4/tcp_fin_timeout", NULL},
    {"net.tcp_max_tw_buckets", SOURCE_PROC, "sys/net/ipv4/tcp_max_tw_buckets", NULL},
    {"net.tcp_fastopen", SOURCE_PROC, "sys/net/ipv4/tcp_fastopen", NULL},
    {"net.tcp_timestamps", SOURCE_PROC, "sys/net/ipv4/tcp_timestamps", NULL},
    {"net.tcp_sack", SOURCE_PROC, "sys/net/ipv4/tcp_sack", NULL},
    {"net.tcp_ecn", SOURCE_PROC, "sys/net/ipv4/tcp_ecn", NULL},
    {"net.tcp_notsent_lowat", SOURCE_PROC, "sys/net/ipv4/tcp_notsent_lowat", NULL},
    {"net.tcp_rmem", SOURCE_PROC, "sys/net/ipv4/tcp_rmem", NULL},
    {"net.tcp_wmem", SOURCE_PROC, "sys/net/ipv4/tcp_wmem", NULL},
    {"net.tcp_autocorking", SOURCE_PROC, "sys/net/ipv4/tcp_autocorking", NULL},
    {"net.tcp_slow_start_after_idle", SOURCE_PROC, "sys/net/ipv4/tcp_slow_start_after_idle", NULL},
    {"net.lo_mtu", SOURCE_SYS, "class/net/lo/mtu", NULL},
    {"net.lo_queue_length", SOURCE_SYS, "class/net/lo/tx_queue_len", NULL},
    {"net.filter_tables", SOURCE_PROC, "net/ip_tables_names", NULL},
    {"net.conntrack_max", SOURCE_PROC, "sys/net/netfilter/nf_conntrack_max", NULL},
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
    {"state.conntrack_count", SOURCE_PROC, "sys/net/netfilter/nf_conntrack_count", NULL},
    {"state.uptime_s", SOURCE_PROC, "uptime", NULL},
    {"state.perf_event_max_sample_rate", SOURCE_PROC, "sys/kernel/perf_event_max_sample_rate",
     NULL},
    {"state.clocksources", SOURCE_SYS,
     "devices/system/clocksource/clocksource0/available_clocksource", NULL},
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

static void row_put(const struct machine_reader *reader, const struct fact_row *row)
{
    char value[MACHINE_VALUE_BYTES];
    const char *root = row->source == SOURCE_PROC ? reader->proc_root : reader->sys_root;
    ssize_t length = proc_read(root, reader->text, MACHINE_FILE_BYTES, "%s", row->path);

    if (length < 0) {
        machine_put(reader, row->name, NULL);
        return;
    }
    if (!row->key) {
        snprintf(value, sizeof(value), "%.*s", MACHINE_VALUE_BYTES - 1, reader->text);
        line_flatten(value);
        machine_put(reader, row->name, value);
        return;
    }
    bool found = proc_find_text(reader->text, (size_t)length, row->key, value, sizeof(value));
    machine_put(reader, row->name, found ? value : NULL);
}

static void rows_put(const struct machine_reader *reader, const struct fact_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        row_put(reader, &rows[i]);
    }
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

/* Whole GiB, upwards: what the kernel keeps for itself differs from boot to boot. */
static void memory_put(const struct machine_reader *reader)
{
    uint64_t kib;
    ssize_t length = proc_read(reader->proc_root, reader->text, MACHINE_FILE_BYTES, "meminfo");

    if (length > 0 && proc_find_number(reader->text, (size_t)length, "MemTotal", &kib)) {
        machine_put_format(reader, "memory.size_gib", "%llu",
                           (unsigned long long)((kib + (1 << 20) - 1) >> 20));
    } else {
        machine_put(reader, "memory.size_gib", NULL);
    }
}

/* Shows each fact to the fingerprint as it passes. */
struct fingerprint_tap {
    const struct machine_sink *sink;
    struct fingerprint *fingerprint;
};

static void tap_put(void *self, const char *name, const char *value)
{
    const struct fingerprint_tap *tap = self;

    fingerprint_add(tap->fingerprint, name, value);
    tap->sink->put(tap->sink->self, name, value);
}

static void stable_put(const struct machine_reader *reader)
{
    uname_put(reader->sink);
    process_put(reader->sink);
    machine_put_cpus(reader);
    machine_put_kernel(reader);
    machine_put_container(reader);
    machine_put_network(reader);
    memory_put(reader);
    rows_put(reader, stable_rows, ARRAY_COUNT(stable_rows));
}

void machine_describe(const char *proc_root, const char *sys_root, const struct machine_sink *sink)
{
    struct fingerprint_tap tap = {.sink = sink};
    const struct machine_sink tapped = {&tap, tap_put};
    char hex[DIGEST_HEX_BYTES], *text = malloc(MACHINE_FILE_BYTES);
    const struct machine_reader reader = {proc_root, sys_root, &tapped, text};

    if (text && fingerprint_new(&tap.fingerprint, NULL) == ERR_OK) {
        stable_put(&reader);
        bool is_made = fingerprint_finish(tap.fingerprint, hex, NULL) == ERR_OK;
        sink->put(sink->self, FINGERPRINT_FACT, is_made ? hex : NULL);
        fingerprint_free(tap.fingerprint);
    }
    free(text);
}

void machine_describe_state(const char *proc_root, const char *sys_root,
                            const struct machine_sink *sink)
{
    char *text = malloc(MACHINE_FILE_BYTES);
    const struct machine_reader reader = {proc_root, sys_root, sink, text};
    int is_synchronised = clock_is_synchronised();

    if (text) {
        rows_put(&reader, moving_rows, ARRAY_COUNT(moving_rows));
        machine_put_power(&reader);
        machine_put_environment(&reader);
        machine_put(&reader, "state.time_synchronised",
                    is_synchronised < 0 ? NULL
                    : is_synchronised   ? "yes"
                                        : "no");
    }
    free(text);
}
