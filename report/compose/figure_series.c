// SPDX-License-Identifier: Apache-2.0
// What figures over time share: panels of series, and the middle of several trials.
#include <math.h>
#include <stdlib.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

#define SPREAD_COUNT_MAX 1024

bool figure_group_rows(struct compose *compose, struct figure_panels *panels_out)
{
    struct figure_panels panels = {.rows = compose_rows(compose)};
    size_t row_count = compose->analysis->row_count;

    for (size_t i = 0; panels.rows && i < row_count; i++) {
        size_t panel = panels.panel_count;
        bool is_full =
            panel > 0 && panels.last_series[panel - 1] - panels.first_series[panel - 1] + 1 >=
                             FIGURE_SERIES_COUNT_MAX;

        if (panel == 0 || is_full || panels.rows[i]->cell_index != panels.rows[i - 1]->cell_index) {
            if (panel == FIGURE_PANEL_COUNT_MAX) {
                break;
            }
            panels.first_series[panel] = (double)(i + 1);
            panels.titles[panel] = figure_cell_label(compose, panels.rows[i]->cell_index);
            panels.panel_count++;
        }
        panels.last_series[panels.panel_count - 1] = (double)(i + 1);
        panels.series_count = i + 1;
    }
    if (panels.panel_count == 0) {
        return false;
    }
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
    plot_set_texts(plot, "panel_title", panels->titles, panels->panel_count);
    plot_set_numbers(plot, "first_series", panels->first_series, panels->panel_count);
    plot_set_numbers(plot, "last_series", panels->last_series, panels->panel_count);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

struct figure_spread figure_spread_at(const struct compose *compose, const struct analysis_row *row,
                                      uint32_t sample_index,
                                      double (*value)(const struct results_point *sample))
{
    double values[SPREAD_COUNT_MAX];
    struct figure_spread spread = {(double)NAN, (double)NAN, (double)NAN, 0};

    for (size_t i = 0; i < compose->results->trial_count && spread.count < SPREAD_COUNT_MAX; i++) {
        const struct results_trial *trial = &compose->results->trials[i];

        if (!compose->analysis->trials[i].valid || !figure_trial_is_of(compose, i, row) ||
            sample_index >= trial->sample_count) {
            continue;
        }
        double one = value(&trial->points[sample_index]);

        if (isfinite(one)) {
            values[spread.count++] = one;
        }
    }
    if (spread.count > 0) {
        qsort(values, spread.count, sizeof(values[0]), compare_doubles);
        spread.low = values[0];
        spread.high = values[spread.count - 1];
        spread.median = (values[(spread.count - 1) / 2] + values[spread.count / 2]) / 2;
    }
    return spread;
}

size_t figure_sample_count(const struct compose *compose, const struct analysis_row *row)
{
    size_t longest = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct results_trial *trial = &compose->results->trials[i];
        size_t count = trial->sample_count;

        if (!figure_trial_is_of(compose, i, row)) {
            continue;
        }
        while (count > 0 && trial->points[count - 1].phase == SAMPLE_PHASE_DRAIN) {
            count--;
        }
        longest = count > longest ? count : longest;
    }
    return longest;
}

const struct results_point *figure_any_sample(const struct compose *compose,
                                              const struct analysis_row *row, uint32_t sample_index)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct results_trial *trial = &compose->results->trials[i];

        if (figure_trial_is_of(compose, i, row) && sample_index < trial->sample_count) {
            return &trial->points[sample_index];
        }
    }
    return NULL;
}
