// SPDX-License-Identifier: Apache-2.0
// Published numbers beside those of a session.
#include "report/judge/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparison_rows.h"
#include "report/judge/comparisons.h"
#include "report/stats/paired.h"

const char *const beside_place_words[] = {[BESIDE_WITHIN] = "within the measured interval",
                                          [BESIDE_ABOVE] = "above the measured interval",
                                          [BESIDE_BELOW] = "below the measured interval",
                                          [BESIDE_UNTOLD] = "not told"};

/* --- which row --- */

static bool is_stand_in(const struct analysis *analysis, const struct published *published,
                        const struct published_figure *figure, const struct analysis_row *row)
{
    const struct results *results = analysis->results;
    const struct results_cell *cell = &results->cells[row->cell_index];
    const struct results_workload *workload = &results->workloads[cell->workload_index];
    const struct published_workload *wanted = &published->workloads[figure->workload_index];
    bool is_open = !isnan(wanted->rate_per_s);

    return !workload->is_calibration && (cell->rate_per_s != METRIC_UNKNOWN) == is_open &&
           strcmp(workload->name, wanted->stand_in) == 0 &&
           strcmp(results->engines[row->engine_index].name,
                  published->engines[figure->engine_index].stand_in) == 0;
}

const struct analysis_row *beside_find_row(const struct analysis *analysis,
                                           const struct published *published,
                                           const struct published_figure *figure)
{
    int64_t wanted = published->workloads[figure->workload_index].connection_count;
    const struct analysis_row *best = NULL;
    int64_t best_off = INT64_MAX;

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        int64_t off = llabs(analysis->results->cells[row->cell_index].connection_count - wanted);

        if (is_stand_in(analysis, published, figure, row) && off < best_off) {
            best = row;
            best_off = off;
        }
    }
    return best;
}

/* --- values --- */

static struct estimate known(double value)
{
    return (struct estimate){value, (double)NAN, (double)NAN, 0};
}

static struct estimate known_integer(int64_t value, double factor)
{
    return known(value == METRIC_UNKNOWN ? (double)NAN : (double)value * factor);
}

/* Geometric, over the counted trials, as the rates are. */
static struct estimate mean_latency(const struct analysis *analysis, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(analysis, row);
    double *values = calloc(trials.count + 1, sizeof(*values));
    size_t count = 0;

    for (size_t i = 0; values && i < trials.count; i++) {
        const struct trial_summary *summary = &analysis->trials[trials.indices[i]];

        if (summary->valid && summary->latency_mean_ns > 0) {
            values[count++] = summary->latency_mean_ns;
        }
    }
    struct stats_interval mean = stats_geometric_mean(values, count, COMPARISON_CONFIDENCE);

    free(values);
    return (struct estimate){mean.value, mean.low, mean.high, count};
}

static struct estimate measure(const struct analysis *analysis, const struct analysis_row *row,
                               enum published_metric metric)
{
    if (row->valid_count == 0) {
        return known((double)NAN);
    }
    switch (metric) {
    case PUBLISHED_RATE:
        return row->ok_per_s;
    case PUBLISHED_RATE_MAX:
        return known(row->peak_per_s);
    case PUBLISHED_LATENCY_MEAN:
        return mean_latency(analysis, row);
    case PUBLISHED_LATENCY_P50:
        return row->latency_ns[0];
    case PUBLISHED_LATENCY_P90:
        return row->latency_ns[1];
    case PUBLISHED_LATENCY_P99:
        return row->latency_ns[2];
    case PUBLISHED_LATENCY_P999:
        return row->latency_ns[3];
    case PUBLISHED_LATENCY_MAX:
        return known_integer(row->latency_max_ns, 1);
    case PUBLISHED_RSS:
        return known_integer(row->rss_kib_peak, 1024);
    case PUBLISHED_THREADS:
        return known_integer(row->thread_count_peak, 1);
    default:
        return known((double)NAN);
    }
}

static void add_values(struct beside *beside, const struct published_figure *figure,
                       const struct analysis_row *row)
{
    for (int i = 0; i < PUBLISHED_METRIC_COUNT; i++) {
        enum published_metric metric = (enum published_metric)i;
        struct estimate measured = measure(beside->analysis, row, metric);

        if (!isnan(figure->values[metric].value) && !isnan(measured.value)) {
            beside->values[beside->value_count++] =
                (struct beside_value){figure, row, metric, measured};
        }
    }
}

/* --- ratios --- */

/* Metrics whose pairs can be formed; PLAN_METRIC_COUNT: the others. */
static enum plan_claim_metric plan_metric(enum published_metric metric)
{
    switch (metric) {
    case PUBLISHED_RATE:
        return PLAN_METRIC_THROUGHPUT;
    case PUBLISHED_LATENCY_P50:
        return PLAN_METRIC_P50;
    case PUBLISHED_LATENCY_P90:
        return PLAN_METRIC_P90;
    case PUBLISHED_LATENCY_P99:
        return PLAN_METRIC_P99;
    case PUBLISHED_LATENCY_P999:
        return PLAN_METRIC_P999;
    case PUBLISHED_RSS:
        return PLAN_METRIC_RSS;
    default:
        return PLAN_METRIC_COUNT;
    }
}

static enum beside_place find_place(const struct analysis *analysis,
                                    const struct beside_ratio *ratio)
{
    bool is_fit = analysis->trust == TRUST_VALID || analysis->trust == TRUST_WARNINGS;

    if (!is_fit || ratio->measured.count < COMPARISON_PAIRS_MIN ||
        isnan(ratio->published + ratio->measured.low + ratio->measured.high)) {
        return BESIDE_UNTOLD;
    }
    return ratio->published < ratio->measured.low    ? BESIDE_BELOW
           : ratio->published > ratio->measured.high ? BESIDE_ABOVE
                                                     : BESIDE_WITHIN;
}

static bool is_plain(const struct published_value *value)
{
    return !isnan(value->value) && value->bound != PUBLISHED_OVER &&
           value->bound != PUBLISHED_UNDER;
}

/* Same cell, so that blocks pair up; metrics that the source gives of both. */
static enum err_code add_ratio(struct beside *beside, struct beside_ratio ratio, struct err *e)
{
    const struct comparison_sides sides = {ratio.of_row->cell_index, ratio.of_row->engine_index,
                                           ratio.over_row->engine_index, plan_metric(ratio.metric)};
    struct comparison_pairs pairs;
    enum err_code code = comparison_pairs_make(beside->analysis, &sides, &pairs, e);

    if (code != ERR_OK) {
        return code;
    }
    struct stats_interval measured = paired_ratio(pairs.d, pairs.count, COMPARISON_CONFIDENCE);

    free(pairs.d);
    ratio.published = ratio.of->values[ratio.metric].value / ratio.over->values[ratio.metric].value;
    ratio.measured = (struct estimate){measured.value, measured.low, measured.high, pairs.count};
    ratio.place = find_place(beside->analysis, &ratio);
    if (!isnan(measured.value)) {
        beside->ratios[beside->ratio_count++] = ratio;
    }
    return ERR_OK;
}

static enum err_code add_ratios(struct beside *beside, const struct published_figure *of,
                                const struct published_figure *over, struct err *e)
{
    struct beside_ratio ratio = {.of = of,
                                 .over = over,
                                 .of_row = beside_find_row(beside->analysis, beside->published, of),
                                 .over_row =
                                     beside_find_row(beside->analysis, beside->published, over)};
    enum err_code code = ERR_OK;

    if (!ratio.of_row || !ratio.over_row || ratio.of_row == ratio.over_row ||
        ratio.of_row->cell_index != ratio.over_row->cell_index) {
        return ERR_OK;
    }
    for (int i = 0; i < PUBLISHED_METRIC_COUNT && code == ERR_OK; i++) {
        ratio.metric = (enum published_metric)i;
        if (plan_metric(ratio.metric) != PLAN_METRIC_COUNT && is_plain(&of->values[i]) &&
            is_plain(&over->values[i]) && over->values[i].value > 0) {
            code = add_ratio(beside, ratio, e);
        }
    }
    return code;
}

/* Of each workload every engine over the one that stands last among those that have a stand-in:
 * one divisor, so that the table reads like the report's. */
static const struct published_figure *find_divisor(const struct beside *beside,
                                                   size_t workload_index)
{
    const struct analysis *analysis = beside->analysis;
    const struct published *published = beside->published;
    const struct published_figure *last = NULL;

    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        const struct analysis_row *row = figure->workload_index == workload_index
                                             ? beside_find_row(analysis, published, figure)
                                             : NULL;

        if (row && row->engine_index == analysis->baseline_index) {
            return figure;
        }
        last = row ? figure : last;
    }
    return last;
}

static enum err_code fill(struct beside *beside, struct err *e)
{
    const struct published *published = beside->published;
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < published->figure_count; i++) {
        const struct analysis_row *row =
            beside_find_row(beside->analysis, published, &published->figures[i]);

        if (row) {
            add_values(beside, &published->figures[i], row);
        }
    }
    for (size_t w = 0; w < published->workload_count; w++) {
        const struct published_figure *over = find_divisor(beside, w);

        for (size_t i = 0; over && i < published->figure_count && code == ERR_OK; i++) {
            if (published->figures[i].workload_index == w && &published->figures[i] != over) {
                code = add_ratios(beside, &published->figures[i], over, e);
            }
        }
    }
    return code;
}

enum err_code beside_make(const struct analysis *analysis, const struct published *published,
                          struct beside *beside_out, struct err *e)
{
    struct beside beside = {.analysis = analysis, .published = published};
    size_t room = published->figure_count * PUBLISHED_METRIC_COUNT;

    beside.values = calloc(room, sizeof(*beside.values));
    beside.ratios = calloc(room, sizeof(*beside.ratios));
    enum err_code code = beside.values && beside.ratios
                             ? fill(&beside, e)
                             : err_set(e, ERR_LIMIT, "no memory for the published numbers");
    if (code != ERR_OK) {
        beside_release(&beside);
        return code;
    }
    *beside_out = beside;
    return ERR_OK;
}

void beside_release(struct beside *beside)
{
    free(beside->values);
    free(beside->ratios);
    *beside = (struct beside){0};
}
