// SPDX-License-Identifier: Apache-2.0
// Tests of the preflight rules.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/probe/preflight.h"
#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "tests/support/proc_tree.h"

static cpu_set_t cpu_0, cpu_1, cpus_both, cpu_5;

static void cpus_make(void)
{
    CPU_ZERO(&cpu_0);
    CPU_SET(0, &cpu_0);
    CPU_ZERO(&cpu_1);
    CPU_SET(1, &cpu_1);
    CPU_OR(&cpus_both, &cpu_0, &cpu_1);
    CPU_ZERO(&cpu_5);
    CPU_SET(5, &cpu_5);
}

TestSuite(preflight, .init = cpus_make);

/* A machine with nothing to say about it. */
static struct preflight_input quiet_machine(void)
{
    return (struct preflight_input){
        .connection_count_max = 100,
        .nofile_hard = 264,
        .engine_program = "/x/tacho-engine",
        .engine_is_executable = true,
        .allowed_cpus = cpus_both,
        .server_cpus = &cpu_0,
        .driver_cpus = &cpu_1,
        .results_folder = "/x",
        .folder_is_writable = true,
        .folder_free_bytes = UINT64_C(64) << 20,
        .think_ns = 1999999999,
        .think_window_ns = 2000000000,
        .pressure_cpu_centi = 500,
        .pressure_io_centi = 100,
        .pressure_memory_centi = -1,
        .load_centi = 60,
        .somaxconn = 100,
        .local_port_count = 100,
        .syn_backlog = 100,
        .time_wait_count = 50,
        .tw_reuse = 2,
        .conntrack_count = 300,
        .conntrack_max = 500, /* 300 and 100 are four fifths */
        .connects_per_s = 10,
        .quota_centi = 200,
        .driver_threads = 1,
        .is_optimised = true,
        .sampling_priority = "SCHED_FIFO 1",
        .sampling_is_first = true,
        .program_version = "1.0+abc",
        .results_bytes = UINT64_C(32) << 20,
    };
}

struct change {
    const char *name;
    enum preflight_consequence consequence;
    const char *part; /* of the text */
    void (*apply)(struct preflight_input *input);
};

#define CHANGE(function, ...)                                                                      \
    static void function(struct preflight_input *input)                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
CHANGE(nofile_lower_hard, input->nofile_hard = 263)
CHANGE(engine_gone, input->engine_is_executable = false)
CHANGE(engine_refused, input->engine_refusal = "u: io_uring is not allowed here")
CHANGE(replay_missing, input->replay_refusal = "a.db: no trial of u")
CHANGE(server_cpu_absent, input->server_cpus = &cpu_5)
CHANGE(driver_cpu_absent, input->driver_cpus = &cpu_5)
CHANGE(server_cpu_dropped, input->server_cpus = &cpu_5; input->pinning_optional = true)
CHANGE(folder_closed, input->folder_is_writable = false)
CHANGE(folder_full, input->folder_free_bytes--)
CHANGE(nofile_wanted, input->nofile_wanted = 265)
CHANGE(one_cpu, input->allowed_cpus = cpu_0; input->quota_centi = -1;
       input->server_cpus = input->driver_cpus = NULL; input->load_centi = 0)
CHANGE(same_cpu, input->driver_cpus = &cpus_both)
CHANGE(not_pinned, input->server_cpus = NULL)
CHANGE(pauses_long, input->think_ns = 2000000000; input->think_window_ns = 2000000000)
CHANGE(cpu_pressure, input->pressure_cpu_centi = 501)
CHANGE(cpu_pressure_high, input->pressure_cpu_centi = 2001)
CHANGE(cpu_pressure_waited, input->pressure_cpu_centi = 2001; input->has_waited = true)
CHANGE(cpu_pressure_lower, input->pressure_cpu_centi = 2000; input->has_waited = true)
CHANGE(sampling_late, input->sampling_priority = "SCHED_OTHER"; input->sampling_is_first = false)
CHANGE(io_pressure, input->pressure_io_centi = 101)
CHANGE(memory_pressure, input->pressure_memory_centi = 2000)
CHANGE(load_high, input->load_centi = 61)
CHANGE(swap_on, input->swap_total_kib = 2048)
Test(preflight, says_nothing_of_a_machine_on_every_threshold)
{
    struct preflight_input input = quiet_machine();
    struct preflight_finding findings[PREFLIGHT_FINDING_COUNT_MAX];

    cr_expect_eq(preflight_judge(&input, findings), 0);
}

CHANGE(governor_powersave, preflight_set_fact(input, "cpu.governor", "performance,powersave"))
CHANGE(on_battery, preflight_set_fact(input, "state.power", "battery"))
CHANGE(boosted, preflight_set_fact(input, "cpu.boost", "1"))
CHANGE(huge_pages,
       preflight_set_fact(input, "memory.transparent_hugepages", "[always] madvise never"))
CHANGE(no_aslr, preflight_set_fact(input, "kernel.address_randomisation", "0"))
CHANGE(autogroups, preflight_set_fact(input, "kernel.sched_autogroup", "1"))
CHANGE(hpet, preflight_set_fact(input, "kernel.clocksource", "hpet"))
CHANGE(small_packets, preflight_set_fact(input, "net.lo_mtu", "1500"))
CHANGE(in_container, preflight_set_fact(input, "machine.container", "docker"))
CHANGE(in_machine, preflight_set_fact(input, "machine.virtual", "yes"))
CHANGE(merging, preflight_set_fact(input, "memory.ksm_run", "1"))
CHANGE(turbo, preflight_set_fact(input, "cpu.no_turbo", "0"))
CHANGE(quota_small, input->quota_centi = 199)
CHANGE(syn_backlog_small, input->syn_backlog = 99)
CHANGE(time_wait_many, input->time_wait_count = 51)
CHANGE(churn_fast, input->tw_reuse = 0)
CHANGE(conntrack_full, input->conntrack_count = 301)
CHANGE(core_shared, input->shared_core_count = 1)
CHANGE(threads_many, input->driver_threads = 2)
CHANGE(unoptimised, input->is_optimised = false)
CHANGE(dirty, input->program_version = "1.0+abc-dirty")
CHANGE(sanitized_for_tests, input->is_sanitized = input->is_for_tests = true)
CHANGE(results_large, input->results_bytes++)
CHANGE(backlog_small, input->somaxconn = 99)
CHANGE(ports_few, input->local_port_count = 99; input->time_wait_count = 0)
CHANGE(preloaded, input->is_preloaded = true)
CHANGE(sanitized, input->is_sanitized = true)
CHANGE(traced, input->is_traced = true)

Test(preflight, puts_refusals_before_warnings)
{
    struct preflight_input input = quiet_machine();
    struct preflight_finding findings[PREFLIGHT_FINDING_COUNT_MAX];

    swap_on(&input);
    folder_full(&input);
    cr_assert_eq(preflight_judge(&input, findings), 2);
    cr_expect_eq(findings[0].consequence, PREFLIGHT_REFUSE);
    cr_expect_eq(findings[1].consequence, PREFLIGHT_WARN);
}

static const struct change changes[] = {
    /* A20: names limit and need; 2 * 100 + 64 */
    {"nofile_low", PREFLIGHT_REFUSE, "263; should be: at least 264 for 100 connections",
     nofile_lower_hard},
    {"ports_few", PREFLIGHT_REFUSE, "99 ports; should be: at least 100", ports_few},
    {"ports_churn", PREFLIGHT_REFUSE, "600 ports for a minute of 10 connections/s", churn_fast},
    {"engine_missing", PREFLIGHT_REFUSE, "/x/tacho-engine", engine_gone},
    {"engine_refused", PREFLIGHT_REFUSE, "u: io_uring is not allowed here; should be: none",
     engine_refused},
    {"replay_missing", PREFLIGHT_REFUSE, "a.db: no trial of u; should be: none", replay_missing},
    {"cpus_absent", PREFLIGHT_REFUSE, "server 5; driver 1; should be: among the CPUs",
     server_cpu_absent},
    {"cpus_absent", PREFLIGHT_REFUSE, "driver 5", driver_cpu_absent},
    {"quota_low", PREFLIGHT_REFUSE, "1.99 CPUs; should be: none, or at least the 2", quota_small},
    {"cpus_dropped", PREFLIGHT_WARN, "nothing is pinned", server_cpu_dropped},
    {"folder_closed", PREFLIGHT_REFUSE, "/x", folder_closed},
    {"folder_full", PREFLIGHT_REFUSE, "63 MiB in /x; should be: at least 64 MiB", folder_full},
    {"folder_full", PREFLIGHT_REFUSE, "64 MiB", results_large},
    {"nofile_lower", PREFLIGHT_WARN, "264; should be: at least 265", nofile_wanted},
    {"cpus_few", PREFLIGHT_WARN, "1; should be: at least 2", one_cpu},
    {"cpus_shared", PREFLIGHT_WARN, "server 0; driver 0-1", same_cpu},
    {"cpus_shared", PREFLIGHT_WARN, "server not pinned", not_pinned},
    {"cores_shared", PREFLIGHT_WARN, "1 CPUs of the driver", core_shared},
    {"driver_threads", PREFLIGHT_WARN, "2 for 1 CPUs", threads_many},
    {"pauses", PREFLIGHT_WARN, "(think_time): 2s; should be: less than the window of 2s",
     pauses_long},
    {"pressure_cpu", PREFLIGHT_WARN, "5.01 %", cpu_pressure},
    {"pressure_cpu", PREFLIGHT_WARN, "20.01 %", cpu_pressure_high},
    {"pressure_cpu", PREFLIGHT_REFUSE, "20.01 %", cpu_pressure_waited},
    {"pressure_cpu", PREFLIGHT_WARN, "20.00 %", cpu_pressure_lower},
    {"sampling", PREFLIGHT_WARN, "SCHED_OTHER; should be: SCHED_FIFO 1", sampling_late},
    {"pressure_io", PREFLIGHT_WARN, "1.01 %", io_pressure},
    {"pressure_memory", PREFLIGHT_WARN, "20.00 %", memory_pressure},
    {"load", PREFLIGHT_WARN, "0.61", load_high},
    {"swap", PREFLIGHT_WARN, "2 MiB", swap_on},
    {"governor", PREFLIGHT_WARN, "powersave; should be: performance", governor_powersave},
    {"power", PREFLIGHT_REFUSE, "battery; should be: mains", on_battery},
    {"boost", PREFLIGHT_WARN, "1; should be: 0 (off)", boosted},
    {"turbo", PREFLIGHT_WARN, "0; should be: 1 (off)", turbo},
    {"hugepages", PREFLIGHT_WARN, "[always] madvise never; should be: madvise or never",
     huge_pages},
    {"ksm", PREFLIGHT_WARN, "1; should be: 0 (off)", merging},
    {"aslr", PREFLIGHT_WARN, "0; should be: 2 (on)", no_aslr},
    {"autogroup", PREFLIGHT_WARN, "1; should be: 0 (off)", autogroups},
    {"clocksource", PREFLIGHT_WARN, "hpet; should be: tsc, kvm-clock", hpet},
    {"lo_mtu", PREFLIGHT_WARN, "1500; should be: 65536", small_packets},
    {"container", PREFLIGHT_WARN, "docker; should be: none", in_container},
    {"virtual", PREFLIGHT_WARN, "yes; should be: no", in_machine},
    {"backlog", PREFLIGHT_WARN, "99; should be: at least 100", backlog_small},
    {"syn_backlog", PREFLIGHT_WARN, "99; should be: at least 100", syn_backlog_small},
    {"time_wait", PREFLIGHT_WARN, "51 of 100 ports; should be: at most half", time_wait_many},
    {"conntrack", PREFLIGHT_WARN, "301 of 500 entries", conntrack_full},
    {"preload", PREFLIGHT_REFUSE, "LD_PRELOAD: set", preloaded},
    {"sanitizer", PREFLIGHT_REFUSE, "sanitizer: yes", sanitized},
    {"sanitizer", PREFLIGHT_WARN, "sanitizer: yes", sanitized_for_tests},
    {"tracer", PREFLIGHT_REFUSE, "traced: yes", traced},
    {"unoptimised", PREFLIGHT_WARN, "optimisation: no", unoptimised},
    {"changed", PREFLIGHT_WARN, "1.0+abc-dirty", dirty},
};

Test(preflight, says_one_thing_for_each_fault)
{
    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        struct preflight_input input = quiet_machine();
        struct preflight_finding findings[PREFLIGHT_FINDING_COUNT_MAX];

        changes[i].apply(&input);
        cr_assert_eq(preflight_judge(&input, findings), 1, "row %zu", i);
        cr_expect_str_eq(findings[0].name, changes[i].name, "row %zu", i);
        cr_expect_eq(findings[0].consequence, changes[i].consequence, "row %zu", i);
        cr_expect(strstr(findings[0].text, changes[i].part), "row %zu: %s", i, findings[0].text);
    }
}

/* proc(5): two numbers, both of them ports that may be taken. */
Test(preflight, counts_the_local_ports_of_the_machine)
{
    static const struct {
        const char *text;
        int64_t count;
    } rows[] = {{"32768\t60999\n", 28232},
                {"1\t65535\n", 65535},
                {"5 5\n", 1},
                {"60999\t32768\n", -1},
                {"32768\n", -1},
                {"", -1},
                {"x\n", -1},
                {"1\t65536\n", -1}};
    static const char *const folders[] = {"sys", "sys/net", "sys/net/ipv4"};
    char root[] = "/tmp/tacho-preflight-XXXXXX", path[128];
    struct preflight_input input = {0};
    struct err e;

    cr_assert(mkdtemp(root));
    preflight_read(root, root, &input);
    cr_expect_eq(input.local_port_count, -1, "no such file");
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
        cr_assert_eq(mkdir(path, 0755), 0);
    }
    snprintf(path, sizeof(path), "%s/sys/net/ipv4/ip_local_port_range", root);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_assert_eq(fs_write_file(path, rows[i].text, strlen(rows[i].text), &e), ERR_OK);
        preflight_read(root, root, &input);
        cr_expect_eq(input.local_port_count, rows[i].count, "row %zu: %lld", i,
                     (long long)input.local_port_count);
    }
    cr_expect_eq(fs_remove_tree(root, &e), ERR_OK);
}

/* What a warning becomes where one is strict, and what becomes of rows that nothing is known of. */
Test(preflight, refuses_more_where_it_is_strict)
{
    static const struct {
        const char *name;
        void (*apply)(struct preflight_input *input);
        enum preflight_consequence usual, strict;
    } rows[] = {
        {"governor", governor_powersave, PREFLIGHT_WARN, PREFLIGHT_REFUSE},
        {"changed", dirty, PREFLIGHT_WARN, PREFLIGHT_REFUSE},
        {"cpus_few", one_cpu, PREFLIGHT_WARN, PREFLIGHT_REFUSE},
        {"pressure_cpu", cpu_pressure, PREFLIGHT_WARN, PREFLIGHT_WARN},
        {"pressure_cpu", cpu_pressure_high, PREFLIGHT_WARN, PREFLIGHT_REFUSE},
        {"swap", swap_on, PREFLIGHT_WARN, PREFLIGHT_WARN},
        {"nofile_low", nofile_lower_hard, PREFLIGHT_REFUSE, PREFLIGHT_REFUSE},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        for (int is_strict = 0; is_strict < 2; is_strict++) {
            struct preflight_input input = quiet_machine();
            struct preflight_row list[PREFLIGHT_FINDING_COUNT_MAX];
            size_t violated_count = 0;

            rows[i].apply(&input);
            size_t count = preflight_list(&input, is_strict, list);
            for (size_t k = 0; k < count; k++) {
                if (list[k].is_violated) {
                    cr_expect_str_eq(list[k].name, rows[i].name, "row %zu", i);
                    cr_expect_eq(list[k].consequence, is_strict ? rows[i].strict : rows[i].usual,
                                 "row %zu", i);
                    violated_count++;
                }
            }
            cr_expect_eq(violated_count, 1, "row %zu", i);
        }
    }
}

/* A newcomer reads each row: it has a title, a threshold, and where it can be violated a reason and
 * what mends it. Names are stable words, each once. */
Test(preflight, explains_every_rule)
{
    struct preflight_input input = quiet_machine();
    struct preflight_row rows[PREFLIGHT_FINDING_COUNT_MAX];
    size_t count = preflight_list(&input, false, rows);

    cr_expect_geq(count, 45);
    for (size_t i = 0; i < count; i++) {
        bool is_record = rows[i].consequence == PREFLIGHT_RECORD;

        cr_expect(*rows[i].title && *rows[i].threshold && *rows[i].value, "%s", rows[i].name);
        cr_expect_eq(rows[i].why != NULL, !is_record, "%s", rows[i].name);
        cr_expect_eq(rows[i].fix != NULL, !is_record, "%s", rows[i].name);
        for (size_t k = 0; k < i; k++) {
            cr_expect(strcmp(rows[i].name, rows[k].name) != 0, "%s comes twice", rows[i].name);
        }
    }
}

/* Two cores of two CPUs each: 0 and 2, 1 and 3. */
Test(preflight, reads_what_the_rules_look_at_from_a_recorded_machine)
{
    struct proc_tree tree;
    struct preflight_input input = {.server_cpus = &cpu_0, .driver_cpus = &cpu_1};
    cpu_set_t cpu_2;

    proc_tree_init(&tree);
    proc_tree_unpack(&tree, "proc-machine");
    preflight_read(tree.root, tree.root, &input);
    cr_expect_eq(input.shared_core_count, -1, "it does not tell");
    proc_tree_write(&tree, "devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
    proc_tree_write(&tree, "sys/net/ipv4/tcp_tw_reuse", "2\n");
    proc_tree_write(&tree, "sys/net/ipv4/tcp_max_syn_backlog", "512\n");
    proc_tree_write(&tree, "sys/net/core/somaxconn", "4096\n");
    proc_tree_write(&tree, "net/sockstat", "TCP: inuse 5 orphan 0 tw 321 alloc 7 mem 144\n");
    proc_tree_write(&tree, "self/status", "Name:\tx\nTracerPid:\t7\n");
    preflight_read(tree.root, tree.root, &input);
    cr_expect_eq(input.shared_core_count, 0);
    cr_expect_eq(input.tw_reuse, 2);
    cr_expect_eq(input.syn_backlog, 512);
    cr_expect_eq(input.somaxconn, 4096);
    cr_expect_eq(input.time_wait_count, 321);
    cr_expect_eq(input.quota_centi, 150);
    cr_expect_eq(input.load_centi, 10);
    cr_expect_eq(input.pressure_cpu_centi, 0);
    cr_expect_eq(input.pressure_io_centi, -1);
    cr_expect_eq(input.conntrack_max, -1);
    cr_expect(input.is_traced);
    CPU_ZERO(&cpu_2);
    CPU_SET(2, &cpu_2);
    input.driver_cpus = &cpu_2;
    preflight_read(tree.root, tree.root, &input);
    cr_expect_eq(input.shared_core_count, 1, "CPU 2 is the other half of 0");
    proc_tree_release(&tree);
}
