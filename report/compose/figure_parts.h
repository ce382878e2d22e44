// SPDX-License-Identifier: Apache-2.0
// The figures one by one, and what they share. Only for report/compose.
#ifndef REPORT_COMPOSE_FIGURE_PARTS_H
#define REPORT_COMPOSE_FIGURE_PARTS_H

#include "report/compose/compose.h"

/* Rows that a picture's sentence tells of; the table under it has all. */
#define FIGURE_SENTENCE_ROW_MAX 8
/* "…; and 12 more in the table": `all` when it has every row. */
const char *figure_sentence_end(struct compose *compose, const char *all);

/* `all` and one row more: "…; epoll at 125 connections (ping): 1.687× [1.66, 1.71]". */
const char *figure_add_words(struct compose *compose, const char *all, size_t engine_index,
                             size_t cell_index, const char *value);
/* "3.88 ms"; "n/a" without a unit. */
const char *figure_quantity(struct compose *compose, double value, const char *unit);

#define FIGURE_PANEL_COUNT_MAX  24
#define FIGURE_SERIES_COUNT_MAX 6 /* in one panel: more cannot be told apart */

/* Each adds its figure, or nothing when there is no number to draw. */
void figure_add_dots(struct compose *compose, struct document_section *section);
void figure_add_throughput(struct compose *compose, struct document_section *section);
void figure_add_latency(struct compose *compose, struct document_section *section);
void figure_add_ratios(struct compose *compose, struct document_section *section);
void figure_add_costs(struct compose *compose, struct document_section *section);
void figure_add_order(struct compose *compose, struct document_section *section);
void figure_add_ecdf(struct compose *compose, struct document_section *section);
void figure_add_load(struct compose *compose, struct document_section *section);
void figure_add_scaling(struct compose *compose, struct document_section *section);
void figure_add_resources(struct compose *compose, struct document_section *section);

/* NULL without memory. The plot is figure_plot until the next begins. */
struct document_figure *figure_begin(struct compose *compose, const char *name, const char *script);
struct plot *figure_plot(struct compose *compose);
void figure_end(struct compose *compose, struct document_section *section,
                struct document_figure *figure, const char *caption, const char *alternative,
                struct document_table *table);

/* A column of a journal: panels stand under each other, and a key has a line for each mark. */
bool figure_is_narrow(const struct compose *compose);
#define FIGURE_KEY_LINES_PX 24U /* so much higher is a key of lines */
/* `wanted` panels beside each other, or as many as the width has room for. */
size_t figure_columns(const struct compose *compose, size_t wanted);
/* Of an article no figure is higher than 240 mm. How many lines of `line_px` it has room for beside
 * `fixed_px`, SIZE_MAX on a page; and how high so many lines may be, at most `wanted_px`. */
size_t figure_line_max(const struct compose *compose, unsigned fixed_px, unsigned line_px);
unsigned figure_line_px(const struct compose *compose, unsigned fixed_px, size_t line_count,
                        unsigned wanted_px);
/* Labels of rows at the left: sets row_name, row_count, label_share. */
void figure_set_labels(struct compose *compose, const char *const *names, size_t count);
/* More rows than one panel on a page has room for. */
#define FIGURE_ROW_COUNT_MAX 40
#define FIGURE_GRID_PANELS   9
struct figure_grid {
    double first_row[FIGURE_GRID_PANELS], last_row[FIGURE_GRID_PANELS]; /* from 1 */
    const char *titles[FIGURE_GRID_PANELS];
    size_t panel_count;
};
bool figure_is_grid(size_t row_count);
/* Rows in the order of the report as panels for each load point, by another script: sets row_name,
 * row_count, label_share, panel_count, panel_columns, panel_px, panel_title, first_row, last_row
 * and the height. Returns how many of the rows are shown. */
size_t figure_set_grid(struct compose *compose, const char *script,
                       const struct analysis_row *const *rows, size_t count);
/* Headings of panels: sets panel_title. */
void figure_set_titles(struct compose *compose, const char *const *titles, size_t count);

/* Foreign and raw: for plot_set_texts, which quotes. */
const char *figure_row_label(struct compose *compose, const struct analysis_row *row);
const char *figure_cell_label(struct compose *compose, size_t cell_index);
/* "epoll at 125 connections 54300 [53900, 54700]; …": the numbers for an alternative text. */
const char *figure_numbers(struct compose *compose);

double figure_sample_rate(const struct results_point *sample); /* ok requests per s; NaN */
/* What an axis must reach: `high` is the end of the longest whisker, unless that would leave the
 * values, `largest` of them, no room; then *is_cut becomes true. */
double figure_reach(double largest, double high, bool *is_cut);
/* "" or " Whiskers that end at the frame go on." */
const char *figure_cut_note(struct compose *compose, bool is_cut);
/* The next larger round number: the end of an axis. 1 for what is not positive. */
double figure_round_up(double value);

/* Rows in groups of at most six of one cell: a panel each. */
struct figure_panels {
    const struct analysis_row **rows; /* those with data; the first of them are series */
    size_t row_count, series_count, panel_count;
    double first_series[FIGURE_PANEL_COUNT_MAX], last_series[FIGURE_PANEL_COUNT_MAX]; /* from 1 */
    const char *titles[FIGURE_PANEL_COUNT_MAX];
};
/* errors: false without memory or rows with data. What is beyond the last panel is left out. */
bool figure_group_rows(struct compose *compose,
                       bool (*has_data)(const struct compose *compose,
                                        const struct analysis_row *row),
                       struct figure_panels *panels_out);
/* The first panels alone, if they are more. */
void figure_cut_panels(struct figure_panels *panels, size_t panel_count);
/* Panels of one load point get the largest of their values, or the least: one scale. */
void figure_share_scale(const struct figure_panels *panels, double *values, bool is_least);
/* Sets panel_count, panel_title, first_series, last_series, series_name. */
void figure_set_panels(struct compose *compose, struct plot *plot,
                       const struct figure_panels *panels);

/* Points of all curves of a picture over time: more are neither seen nor small. */
#define FIGURE_POINT_BUDGET    12000
#define FIGURE_POINT_COUNT_MAX 2000 /* of one curve */
#define FIGURE_POINT_COUNT_MIN 60

/* Samples that one point of each of `curve_count` curves of `sample_count` samples stands for. */
uint32_t figure_step(size_t sample_count, size_t curve_count);

/* Samples first … first + step − 1 of a trial as one: requests are added, gauges are the largest.
 * False: it has none of them. */
bool figure_bin(const struct results_trial *trial, uint32_t first, uint32_t step,
                struct results_point *bin_out);

/* The median, lowest and highest of a metric of one row's counted trials in one bin. */
struct figure_spread {
    struct results_point bin; /* of any trial that has it */
    double median, low, high;
    size_t count;
};
/* False: no trial of the row has samples there. */
bool figure_spread_at(const struct compose *compose, const struct analysis_row *row, uint32_t first,
                      uint32_t step, double (*value)(const struct results_point *bin),
                      struct figure_spread *spread_out);
/* Samples of the longest trial of a row, without the drain. */
size_t figure_sample_count(const struct compose *compose, const struct analysis_row *row);
size_t figure_longest(const struct compose *compose, const struct analysis_row *const *rows,
                      size_t row_count);
/* Dots of a picture, one a trial: more hide each other. Of groups of values in a row the lowest and
 * the highest are drawn, so that no extreme is lost; a group of 1 is drawn whole. */
#define FIGURE_DOT_BUDGET 1500
size_t figure_dot_group(size_t count);
/* Sets is_drawn for the extremes of each group among `count` values; NaN is none. */
void figure_thin(const double *values, size_t count, size_t group, bool *is_drawn);
/* "" or " Of every 6 trials …; the numbers of all are in plots/NAME.csv." */
const char *figure_thinned(struct compose *compose, size_t group, const char *name);
/* "" or " Shown are 24 of 160; the numbers of all are in plots/NAME.csv." */
const char *figure_left_out(struct compose *compose, size_t shown, size_t total, const char *name);

#endif
