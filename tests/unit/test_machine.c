// SPDX-License-Identifier: Apache-2.0
// The facts of a machine and its fingerprint, from recorded trees.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/probe/fingerprint.h"
#include "collector/probe/machine.h"
#include "collector/probe/machine_parts.h"
#include "collector/probe/program.h"
#include "collector/probe/tenants.h"
#include "tests/support/edge_buf.h"
#include "tests/support/proc_tree.h"

static struct proc_tree tree;

static void tree_set_up(void)
{
    proc_tree_init(&tree);
    proc_tree_unpack(&tree, "proc-machine");
}

static void tree_tear_down(void)
{
    proc_tree_release(&tree);
}

TestSuite(machine, .init = tree_set_up, .fini = tree_tear_down);

struct facts {
    struct {
        char name[64], value[4096];
        bool is_known;
    } rows[256];
    size_t count;
};

static void fact_keep(void *self, const char *name, const char *value)
{
    struct facts *facts = self;

    cr_assert_lt(facts->count, ARRAY_COUNT(facts->rows));
    snprintf(facts->rows[facts->count].name, sizeof(facts->rows[0].name), "%s", name);
    snprintf(facts->rows[facts->count].value, sizeof(facts->rows[0].value), "%s",
             value ? value : "");
    facts->rows[facts->count++].is_known = value != NULL;
}

static struct facts *facts_read(bool of_state)
{
    struct facts *facts = calloc(1, sizeof(*facts));
    const struct machine_sink sink = {facts, fact_keep};

    if (of_state) {
        machine_describe_state(tree.root, tree.root, &sink);
    } else {
        machine_describe(tree.root, tree.root, &sink);
    }
    return facts;
}

/* The value; NULL: not known. Fails when the fact was not looked for, or twice. */
static const char *fact_find(const struct facts *facts, const char *name)
{
    const char *found = NULL;
    int times = 0;

    for (size_t i = 0; i < facts->count; i++) {
        if (strcmp(facts->rows[i].name, name) == 0) {
            found = facts->rows[i].is_known ? facts->rows[i].value : NULL;
            times++;
        }
    }
    cr_expect_eq(times, 1, "%s comes %d times", name, times);
    return found;
}

Test(machine, tells_what_the_files_of_a_machine_say)
{
    static const char *const rows[][2] = {
        {"cpu.model", "Example CPU at 3.0 GHz"},
        {"cpu.sockets", "2"},
        {"cpu.flags", "sse4_2 avx2 aes constant_tsc"},
        {"cpu.caches", "L1 Data 32K, L1 Instruction 32K, L3 Unified 16384K"},
        {"cpu.isolated", ""},
        {"cpu.boost", "1"},
        {"cpu.mitigation.vmscape", "Not affected"},
        {"memory.size_gib", "8"}, /* 8,040,212 KiB are 7.67 GiB */
        {"memory.transparent_hugepages", "always [madvise] never"},
        {"kernel.clocksource", "tsc"},
        {"kernel.command_line", "mitigations=off isolcpus=2-3"},
        {"machine.virtual", "yes"},
        {"machine.container", "kubernetes"},
        {"net.tcp_congestion_control", "bbr"},
        {"net.lo_mtu", "65536"},
        {"cgroup.version", "v2"},
        {"cgroup.cpu_quota", "1.50 CPUs"},
        {"cgroup.memory_limit", "524288 KiB"},
        {"cgroup.process_limit", "none"},
        {"cgroup.cpus", "0-3"},
        {"net.conntrack_max", NULL},
    };
    struct facts *facts = facts_read(false);

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *value = fact_find(facts, rows[i][0]);

        cr_expect_eq(value != NULL, rows[i][1] != NULL, "%s", rows[i][0]);
        if (value && rows[i][1]) {
            cr_expect_str_eq(value, rows[i][1], "%s", rows[i][0]);
        }
    }
    free(facts);
}

/* What a reader of a bundle must not learn: names, addresses, serial numbers, keys, paths of
 * persons.
 */
Test(machine, tells_no_names_addresses_or_keys)
{
    static const char *const secrets[] = {"hunter2",        "luks",       "00:16:3e",
                                          "10.1.2.3",       "SN-4711",    "anna",
                                          "secret-service", "BOOT_IMAGE", "rootfs-uuid"};

    setenv("MY_TOKEN", "hunter2", 1);
    setenv("LD_LIBRARY_PATH", "/home/anna/lib", 1);
    for (int of_state = 0; of_state < 2; of_state++) {
        struct facts *facts = facts_read(of_state);

        for (size_t i = 0; i < facts->count; i++) {
            for (size_t k = 0; k < ARRAY_COUNT(secrets); k++) {
                cr_expect_not(strstr(facts->rows[i].value, secrets[k]), "%s: %s",
                              facts->rows[i].name, facts->rows[i].value);
            }
        }
        free(facts);
    }
    struct facts *facts = facts_read(true);
    cr_expect_str_eq(fact_find(facts, "environment.LD_LIBRARY_PATH"), "set");
    cr_expect_eq(strlen(fact_find(facts, "state.uptime_s")) > 0, true);
    free(facts);
}

/* proc(5): user nice system idle iowait irq softirq steal. A kernel that tells hard interrupts'
 * time apart (IRQ_TIME_ACCOUNTING) has counted some of it, the timer's at least. */
Test(machine, knows_whose_time_soft_interrupts_are)
{
    static const struct {
        const char *stat, *value;
    } rows[] = {
        {"cpu  5495376 126704 3617485 1983815 97220 0 734935 4070 0 0\n", "processes"},
        {"cpu  5495376 126704 3617485 1983815 97220 3120 734935 4070 0 0\n", "apart"},
        {"cpu  500 0 499 100 0 0 30 0 0 0\n", ""}, /* too soon after the boot to tell */
        {"cpu  5495376 126704 3617485 1983815 97220 0 0 0 0 0\n", ""}, /* a container's own file */
        {"intr 1\n", ""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        proc_tree_write(&tree, "stat", "%s", rows[i].stat);
        struct facts *facts = facts_read(false);
        const char *value = fact_find(facts, MACHINE_SOFTIRQ_FACT);

        cr_expect_str_eq(value ? value : "", rows[i].value, "row %zu", i);
        cr_expect_eq(machine_softirq_is_charged(tree.root),
                     strcmp(rows[i].value, MACHINE_SOFTIRQ_CHARGED) == 0, "row %zu", i);
        free(facts);
    }
}

struct change {
    const char *path, *text;
    bool moves;
};

/* Frequencies, bogomips, temperatures, uptime, the boot, memory that is free or lent: not these. */
static const struct change changes[] = {
    {"cpuinfo",
     "processor\t: 0\nvendor_id\t: Example\nmodel name\t: Example CPU at 3.0 GHz\nstepping\t: "
     "1\nmicrocode\t: 0x1\ncpu MHz\t\t: 800.000\nphysical id\t: 0\nflags\t\t: fpu sse4_2 avx2 aes "
     "constant_tsc hypervisor\nbogomips\t: 1.0\nprocessor\t: 1\nphysical id\t: 1\n",
     false},
    {"uptime", "99999.00 1.00\n", false},
    {"loadavg", "9.00 9.00 9.00 3/99 1234\n", false},
    {"sys/kernel/random/boot_id", "another\n", false},
    {"meminfo", "MemTotal:        8040100 kB\nMemAvailable: 1 kB\nSwapTotal: 5 kB\n", false},
    {"class/thermal/thermal_zone0/temp", "99000\n", false},
    {"devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n", false},
    {"self/cgroup", "0::/system.slice/bench.service\n", false},
    {"pressure/cpu", "some avg10=50.00 avg60=0.00 avg300=0.00 total=1\n", false},
    {"devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n", true},
    {"devices/system/cpu/vulnerabilities/vmscape", "Vulnerable\n", true},
    {"devices/system/cpu/online", "0\n", true},
    {"cpuinfo", "model name\t: Another CPU\n", true},
    {"meminfo", "MemTotal:        16080100 kB\n", true},
    {"sys/net/ipv4/tcp_congestion_control", "cubic\n", true},
    {"cmdline", "BOOT_IMAGE=/x mitigations=auto isolcpus=2-3\n", true},
    {"fs/cgroup/system.slice/bench.service/cpu.max", "50000 100000\n", true},
    {"devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL, true}, /* known no more */
};

Test(machine, has_a_fingerprint_that_moves_with_the_machine_alone)
{
    struct facts *facts = facts_read(false);
    char first[DIGEST_HEX_BYTES];

    snprintf(first, sizeof(first), "%s", fact_find(facts, FINGERPRINT_FACT));
    cr_expect_eq(strlen(first), 64);
    free(facts);
    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        if (changes[i].text) {
            proc_tree_write(&tree, changes[i].path, "%s", changes[i].text);
        } else {
            proc_tree_remove(&tree, changes[i].path);
        }
        facts = facts_read(false);
        bool has_moved = strcmp(fact_find(facts, FINGERPRINT_FACT), first) != 0;
        cr_expect_eq(has_moved, changes[i].moves, "row %zu: %s", i, changes[i].path);
        free(facts);
        tree_tear_down();
        tree_set_up();
    }
}

/* printf '{"cpu.model":"a\\"b","kernel.release":null,"net.x":"ä"}' | jq -cSj . | sha256sum; in
 * whatever order the facts come. */
Test(machine, has_the_fingerprint_that_others_compute_of_the_same_facts)
{
    static const char *const rows[][2] = {
        {"net.x", "\xc3\xa4"},        {"cpu.model", "an earlier value"},
        {"kernel.boot_id", "1"},      {"state.load", "2"},
        {"machine.name_sha256", "3"}, {"cpu.allowed", "0-1"},
        {"kernel.release", NULL},     {"cpu.model", "a\"b"}};
    struct fingerprint *fingerprint;
    char hex[DIGEST_HEX_BYTES];

    cr_assert_eq(fingerprint_new(&fingerprint, NULL), ERR_OK);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        fingerprint_add(fingerprint, rows[i][0], rows[i][1]);
    }
    cr_assert_eq(fingerprint_finish(fingerprint, hex, NULL), ERR_OK);
    cr_expect_str_eq(hex, "e4b52f1a784ca13693f5050765609392a351de3363bca0962bf35091cd2b7847");
    fingerprint_free(fingerprint);
}

Test(machine, keeps_the_words_of_a_command_line_that_matter)
{
    static const char *const rows[][2] = {
        {"BOOT_IMAGE=/vmlinuz root=UUID=12 ro quiet mitigations=off nosmt\n",
         "mitigations=off nosmt"},
        {"isolcpus=1 isolcpusx=2 xisolcpus=3 isolcpus", "isolcpus=1 isolcpus"},
        {"cryptdevice=UUID=1:luks ip=10.1.2.3 systemd.machine_id=4", ""},
        {"nohz_full=0123456789012345678901", ""}, /* no room: nothing is cut */
        {"", ""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char out[32];

        machine_filter_command_line(rows[i][0], out, sizeof(out));
        cr_expect_str_eq(out, rows[i][1], "row %zu", i);
    }
}

Test(machine, knows_mains_from_battery)
{
    static const struct {
        const char *path, *text, *power;
    } rows[] = {
        {"class/power_supply/.hidden/type", "Mains\n", NULL},
        {"class/power_supply/BAT7/type", "Battery\n", NULL},
        {"class/power_supply/BAT7/status", "Full\n", NULL},
        {"class/power_supply/BAT7/status", "Discharging\n", "battery"},
        {"class/power_supply/ACAD/type", "Mains\n", "battery"},
        {"class/power_supply/ACAD/online", "0\n", "battery"},
        {"class/power_supply/ACAD/online", "1\n", "mains"},
    };

    cr_expect_null(machine_power(tree.root));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        proc_tree_write(&tree, rows[i].path, "%s", rows[i].text);
        const char *power = machine_power(tree.root);

        cr_expect_eq(power != NULL, rows[i].power != NULL, "row %zu", i);
        if (power && rows[i].power) {
            cr_expect_str_eq(power, rows[i].power, "row %zu", i);
        }
    }
}

/* readelf is the judge: of this very program. */
Test(machine, tells_which_libraries_this_program_runs_with)
{
    struct facts *facts = calloc(1, sizeof(*facts));
    const struct machine_sink sink = {facts, fact_keep};
    char line[256] = "", own[64];

    program_describe(&sink);
    snprintf(own, sizeof(own), "%s", fact_find(facts, "program.build_id"));
    cr_expect_eq(strlen(own), 40);
    FILE *judge = popen("readelf -n /proc/$PPID/exe | sed -n 's/.*Build ID: //p'", "r");
    cr_assert(judge && fgets(line, sizeof(line), judge));
    pclose(judge);
    line[strcspn(line, "\n")] = '\0';
    cr_expect_str_eq(own, line);
    cr_expect(strstr(fact_find(facts, "program.libraries"), "libsqlite3.so"));
    cr_expect_not(strchr(fact_find(facts, "program.libraries"), '/'), "no paths");
    cr_expect_eq(strlen(fact_find(facts, "program.libraries_sha256")), 64);
    free(facts);
}

Test(machine, names_the_file_system_of_a_folder)
{
    cr_expect_str_eq(program_filesystem("/proc"), "0x9fa0"); /* linux/magic.h: PROC_SUPER_MAGIC */
    cr_expect_null(program_filesystem("/nowhere/at/all"));
    cr_expect_not_null(program_filesystem("."));
}

static void process_write(int pid, const char *name, int user, int system, int start)
{
    char path[32];

    snprintf(path, sizeof(path), "%d/stat", pid);
    proc_tree_write(&tree, path, "%d (%s) S 1 1 1 0 -1 0 0 0 0 0 %d %d 0 0 20 0 1 0 %d 4096 10 0\n",
                    pid, name, user, system, start);
    snprintf(path, sizeof(path), "%d/comm", pid);
    proc_tree_write(&tree, path, "%s\n", name);
}

/* By hand: 20 took 5 + 40, 40 began in between with 30, 50 is another process than before and has
 * 9; 10 is this one, 30 did nothing. */
Test(machine, names_the_programs_that_took_most_cpu_time)
{
    static struct tenants before, after;
    static const struct {
        const char *name;
        uint64_t ticks;
    } want[] = {{"cc1 plus", 45}, {"ld", 30}, {"sh", 9}};
    struct tenant_share top[TENANTS_TOP_COUNT];

    process_write(10, "tacho", 0, 0, 7);
    process_write(20, "cc1 plus", 100, 10, 7);
    process_write(30, "idle", 5, 5, 7);
    process_write(50, "old", 400, 400, 7);
    tenants_read(&before, tree.root, 10);
    process_write(10, "tacho", 500, 0, 7);
    process_write(20, "cc1 plus", 105, 50, 7);
    process_write(40, "ld", 30, 0, 8);
    process_write(50, "sh", 9, 0, 9);
    tenants_read(&after, tree.root, 10);
    cr_expect_eq(before.count, 3);
    cr_assert_eq(tenants_compare(&before, &after, tree.root, top), ARRAY_COUNT(want));
    for (size_t i = 0; i < ARRAY_COUNT(want); i++) {
        cr_expect_str_eq(top[i].name, want[i].name, "row %zu", i);
        cr_expect_eq(top[i].ticks, want[i].ticks, "row %zu", i);
    }
    /* Six more, each with more than all: the list keeps the five highest. */
    for (int i = 0; i < 6; i++) {
        process_write(60 + i, i < 5 ? "more" : "most", 1000 + i, 0, 9);
    }
    tenants_read(&after, tree.root, 10);
    cr_assert_eq(tenants_compare(&before, &after, tree.root, top), TENANTS_TOP_COUNT);
    cr_expect_str_eq(top[0].name, "most");
    cr_expect_eq(top[0].ticks, 1005);
    cr_expect_eq(top[TENANTS_TOP_COUNT - 1].ticks, 1001);
}
