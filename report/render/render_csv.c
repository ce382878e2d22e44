// SPDX-License-Identifier: Apache-2.0
// A table as CSV: numbers bare, text quoted and guarded against spreadsheets that see formulas.
#include <math.h>

#include "report/render/number.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"

static void add_number(struct buf *out, enum document_number form, double value)
{
    char text[NUMBER_TEXT_BYTES];

    if (!isfinite(value)) {
        return; /* unknown: an empty field */
    }
    if (form == DOCUMENT_INTEGER) {
        buf_add_text(out, number_format_fixed(value, 0, 0, text));
    } else {
        buf_add_text(out, number_format_plain(value, text));
    }
}

static void add_heading(const struct document_table *table, struct buf *out)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;

        buf_addf(out, "%s%s", i > 0 ? "," : "", name);
        if (table->columns[i].has_interval) {
            buf_addf(out, ",%s_low,%s_high,%s_n", name, name, name);
        }
    }
    buf_add_text(out, "\r\n");
}

/* A sentence without the marks around its names. */
static void add_text(const struct document_cell *cell, struct buf *out)
{
    struct buf sentence;

    if (!cell->is_sentence) {
        text_add_csv(out, cell->text);
        return;
    }
    buf_init(&sentence, out->limit_bytes);
    text_add_sentence(&sentence, cell->text);
    text_add_csv(out, sentence.bytes);
    out->failed = out->failed || sentence.failed;
    buf_release(&sentence);
}

static void add_cell(const struct document_table *table, const struct document_cell *row,
                     size_t column_index, struct buf *out)
{
    const struct document_cell *cell = &row[column_index];
    enum document_number form = table->columns[column_index].number;
    bool is_number = cell->kind == DOCUMENT_CELL_NUMBER;

    if (cell->kind == DOCUMENT_CELL_TEXT) {
        add_text(cell, out);
    } else if (is_number) {
        add_number(out, form, cell->value);
    }
    if (table->columns[column_index].has_interval) {
        buf_add_char(out, ',');
        add_number(out, form, is_number ? cell->low : (double)NAN);
        buf_add_char(out, ',');
        add_number(out, form, is_number ? cell->high : (double)NAN);
        buf_add_char(out, ',');
        add_number(out, DOCUMENT_INTEGER, is_number ? (double)cell->count : (double)NAN);
    }
}

void render_csv(const struct document_table *table, struct buf *out)
{
    add_heading(table, out);
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t k = 0; k < table->column_count; k++) {
            if (k > 0) {
                buf_add_char(out, ',');
            }
            add_cell(table, table->rows[i], k, out);
        }
        buf_add_text(out, "\r\n");
    }
}
