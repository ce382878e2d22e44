// SPDX-License-Identifier: Apache-2.0
// Rows of a figure in a grid of panels, one for each load point, where one panel of all would be
// higher than a page.
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/text_wrap.h"

#define PANEL_ROW_MAX   30
#define PANEL_LINE_MAX  3 /* panels over each other: with more it would not fit a page */
#define ROW_PX          13
#define PANEL_EXTRA_PX  64 /* title and axis */
#define KEY_PX          26
#define FOOT_PX         16
#define LETTER_PX       5.6 /* of small labels, in the mean */
#define LABEL_COLUMNS   20
#define LABEL_SHARE_MAX 0.5
#define GRID_COLUMNS    3

bool figure_is_grid(size_t row_count)
{
    return row_count > FIGURE_ROW_COUNT_MAX;
}

/* Rows of calibration share a panel: each number of connections has but one. */
static bool is_same_panel(const struct compose *compose, const struct analysis_row *row,
                          const struct analysis_row *next)
{
    return row->cell_index == next->cell_index ||
           (compose_workload(compose, row->cell_index)->is_calibration &&
            compose_workload(compose, next->cell_index)->is_calibration);
}

static const char *panel_title(struct compose *compose, const struct analysis_row *row)
{
    return compose_workload(compose, row->cell_index)->is_calibration
               ? compose_workload(compose, row->cell_index)->name
               : figure_cell_label(compose, row->cell_index);
}

static const char *row_name(struct compose *compose, const struct analysis_row *row)
{
    const char *name = compose_engine(compose, row->engine_index)->name;

    return compose_workload(compose, row->cell_index)->is_calibration
               ? document_format(
                     compose->document, "%s, %lld", name,
                     (long long)compose_cell(compose, row->cell_index)->connection_count)
               : name;
}

/* Where panels begin and end; returns how many rows they show. */
static size_t place_panels(struct compose *compose, const struct analysis_row *const *rows,
                           size_t count, size_t panel_max, struct figure_grid *grid)
{
    for (size_t i = 0; i < count; i++) {
        size_t held =
            grid->panel_count > 0 ? i - ((size_t)grid->first_row[grid->panel_count - 1] - 1) : 0;

        if (grid->panel_count == 0 || held == PANEL_ROW_MAX ||
            !is_same_panel(compose, rows[i - 1], rows[i])) {
            if (grid->panel_count == panel_max) {
                return i;
            }
            grid->titles[grid->panel_count] = panel_title(compose, rows[i]);
            grid->first_row[grid->panel_count++] = (double)(i + 1);
        }
        grid->last_row[grid->panel_count - 1] = (double)(i + 1);
    }
    return count;
}

/* As high as the panel with the most rows. */
static unsigned panel_height_px(const struct figure_grid *grid)
{
    double most = 0;

    for (size_t p = 0; p < grid->panel_count; p++) {
        most = fmax(most, grid->last_row[p] - grid->first_row[p] + 1);
    }
    return PANEL_EXTRA_PX + ROW_PX * (unsigned)most;
}

static unsigned key_px(const struct compose *compose)
{
    return KEY_PX + (figure_is_narrow(compose) ? FIGURE_KEY_LINES_PX : 0);
}

/* Lines of panels while they fit; returns how many rows are shown. */
static size_t fill_grid(struct compose *compose, const struct analysis_row *const *rows,
                        size_t count, size_t column_count, struct figure_grid *grid)
{
    for (size_t line_max = PANEL_LINE_MAX; line_max > 0; line_max--) {
        *grid = (struct figure_grid){.panel_count = 0};
        size_t shown = place_panels(compose, rows, count, column_count * line_max, grid);
        size_t line_count = (grid->panel_count + column_count - 1) / column_count;

        if (line_count <=
            figure_line_max(compose, key_px(compose) + FOOT_PX, panel_height_px(grid))) {
            return shown;
        }
    }
    return 0;
}

size_t figure_set_grid(struct compose *compose, const char *script,
                       const struct analysis_row *const *rows, size_t count)
{
    struct plot *plot = figure_plot(compose);
    size_t column_count = figure_columns(compose, GRID_COLUMNS), widest = 1;
    struct figure_grid grid = {.panel_count = 0};
    const char **names = document_allocate(compose->document, (count + 1) * sizeof(*names));
    size_t shown = names ? fill_grid(compose, rows, count, column_count, &grid) : 0;
    size_t line_count = (grid.panel_count + column_count - 1) / column_count;

    for (size_t i = 0; i < shown; i++) {
        size_t columns = text_columns(names[i] = row_name(compose, rows[i]));

        widest = columns > widest ? columns : widest;
    }
    widest = widest < LABEL_COLUMNS ? widest : LABEL_COLUMNS;
    plot->script = script;
    plot->label_columns = LABEL_COLUMNS;
    plot_set_texts(plot, "row_name", names, shown);
    figure_set_titles(compose, grid.titles, grid.panel_count);
    plot_set_numbers(plot, "first_row", grid.first_row, grid.panel_count);
    plot_set_numbers(plot, "last_row", grid.last_row, grid.panel_count);
    plot_set_number(plot, "panel_count", (double)grid.panel_count);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_px", panel_height_px(&grid));
    plot_set_number(plot, "row_count", (double)shown);
    plot_set_number(plot, "label_share",
                    fmin(LABEL_SHARE_MAX, ((double)widest * LETTER_PX + 14) * (double)column_count /
                                              compose->figure_width_px));
    plot->height_px = key_px(compose) + panel_height_px(&grid) * (unsigned)line_count + FOOT_PX;
    return shown;
}
