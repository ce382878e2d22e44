// SPDX-License-Identifier: Apache-2.0
// Reads a server's process tree and the machine as counters; differences make a sample.
#include "collector/probe/probe.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/probe/inet_diag.h"
#include "collector/probe/machine_counters.h"
#include "collector/probe/taskstats.h"
#include "collector/probe/tree.h"
#include "engines/base/clock.h"
#include "engines/base/proc.h"

#define STRING_OF_(text) #text
#define STRING_OF(macro) STRING_OF_(macro)
#define PSS_CADENCE      4 /* it holds the server's memory map while it is read: not each time */

struct probe {
    char *proc_root, *sys_root;
    const struct counters_page *counters;
    int64_t tick_ns;
    int64_t page_kib;
    uint16_t port;
    bool has_tree, has_taskstats, has_diag;
    uint32_t read_count;
    int64_t previous[METRIC_COUNT]; /* absolute values of the last reading */
    int64_t now[METRIC_COUNT];
    struct tree tree;
    struct taskstats_link taskstats;
    struct inet_diag diag;
    struct machine_counters machine;
};

static int64_t product_known(uint64_t count, int64_t factor)
{
    int64_t product;

    if (__builtin_mul_overflow(count, factor, &product)) {
        return METRIC_UNKNOWN;
    }
    return product;
}

/* Of the port, whoever listens there. */
static void queue_read(struct probe *probe)
{
    uint64_t waiting_count;

    if (probe->has_diag && inet_diag_read_queue(&probe->diag, probe->port, &waiting_count)) {
        probe->now[METRIC_server_accept_queue_count] = product_known(waiting_count, 1);
    }
}

static void server_read(struct probe *probe)
{
    int64_t *now = probe->now;
    struct tree_total total;

    if (!probe->has_tree || !tree_read(&probe->tree, &total)) {
        queue_read(probe);
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
    queue_read(probe);
}

static void states_read(struct probe *probe)
{
    int64_t *now = probe->now;
    struct inet_diag_sum sum;
    const uint64_t *counts = sum.counts;

    if (!probe->has_diag || !inet_diag_read_states(&probe->diag, probe->port, &sum)) {
        return;
    }
    now[METRIC_server_syn_received_count] =
        product_known(counts[TCP_SYN_RECV] + counts[INET_DIAG_NEW_SYN_RECV], 1);
    now[METRIC_server_established_count] = product_known(counts[TCP_ESTABLISHED], 1);
    now[METRIC_server_close_wait_count] = product_known(counts[TCP_CLOSE_WAIT], 1);
    now[METRIC_server_closing_count] = product_known(counts[TCP_FIN_WAIT1] + counts[TCP_FIN_WAIT2] +
                                                         counts[TCP_CLOSING] + counts[TCP_LAST_ACK],
                                                     1);
    now[METRIC_server_time_wait_count] = product_known(counts[TCP_TIME_WAIT], 1);
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

static int64_t timeval_ns(const struct timeval *value)
{
    return value->tv_sec * CLOCK_NS_PER_S + value->tv_usec * CLOCK_NS_PER_US;
}

/* Threads of this program that ended take their waits with them, which is then no count. */
static int64_t collector_walk_ns(const struct probe *probe)
{
    int64_t tasks[TREE_WALK_COUNT_MAX], sum_ns = 0;
    uint64_t wait_ns;
    char text[128];
    ssize_t count = proc_list_numbers(probe->proc_root, tasks, ARRAY_COUNT(tasks), "self/task");

    if (count <= 0 || count > TREE_WALK_COUNT_MAX) {
        return METRIC_UNKNOWN;
    }
    for (ssize_t i = 0; i < count; i++) {
        ssize_t length = proc_read(probe->proc_root, text, sizeof(text), "self/task/%lld/schedstat",
                                   (long long)tasks[i]);
        if (length <= 0 || !proc_find_word(text, (size_t)length, 1, &wait_ns)) {
            return METRIC_UNKNOWN;
        }
        sum_ns += product_known(wait_ns, 1);
    }
    return sum_ns;
}

static void collector_read(struct probe *probe)
{
    struct rusage usage;
    struct taskstats_total total;

    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        probe->now[METRIC_collector_cpu_ns] =
            timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
        probe->now[METRIC_collector_major_fault_count] = usage.ru_majflt;
    }
    if (!probe->has_taskstats) {
        probe->now[METRIC_collector_run_delay_ns] = collector_walk_ns(probe);
    } else if (taskstats_read(&probe->taskstats, getpid(), &total) && total.has_run_delay) {
        probe->now[METRIC_collector_run_delay_ns] = product_known(total.run_delay_ns, 1);
    }
}

static void everything_read(struct probe *probe, bool ends_phase)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        probe->now[i] = METRIC_UNKNOWN;
    }
    server_read(probe);
    counters_read_page(probe);
    machine_counters_read(&probe->machine, probe->now);
    collector_read(probe);
    if (ends_phase) {
        states_read(probe);
    }
    probe->read_count++;
}

enum err_code probe_open(const struct probe_config *config, struct probe **probe_out, struct err *e)
{
    struct probe *probe = calloc(1, sizeof(*probe));

    if (!probe || !(probe->proc_root = strdup(config->proc_root)) ||
        !(probe->sys_root = strdup(config->sys_root))) {
        probe_close(probe);
        return err_set(e, ERR_LIMIT, "no memory for the probe");
    }
    probe->counters = config->counters;
    probe->port = config->port;
    probe->tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    probe->page_kib = sysconf(_SC_PAGESIZE) / 1024;
    probe->has_tree = config->root_pid > 0;
    if (probe->has_tree && !tree_init(&probe->tree, probe->proc_root, config->root_pid)) {
        err_set_sys(e, "process %d cannot be read", (int)config->root_pid);
        probe_close(probe);
        return ERR_SYS;
    }
    probe->tree.skips_root = config->root_is_keeper;
    probe->has_taskstats = config->asks_kernel && taskstats_open(&probe->taskstats);
    probe->tree.taskstats = probe->has_taskstats ? &probe->taskstats : NULL;
    probe->has_diag = config->asks_kernel && inet_diag_open(&probe->diag);
    machine_counters_open(&probe->machine, probe->proc_root, probe->sys_root, config->root_pid);
    everything_read(probe, false);
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

void probe_read(struct probe *probe, bool ends_phase, int64_t metrics[METRIC_COUNT])
{
    everything_read(probe, ends_phase);
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
    if (probe->has_diag) {
        inet_diag_close(&probe->diag);
    }
    free(probe->proc_root);
    free(probe->sys_root);
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
    return answers ? "taskstats" : "walk of at most " STRING_OF(TREE_WALK_COUNT_MAX) " threads";
}
