// SPDX-License-Identifier: Apache-2.0
// Section and figure: how the ratio of each engine to its session's baseline went over the sessions
// of this plan that the results file holds.
#include <math.h>

#include "engines/base/clock.h"
#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/judge/history.h"
#include "report/render/number.h"

#define PANEL_COUNT_SHOWN 12
#define SPAN_LEAST        1.03 /* of an axis: a move below it shall not look like one */
#define ITEM_COUNT_MAX    4    /* so many series are told one by one though nothing is outside */
#define LEAD_COUNT_MAX    2

enum column {
    SESSION,
    BEGAN,
    ENGINE,
    WORKLOAD,
    CONNECTIONS,
    RATIO,
    STATE,
    BOUNDARY,
    CHANGE,
    COLUMN_COUNT
};
static const struct document_column columns[COLUMN_COUNT] = {
    [SESSION] = {"session", NULL, "session", .views = 1, .precision = 12},
    [BEGAN] = {"started_utc", NULL, "begun (UTC)", .views = 1, .precision = 32},
    [ENGINE] = {"engine", NULL, "engine", .views = 1, .precision = 32},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 1, .precision = 24},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = 1},
    [RATIO] = {"ratio", "1", "ratio to baseline", .number = DOCUMENT_SIGNIFICANT, .views = 1,
               .has_interval = true},
    [STATE] = {"state", NULL, "the session is", .views = 1},
    [BOUNDARY] = {"is_other_ground", NULL, "other machine or baseline program", .views = 1},
    [CHANGE] = {"is_change", NULL, "a level begins", .views = 1},
};

struct extent {
    double low, high;
};

static bool is_change(const struct history_series *series, size_t session_index)
{
    for (size_t i = 0; i < series->change_count; i++) {
        if (series->changes[i] == session_index) {
            return true;
        }
    }
    return false;
}

static void add_line(struct compose *compose, struct document_table *table,
                     const struct history_series *series, size_t session_index)
{
    const struct history_session *session = &compose->history->sessions[session_index];
    struct document *document = compose->document;
    struct document_cell *cells = document_add_row(table);
    char started[CLOCK_TEXT_BYTES];

    clock_format_utc(session->started_utc_ns, started);
    document_set_text(cells, SESSION, document_format(document, "%s", session->uid));
    document_set_sentence(cells, BEGAN, document_format(document, "%s", started));
    document_set_text(cells, ENGINE, compose_engine(compose, series->engine_index)->name);
    document_set_text(cells, WORKLOAD, compose_load_name(compose, series->cell_index));
    document_set_integer(cells, CONNECTIONS,
                         compose_cell(compose, series->cell_index)->connection_count);
    compose_set_estimate(cells, RATIO, &series->ratios[session_index]);
    document_set_sentence(cells, STATE, trust_names[session->trust]);
    document_set_sentence(cells, BOUNDARY, session->is_boundary ? "yes" : "no");
    document_set_sentence(cells, CHANGE, is_change(series, session_index) ? "yes" : "no");
}

static void reach(struct extent *extent, double low, double high)
{
    if (low > 0 && isfinite(high)) {
        extent->low = fmin(extent->low, low);
        extent->high = fmax(extent->high, high);
    }
}

/* session, ratio, low, high, other ground, change */
static void add_points(struct compose *compose, const struct history_series *series,
                       struct extent *extent)
{
    const struct history *history = compose->history;
    struct plot *plot = figure_plot(compose);

    for (size_t i = 0; i < history->session_count; i++) {
        const struct estimate *ratio = &series->ratios[i];
        bool has_interval = ratio->low > 0 && isfinite(ratio->high);
        double low = has_interval ? ratio->low : ratio->value;
        double high = has_interval ? ratio->high : ratio->value;

        plot_add_row(plot,
                     (const double[6]){(double)(i + 1), ratio->value, low, high,
                                       history->sessions[i].is_boundary ? 1 : 0,
                                       is_change(series, i) ? 1 : 0},
                     6);
        reach(extent, low, high);
    }
    reach(extent, series->band_low, series->band_high);
    plot_end_block(plot);
}

static bool has_ratio(const struct history *history, const struct history_series *series)
{
    for (size_t i = 0; i < history->session_count; i++) {
        if (series->ratios[i].count > 0) {
            return true;
        }
    }
    return false;
}

/* Those with a number come first; returns how many they are. */
static size_t list_series(struct compose *compose, const struct history_series **list)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->history->series_count; i++) {
        if (has_ratio(compose->history, &compose->history->series[i])) {
            list[count++] = &compose->history->series[i];
        }
    }
    return count;
}

static const char *title(struct compose *compose, const struct history_series *series)
{
    return document_format(compose->document, "%s, %s, %lld",
                           compose_engine(compose, series->engine_index)->name,
                           compose_load_name(compose, series->cell_index),
                           (long long)compose_cell(compose, series->cell_index)->connection_count);
}

static void draw(struct compose *compose, const struct history_series *const *list, size_t count)
{
    struct plot *plot = figure_plot(compose);
    double y_min[PANEL_COUNT_SHOWN], y_max[PANEL_COUNT_SHOWN], low[PANEL_COUNT_SHOWN],
        high[PANEL_COUNT_SHOWN];
    const char *titles[PANEL_COUNT_SHOWN];
    size_t column_count = figure_columns(compose, count > 1 ? 2 : 1);
    size_t line_count = (count + column_count - 1) / column_count;

    for (size_t i = 0; i < count; i++) {
        struct extent extent = {(double)INFINITY, 0};

        add_points(compose, list[i], &extent);
        titles[i] = title(compose, list[i]);
        double room =
            fmax(sqrt(SPAN_LEAST * extent.low / extent.high), pow(extent.high / extent.low, 0.08));

        y_min[i] = extent.low / room;
        y_max[i] = extent.high * room;
        low[i] = isfinite(list[i]->band_low) ? list[i]->band_low : 0;
        high[i] = isfinite(list[i]->band_high) ? list[i]->band_high : 0;
    }
    figure_set_titles(compose, titles, count);
    plot_set_number(plot, "panel_count", (double)count);
    plot_set_number(plot, "panel_columns", (double)column_count);
    plot_set_number(plot, "panel_rows", (double)line_count);
    plot_set_number(plot, "session_count", (double)compose->history->session_count);
    plot_set_numbers(plot, "y_min", y_min, count);
    plot_set_numbers(plot, "y_max", y_max, count);
    plot_set_numbers(plot, "band_low", low, count);
    plot_set_numbers(plot, "band_high", high, count);
    plot->height_px = 20 + 220 * (unsigned)line_count;
}

static const char *numbers(struct compose *compose, const struct history_series *const *list,
                           size_t count)
{
    size_t last = compose->history->session_count - 1;
    const char *all = "";

    for (size_t i = 0; i < count && i < FIGURE_SENTENCE_ROW_MAX; i++) {
        all = figure_add_words(compose, all, list[i]->engine_index, list[i]->cell_index,
                               compose_ratio(compose, &list[i]->ratios[last]));
    }
    return all;
}

/* The last session of a series has a place in, or outside, a control band. */
static bool is_judged(const struct compose *compose, const struct history_series *series)
{
    return isfinite(series->band_low) &&
           series->ratios[compose->history->session_count - 1].count > 0;
}

/* "epoll at 125 connections (ping): 1.687× [1.66, 1.71] in this session, within …" */
static void add_item(struct compose *compose, struct document_section *section,
                     const struct history_series *series)
{
    struct document *document = compose->document;
    size_t last = compose->history->session_count - 1;
    char low[NUMBER_TEXT_BYTES], high[NUMBER_TEXT_BYTES];

    number_format_significant(series->band_low, 4, low);
    number_format_significant(series->band_high, 4, high);
    document_add(document, section, DOCUMENT_ITEM,
                 document_format(
                     document,
                     series->is_outside
                         ? "%s %s: %s in this session, outside the control band of %s to %s that "
                           "the %zu sessions before it make."
                         : "%s %s: %s in this session, within the control band of %s to %s that "
                           "the %zu sessions before it make.",
                     document_name(document, compose_engine(compose, series->engine_index)->name),
                     compose_place(compose, series->cell_index),
                     compose_ratio(compose, &series->ratios[last]), low, high, series->band_count))
        ->tone = series->is_outside ? DOCUMENT_CAUTION : DOCUMENT_PLAIN;
}

/* Those outside their bands one by one; many others by their number. */
static void add_items(struct compose *compose, struct document_section *section,
                      const struct history_series *const *list, size_t count)
{
    size_t within = 0;

    for (size_t i = 0; i < count; i++) {
        within += is_judged(compose, list[i]) && !list[i]->is_outside;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_judged(compose, list[i]) && (list[i]->is_outside || within <= ITEM_COUNT_MAX)) {
            add_item(compose, section, list[i]);
        }
    }
    if (within > ITEM_COUNT_MAX) {
        document_add(compose->document, section, DOCUMENT_ITEM,
                     document_format(compose->document,
                                     "%zu ratios of this session lie within their control bands.",
                                     within));
    }
}

/* Where the last level began, if it is not the first. */
static void add_levels(struct compose *compose, struct document_section *section,
                       const struct history_series *const *list, size_t count)
{
    struct document *document = compose->document;
    char started[CLOCK_TEXT_BYTES];

    for (size_t i = 0; i < count; i++) {
        const struct history_series *series = list[i];

        if (series->change_count == 0) {
            continue;
        }
        size_t first = series->changes[series->change_count - 1];

        clock_format_utc(compose->history->sessions[first].started_utc_ns, started);
        document_add(
            document, section, DOCUMENT_ITEM,
            document_format(
                document,
                "%s %s: a new level began with session %zu of %zu, %s; its control band is made "
                "of the sessions since, once there are %d.",
                document_name(document, compose_engine(compose, series->engine_index)->name),
                compose_place(compose, series->cell_index), first + 1,
                compose->history->session_count, started, HISTORY_BAND_MIN))
            ->tone = DOCUMENT_CAUTION;
    }
}

void compose_history_lead(struct compose *compose)
{
    const struct history *history = compose->history;
    size_t count = 0;

    for (size_t i = 0; history && i < history->series_count; i++) {
        count += history->series[i].is_outside;
    }
    if (count > LEAD_COUNT_MAX) {
        document_add(compose->document, &compose->document->lead, DOCUMENT_ITEM,
                     document_format(compose->document,
                                     "%zu of %zu ratios lie outside the control bands that earlier "
                                     "sessions of this plan make; the section on the history names "
                                     "them.",
                                     count, history->series_count))
            ->tone = DOCUMENT_CAUTION;
        return;
    }
    for (size_t i = 0; count > 0 && i < history->series_count; i++) {
        if (history->series[i].is_outside) {
            add_item(compose, &compose->document->lead, &history->series[i]);
        }
    }
}

static void add_figure(struct compose *compose, struct document_section *section,
                       const struct history_series *const *list, size_t count)
{
    struct document *document = compose->document;
    size_t shown = count < PANEL_COUNT_SHOWN ? count : PANEL_COUNT_SHOWN;
    struct document_figure *figure =
        count > 0 ? figure_begin(compose, "history", "report/plot/history.gp") : NULL;

    if (!figure) {
        return;
    }
    struct document_table *table =
        document_new_table(document, "figure_history", NULL, columns, COLUMN_COUNT);

    draw(compose, list, shown);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < compose->history->session_count; k++) {
            add_line(compose, table, list[i], k);
        }
    }
    figure_end(
        compose, section, figure,
        document_format(
            document,
            "Requests per second as a ratio to the baseline of the same session, with the 95 %% "
            "interval over its blocks: the %zu sessions of this plan in the results file, in the "
            "order of time, this one last. Shaded: the control band of the sessions before it "
            "since "
            "the last dashed or dotted line (mean \xc2\xb1 3\xc2\xa0SD by moving ranges and no "
            "less "
            "than a tenth of the margin, from %d sessions on). Dashed: from here "
            "on another machine or another program as the baseline. Dotted: a new level of at "
            "least the margin (from %d sessions on). Sessions that were not fit have no point.%s",
            compose->history->session_count, HISTORY_BAND_MIN, HISTORY_CHANGES_MIN,
            figure_left_out(compose, shown, count, "history")),
        document_format(document, "Ratios over %zu sessions; in this one: %s.",
                        compose->history->session_count, numbers(compose, list, count)),
        table);
}

void compose_history(struct compose *compose)
{
    struct document *document = compose->document;
    const struct history *history = compose->history;

    if (!history) {
        return;
    }
    struct document_section *section = document_add_section(document, "history", "History");
    const struct history_series **list =
        document_allocate(document, (history->series_count + 1) * sizeof(struct history_series *));
    size_t count = list ? list_series(compose, list) : 0;

    document_add(document, section, DOCUMENT_PARAGRAPH,
                 "Each ratio is of engines of one session. Between sessions the machine and the "
                 "hour change as well, so a move of a ratio is worth a look and is no verdict.");
    if (history->left_out_count > 0) {
        document_add(document, section, DOCUMENT_PARAGRAPH,
                     document_format(document, "%zu older sessions of this plan are left out.",
                                     history->left_out_count));
    }
    add_items(compose, section, list, count);
    add_levels(compose, section, list, count);
    add_figure(compose, section, list, count);
}
