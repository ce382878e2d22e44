// SPDX-License-Identifier: Apache-2.0
// The trials of a session against the schedule, which is a pure function of plan and seed.
#include "report/judge/plan_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_read.h"
#include "collector/plan/schedule.h"
#include "engines/base/rng.h"

/* What stands at a place of the schedule, as the rows tell it. */
struct place {
    size_t engine_index, workload_index;
    int64_t connection_count, rate_per_s, block_index, position_index;
};

/* The limit's engine is the last one and its workload the first one, before the plan's. */
static struct place place_of(const struct schedule *schedule, const struct schedule_entry *entry)
{
    bool is_limit = entry->arm_index == SCHEDULE_LIMIT;
    bool has_block = entry->block_index != SCHEDULE_NO_BLOCK;

    return (struct place){
        .engine_index = is_limit ? schedule->arm_count : entry->arm_index,
        .workload_index = is_limit ? 0 : (size_t)entry->workload_index + 1,
        .connection_count = entry->connection_count,
        .rate_per_s = entry->rate_per_s ? entry->rate_per_s : METRIC_UNKNOWN,
        .block_index = has_block ? entry->block_index : METRIC_UNKNOWN,
        .position_index = has_block ? entry->position_index : METRIC_UNKNOWN,
    };
}

static struct place place_of_trial(const struct results *results, const struct results_trial *trial)
{
    const struct results_cell *cell = &results->cells[trial->cell_index];

    return (struct place){trial->engine_index, cell->workload_index, cell->connection_count,
                          cell->rate_per_s,    trial->block_index,   trial->position_index};
}

/* What differs first; NULL: nothing. */
static const char *difference_find(const struct place *is, const struct place *ordered)
{
    if (is->engine_index != ordered->engine_index) {
        return "engine";
    }
    if (is->workload_index != ordered->workload_index ||
        is->connection_count != ordered->connection_count ||
        is->rate_per_s != ordered->rate_per_s) {
        return "cell";
    }
    if (is->block_index != ordered->block_index) {
        return "block";
    }
    return is->position_index != ordered->position_index ? "position" : NULL;
}

static void trial_check(const struct results *results, const struct schedule *schedule,
                        const struct results_trial *trial, struct soundness *soundness)
{
    char text[SOUNDNESS_TEXT_BYTES];

    if ((uint64_t)trial->order_index >= schedule->count) {
        snprintf(text, sizeof(text), "the plan orders %zu trials, this is number %" PRIu64,
                 schedule->count, (uint64_t)trial->order_index + 1);
        soundness_add(soundness, "schedule", trial->order_index, text);
        return;
    }
    const struct place ordered = place_of(schedule, &schedule->entries[trial->order_index]);
    const struct place is = place_of_trial(results, trial);
    const char *what = difference_find(&is, &ordered);

    if (what) {
        snprintf(text, sizeof(text),
                 "its %s is not as plan and seed order: %.40s at %" PRId64
                 " connections, not %.40s at %" PRId64,
                 what, results->engines[is.engine_index].name, is.connection_count,
                 results->engines[ordered.engine_index].name, ordered.connection_count);
        soundness_add(soundness, "schedule", trial->order_index, text);
    }
}

/* A fact that repeats what follows from the plan; one that is not there says nothing. */
static void fact_check(const struct results *results, const char *name, uint64_t ordered,
                       struct soundness *soundness)
{
    const char *value = results_find_fact(results, "start", name);
    char want[24], text[SOUNDNESS_TEXT_BYTES];

    snprintf(want, sizeof(want), "%" PRIu64, ordered);
    if (value && strcmp(value, want) != 0) {
        snprintf(text, sizeof(text), "%s is \"%.40s\", the plan gives \"%s\"", name, value, want);
        soundness_add(soundness, "schedule", METRIC_UNKNOWN, text);
    }
}

enum err_code plan_order_check(const struct results *results, const struct plan *plan,
                               struct soundness *soundness, struct err *e)
{
    const char *generator = results_find_fact(results, "start", "order.generator");
    uint64_t count = plan_trial_count(plan);
    struct schedule schedule = {0};

    if (generator && strcmp(generator, RNG_NAME) != 0) {
        char text[SOUNDNESS_TEXT_BYTES];

        snprintf(text, sizeof(text), "the order of the trials: it is by the generator %.60s",
                 generator);
        if (soundness_is_own(soundness, results)) {
            soundness_add(soundness, "schedule", METRIC_UNKNOWN, text);
        } else {
            snprintf(soundness->not_held, sizeof(soundness->not_held), "%s", text);
        }
        return ERR_OK;
    }
    if (count > PLAN_ORDER_TRIAL_COUNT_MAX) {
        snprintf(soundness->not_held, sizeof(soundness->not_held),
                 "the order of the trials: they are %" PRIu64, count);
        return ERR_OK;
    }
    enum err_code code = schedule_make(plan, &schedule, e);
    if (code != ERR_OK) {
        return code;
    }
    fact_check(results, "order.seed", plan->seed, soundness);
    fact_check(results, "session.trials", schedule.count, soundness);
    for (size_t i = 0; i < results->trial_count; i++) {
        trial_check(results, &schedule, &results->trials[i], soundness);
    }
    schedule_release(&schedule);
    return ERR_OK;
}
