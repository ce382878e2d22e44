// SPDX-License-Identifier: Apache-2.0
// Figure: how the values of single trials are distributed, where there are enough of them.
#include <math.h>
#include <stdlib.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/stats/summary.h"

#define TRIAL_COUNT_MIN   10 /* fewer steps are better seen as dots */
#define PANEL_COUNT_SHOWN 9
#define FIXED_PX          40
#define LINE_PX_MIN       240

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"ok_per_s", "1/s", "requests/s at most", .number = DOCUMENT_SIGNIFICANT, .precision = 4,
     .views = 1},
    {"trial_share", "1", "share of trials", .number = DOCUMENT_FIXED, .precision = 3, .views = 1},
};

struct panel_extents {
    double x_min[FIGURE_PANEL_COUNT_MAX], x_max[FIGURE_PANEL_COUNT_MAX],
        x_scale[FIGURE_PANEL_COUNT_MAX];
};

static size_t list_values(const struct compose *compose, const struct analysis_row *row,
                          double *values)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[trials.indices[i]];

        if (summary->valid && isfinite(summary->ok_per_s)) {
            values[count++] = summary->ok_per_s;
        }
    }
    stats_sort(values, count);
    return count;
}

/* `panel` beyond the shown ones: the row is in the table alone. */
static void add_row(struct compose *compose, struct document_table *table,
                    const struct analysis_row *row, size_t panel, struct panel_extents *extents)
{
    double *values = calloc(row->trial_count + 1, sizeof(*values));
    bool is_shown = panel < PANEL_COUNT_SHOWN;
    size_t count = values ? list_values(compose, row, values) : 0;

    for (size_t i = 0; i < count; i++) {
        struct document_cell *cells = document_add_row(table);
        double share = (double)(i + 1) / (double)count;

        compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
        document_set_number(cells, 3, values[i]);
        document_set_number(cells, 4, share);
        if (is_shown) {
            plot_add_row(figure_plot(compose), (const double[2]){values[i], share}, 2);
        }
    }
    if (is_shown && count > 0) {
        extents->x_min[panel] = fmin(extents->x_min[panel], values[0]);
        extents->x_max[panel] = fmax(extents->x_max[panel], values[count - 1]);
    }
    if (is_shown) {
        plot_end_block(figure_plot(compose));
    }
    free(values);
}

static bool has_enough(const struct compose *compose, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[trials.indices[i]];

        count += summary->valid && isfinite(summary->ok_per_s);
    }
    return count >= TRIAL_COUNT_MIN;
}

static void draw_panels(struct compose *compose, struct document_table *table,
                        struct figure_panels *panels)
{
    struct panel_extents extents;
    struct plot *plot = figure_plot(compose);

    for (size_t p = 0; p < panels->panel_count; p++) {
        extents.x_min[p] = HUGE_VAL;
        extents.x_max[p] = 0;
        for (size_t s = (size_t)panels->first_series[p] - 1; s < (size_t)panels->last_series[p];
             s++) {
            add_row(compose, table, panels->rows[s], p, &extents);
        }
        extents.x_scale[p] = extents.x_max[p] >= 10000 ? 1000 : 1;
        if (!(extents.x_max[p] > 0)) {
            extents.x_min[p] = 0;
            extents.x_max[p] = 1;
        }
        extents.x_min[p] *= 0.98 / extents.x_scale[p];
        extents.x_max[p] *= 1.02 / extents.x_scale[p];
    }
    for (size_t s = panels->series_count; s < panels->row_count; s++) {
        add_row(compose, table, panels->rows[s], PANEL_COUNT_SHOWN, &extents);
    }
    plot_set_numbers(plot, "x_min", extents.x_min, panels->panel_count);
    plot_set_numbers(plot, "x_max", extents.x_max, panels->panel_count);
    plot_set_numbers(plot, "x_scale", extents.x_scale, panels->panel_count);
}

void figure_add_ecdf(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct figure_panels panels;
    struct document_figure *figure;

    if (!figure_group_rows(compose, has_enough, &panels)) {
        return;
    }
    figure = figure_begin(compose, "ecdf", "report/plot/ecdf.gp");
    if (!figure) {
        return;
    }
    struct document_table *table =
        document_new_table(document, "figure_ecdf", NULL, columns, ARRAY_COUNT(columns));
    size_t column_count = figure_columns(compose, panels.panel_count > 1 ? 2 : 1);

    size_t line_max = figure_line_max(compose, FIXED_PX, LINE_PX_MIN);

    figure_cut_panels(&panels, PANEL_COUNT_SHOWN);
    if ((panels.panel_count + column_count - 1) / column_count > line_max) {
        figure_cut_panels(&panels, column_count * line_max);
    }
    size_t line_count = (panels.panel_count + column_count - 1) / column_count;

    draw_panels(compose, table, &panels);
    figure_set_panels(compose, figure_plot(compose), &panels);
    plot_set_number(figure_plot(compose), "panel_columns", (double)column_count);
    plot_set_number(figure_plot(compose), "panel_rows", (double)line_count);
    figure_plot(compose)->height_px =
        FIXED_PX + figure_line_px(compose, FIXED_PX, line_count, 260) * (unsigned)line_count;
    figure_end(
        compose, section, figure,
        document_format(document,
                        "The share of counted trials that served at most so many requests "
                        "per second, for engines with %d trials or more. A steep curve is a "
                        "repeatable engine; curves that do not overlap are told apart by "
                        "every trial.%s",
                        TRIAL_COUNT_MIN,
                        figure_left_out(compose, panels.series_count, panels.row_count, "ecdf")),
        document_format(document, "Distribution of the trials' throughput around: %s.",
                        figure_numbers(compose)),
        table);
}
