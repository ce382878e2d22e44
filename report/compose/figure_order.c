// SPDX-License-Identifier: Apache-2.0
// Figure: every trial in the order it ran, against its own kind, with the CPU that others took.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"

static const struct document_column columns[] = {
    {"order_index", "1", "trial", .number = DOCUMENT_INTEGER, .views = 1, .page_plus = 1},
    {"engine", NULL, "engine", .views = 1, .precision = 32},
    {"workload", NULL, "workload", .views = 1, .precision = 24},
    {"rate_to_mean", "1", "rate to its mean", .number = DOCUMENT_FIXED, .precision = 4, .views = 1},
    {"foreign_cpu_share", "1", "foreign CPU (%)", 100, DOCUMENT_FIXED, 1, .views = 1},
    {"counted", NULL, "counted", .views = 1},
};

struct extent {
    double low, high, foreign_max, last;
    size_t count;
};

/* Of all trials of an engine in a cell: where none is counted. */
static double mean_of_all(const struct compose *compose, const struct analysis_row *row)
{
    const struct analysis_trials trials = analysis_row_trials(compose->analysis, row);
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < trials.count; i++) {
        double rate = compose->analysis->trials[trials.indices[i]].ok_per_s;

        if (rate > 0 && isfinite(rate)) {
            sum += log(rate);
            count++;
        }
    }
    return count > 0 ? exp(sum / (double)count) : (double)NAN;
}

static double row_mean(const struct compose *compose, const struct results_trial *trial)
{
    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        const struct analysis_row *row = &compose->analysis->rows[i];

        if (row->cell_index == trial->cell_index && row->engine_index == trial->engine_index) {
            return row->valid_count > 0 ? row->ok_per_s.value : mean_of_all(compose, row);
        }
    }
    return (double)NAN;
}

/* Of all trials, by index. */
struct dots {
    double *relative, *foreign;
    bool *is_drawn;
    size_t group;
};

static bool find_dots(struct compose *compose, struct dots *dots_out)
{
    size_t count = compose->results->trial_count;
    struct dots dots = {.group = figure_dot_group(count)};

    dots.relative = document_allocate(compose->document, (count + 1) * sizeof(double));
    dots.foreign = document_allocate(compose->document, (count + 1) * sizeof(double));
    dots.is_drawn = document_allocate(compose->document, (count + 1) * sizeof(bool));
    if (!dots.relative || !dots.foreign || !dots.is_drawn) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct trial_summary *summary = &compose->analysis->trials[i];

        dots.relative[i] = summary->ok_per_s / row_mean(compose, &compose->results->trials[i]);
        dots.foreign[i] = summary->foreign_cpu_share;
        dots.is_drawn[i] = !summary->valid || dots.group == 1;
    }
    figure_thin(dots.relative, count, dots.group, dots.is_drawn);
    figure_thin(dots.foreign, count, dots.group, dots.is_drawn);
    *dots_out = dots;
    return true;
}

static size_t count_finite(const double *values, size_t count)
{
    size_t finite = 0;

    for (size_t i = 0; i < count; i++) {
        finite += isfinite(values[i]) ? 1 : 0;
    }
    return finite;
}

static void add_trial(struct compose *compose, struct document_table *table,
                      const struct dots *dots, size_t trial_index, struct extent *extent)
{
    const struct results_trial *trial = &compose->results->trials[trial_index];
    const struct trial_summary *summary = &compose->analysis->trials[trial_index];
    double relative = dots->relative[trial_index];
    struct document_cell *cells = document_add_row(table);

    document_set_integer(cells, 0, trial->order_index);
    document_set_text(cells, 1, compose_engine(compose, trial->engine_index)->name);
    document_set_text(cells, 2, compose_load_name(compose, trial->cell_index));
    document_set_number(cells, 3, relative);
    document_set_number(cells, 4, summary->foreign_cpu_share);
    document_set_sentence(cells, 5, summary->valid ? "yes" : "no");
    if (dots->is_drawn[trial_index]) {
        plot_add_row(figure_plot(compose),
                     (const double[5]){(double)trial->order_index + 1, relative,
                                       summary->foreign_cpu_share * 100, summary->valid,
                                       (double)trial->engine_index + 1},
                     5);
    }
    extent->low = relative < extent->low ? relative : extent->low;
    extent->high = relative > extent->high ? relative : extent->high;
    extent->foreign_max = fmax(extent->foreign_max, summary->foreign_cpu_share * 100);
    extent->last = (double)trial->order_index + 1 > extent->last ? (double)trial->order_index + 1
                                                                 : extent->last;
    extent->count += isfinite(relative) ? 1 : 0;
}

static void set_variables(struct compose *compose, const struct extent *extent)
{
    struct plot *plot = figure_plot(compose);
    size_t engine_count = compose->results->engine_count;
    const char **names = document_allocate(compose->document, (engine_count + 1) * sizeof(*names));

    for (size_t i = 0; names && i < engine_count; i++) {
        names[i] = compose_engine(compose, i)->name;
    }
    if (names) {
        plot_set_texts(plot, "engine_name", names, engine_count);
    }
    plot_set_number(plot, "engine_count", (double)engine_count);
    plot_set_number(plot, "x_max", extent->last + 0.6);
    plot_set_number(plot, "y_min", extent->low - 0.01);
    plot_set_number(plot, "y_max", extent->high + 0.01);
    plot_set_number(plot, "foreign_max", figure_round_up(fmax(extent->foreign_max, 6)));
}

static const char *sentence(struct compose *compose, const struct extent *extent)
{
    struct document *document = compose->document;
    const char *others =
        isfinite(extent->foreign_max)
            ? document_format(document, "other programs took %s of the CPUs at worst",
                              compose_cpu_share(compose, extent->foreign_max / 100))
            : document_tr(document, "what other programs took of the CPUs is not known");

    return document_format(document,
                           "Trials in order: %zu values lie between %.3f and %.3f times the mean "
                           "of their engine; %s.",
                           extent->count, extent->low, extent->high, others);
}

void figure_add_order(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    struct extent extent = {.low = 0.98, .high = 1.02, .foreign_max = (double)NAN};
    struct document_figure *figure;
    struct dots dots;

    if (compose->results->trial_count < 2 || !find_dots(compose, &dots) ||
        count_finite(dots.relative, compose->results->trial_count) < 2) {
        return; /* nothing to stand before or behind */
    }
    figure = figure_begin(compose, "order", "report/plot/order.gp");
    if (!figure) {
        return;
    }
    struct document_table *table =
        document_new_table(document, "figure_order", NULL, columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < compose->results->trial_count; i++) {
        add_trial(compose, table, &dots, i, &extent);
    }
    set_variables(compose, &extent);
    figure_plot(compose)->height_px = 420;
    figure_end(
        compose, section, figure,
        document_format(
            document,
            "Every trial in the order it ran. Above: its requests per second divided by the "
            "mean of its engine at that load, so that a drift of the machine shows as a slope; "
            "crosses are not counted. Below: the share of all CPUs that other programs took "
            "meanwhile; the line is the limit of 5 %%.%s%s",
            compose_counted(compose) == 0
                ? document_tr(document, " Where no trial is counted, the mean is that of all.")
                : "",
            figure_thinned(compose, dots.group, "order")),
        sentence(compose, &extent), table);
}
