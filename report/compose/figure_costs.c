// SPDX-License-Identifier: Apache-2.0
// Figure: what a request costs the server in CPU time, and the memory it held at most.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

#define ROW_COUNT_MAX  FIGURE_ROW_COUNT_MAX /* lines of a picture */
#define PANEL_EXTRA_PX 90                   /* of an axis and its title */
#define ROW_PX         26
#define ROW_PX_MIN     16 /* labels do not touch */

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"server_cpu_us_per_request", "us", "server CPU (\xc2\xb5s a request)",
     .number = DOCUMENT_SIGNIFICANT, .views = 1, .has_interval = true},
    {"server_rss_kib_peak", "KiB", "peak memory (MiB)", 1.0 / 1024, DOCUMENT_SIGNIFICANT,
     .views = 1},
};

struct extent {
    double cpu_max, memory_max, cpu_high; /* values; the end of the longest whisker */
};

static double memory_mib(const struct analysis_row *row)
{
    return row->rss_kib_peak == METRIC_UNKNOWN ? (double)NAN : (double)row->rss_kib_peak / 1024;
}

static bool has_costs(const struct analysis_row *row)
{
    return row->valid_count > 0 &&
           (isfinite(row->server_cpu_us.value) || isfinite(memory_mib(row)));
}

static size_t list_rows(struct compose *compose, const struct analysis_row **rows_out)
{
    const struct analysis_row **rows = compose_rows(compose);
    size_t count = 0;

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        if (has_costs(rows[i])) {
            rows_out[count++] = rows[i];
        }
    }
    return count;
}

static double larger(double value, double than)
{
    return value > than ? value : than; /* NaN is not larger */
}

static void add_line(struct compose *compose, struct document_table *table,
                     const struct analysis_row *row, double place, bool is_shown,
                     struct extent *extent)
{
    const struct estimate *cpu = &row->server_cpu_us;
    bool has_interval = isfinite(cpu->low) && isfinite(cpu->high);
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
    compose_set_estimate(cells, 3, cpu);
    document_set_integer(cells, 4, row->rss_kib_peak);
    if (!is_shown) {
        return;
    }
    plot_add_row(figure_plot(compose),
                 (const double[5]){place, cpu->value, has_interval ? cpu->low : cpu->value,
                                   has_interval ? cpu->high : cpu->value, memory_mib(row)},
                 5);
    extent->cpu_max = larger(cpu->value, extent->cpu_max);
    extent->cpu_high = larger(cpu->high, extent->cpu_high);
    extent->memory_max = larger(memory_mib(row), extent->memory_max);
}

static const char *numbers(struct compose *compose, const struct analysis_row **rows, size_t count)
{
    const char *all = "";

    for (size_t i = 0; i < count && i < FIGURE_SENTENCE_ROW_MAX; i++) {
        all = figure_add_words(
            compose, all, rows[i]->engine_index, rows[i]->cell_index,
            document_format(compose->document, "%s and %s",
                            figure_quantity(compose, rows[i]->server_cpu_us.value, "\xc2\xb5s"),
                            figure_quantity(compose, memory_mib(rows[i]), "MiB")));
    }
    return count <= FIGURE_SENTENCE_ROW_MAX
               ? all
               : document_format(compose->document, "%s; and %zu more in the table", all,
                                 count - FIGURE_SENTENCE_ROW_MAX);
}

static size_t count_shown(const struct compose *compose, size_t count, unsigned panel_count)
{
    size_t most = figure_line_max(compose, panel_count * PANEL_EXTRA_PX, panel_count * ROW_PX_MIN);

    most = most < ROW_COUNT_MAX ? most : ROW_COUNT_MAX;
    return count < most ? count : most;
}

void figure_add_costs(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    const struct analysis_row **rows =
        document_allocate(document, (compose->analysis->row_count + 1) * sizeof(*rows));
    const char *names[ROW_COUNT_MAX];
    struct extent extent = {0, 0, 0};
    bool is_cut = false;
    size_t count = rows ? list_rows(compose, rows) : 0;
    unsigned panel_count = figure_is_narrow(compose) ? 2 : 1; /* under each other */
    size_t shown = count_shown(compose, count, panel_count);
    struct document_figure *figure =
        count > 0 ? figure_begin(compose, "costs", "report/plot/costs.gp") : NULL;

    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_costs", NULL, columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < count; i++) {
        add_line(compose, table, rows[i], (double)(i + 1), i < shown, &extent);
        if (i < shown) {
            names[i] = figure_row_label(compose, rows[i]);
        }
    }
    figure_set_labels(compose, names, shown);
    plot_set_number(plot, "cpu_max",
                    figure_round_up(figure_reach(extent.cpu_max, extent.cpu_high, &is_cut)));
    plot_set_number(plot, "memory_max", figure_round_up(extent.memory_max));
    plot->height_px =
        panel_count *
        (PANEL_EXTRA_PX + (unsigned)shown * figure_line_px(compose, panel_count * PANEL_EXTRA_PX,
                                                           panel_count * shown, ROW_PX));
    figure_end(compose, section, figure,
               document_format(document,
                               "What serving costs: CPU time of the server for each request "
                               "(geometric mean over the counted trials, 95 %% interval) and the "
                               "highest resident memory of any counted trial. Both axes begin at "
                               "0.%s%s",
                               figure_cut_note(compose, is_cut),
                               figure_left_out(compose, shown, count, "costs")),
               document_format(document, "Server CPU for each request and peak memory: %s.",
                               numbers(compose, rows, count)),
               table);
}
