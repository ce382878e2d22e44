// SPDX-License-Identifier: Apache-2.0
// A document as GitHub's Markdown: tables and folds, no raw HTML but <details>.
#include <assert.h>
#include <string.h>

#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"

static const char *const tone_marks[] = {
    [DOCUMENT_PLAIN] = "",
    [DOCUMENT_GOOD] = "\xe2\x9c\x94 ",    /* ✔ */
    [DOCUMENT_CAUTION] = "\xe2\x96\xb2 ", /* ▲ */
    [DOCUMENT_BAD] = "\xe2\x9c\x98 ",     /* ✘ */
};

static void add_cell(const struct document_column *column, const struct document_cell *cell,
                     struct buf *out)
{
    char value[RENDER_CELL_BYTES], interval[RENDER_CELL_BYTES];

    if (cell->kind == DOCUMENT_CELL_TEXT) {
        struct buf name;

        buf_add_text(out, tone_marks[cell->tone]);
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

static void add_figure(const struct document_figure *figure, struct buf *out)
{
    if (figure->svg) {
        buf_add_text(out, "![");
        text_add_markdown_sentence(out, figure->alternative);
        buf_addf(out, "](plots/%s.svg)\n\n", figure->name);
    }
    text_add_markdown_sentence(out, figure->caption);
    buf_add_text(out, "\n\n<details><summary>The numbers of this figure</summary>\n\n");
    add_table(figure->table, DOCUMENT_VIEW_ALL, out);
    buf_add_text(out, "</details>\n\n");
}

/* Indented code needs no fence that the text could close. */
static void add_code(const char *text, struct buf *out)
{
    while (*text) {
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

static void add_block(const struct document_block *block, struct buf *out)
{
    switch (block->kind) {
    case DOCUMENT_ITEM:
        buf_addf(out, "- %s", tone_marks[block->tone]);
        text_add_markdown_sentence(out, block->text);
        buf_add_text(out, block->next && block->next->kind == DOCUMENT_ITEM ? "\n" : "\n\n");
        break;
    case DOCUMENT_NOTICE:
        buf_addf(out, "> %s", tone_marks[block->tone]);
        text_add_markdown_sentence(out, block->text);
        buf_add_text(out, "\n\n");
        break;
    case DOCUMENT_PARAGRAPH:
        text_add_markdown_sentence(out, block->text);
        buf_add_text(out, "\n\n");
        break;
    case DOCUMENT_CODE:
        add_code(block->text, out);
        break;
    case DOCUMENT_TABLE:
        assert(block->table);
        add_table(block->table, block->view, out);
        break;
    case DOCUMENT_FIGURE:
        add_figure(block->figure, out);
        break;
    }
}

static void add_blocks(const struct document_section *section, struct buf *out)
{
    for (const struct document_block *block = section->first; block; block = block->next) {
        if (block->table && block->table->is_files) {
            continue;
        }
        if (block->folded) {
            buf_add_text(out, "<details><summary>");
            text_add_html(out, block->folded);
            buf_add_text(out, "</summary>\n\n");
        }
        add_block(block, out);
        if (block->folded) {
            buf_add_text(out, "</details>\n\n");
        }
    }
}

void render_markdown(const struct document *document, struct buf *out)
{
    buf_add_text(out, "### ");
    text_add_markdown(out, document->title);
    buf_addf(out, "\n\n**%s%s**\n\n", tone_marks[document->tone], document->word);
    add_blocks(&document->lead, out);
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        buf_add_text(out, "#### ");
        text_add_markdown_sentence(out, section->title);
        buf_add_text(out, "\n\n");
        add_blocks(section, out);
    }
}
