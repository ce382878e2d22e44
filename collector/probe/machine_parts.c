// SPDX-License-Identifier: Apache-2.0
// Facts of the machine that take more than one line of one file.
#include "collector/probe/machine_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collector/digest.h"
#include "collector/probe/cgroup.h"
#include "collector/probe/net_facts.h"
#include "collector/sample.h"
#include "engines/base/cursor.h"
#include "engines/base/proc.h"

#define CPU_FOLDER "devices/system/cpu"
#define OWN_ROOT   "self/root" /* below /proc: the root of this process */

/* --- tools --- */

void machine_put(const struct machine_reader *reader, const char *name, const char *value)
{
    reader->sink->put(reader->sink->self, name, value);
}

void machine_put_format(const struct machine_reader *reader, const char *name, const char *format,
                        ...)
{
    char value[MACHINE_VALUE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof(value), format, arguments);
    va_end(arguments);
    machine_put(reader, name, value);
}

bool machine_read_line(const struct machine_reader *reader, char *out, size_t capacity,
                       const char *path_format, ...)
{
    char path[PROC_PATH_BYTES];
    va_list arguments;

    va_start(arguments, path_format);
    vsnprintf(path, sizeof(path), path_format, arguments);
    va_end(arguments);
    if (proc_read(reader->sys_root, out, capacity, "%s", path) <= 0) {
        return false;
    }
    out[strcspn(out, "\n")] = '\0';
    return *out != '\0';
}

/* Appends a word and the separator before it, if it fits. */
static void word_append(char *out, size_t capacity, const char *separator, const char *word)
{
    size_t used = strlen(out);

    if (used + strlen(separator) + strlen(word) < capacity) {
        snprintf(out + used, capacity - used, "%s%s", used ? separator : "", word);
    }
}

static bool word_is_in(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        bool begins = at == list || at[-1] == ' ' || at[-1] == ',';
        bool ends = at[length] == '\0' || at[length] == ' ' || at[length] == ',';

        if (begins && ends) {
            return true;
        }
    }
    return false;
}

/* --- CPUs --- */

static void caches_put(const struct machine_reader *reader)
{
    char value[256] = "", level[16], type[32], size[32], part[96];

    for (int i = 0; i < 8; i++) {
        const char *folder = CPU_FOLDER "/cpu0/cache/index";

        if (!machine_read_line(reader, level, sizeof(level), "%s%d/level", folder, i) ||
            !machine_read_line(reader, type, sizeof(type), "%s%d/type", folder, i) ||
            !machine_read_line(reader, size, sizeof(size), "%s%d/size", folder, i)) {
            continue;
        }
        snprintf(part, sizeof(part), "L%s %s %s", level, type, size);
        word_append(value, sizeof(value), ", ", part);
    }
    machine_put(reader, "cpu.caches", *value ? value : NULL);
}

/* The governors of all CPUs, each once: of one CPU alone nothing follows. */
static void governors_put(const struct machine_reader *reader)
{
    char value[256] = "", governor[64];
    long count = sysconf(_SC_NPROCESSORS_CONF);

    for (long cpu = 0; cpu < count || cpu == 0; cpu++) {
        bool is_read = machine_read_line(reader, governor, sizeof(governor),
                                         CPU_FOLDER "/cpu%ld/cpufreq/scaling_governor", cpu);
        if (is_read && !word_is_in(value, governor)) {
            word_append(value, sizeof(value), ",", governor);
        }
    }
    machine_put(reader, "cpu.governor", *value ? value : NULL);
}

/* Flags that decide which code a library takes, or how time is told. */
static void flags_put(const struct machine_reader *reader, const char *flags)
{
    static const char *const kept[] = {"sse4_2",      "avx",   "avx2",  "avx512f", "aes",
                                       "bmi2",        "erms",  "fsrm",  "rdtscp",  "constant_tsc",
                                       "nonstop_tsc", "asimd", "crc32", "sha2",    "sve"};
    char value[256] = "";

    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        if (word_is_in(flags, kept[i])) {
            word_append(value, sizeof(value), " ", kept[i]);
        }
    }
    machine_put(reader, "cpu.flags", value);
    machine_put(reader, "machine.virtual", word_is_in(flags, "hypervisor") ? "yes" : "no");
}

/* How many different numbers "physical id" has. */
static int sockets_count(const char *text, size_t length)
{
    struct cursor all = {text, text + length};
    struct cursor line, words[3];
    uint64_t id, seen = 0;

    while (cursor_take_line(&all, &line)) {
        bool has_words = cursor_take_word(&line, &words[0]) && cursor_take_word(&line, &words[1]) &&
                         cursor_take_word(&line, &words[2]);

        if (has_words && cursor_is(&words[0], "physical") && cursor_is(&words[1], "id") &&
            cursor_take_number(&line, &id) && id < 64) {
            seen |= UINT64_C(1) << id;
        }
    }
    return __builtin_popcountll(seen);
}

void machine_put_cpus(const struct machine_reader *reader)
{
    static const char *const unknown[] = {"cpu.sockets", "cpu.flags", "machine.virtual"};
    char flags[8192];
    ssize_t length = proc_read(reader->proc_root, reader->text, MACHINE_FILE_BYTES, "cpuinfo");

    for (size_t i = 0; length <= 0 && i < ARRAY_COUNT(unknown); i++) {
        machine_put(reader, unknown[i], NULL);
    }
    if (length > 0) {
        int sockets = sockets_count(reader->text, (size_t)length);
        bool has_flags =
            proc_find_text(reader->text, (size_t)length, "flags", flags, sizeof(flags)) ||
            proc_find_text(reader->text, (size_t)length, "Features", flags, sizeof(flags));

        if (sockets) {
            machine_put_format(reader, "cpu.sockets", "%d", sockets);
        } else {
            machine_put(reader, "cpu.sockets", NULL);
        }
        if (has_flags) {
            flags_put(reader, flags);
        } else {
            machine_put(reader, "cpu.flags", NULL);
            machine_put(reader, "machine.virtual", NULL);
        }
    }
    caches_put(reader);
    governors_put(reader);
}

/* --- kernel --- */

void machine_filter_command_line(const char *line, char *out, size_t capacity)
{
    static const char *const kept[] = {"amd_pstate",
                                       "audit",
                                       "cgroup_no_v1",
                                       "clocksource",
                                       "default_hugepagesz",
                                       "hugepages",
                                       "hugepagesz",
                                       "idle",
                                       "init_on_alloc",
                                       "init_on_free",
                                       "intel_idle.max_cstate",
                                       "intel_pstate",
                                       "isolcpus",
                                       "kpti",
                                       "l1tf",
                                       "maxcpus",
                                       "mds",
                                       "mitigations",
                                       "nmi_watchdog",
                                       "no-kvmclock",
                                       "no_timer_check",
                                       "nohz",
                                       "nohz_full",
                                       "nokaslr",
                                       "nopti",
                                       "noretpoline",
                                       "nosmt",
                                       "nospectre_v1",
                                       "nospectre_v2",
                                       "nowatchdog",
                                       "nr_cpus",
                                       "numa_balancing",
                                       "page_poison",
                                       "preempt",
                                       "processor.max_cstate",
                                       "pti",
                                       "rcu_nocbs",
                                       "retbleed",
                                       "skew_tick",
                                       "slab_nomerge",
                                       "slub_debug",
                                       "spec_store_bypass_disable",
                                       "spectre_v2",
                                       "srbds",
                                       "threadirqs",
                                       "transparent_hugepage",
                                       "tsc",
                                       "tsx",
                                       "tsx_async_abort"};
    char name[64], word[256];
    struct cursor all = {line, line + strcspn(line, "\n")};
    struct cursor part;

    *out = '\0';
    while (cursor_take_word(&all, &part)) {
        const char *end = memchr(part.at, '=', (size_t)(part.end - part.at));
        const struct cursor key = {part.at, end ? end : part.end};

        for (size_t i = 0; cursor_copy(&key, name, sizeof(name)) && i < ARRAY_COUNT(kept); i++) {
            if (strcmp(name, kept[i]) == 0 && cursor_copy(&part, word, sizeof(word))) {
                word_append(out, capacity, " ", word);
            }
        }
    }
}

/* The value of "KEY=" at the start of a line of the kernel's configuration. */
static void config_put(const struct machine_reader *reader, const char *name, const char *key,
                       const char *config, size_t config_bytes)
{
    struct cursor all = {config, config + config_bytes};
    struct cursor line;
    size_t length = strlen(key);
    char value[64];

    while (cursor_take_line(&all, &line)) {
        if ((size_t)(line.end - line.at) > length && memcmp(line.at, key, length) == 0 &&
            line.at[length] == '=') {
            line.at += length + 1;
            machine_put(reader, name, cursor_copy(&line, value, sizeof(value)) ? value : NULL);
            return;
        }
    }
    machine_put(reader, name, NULL);
}

/* The configuration as the distribution left it beside the kernel. */
static void configuration_put(const struct machine_reader *reader)
{
    const size_t capacity = (size_t)1 << 20;
    char *config = malloc(capacity), hex[DIGEST_HEX_BYTES];
    struct utsname name;
    ssize_t length = -1;

    if (config && uname(&name) == 0) {
        length = proc_read(reader->proc_root, config, capacity, OWN_ROOT "/boot/config-%.64s",
                           name.release);
    }
    size_t bytes = length > 0 ? (size_t)length : 0;
    bool is_hashed = bytes && digest_bytes(config, bytes, hex, NULL) == ERR_OK;
    machine_put(reader, "kernel.config_sha256", is_hashed ? hex : NULL);
    config_put(reader, "kernel.hz", "CONFIG_HZ", config, bytes);
    free(config);
}

/* MACHINE_SOFTIRQ_FACT; NULL: not known. */
static const char *softirq_time_find(const char *proc_root)
{
    enum { TICKS_MIN = 1000 }; /* 10 s, in which the timer's interrupts would have had some */
    struct proc_cpu cpu;
    char text[MACHINE_VALUE_BYTES];
    ssize_t length = proc_read(proc_root, text, sizeof(text), "stat");

    if (length <= 0 || !proc_parse_cpu(text, (size_t)length, &cpu) || cpu.softirq == 0 ||
        cpu.user + cpu.system < TICKS_MIN) {
        return NULL;
    }
    return cpu.irq == 0 ? MACHINE_SOFTIRQ_CHARGED : "apart";
}

bool machine_softirq_is_charged(const char *proc_root)
{
    const char *whose = softirq_time_find(proc_root);

    return whose && strcmp(whose, MACHINE_SOFTIRQ_CHARGED) == 0;
}

void machine_put_kernel(const struct machine_reader *reader)
{
    char value[MACHINE_VALUE_BYTES];
    struct utsname name;
    ssize_t length = proc_read(reader->proc_root, reader->text, MACHINE_FILE_BYTES, "cmdline");

    if (length > 0) {
        machine_filter_command_line(reader->text, value, sizeof(value));
    }
    machine_put(reader, "kernel.command_line", length > 0 ? value : NULL);
    configuration_put(reader);
    machine_put(reader, MACHINE_SOFTIRQ_FACT, softirq_time_find(reader->proc_root));
    /* "#1 SMP PREEMPT_DYNAMIC Debian …" */
    const char *word = uname(&name) == 0 ? strstr(name.version, "PREEMPT") : NULL;
    if (word) {
        machine_put_format(reader, "kernel.preemption", "%.*s", (int)strcspn(word, " "), word);
    } else {
        machine_put(reader, "kernel.preemption", "none named");
    }
}

/* --- container --- */

/* The word for what leaves the file in a container's own root, or the path in that of process 1. */
static const char *container_find(const struct machine_reader *reader)
{
    static const char *const marks[][2] = {{OWN_ROOT "/.dockerenv", "docker"},
                                           {OWN_ROOT "/run/.containerenv", "podman"},
                                           {OWN_ROOT "/run/systemd/container", "systemd"}};
    static const char *const groups[][2] = {{"kubepods", "kubernetes"},
                                            {"docker", "docker"},
                                            {"libpod", "podman"},
                                            {"lxc", "lxc"},
                                            {"containerd", "containerd"}};
    char text[8];

    ssize_t length = proc_read(reader->proc_root, reader->text, MACHINE_FILE_BYTES, "1/cgroup");
    for (size_t i = 0; length > 0 && i < ARRAY_COUNT(groups); i++) {
        if (strstr(reader->text, groups[i][0])) {
            return groups[i][1];
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
        if (proc_read(reader->proc_root, text, sizeof(text), "%s", marks[i][0]) >= 0) {
            return marks[i][1];
        }
    }
    return length > 0 ? "none" : NULL;
}

void machine_put_container(const struct machine_reader *reader)
{
    struct cgroup cgroup;
    struct cgroup_limits limits;
    char hex[DIGEST_HEX_BYTES];

    machine_put(reader, "machine.container", container_find(reader));
    cgroup_open(&cgroup, reader->proc_root, reader->sys_root, 0);
    cgroup_read_limits(&cgroup, &limits);
    machine_put(reader, "cgroup.version", cgroup_version(&cgroup));
    machine_put(reader, "cgroup.path_sha256", cgroup_hash_path(&cgroup, hex) ? hex : NULL);
    if (limits.cpu_centi == METRIC_UNKNOWN) {
        machine_put(reader, "cgroup.cpu_quota", "none");
    } else {
        machine_put_format(reader, "cgroup.cpu_quota", "%.2f CPUs", (double)limits.cpu_centi / 100);
    }
    if (limits.memory_kib == METRIC_UNKNOWN) {
        machine_put(reader, "cgroup.memory_limit", "none");
    } else {
        machine_put_format(reader, "cgroup.memory_limit", "%lld KiB", (long long)limits.memory_kib);
    }
    if (limits.pid_count == METRIC_UNKNOWN) {
        machine_put(reader, "cgroup.process_limit", "none");
    } else {
        machine_put_format(reader, "cgroup.process_limit", "%lld", (long long)limits.pid_count);
    }
    machine_put(reader, "cgroup.cpus", *limits.cpus ? limits.cpus : NULL);
}

/* --- network --- */

void machine_put_network(const struct machine_reader *reader)
{
    /* Of a recorded tree the kernel knows nothing. */
    bool asks_kernel = strcmp(reader->proc_root, MACHINE_PROC_ROOT) == 0;
    char queue[NET_FACTS_NAME_BYTES];
    uint64_t rule_count;

    machine_put(reader, "net.lo_queue", asks_kernel && net_facts_read_queue(queue) ? queue : NULL);
    if (asks_kernel && net_facts_count_rules(&rule_count)) {
        machine_put_format(reader, "net.filter_rules", "%llu", (unsigned long long)rule_count);
    } else {
        machine_put(reader, "net.filter_rules", NULL);
    }
}

/* --- power --- */

void machine_put_power(const struct machine_reader *reader)
{
    machine_put(reader, "state.power", machine_power(reader->sys_root));
}

const char *machine_power(const char *sys_root)
{
    static const char folder[] = "class/power_supply";
    char names[16][PROC_NAME_BYTES], type[32], value[32];
    ssize_t count = proc_list_names(sys_root, names, ARRAY_COUNT(names), folder);
    const char *found = NULL;

    for (ssize_t i = 0; i < count && i < (ssize_t)ARRAY_COUNT(names); i++) {
        if (proc_read(sys_root, type, sizeof(type), "%s/%s/type", folder, names[i]) <= 0) {
            continue;
        }
        if (strncmp(type, "Mains", 5) == 0 &&
            proc_read(sys_root, value, sizeof(value), "%s/%s/online", folder, names[i]) > 0) {
            if (*value == '1') {
                return "mains";
            }
            found = "battery";
        }
        if (strncmp(type, "Battery", 7) == 0 &&
            proc_read(sys_root, value, sizeof(value), "%s/%s/status", folder, names[i]) > 0 &&
            strncmp(value, "Discharging", 11) == 0) {
            found = "battery";
        }
    }
    return found;
}

/* --- environment --- */

void machine_put_environment(const struct machine_reader *reader)
{
    /* With their values; of the last ones a value is a path, which may name a person. */
    static const char *const shown[] = {
        "LANG", "LC_ALL", "TZ", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "CI", "GITHUB_ACTIONS"};
    static const char *const hidden[] = {"LD_PRELOAD", "LD_LIBRARY_PATH"};
    char name[64];

    for (size_t i = 0; i < ARRAY_COUNT(shown); i++) {
        const char *value = getenv(shown[i]);

        snprintf(name, sizeof(name), "environment.%s", shown[i]);
        machine_put_format(reader, name, "%.128s", value ? value : "not set");
    }
    for (size_t i = 0; i < ARRAY_COUNT(hidden); i++) {
        snprintf(name, sizeof(name), "environment.%s", hidden[i]);
        machine_put(reader, name, getenv(hidden[i]) ? "set" : "not set");
    }
}
