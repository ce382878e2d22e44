// SPDX-License-Identifier: Apache-2.0
// Steadiness of trials, and the remarks on cells.
#include "report/judge/steadiness.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis.h"

#define UNSTEADY_SHARE_MAX 0.2
#define CLUSTER_SHARE      0.01
#define CLUSTER_COUNT      3

const char *const remark_names[REMARK_KIND_COUNT] = {
    [REMARK_UNSTEADY] = "UNSTEADY",
    [REMARK_CLUSTERING] = "CLUSTERING",
};
const char *const series_class_names[] = {
    [SERIES_TOO_SHORT] = "too short",
    [SERIES_FLAT] = "flat",
    [SERIES_WARMUP] = "warm-up",
    [SERIES_SLOWDOWN] = "slowdown",
    [SERIES_NEVER_STEADY] = "never steady",
};

/* Rates of the window's samples in order. Returns how many. */
static size_t list_rates(const struct results_trial *trial, double *rates)
{
    size_t count = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        double length_ns = (double)(sample->end_ns - sample->start_ns);

        if (sample->phase == SAMPLE_PHASE_WINDOW && length_ns > 0) {
            rates[count++] = (double)sample->outcomes[OUTCOME_OK] * 1e9 / length_ns;
        }
    }
    return count;
}

static double sample_length_s(const struct results_trial *trial)
{
    for (size_t i = 0; i < trial->sample_count; i++) {
        if (trial->samples[i].phase == SAMPLE_PHASE_WINDOW) {
            return (double)(trial->samples[i].end_ns - trial->samples[i].start_ns) / 1e9;
        }
    }
    return 0;
}

enum err_code steadiness_find(const struct results_trial *trial, struct steadiness *steadiness_out,
                              struct err *e)
{
    double *rates = calloc(trial->sample_count + 1, sizeof(*rates));
    struct steadiness found = {.class = SERIES_TOO_SHORT};

    if (!rates) {
        return err_set(e, ERR_LIMIT, "no memory for %zu samples", trial->sample_count);
    }
    size_t count = list_rates(trial, rates);
    enum err_code code = series_classify(rates, count, &found.class, e);

    found.drift = series_find_drift(rates, count);
    found.lag1 = series_autocorrelation(rates, count, 1);
    found.effective_count = series_effective_count(count, found.lag1);
    found.suggested_cut_s = (double)series_suggest_cut(rates, count) * sample_length_s(trial);
    free(rates);
    if (code == ERR_OK) {
        *steadiness_out = found;
    }
    return code;
}

bool steadiness_is_known(const struct steadiness *steadiness)
{
    return steadiness->class != SERIES_TOO_SHORT;
}

bool steadiness_is_unsteady(const struct steadiness *steadiness)
{
    return steadiness_is_known(steadiness) &&
           (steadiness->class != SERIES_FLAT || steadiness->drift.is_drift);
}

/* --- remarks --- */

static void add(struct analysis *analysis, const struct remark *remark)
{
    analysis->remarks[analysis->remark_count++] = *remark;
}

static void remark_unsteady(struct analysis *analysis, struct analysis_row *row)
{
    struct remark remark = {.kind = REMARK_UNSTEADY,
                            .cell_index = row->cell_index,
                            .engine_index = row->engine_index,
                            .limit = UNSTEADY_SHARE_MAX};
    const struct analysis_trials trials = analysis_row_trials(analysis, row);
    size_t known = 0;
    double lag1_sum = 0;
    size_t lag1_count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];
        const struct steadiness *steadiness = &summary->steadiness;

        if (!summary->valid) {
            continue;
        }
        if (!isnan(steadiness->lag1)) {
            lag1_sum += steadiness->lag1;
            lag1_count++;
        }
        known += steadiness_is_known(steadiness);
        if (steadiness_is_unsteady(steadiness)) {
            /* The smallest: the rule often cuts too much, hardly ever too little. */
            remark.hint_s = remark.count ? fmin(remark.hint_s, steadiness->suggested_cut_s)
                                         : steadiness->suggested_cut_s;
            remark.count++;
        }
    }
    row->lag1 = lag1_count ? lag1_sum / (double)lag1_count : (double)NAN;
    row->unsteady_share = known ? (double)remark.count / (double)known : (double)NAN;
    remark.value = row->unsteady_share;
    if (row->unsteady_share > UNSTEADY_SHARE_MAX) { /* false for NaN */
        add(analysis, &remark);
    }
}

static bool is_engine(const struct analysis *analysis, const struct analysis_row *row)
{
    const char *role = analysis->results->engines[row->engine_index].role;

    return strcmp(role, "subject") == 0 || strcmp(role, "baseline") == 0;
}

static bool is_at_limit(const struct analysis_row *row)
{
    return fabs(row->limit_ratio.value - 1) <= CLUSTER_SHARE; /* false for NaN */
}

/* The engines of the row's cell that reach the limit and lie within 1 % above this one. */
static size_t count_cluster(const struct analysis *analysis, const struct analysis_row *lowest)
{
    size_t count = 0;

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        double ratio = row->ok_per_s.value / lowest->ok_per_s.value;

        count += row->cell_index == lowest->cell_index && is_engine(analysis, row) &&
                 is_at_limit(row) && ratio >= 1 && ratio <= 1 + CLUSTER_SHARE;
    }
    return count;
}

static void remark_clustering(struct analysis *analysis, size_t cell_index)
{
    struct remark remark = {.kind = REMARK_CLUSTERING,
                            .cell_index = cell_index,
                            .engine_index = SIZE_MAX,
                            .limit = CLUSTER_SHARE};

    if (analysis->results->cells[cell_index].rate_per_s != METRIC_UNKNOWN) {
        return; /* open loop: all are asked for the same rate */
    }
    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];

        if (row->cell_index != cell_index || !is_engine(analysis, row) || !is_at_limit(row)) {
            continue;
        }
        size_t count = count_cluster(analysis, row);

        if (count > remark.count) {
            remark.count = count;
            remark.value = row->limit_ratio.value;
        }
    }
    if (remark.count >= CLUSTER_COUNT) {
        add(analysis, &remark);
    }
}

enum err_code remarks_collect(struct analysis *analysis, struct err *e)
{
    size_t most = analysis->row_count + analysis->results->cell_count;

    analysis->remarks = calloc(most + 1, sizeof(*analysis->remarks));
    if (!analysis->remarks) {
        return err_set(e, ERR_LIMIT, "no memory for the remarks");
    }
    for (size_t i = 0; i < analysis->row_count; i++) {
        remark_unsteady(analysis, &analysis->rows[i]);
    }
    for (size_t i = 0; i < analysis->results->cell_count; i++) {
        remark_clustering(analysis, i);
    }
    return ERR_OK;
}
