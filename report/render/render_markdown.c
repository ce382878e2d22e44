// SPDX-License-Identifier: Apache-2.0
// A document as GitHub's Markdown: tables and folds, no raw HTML but <details>.
#include <string.h>

#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"
#include "report/render/walk.h"

static void add_tone_mark(enum document_tone tone, struct buf *out)
{
    if (tone != DOCUMENT_PLAIN) {
        buf_addf(out, "%s ", walk_tone_mark(tone));
    }
}

static void add_cell(const struct document_column *column, const struct document_cell *cell,
                     struct buf *out)
{
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];

    if (cell->kind == DOCUMENT_CELL_TEXT) {
        struct buf name;

        add_tone_mark(cell->tone, out);
        if (cell->is_sentence) {
            text_add_markdown_sentence(out, cell->text);
            return;
        }
        buf_init(&name, out->limit_bytes);
        text_add_name(&name, cell->text, column->precision > 0 ? (size_t)column->precision : 80);
        text_add_markdown_sentence(out, name.bytes);
        buf_release(&name);
        return;
    }
    render_cell_number(column, cell, value, interval);
    add_tone_mark(cell->tone, out);
    buf_addf(out, "%s%s%s", value, *interval ? " " : "", interval);
}

static void add_heading(const struct document_table *table, unsigned view, struct buf *out)
{
    buf_add_char(out, '|');
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].views & view) {
            buf_add_char(out, ' ');
            text_add_markdown_sentence(out, table->columns[i].heading);
            buf_add_text(out, " |");
        }
    }
    buf_add_text(out, "\n|");
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].views & view) {
            buf_add_text(out, table->columns[i].number == DOCUMENT_TEXT ? " --- |" : " ---: |");
        }
    }
    buf_add_char(out, '\n');
}

static void add_table(const struct document_table *table, unsigned view, struct buf *out)
{
    if (table->caption) {
        text_add_markdown_sentence(out, table->caption);
        buf_add_text(out, "\n\n");
    }
    add_heading(table, view, out);
    for (size_t i = 0; i < table->row_count; i++) {
        buf_add_char(out, '|');
        for (size_t k = 0; k < table->column_count; k++) {
            if (table->columns[k].views & view) {
                buf_add_char(out, ' ');
                add_cell(&table->columns[k], &table->rows[i][k], out);
                buf_add_text(out, " |");
            }
        }
        buf_add_char(out, '\n');
    }
    buf_add_char(out, '\n');
    if (table->note) {
        text_add_markdown_sentence(out, table->note);
        buf_add_text(out, "\n\n");
    }
}

static void on_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    add_table(table, view, walk->out);
}

static void add_sentence(const char *text, struct buf *out)
{
    text_add_markdown_sentence(out, text);
    buf_add_text(out, "\n\n");
}

static void on_fold(struct walk *walk, const char *title)
{
    buf_add_text(walk->out, "<details><summary>");
    text_add_html(walk->out, title);
    buf_add_text(walk->out, "</summary>\n\n");
}

static void on_fold_end(struct walk *walk)
{
    buf_add_text(walk->out, "</details>\n\n");
}

static void on_figure(struct walk *walk, const struct document_figure *figure)
{
    if (figure->svg) {
        buf_add_text(walk->out, "![");
        text_add_markdown_sentence(walk->out, figure->alternative);
        buf_addf(walk->out, "](plots/%s.svg)\n\n", figure->name);
    }
    walk_add_figure_number(walk, figure);
    add_sentence(figure->caption, walk->out);
    on_fold(walk, document_label(walk->document, "The numbers of this figure"));
    if (figure->table->row_count <= RENDER_PAGE_ROW_COUNT_MAX) {
        add_table(figure->table, DOCUMENT_VIEW_ALL, walk->out);
    } else {
        buf_addf(walk->out, "%s plots/%s.csv (%zu).\n\n",
                 document_label(walk->document, "Too many lines for a page; they are in"),
                 figure->name, figure->table->row_count);
    }
    on_fold_end(walk);
}

/* Indented code needs no fence that the text could close. */
static void on_code(struct walk *walk, const struct document_block *block)
{
    struct buf *out = walk->out;

    for (const char *text = block->text; *text;) {
        size_t length = strcspn(text, "\n");

        buf_add_text(out, "    ");
        for (size_t i = 0; i < length;) {
            uint32_t code_point;
            size_t step = text_decode(text + i, length - i, &code_point);
            char one[8] = "";

            memcpy(one, text + i, step);
            text_add_clean(out, one);
            i += step;
        }
        buf_add_char(out, '\n');
        text += length + (text[length] == '\n');
    }
    buf_add_char(out, '\n');
}

static void on_item(struct walk *walk, const struct document_block *block)
{
    buf_add_text(walk->out, "- ");
    add_tone_mark(block->tone, walk->out);
    text_add_markdown_sentence(walk->out, block->text);
    buf_add_char(walk->out, '\n');
}

static void on_list_end(struct walk *walk)
{
    buf_add_char(walk->out, '\n');
}

static void on_notice(struct walk *walk, const struct document_block *block)
{
    buf_add_text(walk->out, "> ");
    add_tone_mark(block->tone, walk->out);
    add_sentence(block->text, walk->out);
}

static void on_paragraph(struct walk *walk, const struct document_block *block)
{
    add_sentence(block->text, walk->out);
}

static void on_begin(struct walk *walk)
{
    buf_add_text(walk->out, "### ");
    text_add_markdown(walk->out, walk->document->title);
    buf_add_text(walk->out, "\n\n**");
    add_tone_mark(walk->document->tone, walk->out);
    buf_addf(walk->out, "%s**", walk->document->word);
    if (walk->document->remark) {
        buf_add_text(walk->out, ": ");
        text_add_markdown_sentence(walk->out, walk->document->remark);
    }
    buf_add_text(walk->out, "\n\n");
}

static void on_section(struct walk *walk, const struct document_section *section)
{
    buf_add_text(walk->out, "#### ");
    add_sentence(section->title, walk->out);
}

/* Where no picture can be shown, its caption says what the table above it has. */
static void on_caption(struct walk *walk, const struct document_figure *figure)
{
    walk_add_figure_number(walk, figure);
    add_sentence(figure->alternative, walk->out);
}

#define FORM_SHARED                                                                                \
    .begin = on_begin, .section = on_section, .fold = on_fold, .fold_end = on_fold_end,            \
    .list_end = on_list_end, .item = on_item, .paragraph = on_paragraph, .notice = on_notice,      \
    .code = on_code, .table = on_table

const struct walk_form render_markdown_plain = {FORM_SHARED, .figure = on_caption};

void render_markdown(const struct document *document, struct buf *out)
{
    static const struct walk_form form = {FORM_SHARED, .figure = on_figure};

    walk_document(&(struct walk){.form = &form, .document = document, .out = out});
}
