// SPDX-License-Identifier: Apache-2.0
// A document as one page: the templates page.html and style.css, everything escaped on its way in.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "collector/asset.h"
#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"
#include "report/render/walk.h"

static const char *const tone_classes[] = {
    [DOCUMENT_PLAIN] = "plain",
    [DOCUMENT_GOOD] = "good",
    [DOCUMENT_CAUTION] = "caution",
    [DOCUMENT_BAD] = "bad",
};

static void add_tone_mark(enum document_tone tone, struct buf *out)
{
    if (tone != DOCUMENT_PLAIN) {
        buf_addf(out, "<span class=\"mark\" aria-hidden=\"true\">%s</span>\xc2\xa0",
                 walk_tone_mark(tone));
    }
}

static void add_element(const char *open, const char *text, const char *close, struct buf *out)
{
    buf_add_text(out, open);
    text_add_html(out, text);
    buf_add_text(out, close);
}

#define TITLE_COLUMN_COUNT 200
#define LABEL_BYTES        200

static void add_foreign(const char *text, size_t column_count, struct buf *out)
{
    struct buf name;

    buf_init(&name, out->limit_bytes);
    text_add_name(&name, text, column_count);
    text_add_html(out, name.bytes);
    buf_release(&name);
}

/* Foreign text in a cell: cut to the column's width, whole in the title. */
static void add_cell_text(const struct document_column *column, const struct document_cell *cell,
                          struct buf *out)
{
    struct buf name;

    add_tone_mark(cell->tone, out);
    if (cell->is_sentence) {
        text_add_html(out, cell->text);
        return;
    }
    buf_init(&name, out->limit_bytes);
    text_add_name(&name, cell->text, column->precision > 0 ? (size_t)column->precision : 400);
    if (strstr(name.bytes, "\xe2\x80\xa6")) {
        buf_add_text(out, "<span title=\"");
        text_add_attribute(out, cell->text);
        add_element("\">", name.bytes, "</span>", out);
    } else {
        text_add_html(out, name.bytes);
    }
    buf_release(&name);
}

static void add_cell(const struct document_column *column, const struct document_cell *cell,
                     bool is_first, struct buf *out)
{
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];
    const char *tag = is_first ? "th scope=\"row\"" : "td";

    buf_addf(out, "<%s class=\"%s%s%s\">", tag, column->number == DOCUMENT_TEXT ? "text" : "number",
             cell->tone == DOCUMENT_PLAIN ? "" : " ",
             cell->tone == DOCUMENT_PLAIN ? "" : tone_classes[cell->tone]);
    if (cell->kind == DOCUMENT_CELL_TEXT) {
        add_cell_text(column, cell, out);
    } else {
        render_cell_number(column, cell, value, interval);
        add_tone_mark(cell->tone, out);
        buf_addf(out, cell->kind == DOCUMENT_CELL_NUMBER ? "%s" : "<span class=\"none\">%s</span>",
                 value);
        if (*interval) {
            buf_addf(out, " <span class=\"interval\">%s</span>", interval);
        }
    }
    buf_addf(out, "</%s>", is_first ? "th" : "td");
}

static void add_list_text(const struct document_column *column, const struct document_cell *cell,
                          struct buf *out)
{
    if (cell->kind == DOCUMENT_CELL_TEXT) {
        add_cell_text(column, cell, out);
    } else {
        buf_add_text(out, NUMBER_NONE);
    }
}

/* A list names a term once, however many values follow it. */
static bool is_same_term(const struct document_cell *left, const struct document_cell *right)
{
    return left && right && left->kind == DOCUMENT_CELL_TEXT && right->kind == DOCUMENT_CELL_TEXT &&
           strcmp(left->text, right->text) == 0;
}

static void add_list(const struct document_table *table, struct buf *out)
{
    buf_add_text(out, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < table->row_count; i++) {
        const struct document_cell *row = table->rows[i];
        const struct document_cell *next = i + 1 < table->row_count ? table->rows[i + 1] : NULL;

        if (!is_same_term(i > 0 ? table->rows[i - 1] : NULL, row)) {
            buf_add_text(out, "<div><dt>");
            add_list_text(&table->columns[0], &row[0], out);
            buf_add_text(out, "</dt>");
        }
        if (row[1].tone == DOCUMENT_PLAIN) {
            buf_add_text(out, "<dd>");
        } else {
            buf_addf(out, "<dd class=\"%s\">", tone_classes[row[1].tone]);
        }
        add_list_text(&table->columns[1], &row[1], out);
        buf_add_text(out, "</dd>");
        if (!is_same_term(row, next)) {
            buf_add_text(out, "</div>\n");
        }
    }
    buf_add_text(out, "</dl>\n");
}

/* A column of the view that is not in the heading over its rows. */
static bool is_shown(const struct document_table *table, size_t column, unsigned view)
{
    return table->columns[column].views & view && column - table->group_first >= table->group_count;
}

static void add_table_head(const struct document_table *table, unsigned view, struct buf *out)
{
    buf_add_text(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct document_column *column = &table->columns[i];

        if (is_shown(table, i, view)) {
            buf_addf(out, "<th scope=\"col\" class=\"%s\">",
                     column->number == DOCUMENT_TEXT ? "text" : "number");
            text_add_html(out, column->heading);
            buf_add_text(out, "</th>");
        }
    }
    buf_add_text(out, "</tr></thead>\n");
}

/* "ping, 125 connections" over the rows that have it. */
static void add_group_head(const struct document_table *table, size_t row_index, unsigned view,
                           struct buf *out)
{
    size_t shown_count = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        shown_count += is_shown(table, i, view);
    }
    buf_addf(out, "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\"><span>", shown_count);
    for (size_t i = 0; i < table->group_count; i++) {
        const struct document_column *column = &table->columns[table->group_first + i];
        const struct document_cell *cell = &table->rows[row_index][table->group_first + i];
        char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];

        buf_add_text(out, i > 0 ? ", " : "");
        if (cell->kind == DOCUMENT_CELL_TEXT) {
            add_cell_text(column, cell, out);
        } else {
            render_cell_number(column, cell, value, interval);
            buf_addf(out, "%s ", value);
            text_add_html(out, column->heading);
        }
    }
    buf_add_text(out, "</span></th></tr>\n");
}

static void add_table_row(const struct document_table *table, size_t row_index, unsigned view,
                          struct buf *out)
{
    bool is_first = true;

    buf_add_text(out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_shown(table, i, view)) {
            add_cell(&table->columns[i], &table->rows[row_index][i], is_first, out);
            is_first = false;
        }
    }
    buf_add_text(out, "</tr>\n");
}

static void add_table_body(const struct document_table *table, unsigned view, struct buf *out)
{
    buf_add_text(out, "<tbody>\n");
    for (size_t i = 0; i < table->row_count; i++) {
        if (document_begins_group(table, i)) {
            buf_add_text(out, i > 0 ? "</tbody><tbody>\n" : "");
            add_group_head(table, i, view, out);
        }
        add_table_row(table, i, view, out);
    }
    buf_add_text(out, "</tbody>");
}

static void add_table(const struct document_table *table, unsigned view, struct buf *out)
{
    if (table->is_list) {
        add_list(table, out);
        return;
    }
    buf_addf(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    text_add_attribute(out, table->caption ? table->caption : table->name);
    buf_add_text(out, "\"><table>\n");
    if (table->caption) {
        add_element("<caption>", table->caption, "</caption>\n", out);
    }
    add_table_head(table, view, out);
    add_table_body(table, view, out);
    buf_add_text(out, "</table></div>\n");
    if (table->note) {
        add_element("<p class=\"note\">", table->note, "</p>\n", out);
    }
}

static void add_base64(const char *bytes, size_t length, struct buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)(uint8_t)bytes[i] << 16 |
                         (left > 1 ? (uint32_t)(uint8_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)(uint8_t)bytes[i + 2] : 0);

        buf_add_char(out, digits[group >> 18]);
        buf_add_char(out, digits[group >> 12 & 63]);
        buf_add_char(out, left > 1 ? digits[group >> 6 & 63] : '=');
        buf_add_char(out, left > 2 ? digits[group & 63] : '=');
    }
}

static void add_picture(const struct document_figure *figure, struct buf *out)
{
    buf_add_text(out, "data:image/svg+xml;base64,");
    add_base64(figure->svg, figure->svg_bytes, out);
}

/* The picture that a screen has room for: 30rem are 480 px. */
static void add_pictures(const struct document_figure *figure, struct buf *out)
{
    const struct document_figure *narrow = figure->narrow;
    bool has_narrow = narrow && narrow->svg;

    if (has_narrow) {
        buf_addf(out,
                 "<picture><source media=\"(max-width: 30rem)\" width=\"%u\" height=\"%u\" "
                 "srcset=\"",
                 narrow->width_px, narrow->height_px);
        add_picture(narrow, out);
        buf_add_text(out, "\">\n");
    }
    buf_addf(out, "<img width=\"%u\" height=\"%u\" alt=\"", figure->width_px, figure->height_px);
    text_add_attribute(out, figure->alternative);
    buf_add_text(out, "\" src=\"");
    add_picture(figure, out);
    buf_add_text(out, has_narrow ? "\"></picture>" : "\">");
}

static void on_figure(struct walk *walk, const struct document_figure *figure)
{
    struct buf *out = walk->out;

    buf_addf(out, "<figure id=\"figure-%s\">\n", figure->name);
    if (figure->svg) {
        buf_addf(out,
                 "<div class=\"scroll card\" tabindex=\"0\" role=\"region\" "
                 "aria-label=\"%s %u\">",
                 document_label(walk->document, "Figure"), figure->number);
        add_pictures(figure, out);
        buf_add_text(out, "</div>\n");
    }
    /* A caption is the last of its figure. */
    buf_add_text(out, "<figcaption>");
    walk_add_figure_number(walk, figure);
    add_element("", figure->caption, "</figcaption>\n</figure>\n", out);
    add_element("<details><summary>", document_label(walk->document, "The numbers of this figure"),
                "</summary>\n", out);
    if (figure->table->row_count <= RENDER_PAGE_ROW_COUNT_MAX) {
        add_table(figure->table, DOCUMENT_VIEW_ALL, out);
    } else {
        buf_addf(out, "<p>%s <code>plots/%s.csv</code> (%zu).</p>\n",
                 document_label(walk->document, "Too many lines for a page; they are in"),
                 figure->name, figure->table->row_count);
    }
    buf_addf(out,
             "<p class=\"note\">%s: <code>plots/%s.csv</code>, <code>plots/%s.svg</code>; %s: "
             "<code>gnuplot -d %s.gp</code> (<code>%s.tsv</code>).</p>\n</details>\n",
             document_label(walk->document, "Files"), figure->name, figure->name,
             document_label(walk->document, "to draw it again in plots/"), figure->name,
             figure->name);
}

/* Lines stay lines; the rest is cleaned as everywhere. */
static void on_code(struct walk *walk, const struct document_block *block)
{
    buf_add_text(walk->out, "<pre tabindex=\"0\"><code>");
    for (const char *text = block->text; *text;) {
        char one[8] = "";
        uint32_t code_point;
        size_t step = text_decode(text, strnlen(text, 4), &code_point);

        memcpy(one, text, step);
        if (code_point == '\n') {
            buf_add_char(walk->out, '\n');
        } else {
            text_add_html(walk->out, one);
        }
        text += step;
    }
    buf_add_text(walk->out, "</code></pre>\n");
}

static void on_paragraph(struct walk *walk, const struct document_block *block)
{
    add_element("<p>", block->text, "</p>\n", walk->out);
}

static void on_list(struct walk *walk)
{
    buf_add_text(walk->out, "<ul>\n");
}

static void on_list_end(struct walk *walk)
{
    buf_add_text(walk->out, "</ul>\n");
}

static void on_item(struct walk *walk, const struct document_block *block)
{
    buf_addf(walk->out, "<li class=\"%s\">", tone_classes[block->tone]);
    add_tone_mark(block->tone, walk->out);
    add_element("", block->text, "</li>\n", walk->out);
}

static void on_notice(struct walk *walk, const struct document_block *block)
{
    buf_addf(walk->out, "<p class=\"notice %s\" role=\"note\">", tone_classes[block->tone]);
    add_tone_mark(block->tone, walk->out);
    add_element("", block->text, "</p>\n", walk->out);
}

static void on_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    add_table(table, view, walk->out);
}

static void on_fold(struct walk *walk, const char *title)
{
    add_element("<details><summary>", title, "</summary>\n", walk->out);
}

static void on_fold_end(struct walk *walk)
{
    buf_add_text(walk->out, "</details>\n");
}

static void on_begin(struct walk *walk)
{
    const struct document *document = walk->document;
    struct buf *out = walk->out;

    buf_addf(out, "<header class=\"banner %s\">\n<p class=\"word\">", tone_classes[document->tone]);
    add_tone_mark(document->tone, out);
    add_element("", document->word, "", out);
    if (document->remark) {
        add_element(": <span class=\"remark\">", document->remark, "</span>", out);
    }
    buf_add_text(out, "</p>\n<h1>");
    add_foreign(document->title, TITLE_COLUMN_COUNT, out);
    buf_add_text(out, "</h1>\n");
}

static void on_lead_end(struct walk *walk)
{
    struct buf *out = walk->out;

    buf_addf(out, "</header>\n<nav aria-label=\"%s\"><ul>\n",
             document_label(walk->document, "Sections"));
    for (const struct document_section *section = walk->document->first; section;
         section = section->next) {
        buf_addf(out, "<li><a href=\"#%s\">", section->id);
        add_element("", section->title, "</a></li>\n", out);
    }
    buf_add_text(out, "</ul></nav>\n<main>\n");
}

static void on_section(struct walk *walk, const struct document_section *section)
{
    buf_addf(walk->out, "<section id=\"%s\">\n", section->id);
    add_element("<h2>", section->title, "</h2>\n", walk->out);
}

static void on_section_end(struct walk *walk)
{
    buf_add_text(walk->out, "</section>\n");
}

static void on_end(struct walk *walk)
{
    buf_add_text(walk->out, "</main>\n");
}

#define FORM_SHARED                                                                                \
    .list = on_list, .list_end = on_list_end, .item = on_item, .paragraph = on_paragraph,          \
    .notice = on_notice, .code = on_code, .table = on_table

const struct walk_form render_html_parts = {FORM_SHARED};

static const struct walk_form form = {FORM_SHARED,
                                      .begin = on_begin,
                                      .lead_end = on_lead_end,
                                      .section = on_section,
                                      .section_end = on_section_end,
                                      .fold = on_fold,
                                      .fold_end = on_fold_end,
                                      .figure = on_figure,
                                      .end = on_end};

static void add_slot(const char *name, size_t length, const struct document *document,
                     struct buf *out)
{
    const struct asset *style = asset_find("report/render/templates/style.css");

    if (length == 5 && memcmp(name, "title", 5) == 0) {
        text_add_attribute(out, document->title);
    } else if (length == 5 && memcmp(name, "style", 5) == 0) {
        assert(style);
        buf_add(out, style->bytes, style->length);
    } else if (length == 7 && memcmp(name, "program", 7) == 0) {
        text_add_attribute(out, document->program);
    } else if (length == 8 && memcmp(name, "language", 8) == 0) {
        text_add_attribute(out, document->language);
    } else if (length != 4 || memcmp(name, "body", 4) != 0) {
        char label[LABEL_BYTES];

        assert(length < sizeof(label));
        snprintf(label, sizeof(label), "%.*s", (int)length, name);
        text_add_html(out, document_label(document, label));
    } else {
        walk_document(&(struct walk){.form = &form, .document = document, .out = out});
    }
}

void render_html(const struct document *document, struct buf *out)
{
    const struct asset *page = asset_find("report/render/templates/page.html");
    const char *at, *open;

    assert(page);
    for (at = page->bytes; (open = strstr(at, "{{")) != NULL;) {
        const char *close = strstr(open, "}}");

        assert(close);
        buf_add(out, at, (size_t)(open - at));
        add_slot(open + 2, (size_t)(close - open - 2), document, out);
        at = close + 2;
    }
    buf_add_text(out, at);
}
