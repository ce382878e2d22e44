// SPDX-License-Identifier: Apache-2.0
// Figure: requests per second over time, a panel for each engine and load point.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

static const struct document_column columns[] = {
    {"engine", NULL, "engine", .views = 1, .precision = 32},
    {"workload", NULL, "workload", .views = 1, .precision = 24},
    {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER, .views = 1},
    {"end_ns", "ns", "until (s)", 1e-9, DOCUMENT_SIGNIFICANT, .views = 1},
    {"phase", NULL, "phase", .views = 1},
    {"ok_per_s_median", "1/s", "median (requests/s)", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"ok_per_s_lowest", "1/s", "lowest", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"ok_per_s_highest", "1/s", "highest", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"trial_count", "1", "n (trials)", .number = DOCUMENT_INTEGER, .views = 1},
};

struct panels {
    const struct analysis_row **rows;
    size_t count;
    double x_max[FIGURE_PANEL_COUNT_MAX], y_max[FIGURE_PANEL_COUNT_MAX],
        y_scale[FIGURE_PANEL_COUNT_MAX], warmup_s[FIGURE_PANEL_COUNT_MAX];
    const char *titles[FIGURE_PANEL_COUNT_MAX], *units[FIGURE_PANEL_COUNT_MAX];
};

/* The rate of a sample stands at its middle. */
static double middle_s(const struct results_point *sample)
{
    return (double)(sample->start_ns + sample->end_ns) / 2e9;
}

/* All trials of a row as thin lines: panel, order, second, rate. */
static void add_trials(struct compose *compose, struct plot *plot, struct panels *panels,
                       size_t panel)
{
    size_t line_count = 0;

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct results_trial *trial = &compose->results->trials[i];

        if (!figure_trial_is_of(compose, i, panels->rows[panel])) {
            continue;
        }
        for (size_t k = 0; k < trial->sample_count; k++) {
            const struct results_point *sample = &trial->points[k];
            double rate = figure_sample_rate(sample);

            if (sample->phase == SAMPLE_PHASE_DRAIN || !isfinite(rate)) {
                continue;
            }
            plot_add_row(plot,
                         (const double[4]){(double)(panel + 1), (double)trial->order_index,
                                           middle_s(sample), rate},
                         4);
            panels->y_max[panel] = rate > panels->y_max[panel] ? rate : panels->y_max[panel];
            line_count++;
        }
        plot_end_line(plot);
    }
    if (line_count == 0) {
        plot_add_row(plot, (const double[4]){(double)(panel + 1), -1, 0, (double)NAN}, 4);
    }
    plot_end_block(plot);
}

static void add_table_row(struct compose *compose, struct document_table *table,
                          const struct analysis_row *row, const struct results_point *sample,
                          const struct figure_spread *spread)
{
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, 0, compose_engine(compose, row->engine_index)->name);
    document_set_text(cells, 1, compose_load_name(compose, row->cell_index));
    document_set_integer(cells, 2, compose_cell(compose, row->cell_index)->connection_count);
    document_set_integer(cells, 3, sample->end_ns);
    document_set_sentence(cells, 4, sample_phase_names[sample->phase]);
    document_set_number(cells, 5, spread->median);
    document_set_number(cells, 6, spread->low);
    document_set_number(cells, 7, spread->high);
    document_set_integer(cells, 8, (int64_t)spread->count);
}

/* The median over the counted trials, and the same as a table. */
static size_t add_median(struct compose *compose, struct plot *plot, struct document_table *table,
                         struct panels *panels, size_t panel)
{
    const struct analysis_row *row = panels->rows[panel];
    size_t sample_count = figure_sample_count(compose, row), shown = 0;

    for (uint32_t i = 0; i < sample_count; i++) {
        const struct results_point *sample = figure_any_sample(compose, row, i);
        struct figure_spread spread = figure_spread_at(compose, row, i, figure_sample_rate);

        if (!sample) {
            continue;
        }
        panels->x_max[panel] = (double)sample->end_ns / 1e9;
        if (sample->phase == SAMPLE_PHASE_WARMUP) {
            panels->warmup_s[panel] = (double)sample->end_ns / 1e9;
        }
        plot_add_row(plot,
                     (const double[4]){(double)(panel + 1), 0, middle_s(sample), spread.median}, 4);
        add_table_row(compose, table, row, sample, &spread);
        shown++;
    }
    if (shown == 0) {
        plot_add_row(plot, (const double[4]){(double)(panel + 1), 0, 0, (double)NAN}, 4);
    }
    plot_end_block(plot);
    return shown;
}

/* Panels of one load point share their scale, so that heights can be compared. */
static void share_scales(struct compose *compose, struct panels *panels)
{
    for (size_t i = 0; i < panels->count; i++) {
        double largest = 0;

        for (size_t k = 0; k < panels->count; k++) {
            if (panels->rows[k]->cell_index == panels->rows[i]->cell_index &&
                panels->y_max[k] > largest) {
                largest = panels->y_max[k];
            }
        }
        panels->y_scale[i] = largest >= 10000 ? 1000 : 1;
        panels->units[i] =
            document_tr(compose->document, largest >= 10000 ? "thousand/s" : "requests/s");
    }
    for (size_t i = panels->count; i-- > 0;) {
        double largest = 0;

        for (size_t k = 0; k < panels->count; k++) {
            if (panels->rows[k]->cell_index == panels->rows[i]->cell_index) {
                largest = panels->y_max[k] > largest ? panels->y_max[k] : largest;
            }
        }
        panels->x_max[i] = panels->x_max[i] > 0 ? panels->x_max[i] : 1;
        panels->y_max[i] = largest; /* equal for all of the cell, so the order does not matter */
    }
}

static void set_variables(struct plot *plot, struct panels *panels)
{
    size_t column_count = panels->count > 1 ? 2 : 1;
    size_t line_count = (panels->count + column_count - 1) / column_count;
    double y_end[FIGURE_PANEL_COUNT_MAX];

    for (size_t i = 0; i < panels->count; i++) {
        y_end[i] = figure_round_up(panels->y_max[i] / panels->y_scale[i] * 1.05);
    }
    plot_set_number(plot, "panel_count", (double)panels->count);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_rows", (double)line_count);
    plot_set_texts(plot, "panel_title", panels->titles, panels->count);
    plot_set_texts(plot, "y_unit", panels->units, panels->count);
    plot_set_numbers(plot, "x_max", panels->x_max, panels->count);
    plot_set_numbers(plot, "y_max", y_end, panels->count);
    plot_set_numbers(plot, "y_scale", panels->y_scale, panels->count);
    plot_set_numbers(plot, "warmup_s", panels->warmup_s, panels->count);
    plot->height_px = 20 + 200 * (unsigned)line_count;
}

void figure_add_throughput(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct panels panels = {.rows = compose_rows(compose)};
    struct document_figure *figure;
    size_t shown = 0;

    panels.count = compose->analysis->row_count < FIGURE_PANEL_COUNT_MAX
                       ? compose->analysis->row_count
                       : FIGURE_PANEL_COUNT_MAX;
    for (size_t i = 0; panels.rows && i < panels.count; i++) {
        shown += figure_sample_count(compose, panels.rows[i]);
    }
    figure = shown > 0 ? figure_begin(compose, "throughput", "report/plot/throughput.gp") : NULL;
    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_throughput", NULL, columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < panels.count; i++) {
        panels.titles[i] = figure_row_label(compose, panels.rows[i]);
        add_trials(compose, plot, &panels, i);
        add_median(compose, plot, table, &panels, i);
    }
    share_scales(compose, &panels);
    set_variables(plot, &panels);
    figure_end(compose, section, figure,
               document_format(document,
                               "Requests per second in each sample of %s s: every trial as a thin "
                               "line, the median over the counted trials with dots. Shaded: "
                               "warm-up, not counted. Panels of one load point share their scale.",
                               compose_seconds(compose, compose_interval_s(compose))),
               document_format(document,
                               "Throughput over time of every trial. Means over the window: %s.",
                               figure_numbers(compose)),
               table);
}
