// SPDX-License-Identifier: Apache-2.0
// Figure: the whole distribution of service times, logarithmic on both axes.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

#define FIXED_PX         40
#define LINE_PX_MIN      280 /* a legend of six engines leaves room for the curves */
#define BEYOND_COUNT_MIN 100 /* fewer requests beyond a quantile say little about it */

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"share", "1", "share of requests (%)", 100, DOCUMENT_GIVEN, 6, .views = 1},
    {"latency_ns", "ns", "at most (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"latency_ns_lowest", "ns", "lowest trial (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"latency_ns_highest", "ns", "highest trial (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"request_count", "1", "n (requests)", .number = DOCUMENT_INTEGER, .views = 1},
};

struct extent {
    double x_max, y_min, y_max;
};

static const char closed_caption[] =
    "Service time of the requests in the windows of all counted trials, merged; the band spans the "
    "lowest and the highest trial. A curve ends where fewer than 100 requests lie beyond. Closed "
    "loop: time from the actual send.";
static const char open_caption[] =
    "Latency of the requests in the windows of all counted trials, merged; the band spans the "
    "lowest and the highest trial. A curve ends where fewer than 100 requests lie beyond. Closed "
    "loop: time from the actual send. Open loop (a workload with a rate): response time, from when "
    "the request was due.";

/* NULL where there is too little to draw. */
static const struct latency_profile *find_profile(const struct compose *compose,
                                                  const struct analysis_row *row)
{
    const struct latency_profile *profile = analysis_profile(compose->analysis, row);

    return profile && profile->merged.total_count > BEYOND_COUNT_MIN ? profile : NULL;
}

static void add_point(struct plot *plot, size_t series, const struct latency_profile *profile,
                      size_t point, struct extent *extent)
{
    double nines = latency_profile_nines(point), share = latency_profile_share(point);
    double ms = (double)histogram_quantile(&profile->merged, share) / 1e6;
    double low = (double)profile->low_ns[point] / 1e6, high = (double)profile->high_ns[point] / 1e6;

    if (!(ms > 0) || !(low > 0)) {
        return; /* zero has no place on a logarithmic axis */
    }
    plot_add_row(plot, (const double[6]){(double)(series + 1), share, nines, ms, low, high}, 6);
    extent->x_max = nines > extent->x_max ? nines : extent->x_max;
    extent->y_min = low < extent->y_min ? low : extent->y_min;
    extent->y_max = high > extent->y_max ? high : extent->y_max;
}

static void add_table_rows(struct compose *compose, struct document_table *table,
                           const struct analysis_row *row, const struct latency_profile *profile)
{
    for (size_t i = LATENCY_PROFILE_CURVE_COUNT; i < LATENCY_PROFILE_POINT_COUNT; i++) {
        double share = latency_profile_share(i);
        struct document_cell *cells;

        if ((1 - share) * (double)profile->merged.total_count < BEYOND_COUNT_MIN) {
            break;
        }
        cells = document_add_row(table);
        compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
        document_set_number(cells, 3, share);
        document_set_number(cells, 4, (double)histogram_quantile(&profile->merged, share));
        document_set_number(cells, 5, (double)profile->low_ns[i]);
        document_set_number(cells, 6, (double)profile->high_ns[i]);
        document_set_integer(cells, 7, (int64_t)profile->merged.total_count);
    }
}

/* `step`: every so many points of a curve are drawn. */
static void add_series(struct compose *compose, struct document_table *table,
                       const struct analysis_row *row, size_t series, size_t step,
                       struct extent *extent)
{
    const struct latency_profile *profile = find_profile(compose, row);
    struct plot *plot = figure_plot(compose);

    for (size_t i = 0; i < LATENCY_PROFILE_CURVE_COUNT; i += step) {
        if ((double)profile->merged.total_count / latency_profile_nines(i) < BEYOND_COUNT_MIN) {
            break;
        }
        add_point(plot, series, profile, i, extent);
    }
    add_table_rows(compose, table, row, profile);
    plot_end_block(plot);
}

static bool has_profile(const struct compose *compose, const struct analysis_row *row)
{
    return find_profile(compose, row) != NULL;
}

/* Response times and service times are different things. */
static void set_units(struct compose *compose, struct plot *plot,
                      const struct figure_panels *panels)
{
    const char *units[FIGURE_PANEL_COUNT_MAX];

    for (size_t p = 0; p < panels->panel_count; p++) {
        const struct analysis_row *row = panels->rows[(size_t)panels->first_series[p] - 1];
        bool is_open = compose_cell(compose, row->cell_index)->rate_per_s != METRIC_UNKNOWN;

        units[p] =
            document_tr(compose->document, is_open ? "response time (ms)" : "service time (ms)");
    }
    plot_set_texts(plot, "y_unit", units, panels->panel_count);
}

static const char *numbers(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    const char *all = "";

    for (size_t i = 0; rows && i < compose->analysis->row_count && i < FIGURE_SENTENCE_ROW_MAX;
         i++) {
        const struct estimate *latency_ns = rows[i]->latency_ns;

        all = figure_add_words(
            compose, all, rows[i]->engine_index, rows[i]->cell_index,
            document_format(compose->document, "p50 %s, p99 %s",
                            figure_quantity(compose, latency_ns[0].value / 1e6, "ms"),
                            figure_quantity(compose, latency_ns[2].value / 1e6, "ms")));
    }
    return figure_sentence_end(compose, all);
}

static void draw_panels(struct compose *compose, struct document_table *table,
                        const struct figure_panels *panels)
{
    struct plot *plot = figure_plot(compose);
    size_t step = panels->series_count > 48 ? 4 : (panels->series_count > 24 ? 2 : 1);
    double x_max[FIGURE_PANEL_COUNT_MAX], y_min[FIGURE_PANEL_COUNT_MAX],
        y_max[FIGURE_PANEL_COUNT_MAX];

    for (size_t p = 0; p < panels->panel_count; p++) {
        struct extent extent = {10, HUGE_VAL, 0};

        for (size_t s = (size_t)panels->first_series[p] - 1; s < (size_t)panels->last_series[p];
             s++) {
            add_series(compose, table, panels->rows[s], s, step, &extent);
        }
        bool is_empty = !(extent.y_max > 0);
        x_max[p] = extent.x_max;
        y_min[p] = is_empty ? 0.1 : extent.y_min / 1.3;
        y_max[p] = is_empty ? 10 : extent.y_max * 1.6;
    }
    for (size_t s = panels->series_count; s < panels->row_count; s++) {
        add_table_rows(compose, table, panels->rows[s], find_profile(compose, panels->rows[s]));
    }
    figure_share_scale(panels, x_max, false);
    figure_share_scale(panels, y_min, true);
    figure_share_scale(panels, y_max, false);
    set_units(compose, plot, panels);
    plot_set_numbers(plot, "x_max", x_max, panels->panel_count);
    plot_set_numbers(plot, "y_min", y_min, panels->panel_count);
    plot_set_numbers(plot, "y_max", y_max, panels->panel_count);
}

void figure_add_latency(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct figure_panels panels;
    struct document_figure *figure;

    if (!figure_group_rows(compose, has_profile, &panels)) {
        return;
    }
    figure = figure_begin(compose, "latency", "report/plot/latency.gp");
    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_latency", NULL, columns, ARRAY_COUNT(columns));
    size_t column_count =
        figure_columns(compose, panels.panel_count > 4 ? 3 : (panels.panel_count > 1 ? 2 : 1));
    size_t line_max = figure_line_max(compose, FIXED_PX, LINE_PX_MIN);

    if ((panels.panel_count + column_count - 1) / column_count > line_max) {
        figure_cut_panels(&panels, column_count * line_max);
    }
    size_t line_count = (panels.panel_count + column_count - 1) / column_count;

    draw_panels(compose, table, &panels);
    figure_set_panels(compose, plot, &panels);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_rows", (double)line_count);
    plot->height_px =
        FIXED_PX + figure_line_px(compose, FIXED_PX, line_count, column_count > 2 ? 250 : 340) *
                       (unsigned)line_count;
    figure_end(compose, section, figure,
               document_format(
                   document, "%s%s",
                   document_tr(document, compose_has_open(compose) ? open_caption : closed_caption),
                   figure_left_out(compose, panels.series_count, panels.row_count, "latency")),
               document_format(
                   document, "Distribution of %s: %s.",
                   document_tr(document, compose_has_open(compose) ? "latencies" : "service times"),
                   numbers(compose)),
               table);
}
