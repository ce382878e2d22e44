// SPDX-License-Identifier: Apache-2.0
// Rows of the analysis: estimates of one engine in one cell, and its ratio to the baseline.
#include "report/judge/comparison_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparisons.h"
#include "report/judge/trial_summary.h"
#include "report/stats/paired.h"

static const struct estimate no_estimate = {(double)NAN, (double)NAN, (double)NAN, 0};

static const struct results_trial *trial_of(const struct analysis *analysis,
                                            const struct trial_summary *summary)
{
    return &analysis->results->trials[summary->trial_index];
}

static const char *role_of(const struct analysis *analysis, size_t engine_index)
{
    return analysis->results->engines[engine_index].role;
}

bool comparison_is_made(const struct analysis *analysis, const struct analysis_row *row)
{
    return analysis->baseline_index != SIZE_MAX && row->engine_index != analysis->baseline_index &&
           strcmp(role_of(analysis, row->engine_index), "limit") != 0;
}

struct comparison_sides comparison_sides_of(const struct analysis *analysis,
                                            const struct analysis_row *row)
{
    return (struct comparison_sides){.cell_index = row->cell_index,
                                     .engine_index = row->engine_index,
                                     .other_index = analysis->baseline_index,
                                     .metric = PLAN_METRIC_THROUGHPUT};
}

/* A trial's value and when it was measured. */
struct block_value {
    int64_t block_index, sitting_index;
    size_t trial_index;
    double value;
};

static int compare_blocks(const void *left, const void *right)
{
    const struct block_value *a = left, *b = right;

    if (a->block_index != b->block_index) {
        return a->block_index < b->block_index ? -1 : 1;
    }
    return (a->trial_index > b->trial_index) - (a->trial_index < b->trial_index);
}

/* The values of the engine's last counted attempts at its blocks, in the order of these. */
static size_t list_blocks(const struct analysis *analysis, const struct comparison_sides *sides,
                          size_t engine, struct block_value *values)
{
    const struct analysis_trials trials = analysis_trials_of(analysis, sides->cell_index, engine);
    size_t count = 0;
    size_t distinct = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];
        const struct results_trial *trial = trial_of(analysis, summary);
        double value = trial_metric(summary, sides->metric);

        if (summary->valid && trial->block_index != METRIC_UNKNOWN && value > 0) {
            values[count++] = (struct block_value){trial->block_index, trial->sitting_index,
                                                   trials.indices[i], value};
        }
    }
    if (count) {
        qsort(values, count, sizeof(*values), compare_blocks);
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || values[i].block_index != values[i + 1].block_index) {
            values[distinct++] = values[i];
        }
    }
    return distinct;
}

enum err_code comparison_pairs_make(const struct analysis *analysis,
                                    const struct comparison_sides *sides,
                                    struct comparison_pairs *pairs_out, struct err *e)
{
    size_t most = analysis_trials_of(analysis, sides->cell_index, sides->engine_index).count + 1;
    size_t other_most =
        analysis_trials_of(analysis, sides->cell_index, sides->other_index).count + 1;
    struct block_value *values = calloc(most, sizeof(*values));
    struct block_value *others = calloc(other_most, sizeof(*others));
    double *d = calloc(most, sizeof(*d));
    size_t count = 0, k = 0;

    if (!values || !others || !d) {
        free(values);
        free(others);
        free(d);
        return err_set(e, ERR_LIMIT, "no memory for the pairs of %zu trials", most);
    }
    size_t value_count = list_blocks(analysis, sides, sides->engine_index, values);
    size_t other_count = list_blocks(analysis, sides, sides->other_index, others);

    for (size_t i = 0; i < value_count; i++) {
        while (k < other_count && others[k].block_index < values[i].block_index) {
            k++;
        }
        if (k < other_count && others[k].block_index == values[i].block_index &&
            others[k].sitting_index == values[i].sitting_index) {
            d[count++] = log(values[i].value) - log(others[k].value);
        }
    }
    free(values);
    free(others);
    *pairs_out = (struct comparison_pairs){d, count};
    return ERR_OK;
}

size_t comparison_list_values(const struct analysis *analysis, const struct comparison_sides *sides,
                              double *values)
{
    const struct analysis_trials trials =
        analysis_trials_of(analysis, sides->cell_index, sides->engine_index);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];
        double value = trial_metric(summary, sides->metric);

        if (summary->valid && value > 0) {
            values[count++] = value;
        }
    }
    return count;
}

/* Geometric mean over the counted trials of the row; `values` is scratch. A trial without the value
 * does not take part, and `count` says how many did. */
static struct estimate estimate_of(const struct analysis *analysis, const struct analysis_row *row,
                                   double (*get)(const struct trial_summary *, int), int which,
                                   double *values)
{
    const struct analysis_trials trials = analysis_row_trials(analysis, row);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];
        double value = get(summary, which);

        if (summary->valid && value > 0) { /* false for NaN */
            values[count++] = value;
        }
    }
    struct stats_interval mean = stats_geometric_mean(values, count, COMPARISON_CONFIDENCE);

    return (struct estimate){mean.value, mean.low, mean.high, count};
}

static double get_rate(const struct trial_summary *summary, int which)
{
    (void)which;
    return summary->ok_per_s;
}

static double get_latency(const struct trial_summary *summary, int which)
{
    return summary->latency_ns[which];
}

static double get_server_cpu(const struct trial_summary *summary, int which)
{
    (void)which;
    return summary->server_cpu_us_per_request;
}

static double get_driver_cpu(const struct trial_summary *summary, int which)
{
    (void)which;
    return summary->driver_cpu_us_per_request;
}

static void raise(int64_t *highest, int64_t value)
{
    if (value > *highest) { /* METRIC_UNKNOWN is the smallest */
        *highest = value;
    }
}

static void add_errors(struct analysis_row *row, const struct trial_summary *summary)
{
    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        enum outcome_class class = outcome_infos[kind].class;

        if (class == OUTCOME_CLASS_HTTP || class == OUTCOME_CLASS_FAULT) {
            row->error_count += summary->outcomes[kind];
        }
        if (class == OUTCOME_CLASS_HTTP || class == OUTCOME_CLASS_OK) {
            row->completed_count += summary->outcomes[kind];
        }
    }
}

/* Counts and extremes over the row's trials; saturation by the majority of the counted ones. */
static void gather(const struct analysis *analysis, struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(analysis, row);
    size_t votes[SATURATION_UNKNOWN + 1] = {0};

    row->trial_count = trials.count;
    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];

        add_errors(row, summary);
        if (!summary->valid) {
            continue;
        }
        row->valid_count++;
        votes[summary->saturation]++;
        raise(&row->rss_kib_peak, summary->rss_kib_peak);
        raise(&row->thread_count_peak, summary->thread_count_peak);
        raise(&row->latency_max_ns, summary->latency_max_ns);
        if (isnan(row->peak_per_s) || summary->peak_per_s > row->peak_per_s) {
            row->peak_per_s = summary->peak_per_s;
        }
    }
    for (int i = 0; i <= SATURATION_UNKNOWN; i++) {
        if (2 * votes[i] > row->valid_count) {
            row->saturation = (enum saturation)i;
        }
    }
}

static enum err_code estimate_ratio(const struct analysis *analysis, struct analysis_row *row,
                                    struct err *e)
{
    struct comparison_pairs pairs;

    if (!comparison_is_made(analysis, row)) {
        return ERR_OK;
    }
    const struct comparison_sides sides = comparison_sides_of(analysis, row);
    enum err_code code = comparison_pairs_make(analysis, &sides, &pairs, e);

    if (code != ERR_OK) {
        return code;
    }
    struct stats_interval ratio = paired_ratio(pairs.d, pairs.count, COMPARISON_CONFIDENCE);

    row->ratio = (struct estimate){ratio.value, ratio.low, ratio.high, pairs.count};
    free(pairs.d);
    return ERR_OK;
}

static enum err_code fill_row(const struct analysis *analysis, struct analysis_row *row,
                              double *values, struct err *e)
{
    gather(analysis, row);
    row->ok_per_s = estimate_of(analysis, row, get_rate, 0, values);
    for (int i = 0; i < ANALYSIS_QUANTILE_COUNT; i++) {
        row->latency_ns[i] = estimate_of(analysis, row, get_latency, i, values);
    }
    row->server_cpu_us = estimate_of(analysis, row, get_server_cpu, 0, values);
    row->driver_cpu_us = estimate_of(analysis, row, get_driver_cpu, 0, values);
    return estimate_ratio(analysis, row, e);
}

/* A cell has a row for each engine of its kind: the limit in calibration cells, the others in the
 * rest; and for whatever has a trial in it. */
static bool row_exists(const struct analysis *analysis, size_t cell, size_t engine)
{
    const struct results *results = analysis->results;
    bool is_calibration = results->workloads[results->cells[cell].workload_index].is_calibration;
    bool is_limit = strcmp(role_of(analysis, engine), "limit") == 0;

    if (!recovery_is_compared(results, cell)) { /* nothing is counted as throughput there */
        return false;
    }
    return is_calibration == is_limit || analysis_trials_of(analysis, cell, engine).count > 0;
}

static int role_rank(const char *role)
{
    static const char *const ranks[] = {"aa", "baseline", "subject", "limit"};
    int i = 0;

    while (i < 3 && strcmp(role, ranks[i]) != 0) {
        i++;
    }
    return i;
}

/* True when `left` comes before `right` in the table: A/A, baseline, the others by rate (those
 * without one last), limit. */
static bool comes_before(const struct analysis *analysis, const struct analysis_row *left,
                         const struct analysis_row *right)
{
    if (left->cell_index != right->cell_index) {
        return left->cell_index < right->cell_index;
    }
    int left_rank = role_rank(role_of(analysis, left->engine_index));
    int right_rank = role_rank(role_of(analysis, right->engine_index));

    if (left_rank != right_rank) {
        return left_rank < right_rank;
    }
    if (isnan(left->ok_per_s.value) || isnan(right->ok_per_s.value)) {
        return isnan(right->ok_per_s.value) && !isnan(left->ok_per_s.value);
    }
    return left->ok_per_s.value > right->ok_per_s.value;
}

/* Insertion: stable, so that equal rates keep the order of the plan. */
static void insert_row(struct analysis *analysis, const struct analysis_row *row)
{
    size_t at = analysis->row_count++;

    while (at > 0 && comes_before(analysis, row, &analysis->rows[at - 1])) {
        analysis->rows[at] = analysis->rows[at - 1];
        at--;
    }
    analysis->rows[at] = *row;
}

/* The ratio of the means to the limit engine at the same number of connections. */
static void fill_limit_ratios(struct analysis *analysis)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < analysis->row_count; i++) {
        struct analysis_row *row = &analysis->rows[i];

        for (size_t k = 0; k < analysis->row_count; k++) {
            const struct analysis_row *limit = &analysis->rows[k];

            if (strcmp(role_of(analysis, limit->engine_index), "limit") != 0 || i == k ||
                results->cells[limit->cell_index].connection_count !=
                    results->cells[row->cell_index].connection_count) {
                continue;
            }
            row->limit_ratio.value = row->ok_per_s.value / limit->ok_per_s.value;
            row->limit_ratio.count = limit->ok_per_s.count;
        }
    }
}

/* δ: the widest A/A interval of the session, at least 2 %; and the ratio farthest from 1. */
static void set_margin(struct analysis *analysis)
{
    double farthest = -1;

    analysis->margin = COMPARISON_MARGIN_LEAST;
    analysis->aa_row_index = SIZE_MAX;
    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];

        if (strcmp(role_of(analysis, row->engine_index), "aa") != 0) {
            continue;
        }
        double half_width = comparisons_half_width(row);

        if (half_width > analysis->margin) { /* false for NaN */
            analysis->margin = half_width;
        }
        if (fabs(log(row->ratio.value)) > farthest) { /* false for NaN */
            farthest = fabs(log(row->ratio.value));
            analysis->aa_row_index = i;
        }
    }
}

static struct analysis_row empty_row(size_t cell, size_t engine)
{
    struct analysis_row row = {
        .cell_index = cell,
        .engine_index = engine,
        .ratio = no_estimate,
        .limit_ratio = no_estimate,
        .ratio_p = (double)NAN,
        .minimal_effect = (double)NAN,
        .blocks_needed = (double)NAN,
        .verdict = VERDICT_NONE,
        .peak_per_s = (double)NAN,
        .rss_kib_peak = METRIC_UNKNOWN,
        .thread_count_peak = METRIC_UNKNOWN,
        .latency_max_ns = METRIC_UNKNOWN,
        .saturation = SATURATION_UNKNOWN,
    };

    return row;
}

enum err_code comparisons_make_rows(struct analysis *analysis, struct err *e)
{
    const struct results *results = analysis->results;
    double *values = calloc(results->trial_count + 1, sizeof(*values));
    enum err_code code = ERR_OK;

    analysis->rows =
        calloc(results->cell_count * results->engine_count + 1, sizeof(*analysis->rows));
    if (!analysis->rows || !values) {
        code = err_set(e, ERR_LIMIT, "no memory for the rows of the analysis");
    }
    for (size_t cell = 0; cell < results->cell_count && code == ERR_OK; cell++) {
        for (size_t engine = 0; engine < results->engine_count && code == ERR_OK; engine++) {
            struct analysis_row row = empty_row(cell, engine);

            if (!row_exists(analysis, cell, engine)) {
                continue;
            }
            code = fill_row(analysis, &row, values, e);
            insert_row(analysis, &row);
        }
    }
    free(values);
    if (code == ERR_OK) {
        fill_limit_ratios(analysis);
        set_margin(analysis);
    }
    return code;
}
