// SPDX-License-Identifier: Apache-2.0
// Looks for each trial that a replay will play.
#include "collector/run/session_replay.h"

#include <sys/stat.h>

#include "collector/plan/schedule.h"
#include "collector/run/session_rows.h"
#include "collector/store/replay_source.h"

static bool is_same_file(const char *left, const char *right)
{
    struct stat a, b;

    return left && right && stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static enum err_code file_check(const struct session_config *config,
                                const struct plan_workload *workload, struct err *e)
{
    if (!workload->replay_file) {
        return err_set(
            e, ERR_MISMATCH,
            "%.200s, which %.60s replays, is not with its plan; take the plan's own file",
            workload->replay, workload->name);
    }
    if (is_same_file(workload->replay_file, config->results_path)) {
        return err_set(e, ERR_MISMATCH,
                       "%.200s, which %.60s replays, is the file to write to; name another with -o",
                       workload->replay, workload->name);
    }
    return ERR_OK;
}

/* Every entry of the workload. */
static enum err_code trials_check(const struct session_config *config,
                                  const struct session_places *places,
                                  const struct schedule *schedule, size_t workload_index,
                                  struct replay_source *source, struct err *e)
{
    const struct plan *plan = config->plan;
    struct plan_times times = plan_times(plan, &plan->workloads[workload_index]);
    const struct grid grid = {plan->sample_ns, times.warmup_ns, times.window_ns};
    const struct replay_trial *trial = NULL;
    struct session_rows rows;
    enum err_code code = ERR_OK;

    session_rows_name_aa(&rows, plan);
    for (size_t i = 0; code == ERR_OK && i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];

        if (entry->arm_index == SCHEDULE_LIMIT || entry->workload_index != workload_index ||
            (places && !places->items[i].is_wanted)) {
            continue;
        }
        const struct replay_key key = session_rows_replay_key(&rows, plan, entry);
        code = replay_source_load(source, &key, &grid, &trial, e);
    }
    return code;
}

enum err_code session_replay_check(const struct session_config *config,
                                   const struct session_places *places, struct err *e)
{
    const struct plan *plan = config->plan;
    struct schedule schedule = {0};
    enum err_code code = schedule_make(plan, &schedule, e);

    for (size_t i = 0; code == ERR_OK && i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];
        struct replay_source *source = NULL;

        if (workload->driver != PLAN_DRIVER_REPLAY) {
            continue;
        }
        code = file_check(config, workload, e);
        if (code == ERR_OK) {
            code = replay_source_open(workload->replay_file, RESULTS_DB_WHOLE, &source, e);
        }
        if (code == ERR_OK) {
            code = trials_check(config, places, &schedule, i, source, e);
        }
        replay_source_close(source);
    }
    schedule_release(&schedule);
    return code;
}
