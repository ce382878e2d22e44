// SPDX-License-Identifier: Apache-2.0
// Tests of the probe on trees of files that look like /proc.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/probe/listener.h"
#include "collector/probe/probe.h"
#include "collector/probe/tree.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "tests/support/proc_tree.h"

static struct proc_tree tree;
#define file_write(path, ...) proc_tree_write(&tree, path, __VA_ARGS__)

static void process_write(int pid, int user, int system, int rss_pages, int threads, int start)
{
    char path[64];

    snprintf(path, sizeof(path), "%d/stat", pid);
    file_write(path, "%d (x) S 1 %d %d 0 -1 0 10 5 1 0 %d %d 4 6 20 0 %d 0 %d 4096 %d 0\n", pid,
               pid, pid, user, system, threads, start, rss_pages);
}

static void task_write(int pid, int task, const char *children, int voluntary, int involuntary)
{
    char path[64];

    snprintf(path, sizeof(path), "%d/task/%d/children", pid, task);
    file_write(path, "%s", children);
    snprintf(path, sizeof(path), "%d/task/%d/status", pid, task);
    file_write(path, "Name:\tx\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n",
               voluntary, involuntary);
    snprintf(path, sizeof(path), "%d/task/%d/schedstat", pid, task);
    file_write(path, "12345 %d 17\n", 1000 * voluntary);
}

static void machine_write(int busy, int idle, int overflows)
{
    file_write("stat", "cpu  %d 1 2 %d 3 4 5 6 0 0\ncpu0 1\n", busy, idle);
    file_write("pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\nfull avg10=0.00\n",
               busy * 3);
    file_write("vmstat", "nr_free_pages 7\npswpin %d\npswpout %d\n", overflows, 2 * overflows);
    file_write("meminfo", "MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable: 4321 kB\n");
    file_write("net/netstat", "TcpExt: A ListenOverflows\nTcpExt: 1 %d\n", overflows);
    file_write("net/snmp", "Ip: X\nIp: 1\nTcp: OutSegs RetransSegs\nTcp: 10 3\n");
}

/* Process 100 with the threads 100 and 101 and the child 200. */
static void tree_set_up(void)
{
    proc_tree_init(&tree);
    process_write(100, 50, 30, 1000, 2, 777);
    task_write(100, 100, "", 10, 1);
    task_write(100, 101, "200 ", 20, 2);
    process_write(200, 5, 3, 100, 1, 888);
    task_write(200, 200, "", 7, 0);
    file_write("100/smaps_rollup",
               "1000-2000 ---p 00000000 00:00 0 [rollup]\nRss: 900 kB\nPss:  700 kB\n");
    file_write("200/smaps_rollup",
               "1000-2000 ---p 00000000 00:00 0 [rollup]\nRss: 90 kB\nPss:  33 kB\n");
    file_write("100/fd/0", "x");
    file_write("100/fd/1", "x");
    file_write("200/fd/0", "x");
    machine_write(100, 1000, 8);
}

static void tree_tear_down(void)
{
    proc_tree_release(&tree);
}

static enum err_code probe_open_recorded(pid_t pid, const struct counters_page *page,
                                         struct probe **probe_out, struct err *e)
{
    const struct probe_config config = {
        .proc_root = tree.root, .sys_root = tree.root, .root_pid = pid, .counters = page};

    return probe_open(&config, probe_out, e);
}

TestSuite(probe, .init = tree_set_up, .fini = tree_tear_down);

Test(probe, sums_a_process_tree_and_tells_what_moved)
{
    struct counters_page page = {.magic = COUNTERS_MAGIC};
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;
    struct err e;

    page.slots[3].accepted_count = 9;
    page.slots[5].closed_count = 2;
    page.slots[5].request_count = 1000;
    cr_assert_eq(probe_open_recorded(100, &page, &probe, &e), ERR_OK, "%s", e.text);
    process_write(100, 60, 35, 1500, 2, 777);
    process_write(200, 6, 3, 100, 1, 888);
    task_write(100, 101, "200 ", 29, 5);
    machine_write(140, 1010, 9);
    page.slots[3].request_count = 50;
    probe_read(probe, false, metrics);
    int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024;
    cr_expect_eq(metrics[METRIC_server_user_ns], 11 * tick_ns); /* 10 of 100 and 1 of 200 */
    cr_expect_eq(metrics[METRIC_server_system_ns], 5 * tick_ns);
    cr_expect_eq(metrics[METRIC_server_rss_kib], 1600 * page_kib);
    cr_expect_eq(metrics[METRIC_server_process_count], 2);
    cr_expect_eq(metrics[METRIC_server_thread_count], 3);
    cr_expect_eq(metrics[METRIC_server_fd_count], 3);
    cr_expect_eq(metrics[METRIC_server_voluntary_switch_count], 9);
    cr_expect_eq(metrics[METRIC_server_involuntary_switch_count], 3);
    cr_expect_eq(metrics[METRIC_server_run_delay_ns], 9000); /* 29,000 - 20,000 of 101 */
    cr_expect_eq(metrics[METRIC_server_minor_fault_count], 0);
    cr_expect_eq(metrics[METRIC_server_accept_queue_count], METRIC_UNKNOWN, "the kernel's own");
    cr_expect_eq(metrics[METRIC_server_request_count], 50);
    cr_expect_eq(metrics[METRIC_server_open_count], 7);
    cr_expect_eq(metrics[METRIC_machine_busy_ns], 40 * tick_ns);
    cr_expect_eq(metrics[METRIC_machine_idle_ns], 10 * tick_ns);
    cr_expect_eq(metrics[METRIC_machine_steal_ns], 0);
    cr_expect_eq(metrics[METRIC_machine_memory_available_kib], 4321);
    cr_expect_eq(metrics[METRIC_machine_pressure_cpu_ns], 120000); /* 3 * 40 us */
    cr_expect_eq(metrics[METRIC_machine_swap_in_kib], page_kib);
    cr_expect_eq(metrics[METRIC_machine_swap_out_kib], 2 * page_kib);
    cr_expect_eq(metrics[METRIC_machine_listen_overflow_count], 1);
    cr_expect_eq(metrics[METRIC_machine_retransmit_count], 0);
    cr_expect_geq(metrics[METRIC_collector_cpu_ns], 0);
    cr_expect_eq(metrics[METRIC_started_count], 0, "the driver's metrics are not touched");
    probe_close(probe);
}

Test(probe, does_not_know_a_counter_that_runs_backwards)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;

    cr_assert_eq(probe_open_recorded(100, NULL, &probe, NULL), ERR_OK);
    process_write(100, 40, 31, 1000, 2, 777);
    machine_write(90, 1001, 7);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_system_ns], CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK));
    cr_expect_eq(metrics[METRIC_machine_busy_ns], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_listen_overflow_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_request_count], METRIC_UNKNOWN, "no page, no count");
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], 0, "counts again from the lower value");
    probe_close(probe);
}

Test(probe, does_not_know_switches_when_a_thread_is_gone_or_there_are_too_many)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;

    cr_assert_eq(probe_open_recorded(100, NULL, &probe, NULL), ERR_OK);
    proc_tree_remove(&tree, "200/task/200");
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_voluntary_switch_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_run_delay_ns], METRIC_UNKNOWN);
    /* 100 and 101, and 300 …: as many as are walked, then one more. */
    for (int task = 300; task < 300 + TREE_WALK_COUNT_MAX - 2; task++) {
        task_write(100, task, "", 1, 1);
    }
    probe_read(probe, false, metrics);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_voluntary_switch_count], 0);
    cr_expect_eq(metrics[METRIC_server_run_delay_ns], 0);
    task_write(100, 400, "", 1, 1);
    probe_read(probe, false, metrics);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_voluntary_switch_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_involuntary_switch_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_user_ns], 0, "the rest is known");
    probe_close(probe);
}

Test(probe, reads_the_proportional_memory_every_fourth_time)
{
    struct probe *probe = NULL;

    cr_assert_eq(probe_open_recorded(100, NULL, &probe, NULL), ERR_OK);
    for (int i = 1; i < 10; i++) {
        int64_t metrics[METRIC_COUNT] = {0};

        probe_read(probe, false, metrics);
        cr_expect_eq(metrics[METRIC_server_pss_kib], i % 4 == 0 ? 733 : METRIC_UNKNOWN,
                     "reading %d", i);
    }
    probe_close(probe);
}

/* F01's kin: a pid that another process took over is not our server. */
Test(probe, does_not_take_another_process_with_the_same_pid_for_the_server)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;

    cr_assert_eq(probe_open_recorded(100, NULL, &probe, NULL), ERR_OK);
    process_write(100, 500, 300, 1000, 2, 99999);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_rss_kib], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_busy_ns], 0);
    probe_close(probe);
}

Test(probe, goes_on_without_a_server_that_vanished_and_without_files)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;
    static const char *const gone[] = {"100", "net", "meminfo"};

    cr_assert_eq(probe_open_recorded(100, NULL, &probe, NULL), ERR_OK);
    for (size_t i = 0; i < ARRAY_COUNT(gone); i++) {
        proc_tree_remove(&tree, gone[i]);
    }
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_process_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_memory_available_kib], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_retransmit_count], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_idle_ns], 0);
    probe_close(probe);
}

/* The keeper of a foreign server is none of it; what its children used up until they ended is. */
Test(probe, leaves_a_keeper_out)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;
    struct err e;
    int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024;
    const struct probe_config config = {
        .proc_root = tree.root, .sys_root = tree.root, .root_pid = 100, .root_is_keeper = true};

    cr_assert_eq(probe_open(&config, &probe, &e), ERR_OK, "%s", e.text);
    process_write(100, 60, 35, 1500, 2, 777);
    process_write(200, 6, 3, 100, 1, 888);
    machine_write(140, 1010, 9);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], tick_ns, "1 of 200, not the 10 of 100");
    cr_expect_eq(metrics[METRIC_server_system_ns], 0);
    cr_expect_eq(metrics[METRIC_server_rss_kib], 100 * page_kib);
    cr_expect_eq(metrics[METRIC_server_process_count], 1);
    cr_expect_eq(metrics[METRIC_server_thread_count], 1);
    cr_expect_eq(metrics[METRIC_server_fd_count], 1);
    probe_close(probe);
}

/* Of a server that somebody else started and nobody can look into. */
Test(probe, reads_the_machine_alone_where_the_server_is_not_known)
{
    int64_t metrics[METRIC_COUNT] = {0};
    struct probe *probe = NULL;
    struct err e;

    cr_assert_eq(probe_open_recorded(0, NULL, &probe, &e), ERR_OK, "%s", e.text);
    machine_write(140, 1010, 9);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_user_ns], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_server_rss_kib], METRIC_UNKNOWN);
    cr_expect_eq(metrics[METRIC_machine_busy_ns], 40 * CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK));
    probe_close(probe);
}

Test(probe, is_not_opened_without_its_process_or_the_machines_times)
{
    struct probe *probe = NULL;
    struct err e;

    cr_expect_eq(probe_open_recorded(101, NULL, &probe, &e), ERR_SYS);
    proc_tree_remove(&tree, "stat");
    cr_expect_eq(probe_open_recorded(100, NULL, &probe, &e), ERR_SYS);
    cr_expect_null(probe);
}

#define TCP_REST " 00000000:00000000 00:00000000 00000000     0        0 "

/* F01: an old server answers on the port. */
Test(probe, knows_whose_the_listening_port_is)
{
    struct err e;
    char path[128];

    file_write("net/tcp", "head\n   0: 0100007F:1F90 00000000:0000 0A" TCP_REST "4492 1\n"
                          "   1: 0100007F:1F91 00000000:0000 0A" TCP_REST "4493 1\n");
    snprintf(path, sizeof(path), "%s/200/fd/5", tree.root);
    cr_assert_eq(symlink("socket:[4492]", path), 0);
    cr_expect_eq(listener_check_owner(tree.root, 100, 8080, &e), ERR_OK, "the child has it: %s",
                 e.text);
    cr_expect_eq(listener_check_owner(tree.root, 100, 8081, &e), ERR_MISMATCH);
    cr_expect_eq(listener_check_owner(tree.root, 100, 8082, &e), ERR_MISMATCH);
    cr_expect_eq(listener_check_owner(tree.root, 300, 8080, &e), ERR_SYS);
    file_write("200/stat", "200 (a b) S 100 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0 0\n");
    cr_expect(listener_is_above(tree.root, 100, 200), "its child");
    cr_expect(listener_is_above(tree.root, 200, 200), "itself");
    cr_expect_not(listener_is_above(tree.root, 200, 100));
    cr_expect_not(listener_is_above(tree.root, 300, 200), "no such process");
    /* Seen from outside: the child has it, its parent has not. */
    struct listener_owner owner = {0};
    cr_expect(listener_is_there(tree.root, 8081));
    cr_expect_not(listener_is_there(tree.root, 8082));
    file_write("200/comm", "a server\n");
    cr_assert_eq(listener_find_owner(tree.root, 8080, &owner, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(owner.pid, 200);
    cr_expect_str_eq(owner.name, "a server");
    cr_expect_eq(listener_find_owner(tree.root, 8081, &owner, &e), ERR_MISMATCH);
    cr_expect_str_eq(e.text, "who listens on port 8081 is not ours to see");
    cr_expect_eq(listener_find_owner(tree.root, 8082, &owner, &e), ERR_MISMATCH);
}
