// SPDX-License-Identifier: Apache-2.0
// The preflight rules.
#include "collector/probe/preflight.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "engines/base/proc.h"

#define FILE_BYTES 16384

/* --- rules: true when there is something to say, which is then in `text` --- */

static bool say(char text[PREFLIGHT_TEXT_BYTES], const char *format, ...) ATTR_PRINTF(2, 3);
static bool say(char text[PREFLIGHT_TEXT_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, PREFLIGHT_TEXT_BYTES, format, arguments);
    va_end(arguments);
    return true;
}

uint64_t preflight_nofile_need(uint32_t connection_count)
{
    return 2 * (uint64_t)connection_count + 64;
}

static bool nofile_is_low(const struct preflight_input *input, char *text)
{
    uint64_t need = preflight_nofile_need(input->connection_count_max);

    return input->nofile_hard < need &&
           say(text, "RLIMIT_NOFILE allows %llu descriptors, %u connections need %llu",
               (unsigned long long)input->nofile_hard, input->connection_count_max,
               (unsigned long long)need);
}

static bool engine_is_missing(const struct preflight_input *input, char *text)
{
    return !input->engine_is_executable &&
           say(text, "%.200s is missing or not executable", input->engine_program);
}

static bool cpus_are_absent(const struct preflight_input *input, const cpu_set_t *cpus)
{
    cpu_set_t both;

    if (!cpus) {
        return false;
    }
    CPU_AND(&both, cpus, &input->allowed_cpus);
    return !CPU_EQUAL(&both, cpus);
}

static bool cpus_say(const struct preflight_input *input, const char *name, const cpu_set_t *cpus,
                     char *text)
{
    char wanted[PLAN_CPUS_TEXT_BYTES], allowed[PLAN_CPUS_TEXT_BYTES];

    plan_cpus_format(cpus, wanted);
    plan_cpus_format(&input->allowed_cpus, allowed);
    return say(text, "%s \"%.60s\": this process may use the CPUs %.60s only%s", name, wanted,
               allowed, input->pinning_optional ? "; nothing is pinned" : "");
}

static bool pinning_fails(const struct preflight_input *input, char *text)
{
    if (cpus_are_absent(input, input->server_cpus)) {
        return cpus_say(input, "server_cpus", input->server_cpus, text);
    }
    return cpus_are_absent(input, input->driver_cpus) &&
           cpus_say(input, "driver_cpus", input->driver_cpus, text);
}

static bool pinning_is_refused(const struct preflight_input *input, char *text)
{
    return !input->pinning_optional && pinning_fails(input, text);
}

static bool pinning_is_dropped(const struct preflight_input *input, char *text)
{
    return input->pinning_optional && pinning_fails(input, text);
}

static bool folder_is_closed(const struct preflight_input *input, char *text)
{
    return !input->folder_is_writable &&
           say(text, "%.200s: results cannot be written there", input->results_folder);
}

static bool folder_is_full(const struct preflight_input *input, char *text)
{
    return input->folder_is_writable && input->folder_free_bytes < PREFLIGHT_FREE_BYTES_MIN &&
           say(text, "%.200s has %llu MiB free, results need 64 MiB", input->results_folder,
               (unsigned long long)(input->folder_free_bytes >> 20));
}

static bool ports_are_few(const struct preflight_input *input, char *text)
{
    return input->local_port_count >= 0 &&
           input->local_port_count < (int64_t)input->connection_count_max &&
           say(text, "ip_local_port_range holds %lld ports, %u connections need one each",
               (long long)input->local_port_count, input->connection_count_max);
}

static bool nofile_is_lower(const struct preflight_input *input, char *text)
{
    return input->nofile_wanted > input->nofile_hard &&
           say(text, "RLIMIT_NOFILE is set to %llu, not the plan's %llu",
               (unsigned long long)input->nofile_hard, (unsigned long long)input->nofile_wanted);
}

static bool few_cpus(const struct preflight_input *input, char *text)
{
    int count = CPU_COUNT(&input->allowed_cpus);

    return count < 2 &&
           say(text, "%d CPU for server and driver together: they take it from each other", count);
}

static bool cpus_are_shared(const struct preflight_input *input, char *text)
{
    char shared[PLAN_CPUS_TEXT_BYTES];
    cpu_set_t both;

    if (!input->server_cpus || !input->driver_cpus) {
        return CPU_COUNT(&input->allowed_cpus) >= 2 &&
               say(text, "server and driver are not pinned apart: they may share a CPU");
    }
    CPU_AND(&both, input->server_cpus, input->driver_cpus);
    if (CPU_COUNT(&both) == 0) {
        return false;
    }
    plan_cpus_format(&both, shared);
    return say(text, "server and driver share CPU %.60s", shared);
}

static bool pressure_say(const char *name, int64_t centi, int64_t limit_centi, char *text)
{
    return centi > limit_centi && say(text, "%s pressure avg10 is %.2f %%, above %.0f %%", name,
                                      (double)centi / 100, (double)limit_centi / 100);
}

static bool cpu_is_pressed(const struct preflight_input *input, char *text)
{
    return pressure_say("CPU", input->pressure_cpu_centi, 500, text);
}

static bool io_is_pressed(const struct preflight_input *input, char *text)
{
    return pressure_say("I/O", input->pressure_io_centi, 100, text);
}

static bool memory_is_pressed(const struct preflight_input *input, char *text)
{
    return pressure_say("memory", input->pressure_memory_centi, 100, text);
}

static bool load_is_high(const struct preflight_input *input, char *text)
{
    int count = CPU_COUNT(&input->allowed_cpus);

    return input->load_centi > 30 * (int64_t)count &&
           say(text, "load average is %.2f, above 0.3 for each of %d CPUs",
               (double)input->load_centi / 100, count);
}

static bool swap_is_on(const struct preflight_input *input, char *text)
{
    return input->swap_total_kib > 0 &&
           say(text, "swap is on (%lld MiB)", (long long)(input->swap_total_kib / 1024));
}

static bool governor_is_slow(const struct preflight_input *input, char *text)
{
    return input->governor[0] && strcmp(input->governor, "performance") != 0 &&
           say(text, "CPU frequency governor is \"%s\", not \"performance\"", input->governor);
}

static bool backlog_is_small(const struct preflight_input *input, char *text)
{
    return input->somaxconn >= 0 && input->somaxconn < (int64_t)input->connection_count_max &&
           say(text, "somaxconn is %lld, below %u connections", (long long)input->somaxconn,
               input->connection_count_max);
}

static bool preload_is_set(const struct preflight_input *input, char *text)
{
    return input->is_preloaded && say(text, "LD_PRELOAD is set (the server does not inherit it)");
}

static bool build_is_sanitized(const struct preflight_input *input, char *text)
{
    return input->is_sanitized && say(text, "this program was built with a sanitizer: it is slow");
}

static bool tracer_is_there(const struct preflight_input *input, char *text)
{
    return input->is_traced && say(text, "this program is being traced (TracerPid)");
}

static const struct preflight_rule {
    const char *name;
    enum preflight_consequence consequence;
    bool (*finds)(const struct preflight_input *input, char *text);
    const char *fix;
} rules[] = {
    {"nofile_low", PREFLIGHT_REFUSE, nofile_is_low, "raise it: ulimit -Hn, or fewer connections"},
    {"ports_few", PREFLIGHT_REFUSE, ports_are_few,
     "sysctl net.ipv4.ip_local_port_range='1024 65535', or fewer connections"},
    {"engine_missing", PREFLIGHT_REFUSE, engine_is_missing, "make; or set TACHO_ENGINE"},
    {"cpus_absent", PREFLIGHT_REFUSE, pinning_is_refused, "change machine.server_cpus/driver_cpus"},
    {"folder_closed", PREFLIGHT_REFUSE, folder_is_closed, "choose another place with -o"},
    {"folder_full", PREFLIGHT_REFUSE, folder_is_full, "choose another place with -o"},
    {"cpus_dropped", PREFLIGHT_WARN, pinning_is_dropped, NULL},
    {"nofile_lower", PREFLIGHT_WARN, nofile_is_lower, "ulimit -Hn"},
    {"cpus_few", PREFLIGHT_WARN, few_cpus, NULL},
    {"cpus_shared", PREFLIGHT_WARN, cpus_are_shared, "set machine.server_cpus and driver_cpus"},
    {"pressure_cpu", PREFLIGHT_WARN, cpu_is_pressed, "wait until the machine is idle"},
    {"pressure_io", PREFLIGHT_WARN, io_is_pressed, "wait until the machine is idle"},
    {"pressure_memory", PREFLIGHT_WARN, memory_is_pressed, "free memory"},
    {"load", PREFLIGHT_WARN, load_is_high, "wait until the machine is idle"},
    {"swap", PREFLIGHT_WARN, swap_is_on, "swapoff -a"},
    {"governor", PREFLIGHT_WARN, governor_is_slow, "cpupower frequency-set -g performance"},
    {"backlog", PREFLIGHT_WARN, backlog_is_small, "sysctl net.core.somaxconn=4096"},
    {"preload", PREFLIGHT_WARN, preload_is_set, "unset LD_PRELOAD"},
    {"sanitizer", PREFLIGHT_WARN, build_is_sanitized, "make MODE=release"},
    {"tracer", PREFLIGHT_WARN, tracer_is_there, "run without the tracer"},
};

size_t preflight_judge_all(const struct preflight_input *input,
                           struct preflight_finding rules_out[PREFLIGHT_FINDING_COUNT_MAX],
                           bool violated_out[PREFLIGHT_FINDING_COUNT_MAX])
{
    _Static_assert(ARRAY_COUNT(rules) <= PREFLIGHT_FINDING_COUNT_MAX, "one finding a rule");
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        rules_out[i].consequence = rules[i].consequence;
        rules_out[i].name = rules[i].name;
        rules_out[i].fix = rules[i].fix;
        rules_out[i].text[0] = '\0';
        violated_out[i] = rules[i].finds(input, rules_out[i].text);
    }
    return ARRAY_COUNT(rules);
}

size_t preflight_judge(const struct preflight_input *input,
                       struct preflight_finding findings_out[PREFLIGHT_FINDING_COUNT_MAX])
{
    struct preflight_finding all[PREFLIGHT_FINDING_COUNT_MAX];
    bool violated[PREFLIGHT_FINDING_COUNT_MAX];
    size_t rule_count = preflight_judge_all(input, all, violated), count = 0;

    for (size_t i = 0; i < rule_count; i++) {
        if (violated[i]) {
            findings_out[count++] = all[i];
        }
    }
    return count;
}

/* --- reading --- */

static int64_t pressure_read(const char *proc_root, const char *name, char *text)
{
    uint64_t centi;
    ssize_t length = proc_read(proc_root, text, FILE_BYTES, "pressure/%s", name);

    return length >= 0 && proc_find_pressure(text, (size_t)length, "some", &centi) ? (int64_t)centi
                                                                                   : -1;
}

static int64_t number_read(const char *proc_root, const char *path, const char *key, char *text)
{
    uint64_t number;
    ssize_t length = proc_read(proc_root, text, FILE_BYTES, "%s", path);

    return length >= 0 && proc_find_number(text, (size_t)length, key, &number) &&
                   number <= INT64_MAX
               ? (int64_t)number
               : -1;
}

/* "32768\t60999" holds both ends. */
static int64_t local_ports_read(const char *proc_root, char *text)
{
    ssize_t length = proc_read(proc_root, text, FILE_BYTES, "sys/net/ipv4/ip_local_port_range");
    char *end = text;
    long first = length > 0 ? strtol(text, &end, 10) : 0;
    long last = end > text ? strtol(end, NULL, 10) : 0;

    return first >= 1 && last >= first && last <= UINT16_MAX ? last - first + 1 : -1;
}

void preflight_read(const char *proc_root, const char *sys_root, struct preflight_input *input)
{
    char text[FILE_BYTES];
    double load;

    input->pressure_cpu_centi = pressure_read(proc_root, "cpu", text);
    input->pressure_io_centi = pressure_read(proc_root, "io", text);
    input->pressure_memory_centi = pressure_read(proc_root, "memory", text);
    input->swap_total_kib = number_read(proc_root, "meminfo", "SwapTotal", text);
    input->is_traced = number_read(proc_root, "self/status", "TracerPid", text) > 0;
    ssize_t length = proc_read(proc_root, text, sizeof(text), "loadavg");
    load = length > 0 ? strtod(text, NULL) : -1;
    input->load_centi = load >= 0 && load < 1e6 ? (int64_t)(load * 100 + 0.5) : -1;
    length = proc_read(proc_root, text, sizeof(text), "sys/net/core/somaxconn");
    input->somaxconn = length > 0 ? strtoll(text, NULL, 10) : -1;
    input->local_port_count = local_ports_read(proc_root, text);
    length = proc_read(sys_root, input->governor, sizeof(input->governor),
                       "devices/system/cpu/cpu0/cpufreq/scaling_governor");
    input->governor[length > 0 ? strcspn(input->governor, "\n") : 0] = '\0';
}
