// SPDX-License-Identifier: Apache-2.0
// Figures over load: latency against the offered rate, throughput against connections; only of
// workloads with several load points.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

#define GROUP_COUNT_MAX 6  /* panels, or lines of them; more are in the table alone */
#define GROUP_LIST_MAX  64 /* workloads */
#define CURVE_COUNT_MAX (GROUP_COUNT_MAX * FIGURE_SERIES_COUNT_MAX)
#define FIXED_PX        50
#define LINE_PX         300
#define LINE_PX_MIN     250
#define POINT_COUNT_MAX 64   /* load points of a workload */
#define ACHIEVED_MIN    0.99 /* of the offered rate: less is a shortfall */

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"rate_per_s", "1/s", "offered/s", .number = DOCUMENT_INTEGER, .views = 1},
    {"ok_per_s", "1/s", "requests/s", .number = DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
    {"latency_ns_p50", "ns", "p50 (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
    {"latency_ns_p99", "ns", "p99 (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
    {"latency_ns_p99_9", "ns", "p99.9 (ms)", 1e-6, DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
};

/* The load points of one workload, over what they differ in. */
struct group {
    size_t workload_index;
    int64_t connection_count; /* open loop: of all its points */
};

struct curves {
    bool is_open;
    struct group groups[GROUP_LIST_MAX];
    size_t group_count, shown_count;  /* those that are drawn */
    size_t series_count, curve_count; /* those that are drawn; all */
    double first_series[GROUP_COUNT_MAX], last_series[GROUP_COUNT_MAX];
    double x_min[GROUP_COUNT_MAX], x_max[GROUP_COUNT_MAX];
    double y_min[GROUP_COUNT_MAX], y_max[GROUP_COUNT_MAX]; /* ms, or requests/s from 0 */
    double point_count[GROUP_COUNT_MAX * 3];               /* of p50, p99, p99.9 */
    const char *titles[GROUP_COUNT_MAX], *names[CURVE_COUNT_MAX];
};

static bool cell_is_of(const struct curves *curves, const struct group *group,
                       const struct results_cell *cell)
{
    bool is_open = cell->rate_per_s != METRIC_UNKNOWN;

    return is_open == curves->is_open && cell->workload_index == group->workload_index &&
           (!is_open || cell->connection_count == group->connection_count);
}

static double load_of(const struct curves *curves, const struct results_cell *cell)
{
    return (double)(curves->is_open ? cell->rate_per_s : cell->connection_count);
}

/* Something was counted at this load. */
static bool cell_has_point(const struct compose *compose, size_t cell_index)
{
    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        if (row->cell_index == cell_index && isfinite(row->ok_per_s.value)) {
            return true;
        }
    }
    return false;
}

/* Panels of a group that stand under each other. */
static unsigned lines_each(const struct compose *compose, const struct curves *curves)
{
    return curves->is_open && figure_is_narrow(compose) ? 3 : 1;
}

static void count_shown(const struct compose *compose, struct curves *curves)
{
    size_t most = figure_line_max(compose, FIXED_PX, LINE_PX_MIN) / lines_each(compose, curves);

    most = most < GROUP_COUNT_MAX ? most : GROUP_COUNT_MAX;
    curves->shown_count = curves->group_count < most ? curves->group_count : most;
}

/* Groups with at least two different loads. */
static void find_groups(const struct compose *compose, struct curves *curves)
{
    const struct results *results = compose->results;

    for (size_t i = 0; i < results->cell_count && curves->group_count < GROUP_LIST_MAX; i++) {
        struct group group = {results->cells[i].workload_index, results->cells[i].connection_count};
        size_t before = 0, others = 0;

        if (results->workloads[group.workload_index].is_calibration ||
            !cell_is_of(curves, &group, &results->cells[i]) || !cell_has_point(compose, i)) {
            continue;
        }
        for (size_t k = 0; k < results->cell_count; k++) {
            bool is_of =
                cell_is_of(curves, &group, &results->cells[k]) && cell_has_point(compose, k);

            before += is_of && k < i;
            others +=
                is_of && load_of(curves, &results->cells[k]) != load_of(curves, &results->cells[i]);
        }
        if (before == 0 && others > 0) {
            curves->groups[curves->group_count++] = group;
        }
    }
    count_shown(compose, curves);
}

/* Rows of one engine in a group, by load. */
static size_t list_points(const struct compose *compose, const struct curves *curves,
                          const struct group *group, size_t engine_index,
                          const struct analysis_row **points)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->analysis->row_count && count < POINT_COUNT_MAX; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];
        size_t at = count;

        if (row->engine_index != engine_index || !isfinite(row->ok_per_s.value) ||
            !cell_is_of(curves, group, compose_cell(compose, row->cell_index))) {
            continue;
        }
        for (; at > 0 && load_of(curves, compose_cell(compose, points[at - 1]->cell_index)) >
                             load_of(curves, compose_cell(compose, row->cell_index));
             at--) {
            points[at] = points[at - 1];
        }
        points[at] = row;
        count++;
    }
    return count;
}

static void reach(struct curves *curves, size_t group, double low, double high)
{
    if (low > 0 && isfinite(high)) {
        curves->y_min[group] = fmin(curves->y_min[group], low);
        curves->y_max[group] = fmax(curves->y_max[group], high);
    }
}

/* load, short, then value low high of: rate, p50, p99, p99.9 (ms). */
static void add_point(struct compose *compose, struct curves *curves, size_t group,
                      const struct analysis_row *row)
{
    const struct results_cell *cell = compose_cell(compose, row->cell_index);
    const struct estimate *estimates[4] = {&row->ok_per_s, &row->latency_ns[0], &row->latency_ns[2],
                                           &row->latency_ns[3]};
    double load = load_of(curves, cell);
    double values[14] = {load, curves->is_open && row->ok_per_s.value < ACHIEVED_MIN * load};

    for (size_t i = 0; i < 4; i++) {
        double scale = i == 0 ? 1 : 1e-6;
        bool has_interval = isfinite(estimates[i]->low) && isfinite(estimates[i]->high);

        values[2 + 3 * i] = estimates[i]->value * scale;
        values[3 + 3 * i] = (has_interval ? estimates[i]->low : estimates[i]->value) * scale;
        values[4 + 3 * i] = (has_interval ? estimates[i]->high : estimates[i]->value) * scale;
        if (i > 0) {
            curves->point_count[3 * group + i - 1] += isfinite(estimates[i]->value);
        }
        if ((i == 0) != curves->is_open) {
            reach(curves, group, values[3 + 3 * i], values[4 + 3 * i]);
        }
    }
    plot_add_row(figure_plot(compose), values, 14);
    curves->x_min[group] = fmin(curves->x_min[group], load);
    curves->x_max[group] = fmax(curves->x_max[group], load);
}

static void add_table_row(struct compose *compose, struct document_table *table,
                          const struct analysis_row *row)
{
    const struct results_cell *cell = compose_cell(compose, row->cell_index);
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, 0, compose_engine(compose, row->engine_index)->name);
    document_set_text(cells, 1, compose_workload(compose, row->cell_index)->name);
    document_set_integer(cells, 2, cell->connection_count);
    document_set_integer(cells, 3, cell->rate_per_s);
    compose_set_estimate(cells, 4, &row->ok_per_s);
    compose_set_estimate(cells, 5, &row->latency_ns[0]);
    compose_set_estimate(cells, 6, &row->latency_ns[2]);
    compose_set_estimate(cells, 7, &row->latency_ns[3]);
}

/* The rows of one engine in a group; those of a curve that is not drawn are in the table alone. */
static void add_curve(struct compose *compose, struct document_table *table, struct curves *curves,
                      size_t group, size_t engine, bool is_drawn)
{
    const struct analysis_row *points[POINT_COUNT_MAX];
    size_t count = list_points(compose, curves, &curves->groups[group], engine, points);

    for (size_t i = 0; i < count; i++) {
        add_table_row(compose, table, points[i]);
    }
    curves->curve_count += count > 0;
    if (count == 0 || !is_drawn) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        add_point(compose, curves, group, points[i]);
    }
    plot_end_block(figure_plot(compose));
    curves->names[curves->series_count++] = compose_engine(compose, engine)->name;
}

static void add_group(struct compose *compose, struct document_table *table, struct curves *curves,
                      size_t group)
{
    bool is_shown = group < curves->shown_count;
    size_t before = curves->series_count;

    if (is_shown) {
        curves->x_min[group] = curves->y_min[group] = HUGE_VAL;
        curves->first_series[group] = (double)(before + 1);
    }
    for (size_t engine = 0; engine < compose->results->engine_count; engine++) {
        add_curve(compose, table, curves, group, engine,
                  is_shown && curves->series_count - before < FIGURE_SERIES_COUNT_MAX);
    }
    if (!is_shown) {
        return;
    }
    curves->last_series[group] = (double)curves->series_count;
    if (!(curves->y_max[group] > 0)) { /* nothing known: an empty panel with axes */
        curves->y_min[group] = 0.1;
        curves->y_max[group] = 10;
    }
}

static const char *group_title(struct compose *compose, const struct curves *curves,
                               const struct group *group)
{
    const char *name = compose->results->workloads[group->workload_index].name;

    return curves->is_open ? document_format(compose->document, "%s, %lld connections", name,
                                             (long long)group->connection_count)
                           : name;
}

static void draw(struct compose *compose, struct document_table *table, struct curves *curves)
{
    struct plot *plot = figure_plot(compose);
    size_t shown = curves->shown_count, line_count = shown * lines_each(compose, curves);

    for (size_t g = 0; g < curves->group_count; g++) {
        add_group(compose, table, curves, g);
    }
    for (size_t g = 0; g < shown; g++) {
        curves->titles[g] = group_title(compose, curves, &curves->groups[g]);
    }
    plot_set_number(plot, "panel_count", (double)shown);
    figure_set_titles(compose, curves->titles, shown);
    plot_set_texts(plot, "series_name", curves->names, curves->series_count);
    plot_set_numbers(plot, "first_series", curves->first_series, shown);
    plot_set_numbers(plot, "last_series", curves->last_series, shown);
    plot_set_numbers(plot, "x_min", curves->x_min, shown);
    plot_set_numbers(plot, "x_max", curves->x_max, shown);
    plot_set_numbers(plot, "y_min", curves->y_min, shown);
    plot_set_numbers(plot, "y_max", curves->y_max, shown);
    plot_set_numbers(plot, "point_count", curves->point_count, 3 * shown);
    plot_set_number(plot, "across", curves->is_open && !figure_is_narrow(compose) ? 3 : 1);
    plot->height_px =
        FIXED_PX + figure_line_px(compose, FIXED_PX, line_count, LINE_PX) * (unsigned)line_count;
}

/* What the picture shows of its curves, behind its caption. */
static const char *caption(struct compose *compose, const struct curves *curves, const char *words)
{
    return document_format(compose->document, "%s%s", document_tr(compose->document, words),
                           figure_left_out(compose, curves->series_count, curves->curve_count,
                                           curves->is_open ? "load" : "scaling"));
}

void figure_add_load(struct compose *compose, struct document_section *section)
{
    struct curves curves = {.is_open = true};

    find_groups(compose, &curves);
    struct document_figure *figure =
        curves.group_count > 0 ? figure_begin(compose, "load", "report/plot/load.gp") : NULL;

    if (!figure) {
        return;
    }
    struct document_table *table =
        document_new_table(compose->document, "figure_load", NULL, columns, ARRAY_COUNT(columns));

    draw(compose, table, &curves);
    figure_end(compose, section, figure,
               caption(compose, &curves,
                       "Response time against the offered rate, in an open loop: the mean over the "
                       "counted trials of each trial's quantile, with the 95 % interval. A cross "
                       "marks a load of which less than 99 % was served: beyond it the engine is "
                       "past its limit and the time is that of a growing queue."),
               document_format(compose->document,
                               "Response time against offered rate. Served requests per second: "
                               "%s.",
                               figure_numbers(compose)),
               table);
}

void figure_add_scaling(struct compose *compose, struct document_section *section)
{
    struct curves curves = {.is_open = false};

    find_groups(compose, &curves);
    struct document_figure *figure =
        curves.group_count > 0 ? figure_begin(compose, "scaling", "report/plot/scaling.gp") : NULL;

    if (!figure) {
        return;
    }
    struct document_table *table = document_new_table(compose->document, "figure_scaling", NULL,
                                                      columns, ARRAY_COUNT(columns));

    draw(compose, table, &curves);
    figure_end(compose, section, figure,
               caption(compose, &curves,
                       "Requests per second against the number of connections, in a closed loop: "
                       "the geometric mean over the counted trials with the 95 % interval. The "
                       "lines only lead the eye; nothing was measured between the points."),
               document_format(compose->document,
                               "Throughput against connections. Requests per second: %s.",
                               figure_numbers(compose)),
               table);
}
