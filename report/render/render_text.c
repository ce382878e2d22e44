// SPDX-License-Identifier: Apache-2.0
// A document as text for a terminal of a given width: tables that are too wide become records, what
// is folded and the numbers of figures stay out.
#include <stdio.h>
#include <string.h>

#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"
#include "report/render/text_wrap.h"
#include "report/render/walk.h"

#define TITLE_COLUMN_COUNT 200
#define CELL_COLUMN_COUNT  40
#define COLUMN_COUNT_MAX   64 /* of a table */
#define GAP                2  /* between columns */

struct page {
    size_t column_count;
    bool is_folded, has_folds;
    struct buf scratch;
};

static size_t page_width(const struct walk *walk)
{
    return ((const struct page *)walk->context)->column_count;
}

static bool is_hidden(const struct walk *walk)
{
    return ((const struct page *)walk->context)->is_folded;
}

static const char *sentence(struct walk *walk, const char *text)
{
    struct buf *scratch = &((struct page *)walk->context)->scratch;

    buf_clear(scratch);
    text_add_sentence(scratch, text);
    walk->out->failed = walk->out->failed || scratch->failed;
    return scratch->bytes;
}

/* What a cell shows, in `scratch`. */
static const char *cell_text(struct walk *walk, const struct document_column *column,
                             const struct document_cell *cell)
{
    struct buf *scratch = &((struct page *)walk->context)->scratch;
    char value[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];
    struct buf name;

    buf_clear(scratch);
    buf_addf(scratch, "%s%s", walk_tone_mark(cell->tone), cell->tone == DOCUMENT_PLAIN ? "" : " ");
    if (cell->kind != DOCUMENT_CELL_TEXT) {
        render_cell_number(column, cell, value, interval);
        buf_addf(scratch, "%s%s%s", value, *interval ? " " : "", interval);
        return scratch->bytes;
    }
    if (cell->is_sentence) {
        text_add_sentence(scratch, cell->text);
        return scratch->bytes;
    }
    buf_init(&name, scratch->limit_bytes);
    text_add_name(&name, cell->text,
                  column->precision > 0 ? (size_t)column->precision : CELL_COLUMN_COUNT);
    text_add_sentence(scratch, name.bytes);
    buf_release(&name);
    return scratch->bytes;
}

/* The widest word: a heading may be broken between its words. */
static size_t longest_word(const char *text)
{
    size_t most = 0;

    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        char word[64];

        if (length < sizeof(word)) {
            memcpy(word, at, length);
            word[length] = '\0';
            most = text_columns(word) > most ? text_columns(word) : most;
        }
        at += length + strspn(at + length, " ");
    }
    return most;
}

/* Widths of the columns that the view shows; returns what the first takes with the widest other. */
static size_t measure(struct walk *walk, const struct document_table *table, unsigned view,
                      size_t widths_out[COLUMN_COUNT_MAX])
{
    size_t first = 0, widest = 0;

    for (size_t k = 0; k < table->column_count; k++) {
        const struct document_column *column = &table->columns[k];

        widths_out[k] = 0;
        if (!(column->views & view)) {
            continue;
        }
        widths_out[k] = longest_word(column->heading);
        for (size_t i = 0; i < table->row_count; i++) {
            size_t width = text_columns(cell_text(walk, column, &table->rows[i][k]));

            widths_out[k] = width > widths_out[k] ? width : widths_out[k];
        }
        if (first == 0) {
            first = widths_out[k];
        } else if (widths_out[k] > widest) {
            widest = widths_out[k];
        }
    }
    return first + GAP + widest;
}

static void add_aligned(struct walk *walk, const char *text, size_t width, bool to_the_right)
{
    size_t used = text_columns(text), room = width > used ? width - used : 0;

    text_add_spaces(walk->out, to_the_right ? room : 0);
    buf_add_text(walk->out, text);
    text_add_spaces(walk->out, to_the_right ? 0 : room);
}

/* Spaces at the end of a line are taken back. */
static void end_line(struct buf *out, size_t begin)
{
    while (!out->failed && out->length > begin && out->bytes[out->length - 1] == ' ') {
        out->bytes[--out->length] = '\0';
    }
    buf_add_char(out, '\n');
}

/* The part of a heading that stands on its line `line_index`: words while they fit. */
static void heading_part(const char *heading, size_t width, size_t line_index, char out[128])
{
    size_t line = 0, at = 0;

    out[0] = '\0';
    while (*heading) {
        size_t length = strcspn(heading, " ");
        char word[64];

        snprintf(word, sizeof(word), "%.*s", (int)length, heading);
        size_t columns = text_columns(word);
        if (at > 0 && at + 1 + columns > width) {
            line++;
            at = 0;
        }
        size_t used = strlen(out);
        if (line == line_index && used + strlen(word) + 2 < 128) {
            snprintf(out + used, 128 - used, "%s%s", at > 0 ? " " : "", word);
        }
        at += columns + (at > 0);
        heading += length + strspn(heading + length, " ");
    }
}

static bool add_heading_line(struct walk *walk, const struct document_table *table,
                             const size_t widths[COLUMN_COUNT_MAX], size_t line_index)
{
    size_t begin = walk->out->length;
    bool is_any = false;
    char part[128];

    for (size_t k = 0; k < table->column_count; k++) {
        if (widths[k] > 0) {
            heading_part(table->columns[k].heading, widths[k], line_index, part);
            is_any = is_any || *part;
            add_aligned(walk, part, widths[k], table->columns[k].number != DOCUMENT_TEXT);
            text_add_spaces(walk->out, GAP);
        }
    }
    if (is_any) {
        end_line(walk->out, begin);
    } else if (!walk->out->failed) {
        walk->out->length = begin;
        walk->out->bytes[begin] = '\0';
    }
    return is_any;
}

/* "ping, 125 connections:" over the rows that have it. */
static void add_group_head(struct walk *walk, const struct document_table *table, size_t row_index)
{
    struct buf head;

    buf_init(&head, walk->out->limit_bytes);
    for (size_t i = 0; i < table->group_count; i++) {
        const struct document_column *column = &table->columns[table->group_first + i];
        const struct document_cell *cell = &table->rows[row_index][table->group_first + i];

        buf_addf(&head, "%s%s", i > 0 ? ", " : "", cell_text(walk, column, cell));
        if (cell->kind != DOCUMENT_CELL_TEXT) {
            buf_addf(&head, " %s", column->heading);
        }
    }
    buf_add_char(&head, ':');
    text_wrap(walk->out, head.bytes, page_width(walk), 0, 0);
    walk->out->failed = walk->out->failed || head.failed;
    buf_release(&head);
}

static void add_grid(struct walk *walk, const struct document_table *table,
                     const size_t widths[COLUMN_COUNT_MAX], bool is_grouped)
{
    for (size_t line = 0; add_heading_line(walk, table, widths, line); line++) {
    }
    for (size_t i = 0; i < table->row_count; i++) {
        if (is_grouped && document_begins_group(table, i)) {
            add_group_head(walk, table, i);
        }
        size_t begin = walk->out->length;

        for (size_t k = 0; k < table->column_count; k++) {
            if (widths[k] > 0) {
                add_aligned(walk, cell_text(walk, &table->columns[k], &table->rows[i][k]),
                            widths[k], table->columns[k].number != DOCUMENT_TEXT);
                text_add_spaces(walk->out, GAP);
            }
        }
        end_line(walk->out, begin);
    }
}

/* Where one grid cannot hold the columns, those of groups become lines over their rows; their
 * widths are then 0. Returns whether they did. */
static bool lift_groups(struct walk *walk, const struct document_table *table,
                        size_t widths[COLUMN_COUNT_MAX])
{
    size_t all = 0;

    for (size_t k = 0; k < table->column_count; k++) {
        all += widths[k] > 0 ? widths[k] + (all > 0 ? GAP : 0) : 0;
    }
    if (all <= page_width(walk) || table->group_count == 0 || widths[table->group_first] == 0) {
        return false;
    }
    memset(widths + table->group_first, 0, table->group_count * sizeof(*widths));
    return true;
}

/* The columns in as many grids as the page needs, each beginning with the first column. */
static void add_grids(struct walk *walk, const struct document_table *table,
                      size_t widths[COLUMN_COUNT_MAX])
{
    bool is_grouped = lift_groups(walk, table, widths);
    size_t first = 0, at;

    while (first < table->column_count && widths[first] == 0) {
        first++;
    }
    for (size_t next = first + 1; next <= table->column_count; next = at) {
        size_t shown[COLUMN_COUNT_MAX] = {0}, used = widths[first];

        shown[first] = widths[first];
        for (at = next; at < table->column_count; at++) {
            if (widths[at] > 0 && used + GAP + widths[at] > page_width(walk)) {
                break;
            }
            shown[at] = widths[at];
            used += widths[at] > 0 ? GAP + widths[at] : 0;
        }
        if (used > widths[first] || next == first + 1) {
            buf_add_text(walk->out, next == first + 1 ? "" : "\n");
            add_grid(walk, table, shown, is_grouped);
        }
        if (at >= table->column_count) {
            break;
        }
    }
}

/* One row after the other, a line a column. */
static void add_records(struct walk *walk, const struct document_table *table, unsigned view)
{
    size_t width = page_width(walk);

    for (size_t i = 0; i < table->row_count; i++) {
        size_t indent = 0;

        for (size_t k = 0; k < table->column_count; k++) {
            const struct document_column *column = &table->columns[k];
            size_t begun = indent;

            if (!(column->views & view)) {
                continue;
            }
            text_add_spaces(walk->out, indent);
            if (indent > 0) {
                buf_addf(walk->out, "%s: ", column->heading);
                begun += text_columns(column->heading) + 2;
            }
            text_wrap(walk->out, cell_text(walk, column, &table->rows[i][k]), width, begun, 4);
            indent = 2;
        }
    }
}

static void add_list(struct walk *walk, const struct document_table *table)
{
    size_t name_width = 0;

    for (size_t i = 0; i < table->row_count; i++) {
        size_t width = text_columns(cell_text(walk, &table->columns[0], &table->rows[i][0]));

        name_width = width > name_width ? width : name_width;
    }
    name_width = name_width > page_width(walk) / 3 ? page_width(walk) / 3 : name_width;
    for (size_t i = 0; i < table->row_count; i++) {
        const char *name = cell_text(walk, &table->columns[0], &table->rows[i][0]);
        size_t used = text_columns(name);

        add_aligned(walk, name, name_width, false);
        text_add_spaces(walk->out, GAP);
        text_wrap(walk->out, cell_text(walk, &table->columns[1], &table->rows[i][1]),
                  page_width(walk), (used > name_width ? used : name_width) + GAP,
                  name_width + GAP);
    }
}

static void on_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    size_t widths[COLUMN_COUNT_MAX];

    if (is_hidden(walk)) {
        return;
    }
    if (table->caption && !table->is_list) {
        text_wrap(walk->out, sentence(walk, table->caption), page_width(walk), 0, 0);
    }
    if (table->is_list) {
        add_list(walk, table);
    } else if (table->column_count <= COLUMN_COUNT_MAX &&
               measure(walk, table, view, widths) <= page_width(walk)) {
        add_grids(walk, table, widths);
    } else {
        add_records(walk, table, view);
    }
    buf_add_char(walk->out, '\n');
    if (table->note) {
        text_wrap(walk->out, sentence(walk, table->note), page_width(walk), 0, 0);
        buf_add_char(walk->out, '\n');
    }
}

static void on_figure(struct walk *walk, const struct document_figure *figure)
{
    if (!is_hidden(walk)) {
        buf_addf(walk->out, "plots/%s.svg\n", figure->name);
        size_t begin = walk->out->length;

        walk_add_figure_number(walk, figure);
        text_wrap(walk->out, sentence(walk, figure->caption), page_width(walk),
                  walk->out->failed ? 0 : text_columns(walk->out->bytes + begin), 0);
        text_wrap(walk->out, sentence(walk, figure->alternative), page_width(walk), 0, 0);
        buf_add_char(walk->out, '\n');
    }
}

static void add_marked(struct walk *walk, const char *start, const struct document_block *block)
{
    size_t begun;

    if (is_hidden(walk)) {
        return;
    }
    buf_addf(walk->out, "%s%s%s", start, walk_tone_mark(block->tone),
             block->tone == DOCUMENT_PLAIN ? "" : " ");
    begun = text_columns(start) + (block->tone == DOCUMENT_PLAIN ? 0 : 2);
    text_wrap(walk->out, sentence(walk, block->text), page_width(walk), begun, text_columns(start));
}

static void on_item(struct walk *walk, const struct document_block *block)
{
    add_marked(walk, "- ", block);
}

static void on_list_end(struct walk *walk)
{
    buf_add_text(walk->out, is_hidden(walk) ? "" : "\n");
}

static void on_paragraph(struct walk *walk, const struct document_block *block)
{
    add_marked(walk, "", block);
    on_list_end(walk);
}

static void on_code(struct walk *walk, const struct document_block *block)
{
    for (const char *text = block->text; *text && !is_hidden(walk);) {
        size_t length = strcspn(text, "\n");
        char line[512];

        snprintf(line, sizeof(line), "%.*s", (int)length, text);
        buf_addf(walk->out, "    ");
        text_add_clean(walk->out, line);
        buf_add_char(walk->out, '\n');
        text += length + (text[length] == '\n');
    }
    on_list_end(walk);
}

static void on_fold(struct walk *walk, const char *title)
{
    text_wrap(walk->out, sentence(walk, title), page_width(walk) - 4, 0, 0);
    if (!walk->out->failed) {
        walk->out->length--; /* the line goes on */
    }
    buf_add_text(walk->out, " \xe2\x80\xa6\n\n"); /* … */
    ((struct page *)walk->context)->is_folded = true;
    ((struct page *)walk->context)->has_folds = true;
}

static void on_fold_end(struct walk *walk)
{
    ((struct page *)walk->context)->is_folded = false;
}

static void add_rule(struct walk *walk, const char *title, const char *sign)
{
    size_t width = text_columns(title);

    text_wrap(walk->out, title, page_width(walk), 0, 0);
    for (size_t i = 0; i < (width < page_width(walk) ? width : page_width(walk)); i++) {
        buf_add_text(walk->out, sign);
    }
    buf_add_text(walk->out, "\n\n");
}

static void on_begin(struct walk *walk)
{
    struct buf title;

    buf_init(&title, walk->out->limit_bytes);
    text_add_name(&title, walk->document->title, TITLE_COLUMN_COUNT);
    add_rule(walk, sentence(walk, title.bytes), "\xe2\x95\x90"); /* ═ */
    buf_release(&title);
    buf_addf(walk->out, "%s%s%s%s%s\n\n", walk_tone_mark(walk->document->tone),
             walk->document->tone == DOCUMENT_PLAIN ? "" : " ", walk->document->word,
             walk->document->remark ? ": " : "",
             walk->document->remark ? walk->document->remark : "");
}

/* Where to read what was not shown. */
static void on_end(struct walk *walk)
{
    if (((const struct page *)walk->context)->has_folds) {
        text_wrap(walk->out,
                  document_label(walk->document,
                                 "What ends in \xe2\x80\xa6 is folded here: it stands in "
                                 "report.html and report.md, which tacho report writes."),
                  page_width(walk), 0, 0);
    }
}

static void on_section(struct walk *walk, const struct document_section *section)
{
    add_rule(walk, sentence(walk, section->title), "\xe2\x94\x80"); /* ─ */
}

void render_text(const struct document *document, size_t column_count, struct buf *out)
{
    static const struct walk_form form = {.begin = on_begin,
                                          .section = on_section,
                                          .fold = on_fold,
                                          .fold_end = on_fold_end,
                                          .list_end = on_list_end,
                                          .item = on_item,
                                          .paragraph = on_paragraph,
                                          .notice = on_paragraph,
                                          .code = on_code,
                                          .table = on_table,
                                          .figure = on_figure,
                                          .end = on_end};
    struct page page = {.column_count = column_count < RENDER_TEXT_COLUMNS_MIN
                                            ? RENDER_TEXT_COLUMNS_MIN
                                            : column_count};

    buf_init(&page.scratch, out->limit_bytes);
    walk_document(
        &(struct walk){.form = &form, .document = document, .out = out, .context = &page});
    buf_release(&page.scratch);
}
