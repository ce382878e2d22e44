// SPDX-License-Identifier: Apache-2.0
// The section of figures: which there are, their captions and the sentences that stand for them.
#include <math.h>
#include <string.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "report/render/number.h"
#include "report/render/text_safe.h"
#include "report/render/text_wrap.h"

#define NARROW_WIDTH_PX        500
#define NARROW_LABEL_COLUMNS   26
#define NARROW_PANEL_COUNT_MAX 8
#define TITLE_COLUMNS          36
#define PANEL_WIDTH_PX         300 /* with less its marks are too close */
#define LABEL_COLUMN_PX        6.6 /* of a letter, in the mean */
#define LABEL_GAP_PX           14
#define LABEL_SHARE_MIN        0.27
#define WHISKER_REACH_MAX      1.6 /* of the largest value */
#define LABEL_BYTES_MAX        1000
#define PAPER_HEIGHT_MAX_PX    1020U /* 240 mm: a page of A4 has room for it and a caption */

struct document_figure *figure_begin(struct compose *compose, const char *name, const char *script)
{
    struct document_figure *figure = document_allocate(compose->document, sizeof(*figure));

    if (!figure || compose->plot_count == COMPOSE_PLOT_COUNT_MAX) {
        return NULL;
    }
    plot_init(&compose->plots[compose->plot_count], name, script);
    compose->plots[compose->plot_count].document = compose->document;
    compose->plots[compose->plot_count].width_px = compose->figure_width_px;
    if (figure_is_narrow(compose)) {
        compose->plots[compose->plot_count].label_columns = NARROW_LABEL_COLUMNS;
    }
    if (compose->analysis->trust == TRUST_UNFIT) {
        compose->plots[compose->plot_count].mark =
            document_tr(compose->document, "UNFIT: not for quoting");
    }
    compose->figures[compose->plot_count++] = figure;
    figure->name = name;
    return figure;
}

bool figure_is_narrow(const struct compose *compose)
{
    return compose->figure_width_px < NARROW_WIDTH_PX;
}

size_t figure_columns(const struct compose *compose, size_t wanted)
{
    size_t most = compose->figure_width_px / PANEL_WIDTH_PX;

    return wanted < most ? wanted : (most > 0 ? most : 1);
}

size_t figure_line_max(const struct compose *compose, unsigned fixed_px, unsigned line_px)
{
    return compose->is_article ? (PAPER_HEIGHT_MAX_PX - fixed_px) / line_px : SIZE_MAX;
}

unsigned figure_line_px(const struct compose *compose, unsigned fixed_px, size_t line_count,
                        unsigned wanted_px)
{
    unsigned room_px =
        compose->is_article ? (PAPER_HEIGHT_MAX_PX - fixed_px) / (unsigned)line_count : wanted_px;

    return room_px < wanted_px ? room_px : wanted_px;
}

void figure_set_labels(struct compose *compose, const char *const *names, size_t count)
{
    struct plot *plot = figure_plot(compose);
    size_t widest = 0;
    struct buf label;

    buf_init(&label, LABEL_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        buf_clear(&label);
        text_add_gnuplot(&label, names[i], plot->label_columns);
        size_t columns = text_columns(label.bytes); /* with its quotes: more for apostrophes */

        widest = columns > widest ? columns : widest;
    }
    buf_release(&label);
    widest = widest < plot->label_columns ? widest : plot->label_columns;
    double share = ((double)widest * LABEL_COLUMN_PX + LABEL_GAP_PX) / compose->figure_width_px;

    plot_set_texts(plot, "row_name", names, count);
    plot_set_number(plot, "row_count", (double)count);
    plot_set_number(plot, "label_share", fmax(share, LABEL_SHARE_MIN));
}

void figure_set_titles(struct compose *compose, const char *const *titles, size_t count)
{
    struct plot *plot = figure_plot(compose);
    size_t usual = plot->label_columns;

    plot->label_columns = TITLE_COLUMNS;
    plot_set_texts(plot, "panel_title", titles, count);
    plot->label_columns = usual;
}

struct plot *figure_plot(struct compose *compose)
{
    return &compose->plots[compose->plot_count - 1];
}

void figure_end(struct compose *compose, struct document_section *section,
                struct document_figure *figure, const char *caption, const char *alternative,
                struct document_table *table)
{
    if (compose->analysis->trust == TRUST_UNFIT) {
        caption = document_format(compose->document, "UNFIT, for finding the cause only. %s",
                                  document_owns(compose->document, caption)
                                      ? caption
                                      : document_tr(compose->document, caption));
    }
    figure->caption = caption;
    figure->alternative = alternative;
    figure->table = table;
    figure->number = ++compose->figure_count;
    for (size_t i = 0; i < table->column_count; i++) {
        figure->has_intervals = figure->has_intervals || table->columns[i].has_interval;
    }
    figure->width_px = figure_plot(compose)->width_px;
    figure->height_px = figure_plot(compose)->height_px;
    document_add(compose->document, section, DOCUMENT_FIGURE, NULL)->figure = figure;
}

const char *figure_row_label(struct compose *compose, const struct analysis_row *row)
{
    return document_format(compose->document, "%s, %s, %lld",
                           compose_engine(compose, row->engine_index)->name,
                           compose_load_name(compose, row->cell_index),
                           (long long)compose_cell(compose, row->cell_index)->connection_count);
}

const char *figure_cell_label(struct compose *compose, size_t cell_index)
{
    long long count = (long long)compose_cell(compose, cell_index)->connection_count;

    return document_format(compose->document,
                           count == 1 ? "%lld connection, %s" : "%lld connections, %s", count,
                           compose_load_name(compose, cell_index));
}

const char *figure_add_words(struct compose *compose, const char *all, size_t engine_index,
                             size_t cell_index, const char *value)
{
    struct document *document = compose->document;

    return document_format(document, "%s%s%s %s: %s", all, *all ? "; " : "",
                           document_name(document, compose_engine(compose, engine_index)->name),
                           compose_place(compose, cell_index), value);
}

const char *figure_quantity(struct compose *compose, double value, const char *unit)
{
    char text[NUMBER_TEXT_BYTES];

    if (!isfinite(value)) {
        return document_tr(compose->document, NUMBER_NONE);
    }
    return document_format(compose->document, "%s %s", number_format_significant(value, 3, text),
                           unit);
}

const char *figure_sentence_end(struct compose *compose, const char *all)
{
    size_t row_count = compose->analysis->row_count;

    return row_count <= FIGURE_SENTENCE_ROW_MAX
               ? all
               : document_format(compose->document, "%s; and %zu more in the table", all,
                                 row_count - FIGURE_SENTENCE_ROW_MAX);
}

const char *figure_numbers(struct compose *compose)
{
    const struct analysis_row **rows = compose_rows(compose);
    const char *all = "";
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; rows && i < compose->analysis->row_count && i < FIGURE_SENTENCE_ROW_MAX;
         i++) {
        const struct estimate *rate = &rows[i]->ok_per_s;

        number_format_estimate(rate->value, rate->low, rate->high, "", text);
        all = figure_add_words(compose, all, rows[i]->engine_index, rows[i]->cell_index, text);
    }
    return figure_sentence_end(compose, all);
}

double figure_sample_rate(const struct results_point *sample)
{
    int64_t ok = sample->ok_count;
    int64_t length_ns = sample->end_ns - sample->start_ns;

    return ok == METRIC_UNKNOWN || length_ns <= 0 ? (double)NAN
                                                  : (double)ok * 1e9 / (double)length_ns;
}

double figure_reach(double largest, double high, bool *is_cut)
{
    if (high > WHISKER_REACH_MAX * largest) {
        *is_cut = true;
        return WHISKER_REACH_MAX * largest;
    }
    return fmax(largest, high);
}

const char *figure_cut_note(struct compose *compose, bool is_cut)
{
    return is_cut ? document_tr(compose->document, " Whiskers that end at the frame go on.") : "";
}

double figure_round_up(double value)
{
    static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = 1;

    if (!(value > 0) || value > 1e15) {
        return 1;
    }
    while (power * 10 <= value) {
        power *= 10;
    }
    while (power > value) {
        power /= 10;
    }
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        if (steps[i] * power >= value) {
            return steps[i] * power;
        }
    }
    return 10 * power;
}

const char *compose_plot_folder(const struct compose *compose)
{
    return compose->is_article ? "figures" : "plots";
}

/* What is looked at first, once more with letters that a telephone shows large enough: a page takes
 * the one or the other. */
static void add_narrow(struct compose *compose)
{
    static const struct {
        void (*add)(struct compose *compose, struct document_section *section);
        size_t row_count_max; /* of more it would be long, and a page may have 2 MB */
    } figures[] = {{figure_add_dots, FIGURE_ROW_COUNT_MAX},
                   {figure_add_ratios, SIZE_MAX},
                   {figure_add_throughput, NARROW_PANEL_COUNT_MAX}};
    struct document_section aside = {.id = "narrow"}; /* shown by their wide ones alone */
    size_t wide_count = compose->plot_count;
    unsigned width_px = compose->figure_width_px, figure_count = compose->figure_count;

    compose->figure_width_px = FIGURE_WIDTH_SINGLE_PX;
    for (size_t i = 0; i < ARRAY_COUNT(figures); i++) {
        if (compose->analysis->row_count <= figures[i].row_count_max) {
            figures[i].add(compose, &aside);
        }
    }
    compose->figure_width_px = width_px;
    compose->figure_count = figure_count;
    for (size_t i = wide_count; i < compose->plot_count; i++) {
        struct document_figure *narrow = compose->figures[i];

        for (size_t k = 0; k < wide_count; k++) {
            if (strcmp(compose->figures[k]->name, narrow->name) == 0) {
                compose->figures[k]->narrow = narrow;
            }
        }
        narrow->name = document_format(compose->document, "%s-%s", narrow->name, "narrow");
        narrow->table = NULL;
        compose->plots[i].name = narrow->name;
    }
}

void compose_figures(struct compose *compose)
{
    struct document_section *section =
        document_add_section(compose->document, "figures", "Figures");
    size_t before;

    compose->figure_notice =
        document_add(compose->document, section, DOCUMENT_PARAGRAPH,
                     compose->is_article
                         ? "The numbers, the script and the data of every picture are in figures/."
                         : "Every picture has its numbers under it, and its script and data in "
                           "plots/.");
    before = compose->plot_count;
    figure_add_dots(compose, section);
    figure_add_ratios(compose, section);
    figure_add_throughput(compose, section);
    figure_add_latency(compose, section);
    figure_add_load(compose, section);
    figure_add_scaling(compose, section);
    figure_add_order(compose, section);
    figure_add_ecdf(compose, section);
    figure_add_costs(compose, section);
    figure_add_resources(compose, section);
    if (!compose->is_article) {
        add_narrow(compose);
    }
    if (compose->plot_count == before) {
        compose->figure_notice->kind = DOCUMENT_NOTICE;
        compose->figure_notice->text = "No data: no sample has anything that a figure could show.";
    }
}

void compose_figure_references(struct compose *compose)
{
    static const struct {
        const char *name, *words;
    } subjects[] = {{"trials", "every trial"},
                    {"ratios", "the ratios to the baseline"},
                    {"throughput", "throughput over time"},
                    {"latency", "how latencies are distributed"},
                    {"load", "latency against the offered rate"},
                    {"scaling", "throughput against connections"},
                    {"order", "the order of the trials"},
                    {"ecdf", "how the trials are distributed"},
                    {"costs", "CPU time and memory"},
                    {"resources", "memory and threads over time"},
                    {"history", "the earlier sessions"}};
    struct document *document = compose->document;
    struct document_section *section = document->first;
    const char *all = "";

    for (size_t i = 0; i < compose->plot_count; i++) {
        const struct document_figure *figure = compose->figures[i];

        for (size_t k = 0; k < ARRAY_COUNT(subjects); k++) {
            if (figure->table && strcmp(figure->name, subjects[k].name) == 0) {
                all = document_format(document, "%s%s%s (figure %u)", all, *all ? ", " : "",
                                      document_tr(document, subjects[k].words), figure->number);
            }
        }
    }
    while (section && strcmp(section->id, "summary") != 0) {
        section = section->next;
    }
    if (*all && section) {
        document_add(document, section, DOCUMENT_PARAGRAPH,
                     document_format(document, "The figures show %s.", all));
    }
}
