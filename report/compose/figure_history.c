// SPDX-License-Identifier: Apache-2.0
// Section and figure: how the ratio of each engine to its session's baseline went over the sessions
// of this plan that the results file holds.
#include <math.h>
#include <stdlib.h>

#include "engines/base/clock.h"
#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/judge/history.h"
#include "report/render/number.h"

#define PANEL_COUNT_SHOWN 12
#define FIXED_PX          20
#define LINE_PX_MIN       180
#define SPAN_LEAST        1.03 /* of an axis: a move below it shall not look like one */
#define ITEM_COUNT_MAX    4    /* so many series are told one by one though nothing is outside */
#define LEAD_COUNT_MAX    2
#define OPEN_COUNT_MAX    8 /* so many items of a kind are not folded */

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
    PROGRAM,
    COLUMN_COUNT
};
static const struct document_column columns[COLUMN_COUNT] = {
    [SESSION] = {"session", NULL, "session", .views = 1, .precision = 12},
    [BEGAN] = {"started_utc", NULL, "begun (UTC)", .views = 1, .precision = 32},
    [ENGINE] = COMPOSE_PLACE_COLUMNS,
    [RATIO] = {"ratio", "1", "ratio to baseline", .number = DOCUMENT_SIGNIFICANT, .views = 1,
               .has_interval = true},
    [STATE] = {"state", NULL, "the session is", .views = 1},
    [BOUNDARY] = {"is_other_ground", NULL, "other machine or baseline program", .views = 1},
    [CHANGE] = {"is_change", NULL, "a level begins", .views = 1},
    [PROGRAM] = {"is_new_program", NULL, "another program of the engine", .views = 1},
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
    compose_set_place(compose, cells, ENGINE, series->engine_index, series->cell_index);
    compose_set_estimate(cells, RATIO, &series->ratios[session_index]);
    document_set_sentence(cells, STATE, trust_names[session->trust]);
    document_set_sentence(cells, BOUNDARY, session->is_boundary ? "yes" : "no");
    document_set_sentence(cells, CHANGE, is_change(series, session_index) ? "yes" : "no");
    document_set_sentence(cells, PROGRAM, series->is_new_program[session_index] ? "yes" : "no");
}

static void reach(struct extent *extent, double low, double high)
{
    if (low > 0 && isfinite(high)) {
        extent->low = fmin(extent->low, low);
        extent->high = fmax(extent->high, high);
    }
}

/* session, ratio, low, high, other ground, change, new program, the ratio before it unless a mark
 * parts them */
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
        bool is_parted = i == 0 || history->sessions[i].is_boundary || is_change(series, i) ||
                         series->is_new_program[i];

        plot_add_row(plot,
                     (const double[8]){(double)(i + 1), ratio->value, low, high,
                                       history->sessions[i].is_boundary ? 1 : 0,
                                       is_change(series, i) ? 1 : 0,
                                       series->is_new_program[i] ? 1 : 0,
                                       is_parted ? (double)NAN : series->ratios[i - 1].value},
                     8);
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

/* What lies outside its band comes first, the farthest before all; then what has a new level. */
static int compare_moves(const void *a, const void *b)
{
    const struct history_series *left = *(const struct history_series *const *)a,
                                *right = *(const struct history_series *const *)b;
    double far_left = left->is_outside ? fabs(log1p(left->from_middle)) : 0,
           far_right = right->is_outside ? fabs(log1p(right->from_middle)) : 0;

    if (far_left != far_right) {
        return far_left > far_right ? -1 : 1;
    }
    if ((left->change_count > 0) != (right->change_count > 0)) {
        return left->change_count > 0 ? -1 : 1;
    }
    return left < right ? -1 : left > right;
}

/* Those that have a number; returns how many they are. */
static size_t list_series(struct compose *compose, const struct history_series **list)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->history->series_count; i++) {
        if (has_ratio(compose->history, &compose->history->series[i])) {
            list[count++] = &compose->history->series[i];
        }
    }
    qsort(list, count, sizeof(const struct history_series *), compare_moves);
    return count;
}

static const char *title(struct compose *compose, const struct history_series *series)
{
    return document_format(compose->document, "%s, %s, %lld",
                           compose_engine(compose, series->engine_index)->name,
                           compose_load_name(compose, series->cell_index),
                           (long long)compose_cell(compose, series->cell_index)->connection_count);
}

/* "2026-11-01 – 2026-11-10" */
static const char *span(struct compose *compose)
{
    const struct history *history = compose->history;
    char first[CLOCK_TEXT_BYTES], last[CLOCK_TEXT_BYTES];

    clock_format_utc(history->sessions[0].started_utc_ns, first);
    clock_format_utc(history->sessions[history->session_count - 1].started_utc_ns, last);
    return document_format(compose->document, "%.10s \xe2\x80\x93 %.10s", first, last);
}

static void draw(struct compose *compose, const struct history_series *const *list, size_t count)
{
    struct plot *plot = figure_plot(compose);
    double y_min[PANEL_COUNT_SHOWN], y_max[PANEL_COUNT_SHOWN], low[PANEL_COUNT_SHOWN],
        high[PANEL_COUNT_SHOWN], first[PANEL_COUNT_SHOWN];
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
        first[i] = (double)(list[i]->band_first + 1);
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
    plot_set_numbers(plot, "band_first", first, count);
    plot_set_text(plot, "span", span(compose));
    plot->height_px =
        FIXED_PX + figure_line_px(compose, FIXED_PX, line_count, 220) * (unsigned)line_count;
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

/* "29.3" of -0.293 */
static const char *percent(struct compose *compose, double share)
{
    char text[NUMBER_TEXT_BYTES];

    number_format_significant(fabs(share) * 100, 3, text);
    return document_format(compose->document, "%s", text);
}

/* "epoll at 125 connections (ping): 1.687× [1.66, 1.71] in this session, within …" */
static struct document_block *add_item(struct compose *compose, struct document_section *section,
                                       const struct history_series *series)
{
    struct document *document = compose->document;
    size_t last = compose->history->session_count - 1;
    const char *name = document_name(document, compose_engine(compose, series->engine_index)->name),
               *place = compose_place(compose, series->cell_index),
               *ratio = compose_ratio(compose, &series->ratios[last]), *text;
    char low[NUMBER_TEXT_BYTES], high[NUMBER_TEXT_BYTES];

    number_format_significant(series->band_low, 4, low);
    number_format_significant(series->band_high, 4, high);
    if (series->is_outside) {
        text = document_format(
            document,
            series->from_middle < 0
                ? "%s %s: %s in this session, outside the control band of %s to %s that the %zu "
                  "sessions before it make: %s %% below its middle."
                : "%s %s: %s in this session, outside the control band of %s to %s that the %zu "
                  "sessions before it make: %s %% above its middle.",
            name, place, ratio, low, high, series->band_count,
            percent(compose, series->from_middle));
    } else {
        text = document_format(document,
                               "%s %s: %s in this session, within the control band of %s to %s "
                               "that the %zu sessions before it make.",
                               name, place, ratio, low, high, series->band_count);
    }
    struct document_block *item = document_add(document, section, DOCUMENT_ITEM, text);

    item->tone = series->is_outside ? DOCUMENT_CAUTION : DOCUMENT_PLAIN;
    return item;
}

/* Those outside their bands one by one, the farthest first; many others by their number. */
static void add_items(struct compose *compose, struct document_section *section,
                      const struct history_series *const *list, size_t count)
{
    size_t within = 0, outside = 0, shown = 0;

    for (size_t i = 0; i < count; i++) {
        within += is_judged(compose, list[i]) && !list[i]->is_outside;
        outside += list[i]->is_outside;
    }
    const char *fold =
        outside > OPEN_COUNT_MAX
            ? document_format(compose->document, "The other %zu outside their control bands",
                              outside - OPEN_COUNT_MAX)
            : NULL;

    for (size_t i = 0; i < count; i++) {
        if (is_judged(compose, list[i]) && (list[i]->is_outside || within <= ITEM_COUNT_MAX)) {
            struct document_block *item = add_item(compose, section, list[i]);

            item->folded = list[i]->is_outside && shown++ >= OPEN_COUNT_MAX ? fold : NULL;
        }
    }
    if (within > ITEM_COUNT_MAX) {
        document_add(compose->document, section, DOCUMENT_ITEM,
                     document_format(compose->document,
                                     "%zu ratios of this session lie within their control bands.",
                                     within));
    }
}

static struct document_block *add_level(struct compose *compose, struct document_section *section,
                                        const struct history_series *series)
{
    struct document *document = compose->document;
    size_t first = series->changes[series->change_count - 1];
    double step = series->steps[series->change_count - 1];
    char started[CLOCK_TEXT_BYTES];

    clock_format_utc(compose->history->sessions[first].started_utc_ns, started);
    return document_add(
        document, section, DOCUMENT_ITEM,
        document_format(
            document,
            step < 1 ? "%s %s: a new level, %s %% lower, began with session %zu of %zu, %s; its "
                       "control band is made of the sessions since, once there are %d."
                     : "%s %s: a new level, %s %% higher, began with session %zu of %zu, %s; its "
                       "control band is made of the sessions since, once there are %d.",
            document_name(document, compose_engine(compose, series->engine_index)->name),
            compose_place(compose, series->cell_index), percent(compose, step - 1), first + 1,
            compose->history->session_count, started, HISTORY_BAND_MIN));
}

/* Where the last level began, if it is not the first. */
static void add_levels(struct compose *compose, struct document_section *section,
                       const struct history_series *const *list, size_t count)
{
    size_t shown = 0;

    for (size_t i = 0; i < count; i++) {
        if (list[i]->change_count > 0) {
            struct document_block *item = add_level(compose, section, list[i]);

            item->tone = DOCUMENT_CAUTION;
            item->folded = shown++ >= OPEN_COUNT_MAX ? "More new levels" : NULL;
        }
    }
}

/* Since when each engine's program is the one of this session. */
static void add_programs(struct compose *compose, struct document_section *section)
{
    struct document *document = compose->document;
    const struct history *history = compose->history;
    char started[CLOCK_TEXT_BYTES];

    for (size_t i = 0; i < history->series_count; i++) {
        const struct history_series *series = &history->series[i];
        size_t at = history->session_count;
        bool is_told = false;

        for (size_t k = 0; k < i; k++) {
            is_told = is_told || history->series[k].engine_index == series->engine_index;
        }
        while (at > 0 && !series->is_new_program[at - 1]) {
            at--;
        }
        if (at == 0 || is_told) {
            continue;
        }
        clock_format_utc(history->sessions[at - 1].started_utc_ns, started);
        document_add(
            document, section, DOCUMENT_ITEM,
            document_format(
                document,
                "%s: since session %zu of %zu, %s, another program than before is "
                "measured.",
                document_name(document, compose_engine(compose, series->engine_index)->name), at,
                history->session_count, started));
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
    size_t column_count = figure_columns(compose, count > 1 ? 2 : 1);
    size_t line_max = figure_line_max(compose, FIXED_PX, LINE_PX_MIN);
    size_t shown = count < PANEL_COUNT_SHOWN ? count : PANEL_COUNT_SHOWN;
    shown = (shown + column_count - 1) / column_count > line_max ? column_count * line_max : shown;
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
            "order of time, this one last. The axes do not begin at 0 and differ between panels; "
            "the panel of what moved most comes first. Shaded: the control band of the sessions "
            "before it since "
            "the last dashed or dotted line (mean \xc2\xb1 3\xc2\xa0SD by moving ranges and no "
            "less "
            "than a tenth of the margin, from %d sessions on). Dashed: from here "
            "on another machine or another program as the baseline. Dotted: a new level of at "
            "least the margin (from %d sessions on). Dash-dotted: from here on another program of "
            "the engine. Sessions that were not fit have no point.%s",
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
                 "hour change as well, so a move of a ratio is worth a look and is no verdict. A "
                 "control band is where nearly all ratios lie as long as nothing but chance moves "
                 "them, made of the sessions before this one.");
    if (history->left_out_count > 0) {
        document_add(document, section, DOCUMENT_PARAGRAPH,
                     document_format(document, "%zu older sessions of this plan are left out.",
                                     history->left_out_count));
    }
    add_items(compose, section, list, count);
    add_levels(compose, section, list, count);
    add_programs(compose, section);
    add_figure(compose, section, list, count);
}
