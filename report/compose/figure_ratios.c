// SPDX-License-Identifier: Apache-2.0
// Figure: every comparison's ratio to the baseline with its interval, the margin as a band.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/number.h"

static const struct document_column columns[] = {
    COMPOSE_PLACE_COLUMNS,
    {"ratio", "1", "ratio to baseline", .number = DOCUMENT_SIGNIFICANT, .views = 1,
     .has_interval = true},
    {"verdict", NULL, "verdict", .views = 1},
};

static bool has_ratio(const struct analysis_row *row)
{
    return row->ratio.value > 0 && isfinite(row->ratio.value);
}

static size_t count_rows(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->analysis->row_count; i++) {
        count += has_ratio(&compose->analysis->rows[i]);
    }
    return count;
}

/* Second arms of the baseline first: they show the noise that the others are judged against. In a
 * grid they are the first of their panels. */
static size_t list_rows(const struct compose *compose, const struct analysis_row **rows_out)
{
    bool is_grid = figure_is_grid(count_rows(compose));
    size_t count = 0;

    for (int is_aa = 1; is_aa >= 0; is_aa--) {
        for (size_t i = 0; i < compose->analysis->row_count; i++) {
            const struct analysis_row *row = &compose->analysis->rows[i];

            if (has_ratio(row) &&
                (is_grid ? is_aa : compose_engine_is(compose, row->engine_index, "aa") == is_aa)) {
                rows_out[count++] = row;
            }
        }
    }
    return count;
}

/* Which mark a row has: 1 DIFFERENT, 0 no or a small difference, -1 nothing decided. */
static double mark_of(const struct analysis_row *row)
{
    switch (row->verdict) {
    case VERDICT_DIFFERENT:
        return 1;
    case VERDICT_SMALL:
    case VERDICT_EQUIVALENT:
        return 0;
    case VERDICT_NONE:
    case VERDICT_TOO_FEW:
    case VERDICT_INCONCLUSIVE:
        break;
    }
    return -1;
}

static void add_line(struct compose *compose, struct document_table *table,
                     const struct analysis_row *row, size_t place, double extent[2])
{
    const struct estimate *ratio = &row->ratio;
    bool has_interval = ratio->low > 0 && isfinite(ratio->high);
    double low = has_interval ? ratio->low : ratio->value;
    double high = has_interval ? ratio->high : ratio->value;
    struct document_cell *cells = document_add_row(table);

    compose_set_place(compose, cells, 0, row->engine_index, row->cell_index);
    compose_set_estimate(cells, 3, ratio);
    document_set_sentence(cells, 4, verdict_names[row->verdict]);
    plot_add_row(figure_plot(compose),
                 (const double[5]){(double)place, ratio->value, low, high, mark_of(row)}, 5);
    extent[0] = low < extent[0] ? low : extent[0];
    extent[1] = high > extent[1] ? high : extent[1];
}

static const char *numbers(struct compose *compose, const struct analysis_row **rows, size_t count)
{
    const char *all = "";

    for (size_t i = 0; i < count && i < FIGURE_SENTENCE_ROW_MAX; i++) {
        all = figure_add_words(compose, all, rows[i]->engine_index, rows[i]->cell_index,
                               compose_ratio(compose, &rows[i]->ratio));
    }
    return count <= FIGURE_SENTENCE_ROW_MAX
               ? all
               : document_format(compose->document, "%s; and %zu more in the table", all,
                                 count - FIGURE_SENTENCE_ROW_MAX);
}

/* Returns how many are shown. */
static size_t set_rows(struct compose *compose, const struct analysis_row **rows, size_t count)
{
    const char *names[FIGURE_ROW_COUNT_MAX];

    if (figure_is_grid(count)) {
        return figure_set_grid(compose, "report/plot/ratios_grid.gp", rows, count);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = figure_row_label(compose, rows[i]);
    }
    figure_set_labels(compose, names, count);
    unsigned fixed_px = (figure_is_narrow(compose) ? FIGURE_KEY_LINES_PX : 0) + 110;

    figure_plot(compose)->height_px =
        fixed_px + figure_line_px(compose, fixed_px, count, 26) * (unsigned)count;
    return count;
}

void figure_add_ratios(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    const struct analysis_row **rows =
        document_allocate(document, (compose->analysis->row_count + 1) * sizeof(*rows));
    double margin = compose->analysis->margin;
    double extent[2] = {1 / (1 + margin), 1 + margin};
    size_t count = rows ? list_rows(compose, rows) : 0;
    struct document_figure *figure =
        count > 0 ? figure_begin(compose, "ratios", "report/plot/ratios.gp") : NULL;

    if (!figure) {
        return;
    }
    struct plot *plot = figure_plot(compose);
    struct document_table *table =
        document_new_table(document, "figure_ratios", NULL, columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < count; i++) {
        add_line(compose, table, rows[i], i + 1, extent);
    }
    size_t shown = set_rows(compose, rows, count);

    plot_set_number(plot, "margin", margin);
    plot_set_number(plot, "x_min", extent[0] / 1.05);
    plot_set_number(plot, "x_max", extent[1] * 1.05);
    figure_end(
        compose, section, figure,
        document_format(document,
                        "Requests per second as a ratio to the baseline, with the 95 %% "
                        "interval over blocks; equal steps are equal factors. Shaded: the "
                        "margin within which a difference counts as none. Filled: DIFFERENT; "
                        "a diamond: no verdict.%s%s",
                        compose_has_arm(compose)
                            ? document_tr(document, " The second arm of the baseline (A/A) "
                                                    "comes first: it shows the noise.")
                            : "",
                        figure_left_out(compose, shown, count, "ratios")),
        document_format(document, "Ratio to the baseline with 95 %% interval: %s.",
                        numbers(compose, rows, count)),
        table);
}
