// SPDX-License-Identifier: Apache-2.0
// The samples around a flood.
#include "report/judge/recovery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis.h"

static const enum metric watched[] = {METRIC_server_rss_kib, METRIC_server_thread_count,
                                      METRIC_server_fd_count};

static const struct results_workload *workload_of(const struct results *results, size_t cell_index)
{
    return &results->workloads[results->cells[cell_index].workload_index];
}

bool recovery_is_flood(const struct results *results, size_t cell_index)
{
    return workload_of(results, cell_index)->flood_ns > 0;
}

bool recovery_is_compared(const struct results *results, size_t cell_index)
{
    return !recovery_is_flood(results, cell_index) && !workload_of(results, cell_index)->is_foreign;
}

/* The last sample before the flood; NULL: none. */
static const struct sample *find_before(const struct results_trial *trial)
{
    const struct sample *found = NULL;

    for (size_t i = 0; i < trial->sample_count; i++) {
        if (trial->samples[i].phase == SAMPLE_PHASE_WARMUP) {
            found = &trial->samples[i];
        }
    }
    return found;
}

static int64_t growth(const struct sample *before, const struct sample *sample, enum metric metric)
{
    int64_t difference = 0;

    return __builtin_sub_overflow(sample->metrics[metric], before->metrics[metric], &difference)
               ? INT64_MAX / 2048
               : difference;
}

static bool is_read(const struct sample *sample)
{
    for (int i = 0; i < (int)ARRAY_COUNT(watched); i++) {
        if (sample->metrics[watched[i]] == METRIC_UNKNOWN) {
            return false;
        }
    }
    return true;
}

enum err_code recovery_watch_make(const struct results *results, const struct results_trial *trial,
                                  struct recovery_watch **watch_out, struct err *e)
{
    const struct sample *before = find_before(trial);
    struct recovery_watch *watch =
        calloc(1, sizeof(*watch) + trial->sample_count * sizeof(watch->points[0]));

    if (!watch) {
        return err_set(e, ERR_LIMIT, "no memory for the samples of trial %lld",
                       (long long)trial->trial_id);
    }
    int64_t end_ns =
        before ? before->end_ns + workload_of(results, trial->cell_index)->flood_ns : INT64_MAX;

    for (size_t i = 0; i < trial->sample_count && before && is_read(before); i++) {
        const struct sample *sample = &trial->samples[i];

        if (sample->phase == SAMPLE_PHASE_WINDOW && sample->end_ns > end_ns && is_read(sample)) {
            watch->points[watch->count++] = (struct recovery_point){
                .at_ns = sample->end_ns - end_ns,
                .rss_growth_kib = growth(before, sample, METRIC_server_rss_kib),
                .thread_growth = growth(before, sample, METRIC_server_thread_count),
                .fd_growth = growth(before, sample, METRIC_server_fd_count)};
        }
    }
    *watch_out = watch;
    return ERR_OK;
}

static bool is_near(const struct recovery_point *point, double growth_bytes)
{
    return (double)point->rss_growth_kib * 1024 <= growth_bytes &&
           point->thread_growth <= RECOVERY_COUNT_SLACK && point->fd_growth <= RECOVERY_COUNT_SLACK;
}

struct recovery recovery_find(const struct results_trial *trial, const struct recovery_watch *watch,
                              double growth_bytes)
{
    bool has_crashed = strcmp(trial->state, "crashed") == 0;
    struct recovery found = {.is_over = has_crashed || strcmp(trial->state, "finished") == 0,
                             .has_crashed = has_crashed,
                             .is_known = watch && watch->count > 0,
                             .answered_ns = trial->recover_ns == METRIC_UNKNOWN
                                                ? (double)NAN
                                                : (double)trial->recover_ns,
                             .returned_ns = (double)NAN,
                             .rss_growth_kib = METRIC_UNKNOWN,
                             .thread_growth = METRIC_UNKNOWN,
                             .fd_growth = METRIC_UNKNOWN};

    for (size_t i = 0; watch && i < watch->count; i++) {
        const struct recovery_point *point = &watch->points[i];

        found.rss_growth_kib = point->rss_growth_kib;
        found.thread_growth = point->thread_growth;
        found.fd_growth = point->fd_growth;
        if (!is_near(point, growth_bytes)) {
            found.returned_ns = (double)NAN;
        } else if (isnan(found.returned_ns)) {
            found.returned_ns = (double)point->at_ns;
        }
    }
    return found;
}

double recovery_time_ns(const struct recovery *recovery)
{
    if (recovery->has_crashed || isnan(recovery->answered_ns) || isnan(recovery->returned_ns)) {
        return (double)NAN;
    }
    return fmax(recovery->answered_ns, recovery->returned_ns);
}

static void raise_count(int64_t *highest, int64_t value)
{
    *highest = value > *highest ? value : *highest; /* METRIC_UNKNOWN is the smallest */
}

static void add_trial(struct recovery_row *row, const struct recovery *recovery, double within_ns)
{
    double time_ns = recovery_time_ns(recovery);

    if (!recovery->is_over) {
        return;
    }
    row->trial_count++;
    row->crashed_count += recovery->has_crashed;
    /* Without an answer it is known, whatever could be read. */
    row->known_count += recovery->is_known || isnan(recovery->answered_ns);
    row->recovered_count += time_ns <= within_ns;
    row->answered_ns_max = fmax(row->answered_ns_max, recovery->answered_ns);
    row->recovered_ns_max = fmax(row->recovered_ns_max, time_ns);
    raise_count(&row->rss_growth_kib_max, recovery->rss_growth_kib);
    raise_count(&row->thread_growth_max, recovery->thread_growth);
    raise_count(&row->fd_growth_max, recovery->fd_growth);
}

static struct recovery_row make_row(const struct analysis *analysis, size_t cell_index,
                                    size_t engine_index)
{
    const struct results *results = analysis->results;
    double within_ns = (double)workload_of(results, cell_index)->recover_within_ns;
    struct recovery_row row = {.cell_index = cell_index,
                               .engine_index = engine_index,
                               .answered_ns_max = (double)NAN,
                               .recovered_ns_max = (double)NAN,
                               .rss_growth_kib_max = METRIC_UNKNOWN,
                               .thread_growth_max = METRIC_UNKNOWN,
                               .fd_growth_max = METRIC_UNKNOWN};

    const struct analysis_trials trials = analysis_trials_of(analysis, cell_index, engine_index);

    for (size_t i = 0; i < trials.count; i++) {
        size_t index = trials.indices[i];
        const struct recovery recovery = recovery_find(
            &results->trials[index], analysis->trials[index].watch, PLAN_CLAIM_GROWTH_DEFAULT);

        add_trial(&row, &recovery, within_ns);
    }
    return row;
}

enum err_code recovery_make_rows(struct analysis *analysis, struct err *e)
{
    const struct results *results = analysis->results;
    size_t most = results->cell_count * results->engine_count;

    analysis->recoveries = calloc(most + 1, sizeof(*analysis->recoveries));
    if (!analysis->recoveries) {
        return err_set(e, ERR_LIMIT, "no memory for the floods");
    }
    for (size_t cell = 0; cell < results->cell_count; cell++) {
        for (size_t i = 0; i < results->engine_count && recovery_is_flood(results, cell); i++) {
            struct recovery_row row = make_row(analysis, cell, i);

            if (row.trial_count > 0) {
                analysis->recoveries[analysis->recovery_count++] = row;
            }
        }
    }
    return ERR_OK;
}
