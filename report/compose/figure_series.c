// SPDX-License-Identifier: Apache-2.0
// What figures over time share: panels of series, and the middle of several trials.
#include <math.h>
#include <stdlib.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

#define SPREAD_COUNT_MAX 1024

static bool is_same_cell(const struct figure_panels *panels, size_t left, size_t right)
{
    return panels->rows[(size_t)panels->first_series[left] - 1]->cell_index ==
           panels->rows[(size_t)panels->first_series[right] - 1]->cell_index;
}

/* "125 connections, ping (2 of 4)" where one panel has no room for all engines of a load point. */
static void add_titles(struct compose *compose, struct figure_panels *panels)
{
    for (size_t i = 0; i < panels->panel_count; i++) {
        size_t place = 0, count = 0;

        for (size_t k = 0; k < panels->panel_count; k++) {
            count += is_same_cell(panels, i, k);
            place += k <= i && is_same_cell(panels, i, k);
        }
        size_t cell_index = panels->rows[(size_t)panels->first_series[i] - 1]->cell_index;
        const char *label = figure_cell_label(compose, cell_index);

        panels->titles[i] =
            count == 1 ? label
                       : document_format(compose->document, "%s (%zu of %zu)", label, place, count);
    }
}

void figure_cut_panels(struct figure_panels *panels, size_t panel_count)
{
    if (panels->panel_count > panel_count) {
        panels->panel_count = panel_count;
        panels->series_count = (size_t)panels->last_series[panel_count - 1];
    }
}

void figure_share_scale(const struct figure_panels *panels, double *values, bool is_least)
{
    for (size_t i = 0; i < panels->panel_count; i++) {
        for (size_t k = 0; k < panels->panel_count; k++) {
            if (is_same_cell(panels, i, k)) {
                values[i] = is_least ? fmin(values[i], values[k]) : fmax(values[i], values[k]);
            }
        }
    }
}

bool figure_group_rows(struct compose *compose,
                       bool (*has_data)(const struct compose *compose,
                                        const struct analysis_row *row),
                       struct figure_panels *panels_out)
{
    struct figure_panels panels = {.rows = compose_rows(compose)};

    for (size_t i = 0; panels.rows && i < compose->analysis->row_count; i++) {
        if (has_data(compose, panels.rows[i])) {
            panels.rows[panels.row_count++] = panels.rows[i];
        }
    }
    for (size_t i = 0; i < panels.row_count; i++) {
        size_t panel = panels.panel_count;
        bool is_full =
            panel > 0 && panels.last_series[panel - 1] - panels.first_series[panel - 1] + 1 >=
                             FIGURE_SERIES_COUNT_MAX;

        if (panel == 0 || is_full || panels.rows[i]->cell_index != panels.rows[i - 1]->cell_index) {
            if (panel == FIGURE_PANEL_COUNT_MAX) {
                break;
            }
            panels.first_series[panel] = (double)(i + 1);
            panels.panel_count++;
        }
        panels.last_series[panels.panel_count - 1] = (double)(i + 1);
        panels.series_count = i + 1;
    }
    if (panels.panel_count == 0) {
        return false;
    }
    add_titles(compose, &panels);
    *panels_out = panels;
    return true;
}

void figure_set_panels(struct compose *compose, struct plot *plot,
                       const struct figure_panels *panels)
{
    const char **names =
        document_allocate(compose->document, (panels->series_count + 1) * sizeof(*names));

    for (size_t i = 0; names && i < panels->series_count; i++) {
        names[i] = compose_engine(compose, panels->rows[i]->engine_index)->name;
    }
    if (names) {
        plot_set_texts(plot, "series_name", names, panels->series_count);
    }
    plot_set_number(plot, "panel_count", (double)panels->panel_count);
    figure_set_titles(compose, panels->titles, panels->panel_count);
    plot_set_numbers(plot, "first_series", panels->first_series, panels->panel_count);
    plot_set_numbers(plot, "last_series", panels->last_series, panels->panel_count);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

uint32_t figure_step(size_t sample_count, size_t curve_count)
{
    size_t points = FIGURE_POINT_BUDGET / (curve_count ? curve_count : 1);

    points = points > FIGURE_POINT_COUNT_MAX ? FIGURE_POINT_COUNT_MAX : points;
    points = points < FIGURE_POINT_COUNT_MIN ? FIGURE_POINT_COUNT_MIN : points;
    return (uint32_t)((sample_count + points - 1) / points > 0
                          ? (sample_count + points - 1) / points
                          : 1);
}

static int64_t larger(int64_t left, int64_t right)
{
    return left > right ? left : right; /* METRIC_UNKNOWN is the smallest */
}

bool figure_bin(const struct results_trial *trial, uint32_t first, uint32_t step,
                struct results_point *bin_out)
{
    if (first >= trial->sample_count || trial->points[first].phase == SAMPLE_PHASE_DRAIN) {
        return false;
    }
    *bin_out = trial->points[first];
    for (uint32_t i = first + 1; i < trial->sample_count && i < first + step; i++) {
        const struct results_point *point = &trial->points[i];

        if (point->phase == SAMPLE_PHASE_DRAIN) {
            break;
        }
        bin_out->end_ns = point->end_ns;
        bin_out->ok_count = bin_out->ok_count == METRIC_UNKNOWN || point->ok_count == METRIC_UNKNOWN
                                ? METRIC_UNKNOWN
                                : bin_out->ok_count + point->ok_count;
        bin_out->server_rss_kib = larger(bin_out->server_rss_kib, point->server_rss_kib);
        bin_out->server_thread_count =
            larger(bin_out->server_thread_count, point->server_thread_count);
    }
    return true;
}

bool figure_spread_at(const struct compose *compose, const struct analysis_row *row, uint32_t first,
                      uint32_t step, double (*value)(const struct results_point *bin),
                      struct figure_spread *spread_out)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    double values[SPREAD_COUNT_MAX];
    struct figure_spread spread = {.median = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    bool is_there = false;

    for (size_t i = 0; i < trials.count && spread.count < SPREAD_COUNT_MAX; i++) {
        size_t index = trials.indices[i];
        struct results_point bin;

        if (!figure_bin(&compose->results->trials[index], first, step, &bin)) {
            continue;
        }
        double one = value(&bin);

        spread.bin = is_there ? spread.bin : bin;
        is_there = true;
        if (isfinite(one) && compose->analysis->trials[index].valid) {
            values[spread.count++] = one;
        }
    }
    if (spread.count > 0) {
        qsort(values, spread.count, sizeof(values[0]), compare_doubles);
        spread.low = values[0];
        spread.high = values[spread.count - 1];
        spread.median = (values[(spread.count - 1) / 2] + values[spread.count / 2]) / 2;
    }
    if (is_there) {
        *spread_out = spread;
    }
    return is_there;
}

size_t figure_sample_count(const struct compose *compose, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t longest = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct results_trial *trial = &compose->results->trials[trials.indices[i]];
        size_t count = trial->sample_count;

        while (count > 0 && trial->points[count - 1].phase == SAMPLE_PHASE_DRAIN) {
            count--;
        }
        longest = count > longest ? count : longest;
    }
    return longest;
}

size_t figure_longest(const struct compose *compose, const struct analysis_row *const *rows,
                      size_t row_count)
{
    size_t longest = 0;

    for (size_t i = 0; i < row_count; i++) {
        size_t count = figure_sample_count(compose, rows[i]);

        longest = count > longest ? count : longest;
    }
    return longest;
}

size_t figure_dot_group(size_t count)
{
    return count <= FIGURE_DOT_BUDGET ? 1 : (2 * count + FIGURE_DOT_BUDGET - 1) / FIGURE_DOT_BUDGET;
}

void figure_thin(const double *values, size_t count, size_t group, bool *is_drawn)
{
    for (size_t begin = 0; begin < count; begin += group) {
        size_t end = count - begin < group ? count : begin + group;
        size_t low = end, high = end;

        for (size_t i = begin; i < end; i++) {
            if (isnan(values[i])) {
                continue;
            }
            low = low == end || values[i] < values[low] ? i : low;
            high = high == end || values[i] > values[high] ? i : high;
        }
        if (low < end) {
            is_drawn[low] = true;
            is_drawn[high] = true;
        }
    }
}

const char *figure_thinned(struct compose *compose, size_t group, const char *name)
{
    return group <= 1 ? ""
                      : document_format(compose->document,
                                        " Of every %zu in a row only the lowest and the highest "
                                        "are drawn; the numbers of all are in %s/%s.csv.",
                                        group, compose_plot_folder(compose), name);
}

const char *figure_left_out(struct compose *compose, size_t shown, size_t total, const char *name)
{
    return shown >= total ? ""
                          : document_format(compose->document,
                                            " Shown are the first %zu of %zu; the numbers of all "
                                            "are in %s/%s.csv.",
                                            shown, total, compose_plot_folder(compose), name);
}
