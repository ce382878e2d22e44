// SPDX-License-Identifier: Apache-2.0
// Preflight rules about the machine: what it does just now, its network, how it is set.
#include "collector/probe/preflight_rules.h"

#define CONNTRACK_SHARE_MAX    0.8
#define PRESSURE_REFUSED_CENTI 2000

static enum preflight_state pressure_show(int64_t centi, int limit_percent,
                                          struct preflight_row *row)
{
    preflight_put(row->value, "%.2f %% of the last 10 s", (double)centi / 100);
    preflight_put(row->threshold, "at most %d %%", limit_percent);
    return centi < 0 ? PREFLIGHT_UNKNOWN
                     : preflight_violated_if(centi > 100 * (int64_t)limit_percent);
}

/* Above 20 % somebody else is at work: that refuses where one is strict, or has waited in vain. */
static enum preflight_state show_pressure_cpu(const struct preflight_input *input,
                                              struct preflight_row *row)
{
    if (input->pressure_cpu_centi <= PRESSURE_REFUSED_CENTI) {
        row->consequence = PREFLIGHT_WARN;
    } else if (input->has_waited) {
        row->consequence = PREFLIGHT_REFUSE;
    }
    return pressure_show(input->pressure_cpu_centi, 5, row);
}

static enum preflight_state show_pressure_io(const struct preflight_input *input,
                                             struct preflight_row *row)
{
    return pressure_show(input->pressure_io_centi, 1, row);
}

static enum preflight_state show_pressure_memory(const struct preflight_input *input,
                                                 struct preflight_row *row)
{
    return pressure_show(input->pressure_memory_centi, 1, row);
}

static enum preflight_state show_load(const struct preflight_input *input,
                                      struct preflight_row *row)
{
    int count = CPU_COUNT(&input->allowed_cpus);

    preflight_put(row->value, "%.2f", (double)input->load_centi / 100);
    preflight_put(row->threshold, "at most %.2f (0.3 for each CPU)", 0.3 * count);
    return input->load_centi < 0 ? PREFLIGHT_UNKNOWN
                                 : preflight_violated_if(input->load_centi > 30 * (int64_t)count);
}

static enum preflight_state show_swap(const struct preflight_input *input,
                                      struct preflight_row *row)
{
    preflight_put(row->value, "%lld MiB", (long long)(input->swap_total_kib / 1024));
    preflight_put(row->threshold, "none");
    return input->swap_total_kib < 0 ? PREFLIGHT_UNKNOWN
                                     : preflight_violated_if(input->swap_total_kib > 0);
}

static enum preflight_state queue_show(int64_t length, uint32_t connection_count,
                                       struct preflight_row *row)
{
    preflight_put(row->value, "%lld", (long long)length);
    preflight_put(row->threshold, "at least %u, one for each connection", connection_count);
    return length < 0 ? PREFLIGHT_UNKNOWN
                      : preflight_violated_if(length < (int64_t)connection_count);
}

static enum preflight_state show_backlog(const struct preflight_input *input,
                                         struct preflight_row *row)
{
    return queue_show(input->somaxconn, input->connection_count_max, row);
}

static enum preflight_state show_syn_backlog(const struct preflight_input *input,
                                             struct preflight_row *row)
{
    return queue_show(input->syn_backlog, input->connection_count_max, row);
}

static enum preflight_state show_ports(const struct preflight_input *input,
                                       struct preflight_row *row)
{
    preflight_put(row->value, "%lld ports", (long long)input->local_port_count);
    preflight_put(row->threshold, "at least %u, one for each connection",
                  input->connection_count_max);
    return input->local_port_count < 0
               ? PREFLIGHT_UNKNOWN
               : preflight_violated_if(input->local_port_count <
                                       (int64_t)input->connection_count_max);
}

/* A port waits a minute before it is used again, unless the kernel may reuse it sooner. */
static enum preflight_state show_churn(const struct preflight_input *input,
                                       struct preflight_row *row)
{
    int64_t need = input->connects_per_s * 60;

    if (input->connects_per_s <= 0) {
        return PREFLIGHT_NO_CONCERN;
    }
    preflight_put(row->value, "%lld ports, tcp_tw_reuse %lld", (long long)input->local_port_count,
                  (long long)input->tw_reuse);
    preflight_put(row->threshold, "%lld ports for a minute of %lld connections/s, or tcp_tw_reuse",
                  (long long)need, (long long)input->connects_per_s);
    if (input->local_port_count < 0 || input->tw_reuse < 0) {
        return PREFLIGHT_UNKNOWN;
    }
    return preflight_violated_if(input->tw_reuse == 0 && need > input->local_port_count);
}

static enum preflight_state show_time_wait(const struct preflight_input *input,
                                           struct preflight_row *row)
{
    preflight_put(row->value, "%lld of %lld ports", (long long)input->time_wait_count,
                  (long long)input->local_port_count);
    preflight_put(row->threshold, "at most half of them");
    if (input->time_wait_count < 0 || input->local_port_count < 0) {
        return PREFLIGHT_UNKNOWN;
    }
    return preflight_violated_if(2 * input->time_wait_count > input->local_port_count);
}

static enum preflight_state show_conntrack(const struct preflight_input *input,
                                           struct preflight_row *row)
{
    double limit = CONNTRACK_SHARE_MAX * (double)input->conntrack_max;
    double used = (double)input->conntrack_count + (double)input->connection_count_max;

    if (input->conntrack_max < 0 || input->conntrack_count < 0) {
        preflight_put(row->value, "not loaded");
        preflight_put(row->threshold, "not loaded, or room in its table");
        return PREFLIGHT_FINE;
    }
    preflight_put(row->value, "%lld of %lld entries", (long long)input->conntrack_count,
                  (long long)input->conntrack_max);
    preflight_put(row->threshold, "with the plan's connections at most %.0f", limit);
    return preflight_violated_if(used > limit);
}

const struct preflight_rule preflight_machine_rules[] = {
    {"ports_few", "local ports for connections", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_ports,
     "each connection of the driver takes a port",
     "sysctl net.ipv4.ip_local_port_range='1024 65535', machine.source_addresses, or fewer "
     "connections"},
    {"ports_churn", "local ports for connections that close", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE,
     show_churn, "a closed connection holds its port for a minute",
     "sysctl net.ipv4.tcp_tw_reuse=2, or a lower rate"},
    {"pressure_cpu", "somebody waits for a CPU", PREFLIGHT_WARN, PREFLIGHT_REFUSE,
     show_pressure_cpu, "other programs are at work, and take time from server and driver",
     "end other programs (top shows them); tacho run waits a minute for it, and refuses above 20 "
     "%"},
    {"pressure_io", "somebody waits for input or output", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_pressure_io, "a slow disk can stop programs", "wait, or end other programs"},
    {"pressure_memory", "somebody waits for memory", PREFLIGHT_WARN, PREFLIGHT_REFUSE,
     show_pressure_memory, "memory is being freed while others want it", "end other programs"},
    {"load", "load average of the last minute", PREFLIGHT_WARN, PREFLIGHT_WARN, show_load,
     "so many threads ran or wanted to", "wait until it has gone down"},
    {"swap", "swap space", PREFLIGHT_WARN, PREFLIGHT_WARN, show_swap,
     "memory that is written out is read back in the middle of a trial", "swapoff -a"},
    {"backlog", "longest accept queue (somaxconn)", PREFLIGHT_WARN, PREFLIGHT_WARN, show_backlog,
     "a connection that finds it full tries again after a second",
     "sysctl net.core.somaxconn=4096"},
    {"syn_backlog", "connections being opened (tcp_max_syn_backlog)", PREFLIGHT_WARN,
     PREFLIGHT_WARN, show_syn_backlog, "above it connections are dropped or get a cookie",
     "sysctl net.ipv4.tcp_max_syn_backlog=4096"},
    {"time_wait", "sockets that still wait after closing", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_time_wait, "an earlier run left them, and each holds a port", "wait a minute"},
    {"conntrack", "table of the connection tracker", PREFLIGHT_WARN, PREFLIGHT_WARN, show_conntrack,
     "connections are dropped when it is full", "sysctl net.netfilter.nf_conntrack_max=262144"},
};
const size_t preflight_machine_rule_count = ARRAY_COUNT(preflight_machine_rules);
_Static_assert(ARRAY_COUNT(preflight_machine_rules) <= 12, "with the others no more than rows");

#define RECORD(name, title, fact)                                                                  \
    {                                                                                              \
        name, title, fact, PREFLIGHT_TEST_NONE, NULL, NULL, PREFLIGHT_RECORD, PREFLIGHT_RECORD,    \
            NULL, NULL                                                                             \
    }

const struct preflight_fact_rule preflight_fact_rules[] = {
    {"power", "power supply", "state.power", PREFLIGHT_TEST_IS, "mains", NULL, PREFLIGHT_REFUSE,
     PREFLIGHT_REFUSE, "on battery the CPU is slowed down as it likes", "connect the charger"},
    {"governor", "CPU frequency governor", "cpu.governor", PREFLIGHT_TEST_IS, "performance", NULL,
     PREFLIGHT_WARN, PREFLIGHT_REFUSE, "a CPU that changes its speed is another one in each trial",
     "cpupower frequency-set -g performance"},
    {"boost", "CPU boost", "cpu.boost", PREFLIGHT_TEST_IS, "0", "0 (off)", PREFLIGHT_WARN,
     PREFLIGHT_WARN, "how far it goes depends on heat and on the other cores",
     "echo 0 >/sys/devices/system/cpu/cpufreq/boost"},
    {"turbo", "CPU turbo switched off", "cpu.no_turbo", PREFLIGHT_TEST_IS, "1", "1 (off)",
     PREFLIGHT_WARN, PREFLIGHT_WARN, "how far it goes depends on heat and on the other cores",
     "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo"},
    {"virtual", "virtual machine", "machine.virtual", PREFLIGHT_TEST_IS, "no", NULL, PREFLIGHT_WARN,
     PREFLIGHT_WARN, "its host may take the CPU away, and not every host tells",
     "a machine of your own; here, more trials"},
    {"container", "container", "machine.container", PREFLIGHT_TEST_IS, "none", NULL, PREFLIGHT_WARN,
     PREFLIGHT_WARN, "quotas and neighbours are hidden from it", "run it outside of the container"},
    {"hugepages", "transparent huge pages", "memory.transparent_hugepages", PREFLIGHT_TEST_LACKS,
     "[always]", "madvise or never", PREFLIGHT_WARN, PREFLIGHT_WARN,
     "the kernel joins pages whenever it likes",
     "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled"},
    {"ksm", "merging of equal pages (KSM)", "memory.ksm_run", PREFLIGHT_TEST_IS, "0|2", "0 (off)",
     PREFLIGHT_WARN, PREFLIGHT_WARN, "it reads memory and takes CPU time",
     "echo 0 >/sys/kernel/mm/ksm/run"},
    {"aslr", "address randomisation", "kernel.address_randomisation", PREFLIGHT_TEST_IS, "2",
     "2 (on)", PREFLIGHT_WARN, PREFLIGHT_WARN,
     "one layout of memory is one sample: its luck would be that of every trial",
     "sysctl kernel.randomize_va_space=2"},
    {"autogroup", "CPU shared out by session (autogroup)", "kernel.sched_autogroup",
     PREFLIGHT_TEST_IS, "0", "0 (off)", PREFLIGHT_WARN, PREFLIGHT_WARN,
     "a busy terminal elsewhere gets as much of a CPU as server and driver",
     "sysctl kernel.sched_autogroup_enabled=0"},
    {"clocksource", "clock source", "kernel.clocksource", PREFLIGHT_TEST_IS,
     "tsc|kvm-clock|arch_sys_counter|hyperv_clocksource_tsc_page",
     "tsc, kvm-clock, arch_sys_counter", PREFLIGHT_WARN, PREFLIGHT_WARN,
     "others take a system call or a slow device for each reading",
     "see /sys/devices/system/clocksource/clocksource0/available_clocksource"},
    {"lo_mtu", "packet size of the loopback", "net.lo_mtu", PREFLIGHT_TEST_IS, "65536", NULL,
     PREFLIGHT_WARN, PREFLIGHT_WARN, "smaller packets are more of them",
     "ip link set lo mtu 65536"},
    RECORD("cpu", "CPU", "cpu.model"),
    RECORD("isolated", "CPUs kept free of others (isolcpus)", "cpu.isolated"),
    RECORD("idle", "driver of idle states", "cpu.idle_driver"),
    RECORD("spectre", "mitigation of Spectre", "cpu.mitigation.spectre_v2"),
    RECORD("kernel", "kernel", "kernel.release"),
    RECORD("preemption", "preemption of the kernel", "kernel.preemption"),
    RECORD("command_line", "what its command line changes", "kernel.command_line"),
    RECORD("numa_balancing", "moving of pages between nodes", "kernel.numa_balancing"),
    RECORD("swappiness", "swappiness", "memory.swappiness"),
    RECORD("congestion", "congestion control", "net.tcp_congestion_control"),
    RECORD("firewall", "rules of the firewall (nftables)", "net.filter_rules"),
    RECORD("cgroup", "control groups", "cgroup.version"),
    RECORD("memory_limit", "memory limit of the control group", "cgroup.memory_limit"),
    RECORD("time", "wall clock kept right", "state.time_synchronised"),
    RECORD("temperature", "temperature of the first zone (0.001 degrees)",
           "state.temperature_millicelsius"),
    RECORD("uptime", "seconds since the machine started, and idle", "state.uptime_s"),
    RECORD("fingerprint", "fingerprint of this machine", "machine.fingerprint"),
};
const size_t preflight_fact_rule_count = ARRAY_COUNT(preflight_fact_rules);
_Static_assert(ARRAY_COUNT(preflight_fact_rules) <= 34, "with the others no more than rows");
