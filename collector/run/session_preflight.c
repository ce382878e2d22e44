// SPDX-License-Identifier: Apache-2.0
// What the preflight looks at.
#include "collector/run/session_preflight.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan_cpus.h"
#include "collector/probe/machine.h"
#include "collector/run/foreign.h"
#include "collector/run/sampler_priority.h"
#include "collector/run/session_replay.h"
#include "collector/run/wrk_load.h"
#include "engines/engine.h"

#define SAMPLE_BYTES 8192

static uint32_t connection_count_max(const struct plan *plan)
{
    uint32_t most = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        for (size_t j = 0; j < plan->workloads[i].load_point_count; j++) {
            uint32_t count = plan->workloads[i].connection_counts[j];
            most = count > most ? count : most;
        }
    }
    return most;
}

static int64_t highest_rate_per_s(const struct plan_workload *workload, size_t cell_index)
{
    return workload->course.count > 1 ? rate_course_highest(&workload->course)
                                      : plan_cell(workload, cell_index).rate_per_s;
}

/* Connections that the plan's open loops open each second, at most. */
static int64_t connects_per_s(const struct plan *plan)
{
    int64_t most = 0;

    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        for (size_t j = 0; workload->requests_per_connection && j < plan_cell_count(workload);
             j++) {
            int64_t rate_per_s =
                highest_rate_per_s(workload, j) / workload->requests_per_connection;
            most = rate_per_s > most ? rate_per_s : most;
        }
    }
    return most;
}

static void pauses_look(const struct plan *plan, struct preflight_input *input)
{
    for (size_t i = 0; i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        if (workload->think_ns > input->think_ns) {
            input->think_ns = workload->think_ns;
            input->think_window_ns = plan_times(plan, workload).window_ns;
        }
    }
}

/* What the plan's samples take on disk: histograms most of it. */
static uint64_t results_bytes(const struct plan *plan)
{
    uint64_t sample_count = (uint64_t)(plan_duration_ns(plan) / plan->sample_ns);

    return sample_count * SAMPLE_BYTES;
}

static void folder_look(const char *results_path, char folder[PATH_MAX],
                        struct preflight_input *input)
{
    char path[PATH_MAX];
    struct statvfs status;

    snprintf(path, sizeof(path), "%s", results_path);
    snprintf(folder, PATH_MAX, "%s", dirname(path));
    input->results_folder = folder;
    input->folder_is_writable = access(folder, W_OK) == 0 && statvfs(folder, &status) == 0;
    if (input->folder_is_writable) {
        input->folder_free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
    }
}

/* Folders are "executable" too. */
static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

static bool is_optimised(void)
{
#ifdef __OPTIMIZE__
    return true;
#else
    return false;
#endif
}

/* A build that is for finding faults says so: MODE=asan, MODE=debug. */
static bool is_for_tests(void)
{
#ifdef TACHO_DEBUG
    return true;
#else
    return false;
#endif
}

static enum err_code cpus_read(const struct plan_machine *machine, struct session_preflight *out,
                               struct err *e)
{
    enum err_code code = ERR_OK;

    if (machine->server_cpus) {
        code = plan_cpus_parse(machine->server_cpus, &out->server_cpus, e);
        out->input.server_cpus = &out->server_cpus;
    }
    if (code == ERR_OK && machine->driver_cpus) {
        code = plan_cpus_parse(machine->driver_cpus, &out->driver_cpus, e);
        out->input.driver_cpus = &out->driver_cpus;
    }
    return code;
}

/* The built-in engines of the plan ask the kernel that this program runs on as well; others have
 * their packages. */
static void engines_probe(const struct session_config *config, const bool *wanted,
                          struct session_preflight *out)
{
    const struct plan *plan = config->plan;
    struct err refusal;

    for (size_t i = 0; i < plan->engine_count; i++) {
        const char *builtin = plan->engines[i].builtin;
        const struct engine *engine = builtin ? engine_find(builtin) : NULL;

        if (engine && (!wanted || wanted[i]) && engine_probe(engine, &refusal) != ERR_OK) {
            snprintf(out->engine_refusal, sizeof(out->engine_refusal), "%.40s: %s",
                     plan->engines[i].name, refusal.text);
            out->input.engine_refusal = out->engine_refusal;
            return;
        }
    }
    if (foreign_find_missing(plan, wanted, out->engine_refusal, sizeof(out->engine_refusal))) {
        out->input.engine_refusal = out->engine_refusal;
    }
}

/* Nor is there a trial by a driver that is not there. */
static void drivers_probe(const struct session_config *config, const struct session_places *places,
                          struct session_preflight *out)
{
    char path[PATH_MAX];
    struct err refusal;

    for (size_t i = 0; !out->input.engine_refusal && i < config->plan->workload_count; i++) {
        const struct plan_workload *workload = &config->plan->workloads[i];

        if (workload->driver == PLAN_DRIVER_WRK && !wrk_load_is_there(path)) {
            snprintf(out->engine_refusal, sizeof(out->engine_refusal),
                     "the workload %.60s needs Debian's package wrk", workload->name);
            out->input.engine_refusal = out->engine_refusal;
        }
    }
    if (session_replay_check(config, places, &refusal) != ERR_OK) {
        snprintf(out->replay_refusal, sizeof(out->replay_refusal), "%s", refusal.text);
        out->input.replay_refusal = out->replay_refusal;
    }
}

enum err_code session_preflight_read(const struct session_config *config,
                                     const struct session_places *places,
                                     struct session_preflight *out, struct err *e)
{
    struct rlimit nofile;
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0 ||
        getrlimit(RLIMIT_NOFILE, &nofile) < 0) {
        return err_set_sys(e, "CPUs and limits of this process");
    }
    struct sampler_priority before;
    const char *priority = sampler_priority_raise(&before);
    sampler_priority_restore(&before);
    memset(out, 0, sizeof(*out));
    out->input = (struct preflight_input){
        .connection_count_max = connection_count_max(config->plan),
        .nofile_hard = nofile.rlim_max,
        .nofile_wanted = config->plan->machine.nofile,
        .engine_program = config->engine_program,
        .engine_is_executable = is_program(config->engine_program),
        .allowed_cpus = allowed,
        .sampling_priority = priority,
        .sampling_is_first = strncmp(priority, "SCHED_FIFO", strlen("SCHED_FIFO")) == 0,
        .pinning_optional = config->pinning_optional,
        .is_preloaded = getenv("LD_PRELOAD") != NULL,
        .is_sanitized = is_sanitized(),
        .is_optimised = is_optimised(),
        .is_for_tests = is_for_tests(),
        .program_version = config->program_version,
        .driver_threads = config->plan->machine.driver_threads,
        .source_address_count = (uint32_t)config->plan->machine.source_address_count,
        .connects_per_s = connects_per_s(config->plan),
        .results_bytes = results_bytes(config->plan),
    };
    pauses_look(config->plan, &out->input);
    engines_probe(config, places ? places->engines_wanted : NULL, out);
    drivers_probe(config, places, out);
    enum err_code code = cpus_read(&config->plan->machine, out, e);
    if (code == ERR_OK) {
        folder_look(config->results_path, out->folder, &out->input);
        preflight_read(MACHINE_PROC_ROOT, MACHINE_SYS_ROOT, &out->input);
    }
    return code;
}
