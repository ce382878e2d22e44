// SPDX-License-Identifier: Apache-2.0
// Sessions by a model of noise.
#include "tests/support/session_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/schedule.h"

#define RATE_PER_S 50000.0
#define SAMPLE_NS  INT64_C(500000000)

struct session_memory {
    struct results_engine engines[SESSION_MODEL_SUBJECTS_MAX + 2];
    struct results_workload workload;
    struct results_cell cell;
    struct results_trial *trials;
    struct sample *samples;
};

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);

    if (!memory) {
        abort();
    }
    return memory;
}

/* Standard normal.   source   Box and Muller 1958 */
static double noise(struct rng *rng)
{
    double radius = sqrt(-2 * log(1 - rng_unit(rng)));

    return radius * cos(2 * 3.14159265358979323846 * rng_unit(rng));
}

static struct schedule order(const struct session_model *model, struct rng *rng)
{
    static const char *const names[] = {"b", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    struct plan *plan = allocate(1, sizeof(*plan));
    struct schedule schedule = {0};
    struct err e;

    plan->baseline = names[0];
    plan->block_count = model->block_count;
    plan->aa_arm = true;
    plan->seed = rng_next(rng);
    plan->engine_count = model->subject_count + 1;
    for (size_t i = 0; i < plan->engine_count; i++) {
        plan->engines[i].name = names[i];
    }
    plan->workload_count = 1;
    plan->workloads[0].name = "w";
    plan->workloads[0].connection_counts[0] = 8;
    plan->workloads[0].load_point_count = 1;
    if (schedule_make(plan, &schedule, &e) != ERR_OK) {
        abort();
    }
    free(plan);
    return schedule;
}

static void fill_samples(const struct session_model *model, struct rng *rng, double log_level,
                         struct sample *samples)
{
    double state = noise(rng);

    for (uint32_t i = 0; i < model->sample_count; i++) {
        double along = ((double)i + 0.5) / model->sample_count - 0.5;
        double rate = RATE_PER_S * exp(log_level + model->sample_sd * state + model->ramp * along);

        state = model->phi * state + sqrt(1 - model->phi * model->phi) * noise(rng);
        samples[i].index = i;
        samples[i].phase = SAMPLE_PHASE_WINDOW;
        samples[i].start_ns = (int64_t)i * SAMPLE_NS;
        samples[i].end_ns = (int64_t)(i + 1) * SAMPLE_NS;
        for (int k = 0; k < METRIC_COUNT; k++) {
            samples[i].metrics[k] = METRIC_UNKNOWN;
        }
        samples[i].outcomes[OUTCOME_OK] = (uint64_t)(rate * (double)SAMPLE_NS / 1e9);
    }
}

/* The plan's engine or, beyond them, the A/A arm, as an index into the results' engines. */
static size_t engine_of(const struct session_model *model, uint32_t arm_index)
{
    if (arm_index == 0) {
        return 0;
    }
    return arm_index > model->subject_count ? 1 : arm_index + 1;
}

static void fill_trials(const struct session_model *model, struct rng *rng,
                        const struct schedule *schedule, struct session_memory *memory,
                        size_t trial_count)
{
    double walk = 0;
    size_t at = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_entry *entry = &schedule->entries[i];
        struct sample *samples = &memory->samples[at * model->sample_count];
        size_t engine = entry->arm_index == SCHEDULE_LIMIT ? 0 : engine_of(model, entry->arm_index);

        if (entry->arm_index == SCHEDULE_LIMIT) {
            continue;
        }
        walk += model->walk_sd * noise(rng);
        double log_level = walk + model->drift * (double)at / (double)trial_count +
                           model->trial_sd * noise(rng) +
                           (engine >= 2 ? model->log_ratios[engine - 2] : 0) +
                           (entry->position_index == 0 ? model->slot_bias : 0) +
                           (rng_unit(rng) < model->outlier_share ? model->outlier : 0);

        fill_samples(model, rng, log_level, samples);
        memory->trials[at] = (struct results_trial){.engine_index = engine,
                                                    .order_index = (int64_t)at,
                                                    .block_index = entry->block_index,
                                                    .position_index = entry->position_index,
                                                    .state = "finished",
                                                    .connections_requested = METRIC_UNKNOWN,
                                                    .connections_established = METRIC_UNKNOWN,
                                                    .connections_served = METRIC_UNKNOWN,
                                                    .server_request_count = METRIC_UNKNOWN,
                                                    .recover_ns = METRIC_UNKNOWN,
                                                    .samples = samples,
                                                    .sample_count = model->sample_count};
        at++;
    }
}

void session_model_make(const struct session_model *model, struct rng *rng,
                        struct session_made *made_out)
{
    static const char *const names[] = {"b",  "b (A/A)", "s0", "s1", "s2",
                                        "s3", "s4",      "s5", "s6", "s7"};
    struct session_memory *memory = allocate(1, sizeof(*memory));
    size_t engine_count = model->subject_count + 2;
    size_t trial_count = engine_count * model->block_count;
    struct schedule schedule = order(model, rng);

    memory->trials = allocate(trial_count, sizeof(*memory->trials));
    memory->samples = allocate(trial_count * model->sample_count, sizeof(*memory->samples));
    memory->workload.name = "w";
    memory->workload.requests_per_connection = METRIC_UNKNOWN;
    memory->workload.pipeline_count = 1;
    memory->cell.connection_count = 8;
    memory->cell.rate_per_s = METRIC_UNKNOWN;
    for (size_t i = 0; i < engine_count; i++) {
        memory->engines[i].name = names[i];
        memory->engines[i].role = i == 0 ? "baseline" : i == 1 ? "aa" : "subject";
    }
    fill_trials(model, rng, &schedule, memory, trial_count);
    schedule_release(&schedule);
    made_out->memory = memory;
    made_out->results = (struct results){.state = "finished",
                                         .engines = memory->engines,
                                         .engine_count = engine_count,
                                         .workloads = &memory->workload,
                                         .workload_count = 1,
                                         .cells = &memory->cell,
                                         .cell_count = 1,
                                         .trials = memory->trials,
                                         .trial_count = trial_count};
}

void session_model_release(struct session_made *made)
{
    struct session_memory *memory = made->memory;

    free(memory->trials);
    free(memory->samples);
    free(memory);
}
