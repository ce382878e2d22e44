// SPDX-License-Identifier: Apache-2.0
// Building a document: one memory for all of it, so that those who fill it need not look after it.
#include "report/render/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "report/render/document_language.h"
#include "report/render/number.h"
#include "report/render/text_safe.h"

#define CHUNK_BYTES            ((size_t)64 * 1024)
#define SENTENCE_BYTES         ((size_t)1 << 20)
#define NAME_COLUMN_COUNT      40
#define LONG_NAME_COLUMN_COUNT 300

struct chunk {
    struct chunk *next;
    size_t used, capacity;
    _Alignas(16) char bytes[];
};

struct document *document_new(void)
{
    struct document *document = calloc(1, sizeof(*document));

    if (document) {
        buf_init(&document->scratch, SENTENCE_BYTES);
        buf_init(&document->missing, SENTENCE_BYTES);
        document->language = CATALOGUE_ENGLISH;
        document->lead.id = "lead";
        document->title = document->word = document->program = "";
    }
    return document;
}

void document_free(struct document *document)
{
    if (!document) {
        return;
    }
    for (struct chunk *chunk = document->chunks; chunk;) {
        struct chunk *next = chunk->next;

        free(chunk);
        chunk = next;
    }
    buf_release(&document->scratch);
    buf_release(&document->missing);
    catalogue_free(document->catalogue);
    free(document);
}

enum err_code document_check(const struct document *document, struct err *e)
{
    return document->failed ? err_set(e, ERR_LIMIT, "no memory for the report") : ERR_OK;
}

void *document_allocate(struct document *document, size_t bytes)
{
    struct chunk *chunk = document->chunks;
    size_t rounded = (bytes + 15) & ~(size_t)15;

    if (!chunk || chunk->capacity - chunk->used < rounded) {
        size_t capacity = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;

        chunk = calloc(1, sizeof(*chunk) + capacity);
        if (!chunk) {
            document->failed = true;
            return NULL;
        }
        chunk->capacity = capacity;
        chunk->next = document->chunks;
        document->chunks = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memory;
}

bool document_owns(const struct document *document, const char *text)
{
    for (const struct chunk *chunk = document->chunks; chunk; chunk = chunk->next) {
        if (text >= chunk->bytes && text < chunk->bytes + chunk->used) {
            return true;
        }
    }
    return false;
}

const char *document_keep(struct document *document, const char *text, size_t length)
{
    char *copy = document_allocate(document, length + 1);

    if (!copy) {
        return "";
    }
    memcpy(copy, text, length);
    return copy;
}

const char *document_format(struct document *document, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    const char *own = document_find_format(document, format);

    va_start(arguments, format);
    /* The catalogue gives a format only with the conversions of its key. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int length = vasprintf(&text, own, arguments);
#pragma GCC diagnostic pop
    va_end(arguments);
    if (length < 0) {
        document->failed = true;
        return "";
    }
    const char *kept = document_keep(document, text, (size_t)length);
    free(text);
    return kept;
}

static const char *keep_name(struct document *document, const char *text, size_t column_count)
{
    if (!text) {
        return NUMBER_NONE;
    }
    buf_clear(&document->scratch);
    text_add_name(&document->scratch, text, column_count);
    document->failed = document->failed || document->scratch.failed;
    return document_keep(document, document->scratch.bytes, document->scratch.length);
}

const char *document_name(struct document *document, const char *text)
{
    return keep_name(document, text, NAME_COLUMN_COUNT);
}

const char *document_long_name(struct document *document, const char *text)
{
    return keep_name(document, text, LONG_NAME_COLUMN_COUNT);
}

struct document_section *document_add_section(struct document *document, const char *id,
                                              const char *title)
{
    struct document_section *section = document_allocate(document, sizeof(*section));

    if (!section) {
        return &document->lead; /* the document has failed: where it goes no longer matters */
    }
    section->id = id;
    section->title = title;
    if (document->last) {
        document->last->next = section;
    } else {
        document->first = section;
    }
    document->last = section;
    return section;
}

struct document_section *document_insert_section(struct document *document, const char *after,
                                                 const char *id, const char *title)
{
    struct document_section *place = document->first;
    struct document_section *before_last = document->first;
    struct document_section *last = document->last;

    while (place && strcmp(place->id, after) != 0) {
        place = place->next;
    }
    struct document_section *section = document_add_section(document, id, title);

    if (!place || place == last || section != document->last) {
        return section;
    }
    while (before_last->next != section) {
        before_last = before_last->next;
    }
    before_last->next = NULL;
    document->last = before_last;
    section->next = place->next;
    place->next = section;
    return section;
}

struct document_block *document_add(struct document *document, struct document_section *section,
                                    enum document_kind kind, const char *text)
{
    static struct document_block spare; /* written to only after memory ran out, never read */
    struct document_block *block = document_allocate(document, sizeof(*block));

    if (!block) {
        return &spare;
    }
    block->kind = kind;
    block->text = text;
    if (section->last) {
        section->last->next = block;
    } else {
        section->first = block;
    }
    section->last = block;
    return block;
}

struct document_table *document_new_table(struct document *document, const char *name,
                                          const char *caption,
                                          const struct document_column *columns,
                                          size_t column_count)
{
    static struct document_table spare;
    struct document_table *table = document_allocate(document, sizeof(*table));

    if (!table) {
        table = &spare;
        memset(table, 0, sizeof(*table));
    }
    table->name = name;
    table->caption = caption;
    table->columns = columns;
    table->column_count = column_count;
    table->document = document;
    return table;
}

struct document_block *document_show_table(struct document_section *section,
                                           struct document_table *table, unsigned view)
{
    struct document_block *block = document_add(table->document, section, DOCUMENT_TABLE, NULL);

    block->table = table;
    block->view = view;
    return block;
}

void document_group(struct document_table *table, size_t first, size_t last)
{
    table->group_first = first;
    table->group_count = last + 1 - first;
}

static bool is_same_cell(const struct document_cell *left, const struct document_cell *right)
{
    return left->kind == right->kind &&
           (left->kind == DOCUMENT_CELL_TEXT ? strcmp(left->text, right->text) == 0
                                             : left->value == right->value);
}

bool document_begins_group(const struct document_table *table, size_t row_index)
{
    bool is_same = row_index > 0;

    for (size_t i = 0; i < table->group_count && is_same; i++) {
        size_t column = table->group_first + i;

        is_same =
            is_same_cell(&table->rows[row_index - 1][column], &table->rows[row_index][column]);
    }
    return table->group_count > 0 && !is_same;
}

struct document_cell *document_add_row(struct document_table *table)
{
    struct document_cell *row =
        document_allocate(table->document, table->column_count * sizeof(*row));

    if (table->row_count == table->row_capacity) {
        size_t capacity = table->row_capacity ? 2 * table->row_capacity : 16;
        struct document_cell **rows = document_allocate(table->document, capacity * sizeof(*rows));

        if (!rows) {
            return NULL;
        }
        if (table->row_count > 0) {
            memcpy(rows, table->rows, table->row_count * sizeof(*rows));
        }
        table->rows = rows;
        table->row_capacity = capacity;
    }
    if (row) {
        table->rows[table->row_count++] = row;
    }
    return row;
}

void document_set_text(struct document_cell *row, size_t column_index, const char *text)
{
    if (row && text) {
        row[column_index].kind = DOCUMENT_CELL_TEXT;
        row[column_index].text = text;
    }
}

void document_set_sentence(struct document_cell *row, size_t column_index, const char *text)
{
    document_set_text(row, column_index, text);
    if (row) {
        row[column_index].is_sentence = true;
    }
}

void document_set_number(struct document_cell *row, size_t column_index, double value)
{
    document_set_estimate(row, column_index, (const double[3]){value, (double)NAN, (double)NAN}, 0);
}

void document_set_integer(struct document_cell *row, size_t column_index, int64_t value)
{
    if (value != METRIC_UNKNOWN) {
        document_set_number(row, column_index, (double)value);
    }
}

void document_set_estimate(struct document_cell *row, size_t column_index,
                           const double value_low_high[3], size_t count)
{
    if (!row || !isfinite(value_low_high[0])) {
        return;
    }
    row[column_index].kind = DOCUMENT_CELL_NUMBER;
    row[column_index].value = value_low_high[0];
    row[column_index].low = value_low_high[1];
    row[column_index].high = value_low_high[2];
    row[column_index].count = count;
}
