// SPDX-License-Identifier: Apache-2.0
// Figure: requests per second over time, a panel for each engine and load point.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"end_ns", "ns", "until (s)", 1e-9, DOCUMENT_SIGNIFICANT, .views = 1},
    {"phase", NULL, "phase", .views = 1},
    {"ok_per_s_median", "1/s", "median (requests/s)", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"ok_per_s_lowest", "1/s", "lowest", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"ok_per_s_highest", "1/s", "highest", .number = DOCUMENT_SIGNIFICANT, .views = 1},
    {"trial_count", "1", "n (trials)", .number = DOCUMENT_INTEGER, .views = 1},
};

#define PANEL_COUNT_SHOWN 12 /* more are not looked at */
#define FIXED_PX          20
#define LINE_PX_MIN       150
#define TRIAL_LINE_COUNT_MAX                                                                       \
    12 /* trials of a panel that are lines of their own; more are a band                           \
        */

struct panels {
    const struct analysis_row **rows;
    size_t count;
    uint32_t step;
    double x_max[FIGURE_PANEL_COUNT_MAX], y_max[FIGURE_PANEL_COUNT_MAX],
        y_scale[FIGURE_PANEL_COUNT_MAX], warmup_s[FIGURE_PANEL_COUNT_MAX],
        is_band[FIGURE_PANEL_COUNT_MAX], is_dotted[FIGURE_PANEL_COUNT_MAX];
    const char *titles[FIGURE_PANEL_COUNT_MAX], *units[FIGURE_PANEL_COUNT_MAX];
};

/* The rate of a sample stands at its middle. */
static double middle_s(const struct results_point *bin)
{
    return (double)(bin->start_ns + bin->end_ns) / 2e9;
}

static void reach(struct panels *panels, size_t panel, double rate)
{
    panels->y_max[panel] = rate > panels->y_max[panel] ? rate : panels->y_max[panel];
}

/* All trials of a row as thin lines: panel, order, second, rate. */
static size_t add_lines(struct compose *compose, struct plot *plot, struct panels *panels,
                        size_t panel)
{
    const struct analysis_trials trials =
        analysis_row_trials(compose->analysis, panels->rows[panel]);
    size_t point_count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct results_trial *trial = &compose->results->trials[trials.indices[i]];
        struct results_point bin;

        for (uint32_t k = 0; figure_bin(trial, k, panels->step, &bin); k += panels->step) {
            double rate = figure_sample_rate(&bin);

            if (!isfinite(rate)) {
                continue;
            }
            plot_add_row(plot,
                         (const double[4]){(double)(panel + 1), (double)trial->order_index,
                                           middle_s(&bin), rate},
                         4);
            reach(panels, panel, rate);
            point_count++;
        }
        plot_end_line(plot);
    }
    return point_count;
}

/* Many trials as the band from the lowest to the highest: panel, second, lowest, highest. */
static size_t add_band(struct compose *compose, struct plot *plot, struct panels *panels,
                       size_t panel, size_t sample_count)
{
    size_t point_count = 0;

    for (uint32_t i = 0; i < sample_count; i += panels->step) {
        struct figure_spread spread;

        if (figure_spread_at(compose, panels->rows[panel], i, panels->step, figure_sample_rate,
                             &spread) &&
            spread.count > 0) {
            plot_add_row(plot,
                         (const double[4]){(double)(panel + 1), middle_s(&spread.bin), spread.low,
                                           spread.high},
                         4);
            reach(panels, panel, spread.high);
            point_count++;
        }
    }
    return point_count;
}

static void add_trials(struct compose *compose, struct plot *plot, struct panels *panels,
                       size_t panel, size_t sample_count)
{
    bool is_band = panels->rows[panel]->valid_count > TRIAL_LINE_COUNT_MAX;

    panels->is_band[panel] = is_band;
    panels->is_dotted[panel] = sample_count / panels->step <= FIGURE_POINT_COUNT_MIN;
    if ((is_band ? add_band(compose, plot, panels, panel, sample_count)
                 : add_lines(compose, plot, panels, panel)) == 0) {
        plot_add_row(plot, (const double[4]){(double)(panel + 1), -1, 0, (double)NAN}, 4);
    }
    plot_end_block(plot);
}

static void add_table_row(struct compose *compose, struct document_table *table,
                          const struct analysis_row *row, const struct figure_spread *spread)
{
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
    document_set_integer(cells, 3, spread->bin.end_ns);
    document_set_sentence(cells, 4, sample_phase_names[spread->bin.phase]);
    document_set_number(cells, 5, spread->median);
    document_set_number(cells, 6, spread->low);
    document_set_number(cells, 7, spread->high);
    document_set_integer(cells, 8, (int64_t)spread->count);
}

static double warmup_end_s(const struct compose *compose, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    double end_s = 0;

    for (size_t i = 0; i < trials.count; i++) {
        const struct results_trial *trial = &compose->results->trials[trials.indices[i]];

        for (size_t k = 0; k < trial->sample_count; k++) {
            if (trial->points[k].phase != SAMPLE_PHASE_WARMUP) {
                break;
            }
            end_s = (double)trial->points[k].end_ns / 1e9;
        }
    }
    return end_s;
}

/* The median over the counted trials, and the same as a table; rows beyond the picture's panels
 * are in the table alone. */
static void add_median(struct compose *compose, struct plot *plot, struct document_table *table,
                       struct panels *panels, size_t row_index)
{
    const struct analysis_row *row = panels->rows[row_index];
    size_t sample_count = figure_sample_count(compose, row), shown = 0;
    bool has_panel = row_index < panels->count;

    for (uint32_t i = 0; i < sample_count; i += panels->step) {
        struct figure_spread spread;

        if (!figure_spread_at(compose, row, i, panels->step, figure_sample_rate, &spread)) {
            continue;
        }
        add_table_row(compose, table, row, &spread);
        if (has_panel) {
            panels->x_max[row_index] = (double)spread.bin.end_ns / 1e9;
            plot_add_row(
                plot,
                (const double[4]){(double)(row_index + 1), 0, middle_s(&spread.bin), spread.median},
                4);
            shown++;
        }
    }
    if (!has_panel) {
        return;
    }
    panels->warmup_s[row_index] = warmup_end_s(compose, row);
    if (shown == 0) {
        plot_add_row(plot, (const double[4]){(double)(row_index + 1), 0, 0, (double)NAN}, 4);
    }
    plot_end_block(plot);
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

static size_t count_columns(const struct compose *compose, size_t panel_count)
{
    return figure_columns(compose, panel_count > 6 ? 3 : (panel_count > 1 ? 2 : 1));
}

/* Of so many rows those that have a panel. */
static size_t count_panels(const struct compose *compose, size_t row_count)
{
    size_t count = row_count < PANEL_COUNT_SHOWN ? row_count : PANEL_COUNT_SHOWN;
    size_t line_max = figure_line_max(compose, FIXED_PX, LINE_PX_MIN);
    size_t column_count = count_columns(compose, count);

    return (count + column_count - 1) / column_count <= line_max ? count : column_count * line_max;
}

static void set_variables(struct compose *compose, struct plot *plot, struct panels *panels)
{
    size_t column_count = count_columns(compose, panels->count);
    size_t line_count = (panels->count + column_count - 1) / column_count;
    double y_end[FIGURE_PANEL_COUNT_MAX];

    for (size_t i = 0; i < panels->count; i++) {
        y_end[i] = figure_round_up(panels->y_max[i] / panels->y_scale[i] * 1.05);
    }
    plot_set_number(plot, "panel_count", (double)panels->count);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_rows", (double)line_count);
    figure_set_titles(compose, panels->titles, panels->count);
    plot_set_texts(plot, "y_unit", panels->units, panels->count);
    plot_set_numbers(plot, "x_max", panels->x_max, panels->count);
    plot_set_numbers(plot, "y_max", y_end, panels->count);
    plot_set_numbers(plot, "y_scale", panels->y_scale, panels->count);
    plot_set_numbers(plot, "warmup_s", panels->warmup_s, panels->count);
    plot_set_numbers(plot, "is_band", panels->is_band, panels->count);
    plot_set_numbers(plot, "is_dotted", panels->is_dotted, panels->count);
    plot->height_px =
        FIXED_PX + figure_line_px(compose, FIXED_PX, line_count, panels->count > 6 ? 150 : 200) *
                       (unsigned)line_count;
}

/* Every curve of the picture: the medians and the trials that are lines. */
static size_t count_curves(const struct panels *panels)
{
    size_t count = 0;

    for (size_t i = 0; i < panels->count; i++) {
        size_t trials = panels->rows[i]->trial_count;

        count += trials > TRIAL_LINE_COUNT_MAX ? 3 : trials + 1;
    }
    return count;
}

static void draw(struct compose *compose, struct document_table *table, struct panels *panels,
                 size_t row_count)
{
    struct plot *plot = figure_plot(compose);
    size_t longest = figure_longest(compose, panels->rows, row_count);

    panels->step = figure_step(longest, count_curves(panels));
    for (size_t i = 0; i < panels->count; i++) {
        panels->titles[i] = figure_row_label(compose, panels->rows[i]);
        add_trials(compose, plot, panels, i, figure_sample_count(compose, panels->rows[i]));
        add_median(compose, plot, table, panels, i);
    }
    for (size_t i = panels->count; i < row_count; i++) {
        add_median(compose, plot, table, panels, i);
    }
    share_scales(compose, panels);
    set_variables(compose, plot, panels);
}

void figure_add_throughput(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct panels panels = {.rows = compose_rows(compose)};
    size_t row_count = compose->analysis->row_count;
    struct document_figure *figure;

    panels.count = count_panels(compose, row_count);
    if (!panels.rows || figure_longest(compose, panels.rows, row_count) == 0) {
        return;
    }
    figure = figure_begin(compose, "throughput", "report/plot/throughput.gp");
    if (!figure) {
        return;
    }
    struct document_table *table =
        document_new_table(document, "figure_throughput", NULL, columns, ARRAY_COUNT(columns));

    draw(compose, table, &panels, row_count);
    figure_end(compose, section, figure,
               document_format(document,
                               "Requests per second over time, %s s a point: the median over the "
                               "counted trials in bold; behind it every trial as a thin line, or "
                               "the band they span where there are more than %d. Shaded: warm-up, "
                               "not counted. Panels of one load point share their scale.%s",
                               compose_seconds(compose, compose_interval_s(compose) * panels.step),
                               TRIAL_LINE_COUNT_MAX,
                               figure_left_out(compose, panels.count, row_count, "throughput")),
               document_format(document,
                               "Throughput over time of every trial. Means over the window: %s.",
                               figure_numbers(compose)),
               table);
}
