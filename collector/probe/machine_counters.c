// SPDX-License-Identifier: Apache-2.0
// The machine's own counters at one moment.
#include "collector/probe/machine_counters.h"

#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/base/proc.h"

void machine_counters_open(struct machine_counters *machine, const char *proc_root,
                           const char *sys_root, pid_t server_pid)
{
    machine->proc_root = proc_root;
    machine->tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    machine->page_kib = sysconf(_SC_PAGESIZE) / 1024;
    cgroup_open(&machine->cgroup, proc_root, sys_root, server_pid);
    cpu_state_open(&machine->cpus, proc_root, sys_root);
}

static int64_t product_known(uint64_t count, int64_t factor)
{
    int64_t product;

    return __builtin_mul_overflow(count, factor, &product) ? METRIC_UNKNOWN : product;
}

static ssize_t file_read(struct machine_counters *machine, const char *path)
{
    return proc_read(machine->proc_root, machine->text, sizeof(machine->text), "%s", path);
}

/* Where a number stands in a file that has many of them. */
struct number_row {
    enum metric metric;
    const char *prefix; /* of net/snmp and net/netstat; "": "NAME 12"; ":" "NAME: 12 kB" */
    const char *name;
    int64_t factor; /* 0: a page */
};

/* Returns the length of the file, which is then in machine->text; -1: it cannot be read. */
static ssize_t rows_read(struct machine_counters *machine, const char *path,
                         const struct number_row *rows, size_t count, int64_t now[METRIC_COUNT])
{
    const char *text = machine->text;
    ssize_t length = file_read(machine, path);
    uint64_t number;

    for (size_t i = 0; length > 0 && i < count; i++) {
        const struct number_row *row = &rows[i];
        bool found = *row->prefix == '\0'
                         ? proc_find_named(text, (size_t)length, row->name, &number)
                     : *row->prefix == ':'
                         ? proc_find_number(text, (size_t)length, row->name, &number)
                         : proc_find_counter(text, (size_t)length, row->prefix, row->name, &number);
        if (found) {
            now[row->metric] = product_known(number, row->factor ? row->factor : machine->page_kib);
        }
    }
    return length;
}

static void cpu_read(struct machine_counters *machine, int64_t now[METRIC_COUNT])
{
    static const struct number_row rows[] = {
        {METRIC_machine_interrupt_count, "", "intr", 1},
        {METRIC_machine_softirq_count, "", "softirq", 1},
        {METRIC_machine_switch_count, "", "ctxt", 1},
        {METRIC_machine_runnable_count, "", "procs_running", 1},
    };
    int64_t tick_ns = machine->tick_ns;
    struct proc_cpu cpu;

    ssize_t length = rows_read(machine, "stat", rows, ARRAY_COUNT(rows), now);
    if (length <= 0 || !proc_parse_cpu(machine->text, (size_t)length, &cpu)) {
        return;
    }
    uint64_t busy = cpu.user + cpu.nice + cpu.system + cpu.irq + cpu.softirq;
    now[METRIC_machine_busy_ns] = product_known(busy, tick_ns);
    now[METRIC_machine_idle_ns] = product_known(cpu.idle + cpu.iowait, tick_ns);
    now[METRIC_machine_user_ns] = product_known(cpu.user + cpu.nice, tick_ns);
    now[METRIC_machine_system_ns] = product_known(cpu.system, tick_ns);
    now[METRIC_machine_iowait_ns] = product_known(cpu.iowait, tick_ns);
    now[METRIC_machine_softirq_ns] = product_known(cpu.softirq, tick_ns);
    now[METRIC_machine_steal_ns] = product_known(cpu.steal, tick_ns);
}

static void memory_read(struct machine_counters *machine, int64_t now[METRIC_COUNT])
{
    static const struct number_row memory[] = {
        {METRIC_machine_memory_available_kib, ":", "MemAvailable", 1},
        {METRIC_machine_kernel_stack_kib, ":", "KernelStack", 1},
        {METRIC_machine_slab_kib, ":", "Slab", 1},
    };
    static const struct number_row swap[] = {
        {METRIC_machine_swap_in_kib, "", "pswpin", 0},
        {METRIC_machine_swap_out_kib, "", "pswpout", 0},
    };

    (void)rows_read(machine, "meminfo", memory, ARRAY_COUNT(memory), now);
    (void)rows_read(machine, "vmstat", swap, ARRAY_COUNT(swap), now);
}

static void pressure_read(struct machine_counters *machine, int64_t now[METRIC_COUNT])
{
    static const struct {
        enum metric metric;
        const char *path;
    } rows[] = {{METRIC_machine_pressure_cpu_ns, "pressure/cpu"},
                {METRIC_machine_pressure_io_ns, "pressure/io"},
                {METRIC_machine_pressure_memory_ns, "pressure/memory"}};
    uint64_t number;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        ssize_t length = file_read(machine, rows[i].path);

        if (length > 0 &&
            proc_find_pressure_total(machine->text, (size_t)length, "some", &number)) {
            now[rows[i].metric] = product_known(number, CLOCK_NS_PER_US);
        }
    }
}

static void network_read(struct machine_counters *machine, int64_t now[METRIC_COUNT])
{
    static const struct number_row extended[] = {
        {METRIC_machine_listen_overflow_count, "TcpExt", "ListenOverflows", 1},
        {METRIC_machine_listen_drop_count, "TcpExt", "ListenDrops", 1},
        {METRIC_machine_syncookie_count, "TcpExt", "SyncookiesSent", 1},
        {METRIC_machine_time_wait_overflow_count, "TcpExt", "TCPTimeWaitOverflow", 1},
    };
    static const struct number_row tcp[] = {
        {METRIC_machine_retransmit_count, "Tcp", "RetransSegs", 1},
        {METRIC_machine_reset_count, "Tcp", "OutRsts", 1},
    };
    enum { DROPPED = 1, SQUEEZED = 2 }; /* columns of net/softnet_stat */
    uint64_t number;

    (void)rows_read(machine, "net/netstat", extended, ARRAY_COUNT(extended), now);
    (void)rows_read(machine, "net/snmp", tcp, ARRAY_COUNT(tcp), now);
    ssize_t length = file_read(machine, "net/sockstat");
    if (length > 0 && proc_find_pair(machine->text, (size_t)length, "TCP", "tw", &number)) {
        now[METRIC_machine_time_wait_count] = product_known(number, 1);
    }
    length = file_read(machine, "net/softnet_stat");
    if (length > 0 && proc_sum_column(machine->text, (size_t)length, DROPPED, &number)) {
        now[METRIC_machine_softnet_drop_count] = product_known(number, 1);
    }
    if (length > 0 && proc_sum_column(machine->text, (size_t)length, SQUEEZED, &number)) {
        now[METRIC_machine_softnet_squeeze_count] = product_known(number, 1);
    }
}

void machine_counters_read(struct machine_counters *machine, int64_t now[METRIC_COUNT])
{
    struct cgroup_usage usage;
    struct cpu_state_reading cpus;

    cpu_read(machine, now);
    memory_read(machine, now);
    pressure_read(machine, now);
    network_read(machine, now);
    cgroup_read(&machine->cgroup, &usage);
    now[METRIC_cgroup_cpu_ns] = usage.cpu_ns;
    now[METRIC_cgroup_memory_kib] = usage.memory_kib;
    now[METRIC_machine_throttled_count] = usage.throttled_count;
    now[METRIC_machine_throttled_ns] = usage.throttled_ns;
    cpu_state_read(&machine->cpus, machine->text, sizeof(machine->text), &cpus);
    now[METRIC_machine_frequency_min_khz] = cpus.min_khz;
    now[METRIC_machine_frequency_max_khz] = cpus.max_khz;
    now[METRIC_machine_thermal_throttle_count] = cpus.throttle_count;
    now[METRIC_machine_temperature_millicelsius] = cpus.millicelsius;
}
