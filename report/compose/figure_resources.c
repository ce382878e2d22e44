// SPDX-License-Identifier: Apache-2.0
// Figure: memory and threads of the server over time.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/number.h"

#define PANEL_COUNT_SHOWN 6 /* more are not looked at */
#define HEADROOM          1.05
#define FIXED_PX          20
#define LINE_PX_MIN       170U /* without a legend */
#define LEGEND_LINE_PX    18U  /* a legend has three lines at most, above its panel */

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"end_ns", "ns", "at (s)", 1e-9, DOCUMENT_GIVEN, .precision = 6, .views = 1},
    {"server_rss_kib_median", "KiB", "median memory (MiB)", 1.0 / 1024, DOCUMENT_SIGNIFICANT,
     .views = 1},
    {"server_thread_count_median", "1", "median threads", .number = DOCUMENT_GIVEN, .precision = 6,
     .views = 1},
    {"trial_count", "1", "n (trials)", .number = DOCUMENT_INTEGER, .views = 1},
};

struct extent {
    double x_max, memory_max, thread_max, warmup_s;
};

static double known(int64_t value)
{
    return value == METRIC_UNKNOWN ? (double)NAN : (double)value;
}

static double sample_rss_kib(const struct results_point *sample)
{
    return known(sample->server_rss_kib);
}

static double sample_threads(const struct results_point *sample)
{
    return known(sample->server_thread_count);
}

static void add_table_row(struct compose *compose, struct document_table *table,
                          const struct analysis_row *row, const struct figure_spread *rss,
                          const struct figure_spread *threads)
{
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
    document_set_integer(cells, 3, rss->bin.end_ns);
    document_set_number(cells, 4, rss->median);
    document_set_number(cells, 5, threads->median);
    document_set_integer(cells, 6, (int64_t)(rss->count ? rss->count : threads->count));
}

static double larger(double value, double than)
{
    return value > than ? value : than; /* NaN is not larger */
}

/* `extent` NULL: the row is beyond the picture's panels and in the table alone. */
static void add_row(struct compose *compose, struct document_table *table,
                    const struct analysis_row *row, uint32_t step, struct extent *extent)
{
    size_t count = figure_sample_count(compose, row);

    for (uint32_t i = 0; i < count; i += step) {
        struct figure_spread rss, threads;

        if (!figure_spread_at(compose, row, i, step, sample_rss_kib, &rss) ||
            !figure_spread_at(compose, row, i, step, sample_threads, &threads) ||
            (rss.count == 0 && threads.count == 0)) {
            continue;
        }
        double end_s = (double)rss.bin.end_ns / 1e9;

        add_table_row(compose, table, row, &rss, &threads);
        if (!extent) {
            continue;
        }
        plot_add_row(figure_plot(compose),
                     (const double[4]){1, end_s, rss.median / 1024, threads.median}, 4);
        extent->x_max = larger(end_s, extent->x_max);
        extent->memory_max = larger(rss.median / 1024, extent->memory_max);
        extent->thread_max = larger(threads.median, extent->thread_max);
        if (rss.bin.phase == SAMPLE_PHASE_WARMUP) {
            extent->warmup_s = larger(end_s, extent->warmup_s);
        }
    }
}

static void draw_panels(struct compose *compose, struct plot *plot, struct document_table *table,
                        const struct figure_panels *panels)
{
    struct extent extents[FIGURE_PANEL_COUNT_MAX];
    double values[4][FIGURE_PANEL_COUNT_MAX];
    size_t row_count = panels->row_count;
    size_t longest = figure_longest(compose, panels->rows, row_count);
    uint32_t step = figure_step(longest, 4 * panels->series_count);

    for (size_t p = 0; p < panels->panel_count; p++) {
        extents[p] = (struct extent){0, 0, 0, 0};
        for (size_t s = (size_t)panels->first_series[p] - 1; s < (size_t)panels->last_series[p];
             s++) {
            plot_add_row(plot, (const double[4]){1, 0, (double)NAN, (double)NAN}, 4);
            add_row(compose, table, panels->rows[s], step, &extents[p]);
            plot_end_block(plot);
        }
        values[0][p] = extents[p].x_max > 0 ? extents[p].x_max : 1;
        values[1][p] = figure_round_up(extents[p].memory_max * HEADROOM);
        values[2][p] = figure_round_up(extents[p].thread_max * HEADROOM);
        values[3][p] = extents[p].warmup_s;
    }
    for (size_t s = panels->series_count; s < row_count; s++) {
        add_row(compose, table, panels->rows[s], step, NULL);
    }
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        figure_share_scale(panels, values[i], false);
    }
    plot_set_number(plot, "is_dotted", longest / step <= 16);
    plot_set_numbers(plot, "x_max", values[0], panels->panel_count);
    plot_set_numbers(plot, "memory_max", values[1], panels->panel_count);
    plot_set_numbers(plot, "thread_max", values[2], panels->panel_count);
    plot_set_numbers(plot, "warmup_s", values[3], panels->panel_count);
}

static const char *numbers(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    const char *all = "";
    char threads[NUMBER_TEXT_BYTES];

    for (size_t i = 0; rows && i < compose->analysis->row_count && i < FIGURE_SENTENCE_ROW_MAX;
         i++) {
        number_format_integer(rows[i]->thread_count_peak, threads);
        all = figure_add_words(
            compose, all, rows[i]->engine_index, rows[i]->cell_index,
            document_format(compose->document, "%s and %s %s",
                            figure_quantity(compose, known(rows[i]->rss_kib_peak) / 1024, "MiB"),
                            threads,
                            document_tr(compose->document,
                                        rows[i]->thread_count_peak == 1 ? "thread" : "threads")));
    }
    return figure_sentence_end(compose, all);
}

static bool has_resources(const struct compose *compose, const struct analysis_row *row)
{
    (void)compose;
    return row->valid_count > 0 &&
           (row->rss_kib_peak != METRIC_UNKNOWN || row->thread_count_peak != METRIC_UNKNOWN);
}

/* Lines of the fullest panel's legend, whose names stand in two columns. */
static unsigned count_legend_lines(const struct figure_panels *panels)
{
    size_t most = 1;

    for (size_t p = 0; p < panels->panel_count; p++) {
        size_t count = (size_t)panels->last_series[p] + 1 - (size_t)panels->first_series[p];

        most = count > most ? count : most;
    }
    return (unsigned)(most + 1) / 2;
}

/* Memory and threads of a load point stand beside each other or, where it is narrow, under each
 * other. Leaves the panels that there is room for. */
static void set_layout(struct compose *compose, struct figure_panels *panels)
{
    unsigned lines_each = figure_is_narrow(compose) ? 2 : 1;
    unsigned legend_lines = count_legend_lines(panels), legend_px = LEGEND_LINE_PX * legend_lines;
    size_t most = figure_line_max(compose, FIXED_PX, LINE_PX_MIN + legend_px) / lines_each;
    struct plot *plot = figure_plot(compose);

    figure_cut_panels(panels, most < PANEL_COUNT_SHOWN ? most : PANEL_COUNT_SHOWN);
    size_t line_count = panels->panel_count * lines_each;

    plot_set_number(plot, "across", lines_each == 1 ? 2 : 1);
    plot_set_number(plot, "legend_lines", legend_lines);
    plot_set_number(plot, "legend_px", LEGEND_LINE_PX);
    plot->height_px =
        FIXED_PX + (unsigned)line_count *
                       figure_line_px(compose, FIXED_PX, line_count,
                                      (panels->panel_count > 4 ? LINE_PX_MIN : 250) + legend_px);
}

void figure_add_resources(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct figure_panels panels;
    struct document_figure *figure;

    if (!figure_group_rows(compose, has_resources, &panels)) {
        return;
    }
    figure = figure_begin(compose, "resources", "report/plot/resources.gp");
    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_resources", NULL, columns, ARRAY_COUNT(columns));

    set_layout(compose, &panels);
    draw_panels(compose, plot, table, &panels);
    figure_set_panels(compose, plot, &panels);
    figure_end(compose, section, figure,
               document_format(
                   document,
                   "Resident memory and threads of the server at the end of each "
                   "sample: the median over the counted trials. Shaded: warm-up.%s",
                   figure_left_out(compose, panels.series_count, panels.row_count, "resources")),
               document_format(document, "Highest memory and threads: %s.", numbers(compose)),
               table);
}
