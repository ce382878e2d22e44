// SPDX-License-Identifier: Apache-2.0
// Figure: every trial as a dot, the mean with its interval beside.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/number.h"

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"order_index", "1", "trial", .number = DOCUMENT_INTEGER, .views = 1, .page_plus = 1},
    {"ok_per_s", "1/s", "requests/s", .number = DOCUMENT_SIGNIFICANT, .precision = 4, .views = 1},
    {"counted", NULL, "counted", .views = 1},
};

/* A fixed pattern that keeps dots of one row apart. */
static double jitter(size_t index)
{
    return (double)((index * 7) % 5) * 0.05 - 0.1;
}

static void add_line(struct compose *compose, struct document_table *table,
                     const struct analysis_row *row, size_t trial_index)
{
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
    document_set_integer(cells, 3, compose->results->trials[trial_index].order_index);
    document_set_number(cells, 4, compose->analysis->trials[trial_index].ok_per_s);
    document_set_sentence(cells, 5, compose->analysis->trials[trial_index].valid ? "yes" : "no");
}

/* What the dots of a figure are made from: those of one row at a time. */
struct dots {
    size_t *trials;
    double *rates;
    bool *is_drawn;
    size_t group;
};

static bool make_dots(struct compose *compose, struct dots *dots_out)
{
    size_t count = compose->results->trial_count + 1;
    struct dots dots = {
        .trials = document_allocate(compose->document, count * sizeof(*dots.trials)),
        .rates = document_allocate(compose->document, count * sizeof(*dots.rates)),
        .is_drawn = document_allocate(compose->document, count * sizeof(*dots.is_drawn)),
        .group = figure_dot_group(compose->results->trial_count)};

    *dots_out = dots;
    return dots.trials && dots.rates && dots.is_drawn;
}

/* The row's trials that are counted, or that are not; those are drawn all. */
static size_t list_row(const struct compose *compose, const struct analysis_row *row, bool counted,
                       struct dots *dots)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    size_t count = 0;

    for (size_t k = 0; k < trials.count; k++) {
        const struct trial_summary *summary = &compose->analysis->trials[trials.indices[k]];

        if (summary->valid == counted && isfinite(summary->ok_per_s)) {
            dots->trials[count] = trials.indices[k];
            dots->rates[count] = summary->ok_per_s;
            dots->is_drawn[count++] = !counted || dots->group == 1;
        }
    }
    figure_thin(dots->rates, count, dots->group, dots->is_drawn);
    return count;
}

/* Adds the dots of all counted (or all other) trials; returns how many and the largest. */
static size_t add_dots(struct compose *compose, struct document_table *table, struct dots *dots,
                       bool counted, double *largest)
{
    const struct analysis_row **rows = compose_rows(compose);
    struct plot *plot = figure_plot(compose);
    size_t dot_count = 0;

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        size_t count = list_row(compose, rows[i], counted, dots);

        for (size_t k = 0; k < count; k++) {
            double rate = dots->rates[k];

            if (dots->is_drawn[k]) {
                plot_add_row(plot,
                             (const double[3]){(double)(i + 1), rate, jitter(dots->trials[k])}, 3);
            }
            add_line(compose, table, rows[i], dots->trials[k]);
            *largest = rate > *largest ? rate : *largest;
        }
        dot_count += count;
    }
    if (dot_count == 0) { /* an empty block would not be counted as one */
        plot_add_row(plot, (const double[3]){1, (double)NAN, 0}, 3);
    }
    plot_end_block(plot);
    return dot_count;
}

/* Returns the end of the longest whisker. */
static double add_means(struct compose *compose, struct plot *plot)
{
    const struct analysis_row **rows = compose_rows(compose);
    double highest = 0;
    size_t mean_count = 0;

    for (size_t i = 0; rows && i < compose->analysis->row_count; i++) {
        const struct estimate *rate = &rows[i]->ok_per_s;
        bool has_interval = isfinite(rate->low) && isfinite(rate->high);

        if (isfinite(rate->value)) {
            plot_add_row(plot,
                         (const double[4]){(double)(i + 1), rate->value,
                                           has_interval ? rate->low : rate->value,
                                           has_interval ? rate->high : rate->value},
                         4);
            highest = has_interval ? fmax(highest, rate->high) : highest;
            mean_count++;
        }
    }
    if (mean_count == 0) {
        plot_add_row(plot, (const double[4]){1, (double)NAN, (double)NAN, (double)NAN}, 4);
    }
    plot_end_block(plot);
    return highest;
}

/* What each row reaches: a panel of a grid ends at the largest of its rows. */
static void set_ends(struct compose *compose, const struct analysis_row **rows, size_t count)
{
    double *ends = document_allocate(compose->document, (count + 1) * sizeof(*ends));

    for (size_t i = 0; ends && i < count; i++) {
        const struct analysis_trials trials = analysis_row_trials(compose->analysis, rows[i]);
        const struct estimate *rate = &rows[i]->ok_per_s;
        bool is_cut;

        ends[i] = 0;
        for (size_t k = 0; k < trials.count; k++) {
            ends[i] = fmax(ends[i], compose->analysis->trials[trials.indices[k]].ok_per_s);
        }
        if (isfinite(rate->low) && isfinite(rate->high)) {
            ends[i] = figure_reach(ends[i], rate->high, &is_cut);
        }
    }
    if (ends) {
        plot_set_numbers(figure_plot(compose), "row_end", ends, count);
    }
}

/* Returns how many rows are shown. */
static size_t set_rows(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    size_t count = compose->analysis->row_count;
    const char **names = document_allocate(compose->document, (count + 1) * sizeof(*names));

    if (rows && figure_is_grid(count)) {
        set_ends(compose, rows, count);
        return figure_set_grid(compose, "report/plot/dots_grid.gp", rows, count);
    }

    for (size_t i = 0; rows && names && i < count; i++) {
        names[i] = figure_row_label(compose, rows[i]);
    }
    if (names) {
        figure_set_labels(compose, names, count);
    }
    unsigned fixed_px = (figure_is_narrow(compose) ? FIGURE_KEY_LINES_PX : 0) + 110;

    figure_plot(compose)->height_px =
        fixed_px + figure_line_px(compose, fixed_px, count, 34) * (unsigned)count;
    return count;
}

/* Where nothing was served there is nothing to compare. */
static bool has_rate(const struct compose *compose)
{
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        if (compose->analysis->trials[i].ok_per_s > 0) {
            return true;
        }
    }
    return false;
}

static const char *caption(struct compose *compose, size_t counted, size_t excluded, bool is_cut,
                           size_t group)
{
    struct document *document = compose->document;

    if (counted == 0) {
        return document_format(document,
                               "Throughput of every trial (%zu crosses, one a trial). None of them "
                               "is counted, so there is no mean. The axis begins at 0.",
                               excluded);
    }
    return document_format(document,
                           "Throughput of every trial (%zu dots, one a trial; %zu not counted) "
                           "and the geometric mean with its 95 %% interval. The axis begins "
                           "at 0.%s%s",
                           counted, excluded, figure_cut_note(compose, is_cut),
                           figure_thinned(compose, group, "trials"));
}

static const char *alternative(struct compose *compose, size_t counted, size_t excluded,
                               double largest)
{
    char text[NUMBER_TEXT_BYTES];

    return counted == 0
               ? document_format(compose->document,
                                 "Requests per second of %zu trials that are not counted: at most "
                                 "%s.",
                                 excluded, number_format_fixed(largest, 0, 1, text))
               : document_format(compose->document,
                                 "Mean requests per second with 95 %% interval: %s.",
                                 figure_numbers(compose));
}

void figure_add_dots(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct document_figure *figure;
    double largest = 0, scale;
    struct dots dots;

    if (compose->analysis->row_count == 0 || !has_rate(compose) || !make_dots(compose, &dots)) {
        return;
    }
    figure = figure_begin(compose, "trials", "report/plot/dots.gp");
    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_trials", NULL, columns, ARRAY_COUNT(columns));
    size_t counted = add_dots(compose, table, &dots, true, &largest);
    double highest = add_means(compose, plot);
    size_t excluded = add_dots(compose, table, &dots, false, &largest);
    bool is_cut = false;
    double fastest = largest;

    largest = figure_reach(largest, highest, &is_cut);
    scale = largest >= 10000 ? 1000 : 1;
    size_t shown = set_rows(compose);
    plot_set_number(plot, "counted_count", (double)counted);
    plot_set_number(plot, "excluded_count", (double)excluded);
    plot_set_number(plot, "x_scale", scale);
    plot_set_number(plot, "x_max", figure_round_up(largest / scale));
    plot_set_text(plot, "x_unit",
                  document_tr(document, scale > 1 ? "thousand requests/s" : "requests/s"));
    figure->has_intervals = counted > 0;
    figure_end(
        compose, section, figure,
        document_format(document, "%s%s%s", caption(compose, counted, excluded, is_cut, dots.group),
                        figure_is_grid(compose->analysis->row_count)
                            ? document_tr(document, " Each panel has a scale of its own.")
                            : "",
                        figure_left_out(compose, shown, compose->analysis->row_count, "trials")),
        alternative(compose, counted, excluded, fastest), table);
}
