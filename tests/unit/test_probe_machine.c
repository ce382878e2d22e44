// SPDX-License-Identifier: Apache-2.0
// What the probe reads of whole machines, recorded in tests/fixtures: exact values.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/probe/cgroup.h"
#include "collector/probe/cpu_state.h"
#include "collector/probe/probe.h"
#include "collector/probe/tree.h"
#include "engines/base/clock.h"
#include "tests/support/edge_buf.h"
#include "tests/support/proc_tree.h"

static struct proc_tree tree;
static int64_t metrics[METRIC_COUNT];

static void tree_set_up(void)
{
    proc_tree_init(&tree);
}

static void tree_tear_down(void)
{
    proc_tree_release(&tree);
}

TestSuite(probe_machine, .init = tree_set_up, .fini = tree_tear_down);

static struct probe *probe_open_recorded(const char *fixture)
{
    const struct probe_config config = {
        .proc_root = tree.root, .sys_root = tree.root, .root_pid = 100};
    struct probe *probe = NULL;
    struct err e = {0};

    proc_tree_unpack(&tree, fixture);
    cr_assert_eq(probe_open(&config, &probe, &e), ERR_OK, "%s", e.text);
    return probe;
}

struct expectation {
    enum metric metric;
    int64_t value;
};

static void metrics_expect(const struct expectation *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(metrics[rows[i].metric], rows[i].value, "%s is %lld, not %lld",
                     metric_infos[rows[i].metric].name, (long long)metrics[rows[i].metric],
                     (long long)rows[i].value);
    }
}

/* What moved between the recording and these files, by hand. */
static void machine_v1_go_on(void)
{
    proc_tree_write(&tree, "fs/cgroup/cpu,cpuacct/jobs/a1/cpuacct.usage", "7250000000\n");
    proc_tree_write(&tree, "fs/cgroup/cpu,cpuacct/jobs/a1/cpu.stat",
                    "nr_periods 1005\nnr_throttled 43\nthrottled_time 1600000000\n");
    proc_tree_write(&tree, "fs/cgroup/cpu,cpuacct/jobs/cpu.stat",
                    "nr_periods 2005\nnr_throttled 3\nthrottled_time 500000007\n");
    proc_tree_write(&tree, "fs/cgroup/memory/jobs/a1/memory.usage_in_bytes", "10486784\n");
    proc_tree_write(&tree, "stat",
                    "cpu  110 1 4 105 990 4 6 7 0 0\nintr 90215 7\nctxt 123556\nprocs_running "
                    "4\nsoftirq 5155 1\n");
    proc_tree_write(&tree, "vmstat", "pswpin 11\npswpout 22\n");
    proc_tree_write(&tree, "pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=900\n");
    proc_tree_write(&tree, "net/netstat",
                    "TcpExt: SyncookiesSent TW ListenOverflows ListenDrops TCPTimeWaitOverflow\n"
                    "TcpExt: 3 70 9 14 5\n");
    proc_tree_write(&tree, "net/snmp", "Tcp: RetransSegs OutRsts\nTcp: 5 48\n");
    proc_tree_write(&tree, "net/softnet_stat", "1 00000003 00000011\n2 0000000c 00000003\n");
    proc_tree_write(&tree, "devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2000000\n");
    proc_tree_write(&tree, "devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3\n");
    proc_tree_write(&tree, "self/task/900/schedstat", "600000 1700 3\n");
}

Test(probe_machine, reads_a_machine_with_control_groups_of_version_1)
{
    struct probe *probe = probe_open_recorded("proc-cgroup-v1");
    int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
    int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024;
    const struct expectation rows[] = {
        {METRIC_cgroup_cpu_ns, 250000000},
        {METRIC_cgroup_memory_kib, 10241},
        {METRIC_machine_throttled_count, 4},        /* 3 of its own, 1 of the group above */
        {METRIC_machine_throttled_ns, 100000007},   /* likewise */
        {METRIC_machine_busy_ns, 13 * tick_ns},     /* user 10, system 2, softirq 1 */
        {METRIC_machine_user_ns, 10 * tick_ns},     /* nice stayed */
        {METRIC_machine_system_ns, 2 * tick_ns},    /* 2 to 4 */
        {METRIC_machine_iowait_ns, METRIC_UNKNOWN}, /* 1000 to 990: backwards, as it may */
        {METRIC_machine_interrupt_count, 5},
        {METRIC_machine_softirq_count, 5},
        {METRIC_machine_switch_count, 100},
        {METRIC_machine_runnable_count, 4},
        {METRIC_machine_pressure_cpu_ns, 0},
        {METRIC_machine_pressure_io_ns, 400000},
        {METRIC_machine_pressure_memory_ns, 0},
        {METRIC_machine_memory_available_kib, 4321000},
        {METRIC_machine_kernel_stack_kib, 7890},
        {METRIC_machine_slab_kib, 123456},
        {METRIC_machine_swap_in_kib, page_kib},
        {METRIC_machine_swap_out_kib, 2 * page_kib},
        {METRIC_machine_listen_overflow_count, 1},
        {METRIC_machine_listen_drop_count, 5},
        {METRIC_machine_syncookie_count, 2},
        {METRIC_machine_time_wait_overflow_count, 3},
        {METRIC_machine_time_wait_count, 321},
        {METRIC_machine_retransmit_count, 2},
        {METRIC_machine_reset_count, 4},
        {METRIC_machine_softnet_drop_count, 2},    /* 3 + 10 to 3 + 12 */
        {METRIC_machine_softnet_squeeze_count, 1}, /* 16 + 3 to 17 + 3 */
        {METRIC_machine_frequency_min_khz, 2000000},
        {METRIC_machine_frequency_max_khz, 3100000},
        {METRIC_machine_thermal_throttle_count, 2},
        {METRIC_machine_temperature_millicelsius, METRIC_UNKNOWN}, /* not this time */
        {METRIC_collector_run_delay_ns, 700},
        {METRIC_server_established_count, METRIC_UNKNOWN},
    };

    machine_v1_go_on();
    probe_read(probe, true, metrics);
    metrics_expect(rows, ARRAY_COUNT(rows));
    for (int i = 0; i < 3; i++) {
        probe_read(probe, false, metrics);
    }
    cr_expect_eq(metrics[METRIC_machine_temperature_millicelsius], 52500, "the hottest, each 4th");
    probe_close(probe);
}

Test(probe_machine, reads_a_virtual_machine_with_control_groups_of_version_2)
{
    struct probe *probe = probe_open_recorded("proc-cgroup-v2");
    static const struct expectation rows[] = {
        {METRIC_cgroup_cpu_ns, 1500000},
        {METRIC_cgroup_memory_kib, 2048},
        {METRIC_machine_throttled_count, 1},
        {METRIC_machine_throttled_ns, 60000000},
        {METRIC_machine_softnet_drop_count, METRIC_UNKNOWN},
        {METRIC_machine_thermal_throttle_count, METRIC_UNKNOWN},
        {METRIC_machine_temperature_millicelsius, METRIC_UNKNOWN},
        {METRIC_machine_frequency_min_khz, METRIC_UNKNOWN}, /* /proc/cpuinfo each 4th */
    };

    proc_tree_write(&tree, "fs/cgroup/system.slice/bench.service/cpu.stat",
                    "usage_usec 4001500\nnr_throttled 13\nthrottled_usec 400000\n");
    probe_read(probe, false, metrics);
    metrics_expect(rows, ARRAY_COUNT(rows));
    for (int i = 0; i < 3; i++) {
        probe_read(probe, false, metrics);
    }
    cr_expect_eq(metrics[METRIC_machine_frequency_min_khz], 2596146);
    cr_expect_eq(metrics[METRIC_machine_frequency_max_khz], 2600002);
    probe_close(probe);
}

Test(probe_machine, knows_in_a_container_what_it_can_see_and_nothing_more)
{
    struct probe *probe = probe_open_recorded("proc-container");
    static const struct expectation rows[] = {
        {METRIC_machine_busy_ns, 0},
        {METRIC_machine_throttled_count, 0},
        {METRIC_cgroup_cpu_ns, 0},
        {METRIC_cgroup_memory_kib, METRIC_UNKNOWN},
        {METRIC_machine_switch_count, METRIC_UNKNOWN},
        {METRIC_machine_pressure_cpu_ns, METRIC_UNKNOWN},
        {METRIC_machine_listen_drop_count, METRIC_UNKNOWN},
        {METRIC_machine_time_wait_count, METRIC_UNKNOWN},
        {METRIC_machine_frequency_max_khz, METRIC_UNKNOWN},
        {METRIC_collector_run_delay_ns, METRIC_UNKNOWN},
    };

    for (int i = 0; i < 4; i++) {
        probe_read(probe, false, metrics);
    }
    metrics_expect(rows, ARRAY_COUNT(rows));
    probe_close(probe);
}

/* Its frequency is gone, its count stays: the sum of the machine does not run backwards. */
Test(probe_machine, goes_on_when_a_cpu_goes_offline)
{
    struct probe *probe = probe_open_recorded("proc-cgroup-v1");

    proc_tree_remove(&tree, "devices/system/cpu/cpu1");
    proc_tree_write(&tree, "stat", "cpu  60 1 2 60 500 4 5 6 0 0\ncpu0 1\nctxt 123460\n");
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_machine_frequency_min_khz], 2400000);
    cr_expect_eq(metrics[METRIC_machine_frequency_max_khz], 2400000);
    cr_expect_eq(metrics[METRIC_machine_thermal_throttle_count], 0);
    cr_expect_eq(metrics[METRIC_machine_busy_ns], METRIC_UNKNOWN, "the times of one CPU went");
    cr_expect_eq(metrics[METRIC_machine_switch_count], 4);
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_machine_busy_ns], 0, "and count from there");
    probe_close(probe);
}

Test(probe_machine, sums_a_server_of_600_threads_without_walking_them)
{
    struct probe *probe;
    char path[64];

    for (int task = 100; task < 700; task++) {
        snprintf(path, sizeof(path), "100/task/%d/children", task);
        proc_tree_write(&tree, path, "%s", "");
    }
    probe = probe_open_recorded("proc-cgroup-v2");
    proc_tree_write(&tree, "100/stat",
                    "100 (server) S 1 100 100 0 -1 0 10 5 1 0 90 30 4 6 20 0 600 0 777 4096 1500 "
                    "0\n");
    probe_read(probe, false, metrics);
    cr_expect_eq(metrics[METRIC_server_thread_count], 600);
    cr_expect_eq(metrics[METRIC_server_user_ns], 40 * CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK));
    cr_expect_eq(metrics[METRIC_server_rss_kib], 1500 * sysconf(_SC_PAGESIZE) / 1024);
    cr_expect_eq(metrics[METRIC_server_run_delay_ns], METRIC_UNKNOWN, "not sampled");
    probe_close(probe);
}

Test(probe_machine, knows_the_limits_of_a_control_group_on_all_its_levels)
{
    static const struct {
        const char *fixture, *version, *cpus;
        pid_t pid;
        int64_t cpu_centi, memory_kib, pid_count;
        const char *path; /* below the mount point */
    } rows[] = {
        {"proc-cgroup-v1", "v1", "0-1", 100, 50, 1048576, 512, "/jobs/a1"},
        {"proc-cgroup-v2", "v2", "0-3", 100, 150, 524288, METRIC_UNKNOWN,
         "/system.slice/bench.service"},
        {"proc-container", "v2", "", 100, 20, METRIC_UNKNOWN, METRIC_UNKNOWN, ""},
        {"proc-container", "none", "", 0, METRIC_UNKNOWN, METRIC_UNKNOWN, METRIC_UNKNOWN, NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct cgroup cgroup;
        struct cgroup_limits limits;
        char hex[DIGEST_HEX_BYTES] = "", want[DIGEST_HEX_BYTES] = "";

        proc_tree_unpack(&tree, rows[i].fixture);
        cgroup_open(&cgroup, tree.root, tree.root, rows[i].pid);
        cgroup_read_limits(&cgroup, &limits);
        cr_expect_str_eq(cgroup_version(&cgroup), rows[i].version, "row %zu", i);
        cr_expect_eq(limits.cpu_centi, rows[i].cpu_centi, "row %zu: %lld", i,
                     (long long)limits.cpu_centi);
        cr_expect_eq(limits.memory_kib, rows[i].memory_kib, "row %zu", i);
        cr_expect_eq(limits.pid_count, rows[i].pid_count, "row %zu", i);
        cr_expect_str_eq(limits.cpus, rows[i].cpus, "row %zu", i);
        cr_expect_eq(cgroup_hash_path(&cgroup, hex), rows[i].path != NULL, "row %zu", i);
        if (rows[i].path) {
            cr_assert_eq(digest_bytes(rows[i].path, strlen(rows[i].path), want, NULL), ERR_OK);
        }
        cr_expect_str_eq(hex, want, "row %zu", i);
        proc_tree_remove(&tree, "fs");
    }
}

/* cgroups(7), proc(5): names of hierarchies, lists, mounts of a part, optional tags, cut lines. */
Test(probe_machine, finds_the_path_and_the_mount_of_a_controller)
{
    static const struct {
        const char *text, *controller, *path;
    } paths[] = {
        {"4:memory:/a\n2:cpu,cpuacct:/b\n0::/c\n", "cpuacct", "/b"},
        {"4:memory:/a\n2:cpu,cpuacct:/b\n0::/c\n", "cpu", "/b"},
        {"4:memory:/a\n2:cpu,cpuacct:/b\n0::/c", "", "/c"},
        {"4:memory:/a:b\n", "memory", "/a:b"},
        {"4:cpuset:/a\n", "cpu", NULL},
        {"9:name=cpu:/a\n", "cpu", NULL},
        {"2:cpu:b\n", "cpu", NULL},
        {"2:cpu\n", "cpu", NULL},
        {"2:cpu:/0123456789abcdef\n", "cpu", NULL}, /* no room */
        {"", "", NULL},
    };
    static const struct {
        const char *text, *controller, *root, *point;
    } mounts[] = {
        {"1 2 0:3 / /p rw - cgroup c rw,cpu,cpuacct\n", "cpuacct", "/", "/p"},
        {"1 2 0:3 /r /p rw shared:1 master:2 - cgroup2 c rw", "", "/r", "/p"},
        {"1 2 0:3 / /p rw - cgroup c rw,cpuset\n", "cpu", NULL, NULL},
        {"1 2 0:3 / /p rw - tmpfs c rw,cpu\n", "cpu", NULL, NULL},
        {"1 2 0:3 / /p rw cgroup c rw,cpu\n", "cpu", NULL, NULL},
        {"1 2 0:3 / /p rw - cgroup2 c\n", "", NULL, NULL},
        {"", "", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        struct edge_buf edge;
        char path[16] = "untouched";

        edge_buf_init(&edge, paths[i].text, strlen(paths[i].text));
        cr_expect_eq(cgroup_find_path(edge.bytes, edge.length, paths[i].controller, path, 16),
                     paths[i].path != NULL, "path %zu", i);
        cr_expect_str_eq(path, paths[i].path ? paths[i].path : "untouched", "path %zu", i);
        edge_buf_release(&edge);
    }
    for (size_t i = 0; i < ARRAY_COUNT(mounts); i++) {
        struct edge_buf edge;
        struct cgroup_mount mount = {"", ""};

        edge_buf_init(&edge, mounts[i].text, strlen(mounts[i].text));
        cr_expect_eq(cgroup_find_mount(edge.bytes, edge.length, mounts[i].controller, &mount),
                     mounts[i].root != NULL, "mount %zu", i);
        cr_expect_str_eq(mount.root, mounts[i].root ? mounts[i].root : "", "mount %zu", i);
        cr_expect_str_eq(mount.point, mounts[i].point ? mounts[i].point : "", "mount %zu", i);
        edge_buf_release(&edge);
    }
}

Test(probe_machine, finds_the_slowest_and_the_fastest_cpu)
{
    static const struct {
        const char *text;
        bool found;
        int64_t min_khz, max_khz;
    } rows[] = {
        {"cpu MHz\t\t: 2596.146\ncpu MHz : 800.000\n", true, 800000, 2596146},
        {"cpu MHz\t\t: 2596.146", true, 2596146, 2596146},
        {"cpu MHz\t\t: 2596.14", false, 7, 7},
        {"cpu MHz\t\t: 2596", false, 7, 7},
        {"cpu MHz\t\t: unknown\n", false, 7, 7},
        {"cpu MHz\t\t: 99999999.000\n", false, 7, 7},
        {"cpu MHz", false, 7, 7},
        {"bogomips\t: 5192.29\n", false, 7, 7},
        {"", false, 7, 7},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;
        int64_t min_khz = 7, max_khz = 7;

        edge_buf_init(&edge, rows[i].text, strlen(rows[i].text));
        cr_expect_eq(cpu_state_find_mhz(edge.bytes, edge.length, &min_khz, &max_khz), rows[i].found,
                     "row %zu", i);
        cr_expect_eq(min_khz, rows[i].min_khz, "row %zu", i);
        cr_expect_eq(max_khz, rows[i].max_khz, "row %zu", i);
        edge_buf_release(&edge);
    }
}
