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
        .pressure_cpu_centi = 500,
        .pressure_io_centi = 100,
        .pressure_memory_centi = -1,
        .load_centi = 60,
        .somaxconn = 100,
        .local_port_count = 100,
        .governor = "performance",
    };
}

Test(preflight, says_nothing_of_a_machine_on_every_threshold)
{
    struct preflight_input input = quiet_machine();
    struct preflight_finding findings[PREFLIGHT_FINDING_COUNT_MAX];

    cr_expect_eq(preflight_judge(&input, findings), 0);
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
CHANGE(server_cpu_absent, input->server_cpus = &cpu_5)
CHANGE(driver_cpu_absent, input->driver_cpus = &cpu_5)
CHANGE(server_cpu_dropped, input->server_cpus = &cpu_5; input->pinning_optional = true)
CHANGE(folder_closed, input->folder_is_writable = false)
CHANGE(folder_full, input->folder_free_bytes--)
CHANGE(nofile_wanted, input->nofile_wanted = 265)
CHANGE(one_cpu, input->allowed_cpus = cpu_0; input->server_cpus = input->driver_cpus = NULL;
       input->load_centi = 0)
CHANGE(same_cpu, input->driver_cpus = &cpus_both)
CHANGE(not_pinned, input->server_cpus = NULL)
CHANGE(cpu_pressure, input->pressure_cpu_centi = 501)
CHANGE(io_pressure, input->pressure_io_centi = 101)
CHANGE(memory_pressure, input->pressure_memory_centi = 2000)
CHANGE(load_high, input->load_centi = 61)
CHANGE(swap_on, input->swap_total_kib = 2048)
CHANGE(governor_powersave, strcpy(input->governor, "powersave"))
CHANGE(backlog_small, input->somaxconn = 99)
CHANGE(ports_few, input->local_port_count = 99)
CHANGE(preloaded, input->is_preloaded = true)
CHANGE(sanitized, input->is_sanitized = true)
CHANGE(traced, input->is_traced = true)

static const struct change changes[] = {
    /* A20: names limit and need; 2 * 100 + 64 */
    {"nofile_low", PREFLIGHT_REFUSE, "263 descriptors, 100 connections need 264",
     nofile_lower_hard},
    {"ports_few", PREFLIGHT_REFUSE, "99 ports, 100 connections", ports_few},
    {"engine_missing", PREFLIGHT_REFUSE, "/x/tacho-engine", engine_gone},
    {"cpus_absent", PREFLIGHT_REFUSE, "server_cpus \"5\"", server_cpu_absent},
    {"cpus_absent", PREFLIGHT_REFUSE, "driver_cpus \"5\"", driver_cpu_absent},
    {"cpus_dropped", PREFLIGHT_WARN, "nothing is pinned", server_cpu_dropped},
    {"folder_closed", PREFLIGHT_REFUSE, "/x", folder_closed},
    {"folder_full", PREFLIGHT_REFUSE, "63 MiB free", folder_full},
    {"nofile_lower", PREFLIGHT_WARN, "264, not the plan's 265", nofile_wanted},
    {"cpus_few", PREFLIGHT_WARN, "1 CPU", one_cpu},
    {"cpus_shared", PREFLIGHT_WARN, "share CPU 0", same_cpu},
    {"cpus_shared", PREFLIGHT_WARN, "not pinned apart", not_pinned},
    {"pressure_cpu", PREFLIGHT_WARN, "5.01 %", cpu_pressure},
    {"pressure_io", PREFLIGHT_WARN, "1.01 %", io_pressure},
    {"pressure_memory", PREFLIGHT_WARN, "20.00 %", memory_pressure},
    {"load", PREFLIGHT_WARN, "0.61", load_high},
    {"swap", PREFLIGHT_WARN, "2 MiB", swap_on},
    {"governor", PREFLIGHT_WARN, "powersave", governor_powersave},
    {"backlog", PREFLIGHT_WARN, "99, below 100", backlog_small},
    {"preload", PREFLIGHT_WARN, "LD_PRELOAD", preloaded},
    {"sanitizer", PREFLIGHT_WARN, "sanitizer", sanitized},
    {"tracer", PREFLIGHT_WARN, "TracerPid", traced},
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
