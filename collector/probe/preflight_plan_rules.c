// SPDX-License-Identifier: Apache-2.0
// Preflight rules about the plan, this program and what it may use.
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan_cpus.h"
#include "collector/probe/preflight_rules.h"
#include "engines/base/units.h"

static enum preflight_state show_nofile(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    uint64_t need = preflight_nofile_need(input->connection_count_max);

    preflight_put(row->value, "%llu", (unsigned long long)input->nofile_hard);
    preflight_put(row->threshold, "at least %llu for %u connections", (unsigned long long)need,
                  input->connection_count_max);
    return preflight_violated_if(input->nofile_hard < need);
}

static enum preflight_state show_nofile_wanted(const struct preflight_input *input,
                                               struct preflight_row *row)
{
    if (!input->nofile_wanted) {
        return PREFLIGHT_NO_CONCERN;
    }
    preflight_put(row->value, "%llu", (unsigned long long)input->nofile_hard);
    preflight_put(row->threshold, "at least %llu", (unsigned long long)input->nofile_wanted);
    return preflight_violated_if(input->nofile_wanted > input->nofile_hard);
}

static enum preflight_state show_engine(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    preflight_put(row->value, "%.140s%s", input->engine_program,
                  input->engine_is_executable ? "" : " (is not one)");
    preflight_put(row->threshold, "a program that can be executed");
    return preflight_violated_if(!input->engine_is_executable);
}

static enum preflight_state show_refusal(const struct preflight_input *input,
                                         struct preflight_row *row)
{
    preflight_put(row->value, "%s", input->engine_refusal ? input->engine_refusal : "none");
    preflight_put(row->threshold, "none");
    return preflight_violated_if(input->engine_refusal != NULL);
}

static enum preflight_state show_replay(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    preflight_put(row->value, "%s", input->replay_refusal ? input->replay_refusal : "none");
    preflight_put(row->threshold, "none");
    return preflight_violated_if(input->replay_refusal != NULL);
}

/* --- CPUs --- */

static void put_cpus(char cell[PREFLIGHT_CELL_BYTES], const char *name, const cpu_set_t *cpus)
{
    char text[PLAN_CPUS_TEXT_BYTES] = "not pinned";
    size_t used = strlen(cell);

    if (cpus) {
        plan_cpus_format(cpus, text);
    }
    snprintf(cell + used, PREFLIGHT_CELL_BYTES - used, "%s%s %.60s", used ? "; " : "", name, text);
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

static enum preflight_state cpus_show(const struct preflight_input *input,
                                      struct preflight_row *row)
{
    put_cpus(row->value, "server", input->server_cpus);
    put_cpus(row->value, "driver", input->driver_cpus);
    put_cpus(row->threshold, "among the CPUs that may be used:", &input->allowed_cpus);
    return preflight_violated_if(cpus_are_absent(input, input->server_cpus) ||
                                 cpus_are_absent(input, input->driver_cpus));
}

static enum preflight_state show_cpus(const struct preflight_input *input,
                                      struct preflight_row *row)
{
    return input->pinning_optional ? PREFLIGHT_NO_CONCERN : cpus_show(input, row);
}

static enum preflight_state show_cpus_at_will(const struct preflight_input *input,
                                              struct preflight_row *row)
{
    enum preflight_state state =
        input->pinning_optional ? cpus_show(input, row) : PREFLIGHT_NO_CONCERN;

    if (state == PREFLIGHT_VIOLATED) {
        snprintf(row->value + strlen(row->value), PREFLIGHT_CELL_BYTES - strlen(row->value),
                 "; nothing is pinned");
    }
    return state;
}

static enum preflight_state show_cpu_count(const struct preflight_input *input,
                                           struct preflight_row *row)
{
    int count = CPU_COUNT(&input->allowed_cpus);

    preflight_put(row->value, "%d", count);
    preflight_put(row->threshold, "at least 2");
    return preflight_violated_if(count < 2);
}

static enum preflight_state show_cpus_apart(const struct preflight_input *input,
                                            struct preflight_row *row)
{
    cpu_set_t both;

    put_cpus(row->value, "server", input->server_cpus);
    put_cpus(row->value, "driver", input->driver_cpus);
    preflight_put(row->threshold, "pinned, without a common CPU");
    if (!input->server_cpus || !input->driver_cpus) {
        return preflight_violated_if(CPU_COUNT(&input->allowed_cpus) >= 2);
    }
    CPU_AND(&both, input->server_cpus, input->driver_cpus);
    return preflight_violated_if(CPU_COUNT(&both) > 0);
}

static enum preflight_state show_cores_apart(const struct preflight_input *input,
                                             struct preflight_row *row)
{
    if (!input->server_cpus || !input->driver_cpus) {
        return PREFLIGHT_NO_CONCERN;
    }
    preflight_put(row->value, "%lld CPUs of the driver lie on a core of the server",
                  (long long)input->shared_core_count);
    preflight_put(row->threshold, "0");
    return input->shared_core_count < 0 ? PREFLIGHT_UNKNOWN
                                        : preflight_violated_if(input->shared_core_count > 0);
}

static enum preflight_state show_driver_threads(const struct preflight_input *input,
                                                struct preflight_row *row)
{
    const cpu_set_t *cpus = input->driver_cpus ? input->driver_cpus : &input->allowed_cpus;

    if (!input->driver_threads) {
        return PREFLIGHT_NO_CONCERN;
    }
    preflight_put(row->value, "%u for %d CPUs", input->driver_threads, CPU_COUNT(cpus));
    preflight_put(row->threshold, "at most one for each CPU");
    return preflight_violated_if(input->driver_threads > (uint32_t)CPU_COUNT(cpus));
}

/* With pauses as long as the window most connections ask once or never in it. */
static enum preflight_state show_pauses(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    char pause[UNITS_TEXT_BYTES], window[UNITS_TEXT_BYTES];

    if (input->think_ns <= 0) {
        return PREFLIGHT_NO_CONCERN;
    }
    units_format_duration(input->think_ns, pause);
    units_format_duration(input->think_window_ns, window);
    preflight_put(row->value, "%s", pause);
    preflight_put(row->threshold, "less than the window of %s", window);
    return preflight_violated_if(input->think_ns >= input->think_window_ns);
}

/* CPUs that the plan keeps busy: those it pins to, or one each for server and driver. */
static enum preflight_state show_quota(const struct preflight_input *input,
                                       struct preflight_row *row)
{
    int in_use = 2;

    if (input->server_cpus && input->driver_cpus) {
        cpu_set_t either;

        CPU_OR(&either, input->server_cpus, input->driver_cpus);
        in_use = CPU_COUNT(&either);
    }
    if (input->quota_centi < 0) {
        preflight_put(row->value, "none");
    } else {
        preflight_put(row->value, "%.2f CPUs", (double)input->quota_centi / 100);
    }
    preflight_put(row->threshold, "none, or at least the %d CPUs that the plan keeps busy", in_use);
    return preflight_violated_if(input->quota_centi >= 0 &&
                                 input->quota_centi < (int64_t)in_use * 100);
}

/* --- results --- */

static enum preflight_state show_folder(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    preflight_put(row->value, "%.140s", input->results_folder);
    preflight_put(row->threshold, "a folder that can be written");
    return preflight_violated_if(!input->folder_is_writable);
}

static enum preflight_state show_free(const struct preflight_input *input,
                                      struct preflight_row *row)
{
    uint64_t need = preflight_bytes_need(input);

    preflight_put(row->value, "%llu MiB in %.100s",
                  (unsigned long long)(input->folder_free_bytes >> 20), input->results_folder);
    preflight_put(row->threshold, "at least %llu MiB", (unsigned long long)(need >> 20));
    return input->folder_is_writable ? preflight_violated_if(input->folder_free_bytes < need)
                                     : PREFLIGHT_UNKNOWN;
}

/* --- this program --- */

static enum preflight_state show_preload(const struct preflight_input *input,
                                         struct preflight_row *row)
{
    preflight_put(row->value, input->is_preloaded ? "set" : "not set");
    preflight_put(row->threshold, "not set");
    return preflight_violated_if(input->is_preloaded);
}

static enum preflight_state show_tracer(const struct preflight_input *input,
                                        struct preflight_row *row)
{
    preflight_put(row->value, input->is_traced ? "yes" : "no");
    preflight_put(row->threshold, "no");
    return preflight_violated_if(input->is_traced);
}

/* MODE=asan of the Makefile is declared to be for tests. */
static enum preflight_state show_sanitizer(const struct preflight_input *input,
                                           struct preflight_row *row)
{
    if (input->is_for_tests && row->consequence == PREFLIGHT_REFUSE) {
        row->consequence = PREFLIGHT_WARN;
    }
    preflight_put(row->value, input->is_sanitized ? "yes" : "no");
    preflight_put(row->threshold, "no");
    return preflight_violated_if(input->is_sanitized);
}

static enum preflight_state show_optimised(const struct preflight_input *input,
                                           struct preflight_row *row)
{
    preflight_put(row->value, input->is_optimised ? "yes" : "no");
    preflight_put(row->threshold, "yes");
    return preflight_violated_if(!input->is_optimised);
}

static enum preflight_state show_version(const struct preflight_input *input,
                                         struct preflight_row *row)
{
    preflight_put(row->value, "%.100s", input->program_version);
    preflight_put(row->threshold, "a commit without changes of your own");
    return preflight_violated_if(strstr(input->program_version, "-dirty") != NULL);
}

static enum preflight_state show_sampling(const struct preflight_input *input,
                                          struct preflight_row *row)
{
    preflight_put(row->threshold, "SCHED_FIFO 1");
    if (!input->sampling_priority) {
        return PREFLIGHT_UNKNOWN;
    }
    preflight_put(row->value, "%s", input->sampling_priority);
    return preflight_violated_if(!input->sampling_is_first);
}

const struct preflight_rule preflight_plan_rules[] = {
    {"nofile_low", "open files allowed (hard limit)", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE,
     show_nofile, "every connection takes a descriptor on each side",
     "raise it (ulimit -Hn, /etc/security/limits.conf), or use fewer connections"},
    {"engine_missing", "the program that is measured", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE,
     show_engine, "without it there is no server", "make; or set TACHO_ENGINE"},
    {"engine_refused", "engines that this machine cannot run", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE,
     show_refusal, "the engine has no server here, so there is nothing to compare",
     "start the server or apt-get install what is named, or take the engine out of the plan"},
    {"replay_missing", "recorded trials that cannot be replayed", PREFLIGHT_REFUSE,
     PREFLIGHT_REFUSE, show_replay, "a replay plays each trial of the plan from a recorded one",
     "name the results file of a session of the same engines, load, blocks and times"},
    {"cpus_absent", "CPUs of the plan", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_cpus,
     "the plan names CPUs that this process may not use",
     "change machine.server_cpus and driver_cpus of the plan"},
    {"quota_low", "CPU quota of the control group", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_quota,
     "at its end everything stands still until the next period",
     "give the container or the service more CPUs"},
    {"folder_closed", "folder of the results file", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_folder,
     "the results are written while it measures", "choose another place with -o"},
    {"folder_full", "free space for the results file", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE,
     show_free, "twice what the plan may need, so that it does not end half way",
     "choose another place with -o"},
    {"preload", "LD_PRELOAD", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_preload,
     "another library inside the driver changes what it measures", "unset LD_PRELOAD"},
    {"tracer", "this program is being traced", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_tracer,
     "a tracer stops the driver at its system calls", "run it without strace or a debugger"},
    {"sanitizer", "built with a sanitizer", PREFLIGHT_REFUSE, PREFLIGHT_REFUSE, show_sanitizer,
     "it makes driver and server several times slower", "make MODE=release"},
    {"cpus_dropped", "CPUs of the built-in plan", PREFLIGHT_WARN, PREFLIGHT_WARN, show_cpus_at_will,
     "server and driver take CPU time from each other", "allow two CPUs (taskset, cpuset)"},
    {"nofile_lower", "open files that the plan may have", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_nofile_wanted, "the plan is then measured with fewer",
     "raise it (ulimit -Hn, /etc/security/limits.conf)"},
    {"cpus_few", "CPUs that may be used", PREFLIGHT_WARN, PREFLIGHT_REFUSE, show_cpu_count,
     "server and driver take CPU time from each other", "a machine with two CPUs or more"},
    {"cpus_shared", "server and driver kept apart", PREFLIGHT_WARN, PREFLIGHT_WARN, show_cpus_apart,
     "on a common CPU they take time from each other",
     "set machine.server_cpus and driver_cpus in the plan"},
    {"cores_shared", "server and driver on cores of their own", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_cores_apart, "two CPUs of one core share its units and caches",
     "see /sys/devices/system/cpu/cpu0/topology/thread_siblings_list, choose other CPUs"},
    {"driver_threads", "threads of the driver", PREFLIGHT_WARN, PREFLIGHT_WARN, show_driver_threads,
     "threads that wait for a CPU tell longer latencies than there were",
     "lower machine.driver_threads, or give the driver more CPUs"},
    {"pauses", "mean pause of a connection (think_time)", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_pauses, "most connections then ask once in the window, or not at all",
     "lengthen the window, or shorten think_time"},
    {"sampling", "priority of the thread that samples", PREFLIGHT_WARN, PREFLIGHT_WARN,
     show_sampling,
     "beside busy programs a reading comes milliseconds late, which is stored with it",
     "\"USER - rtprio 1\" in /etc/security/limits.conf and a new login, or CAP_SYS_NICE"},
    {"unoptimised", "built with optimisation", PREFLIGHT_WARN, PREFLIGHT_REFUSE, show_optimised,
     "the built-in servers are then several times slower", "make MODE=release"},
    {"changed", "version of this program", PREFLIGHT_WARN, PREFLIGHT_REFUSE, show_version,
     "others cannot get the same sources from the version alone", "commit, then build again"},
};
const size_t preflight_plan_rule_count = ARRAY_COUNT(preflight_plan_rules);
_Static_assert(ARRAY_COUNT(preflight_plan_rules) <= 21, "with the others no more than rows");
