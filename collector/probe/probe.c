// SPDX-License-Identifier: Apache-2.0
// Reads a server's process tree and the machine as counters; differences make a sample.
#include "collector/probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/probe/accept_queue.h"
#include "collector/probe/taskstats.h"
#include "collector/probe/tree.h"
#include "engines/base/clock.h"
#include "engines/base/proc.h"

#define STRING_OF_(text) #text
#define STRING_OF(macro) STRING_OF_(macro)
#define TEXT_BYTES       16384 /* net/netstat has about 4 KiB */
#define PSS_CADENCE      4 /* it holds the server's memory map while it is read: not each time */

struct probe {
    char *proc_root;
    const struct counters_page *counters;
    int64_t tick_ns;
    int64_t page_kib;
    uint16_t port;
    bool has_taskstats, has_accept_queue;
    uint32_t read_count;
    int64_t previous[METRIC_COUNT]; /* absolute values of the last reading */
    int64_t now[METRIC_COUNT];
    struct tree tree;
    struct taskstats_link taskstats;
    struct netlink accept_queue;
    char text[TEXT_BYTES];
};

static int64_t product_known(uint64_t count, int64_t factor)
{
    int64_t product;

    if (__builtin_mul_overflow(count, factor, &product)) {
        return METRIC_UNKNOWN;
    }
    return product;
}

static void server_read(struct probe *probe)
{
    int64_t *now = probe->now;
    struct tree_total total;

    if (!tree_read(&probe->tree, &total)) {
        return;
    }
    now[METRIC_server_user_ns] = product_known(total.user_ticks, probe->tick_ns);
    now[METRIC_server_system_ns] = product_known(total.system_ticks, probe->tick_ns);
    now[METRIC_server_rss_kib] = product_known(total.rss_pages, probe->page_kib);
    now[METRIC_server_process_count] = total.process_count;
    now[METRIC_server_thread_count] = product_known(total.thread_count, 1);
    now[METRIC_server_fd_count] = total.fd_count;
    now[METRIC_server_minor_fault_count] = product_known(total.minor_fault_count, 1);
    now[METRIC_server_major_fault_count] = product_known(total.major_fault_count, 1);
    now[METRIC_server_voluntary_switch_count] = total.voluntary_switch_count;
    now[METRIC_server_involuntary_switch_count] = total.involuntary_switch_count;
    now[METRIC_server_run_delay_ns] = total.run_delay_ns;
    if (probe->read_count % PSS_CADENCE == 0) {
        now[METRIC_server_pss_kib] = tree_read_pss_kib(&probe->tree);
    }
    uint64_t waiting_count;
    if (probe->has_accept_queue &&
        accept_queue_read(&probe->accept_queue, probe->port, &waiting_count)) {
        now[METRIC_server_accept_queue_count] = product_known(waiting_count, 1);
    }
}

static void counters_read_page(struct probe *probe)
{
    struct counters_total total;

    if (!probe->counters) {
        return;
    }
    counters_read(probe->counters, &total);
    probe->now[METRIC_server_request_count] = product_known(total.request_count, 1);
    if (total.accepted_count >= total.closed_count) {
        probe->now[METRIC_server_open_count] =
            product_known(total.accepted_count - total.closed_count, 1);
    }
}

static void cpu_read(struct probe *probe)
{
    int64_t *now = probe->now;
    struct proc_cpu cpu;
    ssize_t length = proc_read(probe->proc_root, probe->text, sizeof(probe->text), "stat");

    if (length < 0 || !proc_parse_cpu(probe->text, (size_t)length, &cpu)) {
        return;
    }
    uint64_t busy = cpu.user + cpu.nice + cpu.system + cpu.irq + cpu.softirq;
    now[METRIC_machine_busy_ns] = product_known(busy, probe->tick_ns);
    now[METRIC_machine_idle_ns] = product_known(cpu.idle + cpu.iowait, probe->tick_ns);
    now[METRIC_machine_softirq_ns] = product_known(cpu.softirq, probe->tick_ns);
    now[METRIC_machine_steal_ns] = product_known(cpu.steal, probe->tick_ns);
}

static void counter_read(struct probe *probe, enum metric metric, const char *path,
                         const char *prefix, const char *name)
{
    uint64_t number;
    ssize_t length = proc_read(probe->proc_root, probe->text, sizeof(probe->text), "%s", path);

    if (length >= 0 && proc_find_counter(probe->text, (size_t)length, prefix, name, &number)) {
        probe->now[metric] = product_known(number, 1);
    }
}

static void memory_read(struct probe *probe)
{
    static const struct {
        enum metric metric;
        const char *name;
    } swaps[] = {{METRIC_machine_swap_in_kib, "pswpin"}, {METRIC_machine_swap_out_kib, "pswpout"}};
    uint64_t number;
    ssize_t length = proc_read(probe->proc_root, probe->text, sizeof(probe->text), "meminfo");

    if (length >= 0 && proc_find_number(probe->text, (size_t)length, "MemAvailable", &number)) {
        probe->now[METRIC_machine_memory_available_kib] = product_known(number, 1);
    }
    length = proc_read(probe->proc_root, probe->text, sizeof(probe->text), "vmstat");
    for (size_t i = 0; length >= 0 && i < ARRAY_COUNT(swaps); i++) {
        if (proc_find_named(probe->text, (size_t)length, swaps[i].name, &number)) {
            probe->now[swaps[i].metric] = product_known(number, probe->page_kib);
        }
    }
}

static void machine_read(struct probe *probe)
{
    uint64_t number;

    cpu_read(probe);
    memory_read(probe);
    ssize_t length = proc_read(probe->proc_root, probe->text, sizeof(probe->text), "pressure/cpu");
    if (length >= 0 && proc_find_pressure_total(probe->text, (size_t)length, "some", &number)) {
        probe->now[METRIC_machine_pressure_cpu_ns] = product_known(number, CLOCK_NS_PER_US);
    }
    counter_read(probe, METRIC_machine_listen_overflow_count, "net/netstat", "TcpExt",
                 "ListenOverflows");
    counter_read(probe, METRIC_machine_retransmit_count, "net/snmp", "Tcp", "RetransSegs");
}

static int64_t timeval_ns(const struct timeval *value)
{
    return value->tv_sec * CLOCK_NS_PER_S + value->tv_usec * CLOCK_NS_PER_US;
}

static void collector_read(struct probe *probe)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        probe->now[METRIC_collector_cpu_ns] =
            timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
    }
}

static void everything_read(struct probe *probe)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        probe->now[i] = METRIC_UNKNOWN;
    }
    server_read(probe);
    counters_read_page(probe);
    machine_read(probe);
    collector_read(probe);
    probe->read_count++;
}

enum err_code probe_open(const struct probe_config *config, struct probe **probe_out, struct err *e)
{
    struct probe *probe = calloc(1, sizeof(*probe));

    if (!probe || !(probe->proc_root = strdup(config->proc_root))) {
        probe_close(probe);
        return err_set(e, ERR_LIMIT, "no memory for the probe");
    }
    probe->counters = config->counters;
    probe->port = config->port;
    probe->tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    probe->page_kib = sysconf(_SC_PAGESIZE) / 1024;
    if (!tree_init(&probe->tree, probe->proc_root, config->root_pid)) {
        err_set_sys(e, "process %d cannot be read", (int)config->root_pid);
        probe_close(probe);
        return ERR_SYS;
    }
    probe->has_taskstats = config->asks_kernel && taskstats_open(&probe->taskstats);
    probe->tree.taskstats = probe->has_taskstats ? &probe->taskstats : NULL;
    probe->has_accept_queue = config->asks_kernel && accept_queue_open(&probe->accept_queue);
    everything_read(probe);
    if (probe->now[METRIC_machine_busy_ns] == METRIC_UNKNOWN) {
        probe_close(probe);
        errno = ENODATA;
        return err_set_sys(e, "%s/stat cannot be read", config->proc_root);
    }
    memcpy(probe->previous, probe->now, sizeof(probe->now));
    *probe_out = probe;
    return ERR_OK;
}

/* What a counter moved since the last reading; not known when either reading is not, or when it
 * runs backwards. */
static int64_t delta_known(int64_t previous, int64_t now)
{
    if (previous == METRIC_UNKNOWN || now == METRIC_UNKNOWN || now < previous) {
        return METRIC_UNKNOWN;
    }
    return now - previous;
}

void probe_read(struct probe *probe, int64_t metrics[METRIC_COUNT])
{
    everything_read(probe);
    for (int i = 0; i < METRIC_COUNT; i++) {
        enum metric_scope scope = metric_infos[i].scope;

        if (scope != METRIC_SCOPE_SERVER && scope != METRIC_SCOPE_MACHINE) {
            continue;
        }
        metrics[i] = metric_infos[i].kind == METRIC_KIND_DELTA
                         ? delta_known(probe->previous[i], probe->now[i])
                         : probe->now[i];
    }
    /* Threads that ended took their switches with them: the sum is then no longer a count. */
    if (probe->tree.task_lost && !probe->has_taskstats) {
        metrics[METRIC_server_run_delay_ns] = METRIC_UNKNOWN;
        metrics[METRIC_server_voluntary_switch_count] = METRIC_UNKNOWN;
        metrics[METRIC_server_involuntary_switch_count] = METRIC_UNKNOWN;
    }
    memcpy(probe->previous, probe->now, sizeof(probe->now));
}

void probe_close(struct probe *probe)
{
    if (!probe) {
        return;
    }
    if (probe->has_taskstats) {
        taskstats_close(&probe->taskstats);
    }
    if (probe->has_accept_queue) {
        netlink_close(&probe->accept_queue);
    }
    free(probe->proc_root);
    free(probe);
}

const char *probe_scheduling_source(void)
{
    struct taskstats_link *link = malloc(sizeof(*link));
    bool answers = link && taskstats_open(link);

    if (answers) {
        taskstats_close(link);
    }
    free(link);
    return answers ? "taskstats" : "walk of at most " STRING_OF(TREE_TASK_COUNT_MAX) " threads";
}
