// SPDX-License-Identifier: Apache-2.0
// Figure: the whole distribution of service times, logarithmic on both axes.
#include <math.h>
#include <stdlib.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/number.h"

#define POINT_COUNT      81  /* 16 a power of ten of the requests beyond, up to 99.999 % */
#define BEYOND_COUNT_MIN 100 /* fewer requests beyond a quantile say little about it */

static const struct document_column columns[] = {
    {"engine", NULL, "engine", .views = 1, .precision = 32},
    {"workload", NULL, "workload", .views = 1, .precision = 24},
    {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER, .views = 1},
    {"share", "1", "share of requests (%)", 100, DOCUMENT_SIGNIFICANT, 6, .views = 1},
    {"latency_ns", "ns", "at most (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"latency_ns_lowest", "ns", "lowest trial (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"latency_ns_highest", "ns", "highest trial (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1},
    {"request_count", "1", "n (requests)", .number = DOCUMENT_INTEGER, .views = 1},
};

struct extent {
    double x_max, y_min, y_max;
};

/* 1/(1 − share) at point k: 10^(k/16), by table so that no libm bit decides. */
static double nines_at(size_t point)
{
    static const double sixteenths[16] = {1,          1.15478198, 1.33352143, 1.53992653,
                                          1.77827941, 2.05352503, 2.37137371, 2.73841963,
                                          3.16227766, 3.65174127, 4.21696503, 4.86967525,
                                          5.62341325, 6.49381632, 7.49894209, 8.65964323};
    double power = 1;

    for (size_t i = 0; i < point / 16; i++) {
        power *= 10;
    }
    return power * sixteenths[point % 16];
}

#define CAPTION_END                                                                                \
    " of the requests in the windows of all counted trials, merged; the band spans the lowest "    \
    "and "                                                                                         \
    "the highest trial. A curve ends where fewer than 100 requests lie beyond. Closed loop: time " \
    "from the actual send."
static const char closed_caption[] = "Service time" CAPTION_END;
static const char open_caption[] =
    "Latency" CAPTION_END
    " Open loop (a workload with a rate): response time, from when the request was due.";

/* All counted trials of a row in one histogram on the heap; NULL when there is nothing. */
static struct histogram *merge_row(const struct compose *compose, const struct analysis_row *row)
{
    struct histogram *merged = malloc(sizeof(*merged));

    if (!merged) {
        compose->document->failed = true;
        return NULL;
    }
    histogram_clear(merged);
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        if (summary->valid && summary->histogram && figure_trial_is_of(compose, i, row)) {
            histogram_merge(merged, summary->histogram);
        }
    }
    if (merged->total_count <= BEYOND_COUNT_MIN) {
        free(merged);
        return NULL;
    }
    return merged;
}

static struct figure_spread spread_of(const struct compose *compose, const struct analysis_row *row,
                                      double share)
{
    struct figure_spread spread = {(double)NAN, (double)NAN, (double)NAN, 0};

    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        if (!summary->valid || !summary->histogram || summary->histogram->total_count == 0 ||
            !figure_trial_is_of(compose, i, row)) {
            continue;
        }
        double ns = (double)histogram_quantile(summary->histogram, share);
        spread.low = spread.count == 0 || ns < spread.low ? ns : spread.low;
        spread.high = spread.count == 0 || ns > spread.high ? ns : spread.high;
        spread.count++;
    }
    return spread;
}

static void add_point(struct compose *compose, struct plot *plot, const struct analysis_row *row,
                      size_t series, double nines, const struct histogram *merged,
                      struct extent *extent)
{
    double share = 1 - 1 / nines;
    double ms = (double)histogram_quantile(merged, share) / 1e6;
    struct figure_spread spread = spread_of(compose, row, share);
    double low = spread.low / 1e6, high = spread.high / 1e6;

    if (!(ms > 0) || !(low > 0)) {
        return; /* zero has no place on a logarithmic axis */
    }
    plot_add_row(plot, (const double[6]){(double)(series + 1), share, nines, ms, low, high}, 6);
    extent->x_max = nines > extent->x_max ? nines : extent->x_max;
    extent->y_min = low < extent->y_min ? low : extent->y_min;
    extent->y_max = high > extent->y_max ? high : extent->y_max;
}

static void add_table_rows(struct compose *compose, struct document_table *table,
                           const struct analysis_row *row, const struct histogram *merged)
{
    static const double shares[] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999};

    for (size_t i = 0; i < ARRAY_COUNT(shares); i++) {
        struct figure_spread spread = spread_of(compose, row, shares[i]);
        struct document_cell *cells;

        if ((1 - shares[i]) * (double)merged->total_count < BEYOND_COUNT_MIN) {
            break;
        }
        cells = document_add_row(table);
        document_set_text(cells, 0, compose_engine(compose, row->engine_index)->name);
        document_set_text(cells, 1, compose_load_name(compose, row->cell_index));
        document_set_integer(cells, 2, compose_cell(compose, row->cell_index)->connection_count);
        document_set_number(cells, 3, shares[i]);
        document_set_number(cells, 4, (double)histogram_quantile(merged, shares[i]));
        document_set_number(cells, 5, spread.low);
        document_set_number(cells, 6, spread.high);
        document_set_integer(cells, 7, (int64_t)merged->total_count);
    }
}

static void add_series(struct compose *compose, struct plot *plot, struct document_table *table,
                       const struct analysis_row *row, size_t series, struct extent *extent)
{
    struct histogram *merged = merge_row(compose, row);

    for (size_t i = 0; merged && i < POINT_COUNT; i++) {
        double nines = nines_at(i);

        if ((double)merged->total_count / nines < BEYOND_COUNT_MIN) {
            break;
        }
        add_point(compose, plot, row, series, nines, merged, extent);
    }
    if (merged) {
        add_table_rows(compose, table, row, merged);
    } else {
        plot_add_row(plot,
                     (const double[6]){(double)(series + 1), (double)NAN, (double)NAN, (double)NAN,
                                       (double)NAN, (double)NAN},
                     6);
    }
    plot_end_block(plot);
    free(merged);
}

static bool has_histogram(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        if (summary->valid && summary->histogram &&
            summary->histogram->total_count > BEYOND_COUNT_MIN) {
            return true;
        }
    }
    return false;
}

static const char *numbers(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    const char *all = "";
    char p50[NUMBER_TEXT_BYTES], p99[NUMBER_TEXT_BYTES];

    for (size_t i = 0; rows && i < compose->analysis->row_count && i < FIGURE_SENTENCE_ROW_MAX;
         i++) {
        number_format_significant(rows[i]->latency_ns[0].value / 1e6, 3, p50);
        number_format_significant(rows[i]->latency_ns[2].value / 1e6, 3, p99);
        all = document_format(
            compose->document, "%s%s%s p50 %s ms, p99 %s ms", all, *all ? "; " : "",
            document_name(compose->document, compose_engine(compose, rows[i]->engine_index)->name),
            p50, p99);
    }
    return figure_sentence_end(compose, all);
}

static void draw_panels(struct compose *compose, struct plot *plot, struct document_table *table,
                        const struct figure_panels *panels)
{
    double x_max[FIGURE_PANEL_COUNT_MAX], y_min[FIGURE_PANEL_COUNT_MAX],
        y_max[FIGURE_PANEL_COUNT_MAX];

    for (size_t p = 0; p < panels->panel_count; p++) {
        struct extent extent = {10, HUGE_VAL, 0};

        for (size_t s = (size_t)panels->first_series[p] - 1; s < (size_t)panels->last_series[p];
             s++) {
            add_series(compose, plot, table, panels->rows[s], s, &extent);
        }
        bool is_empty = !(extent.y_max > 0);
        x_max[p] = extent.x_max;
        y_min[p] = is_empty ? 0.1 : extent.y_min / 1.3;
        y_max[p] = is_empty ? 10 : extent.y_max * 1.6;
    }
    plot_set_numbers(plot, "x_max", x_max, panels->panel_count);
    plot_set_numbers(plot, "y_min", y_min, panels->panel_count);
    plot_set_numbers(plot, "y_max", y_max, panels->panel_count);
}

void figure_add_latency(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct figure_panels panels;
    struct document_figure *figure;

    if (!has_histogram(compose) || !figure_group_rows(compose, &panels)) {
        return;
    }
    figure = figure_begin(compose, "latency", "report/plot/latency.gp");
    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_latency", NULL, columns, ARRAY_COUNT(columns));
    size_t column_count = panels.panel_count > 1 ? 2 : 1;
    size_t line_count = (panels.panel_count + column_count - 1) / column_count;

    draw_panels(compose, plot, table, &panels);
    figure_set_panels(compose, plot, &panels);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_rows", (double)line_count);
    plot->height_px = 40 + 340 * (unsigned)line_count;
    figure_end(compose, section, figure, compose_has_open(compose) ? open_caption : closed_caption,
               document_format(document, "Distribution of %s: %s.",
                               compose_has_open(compose) ? "latencies" : "service times",
                               numbers(compose)),
               table);
}
