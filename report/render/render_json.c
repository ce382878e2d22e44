// SPDX-License-Identifier: Apache-2.0
// A document as JSON: every number of every table at full precision with its unit, interval and n.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/render/text_safe.h"

#define DIGITS_OF_REAL 12

/* jansson has no failure that is not lack of memory here; one flag collects it. */
struct json_writer {
    bool failed;
    struct buf scratch, *out;
    json_t *tables; /* the names of those that are written */
};

static void set(struct json_writer *writer, json_t *object, const char *key, json_t *value)
{
    writer->failed = json_object_set_new(object, key, value) != 0 || writer->failed;
}

static void append(struct json_writer *writer, json_t *array, json_t *value)
{
    writer->failed = json_array_append_new(array, value) != 0 || writer->failed;
}

static json_t *make_sentence(struct json_writer *writer, const char *text)
{
    buf_clear(&writer->scratch);
    text_add_sentence(&writer->scratch, text ? text : "");
    writer->failed = writer->failed || writer->scratch.failed;
    return text ? json_stringn(writer->scratch.bytes, writer->scratch.length) : json_null();
}

/* Foreign text as it is; what is not UTF-8 is kept in hex beside a readable form. */
static json_t *make_text(struct json_writer *writer, const char *text)
{
    size_t length = strlen(text);
    json_t *object;

    if (text_is_utf8(text, length)) {
        return json_stringn(text, length);
    }
    object = json_object();
    buf_clear(&writer->scratch);
    text_add_clean(&writer->scratch, text);
    set(writer, object, "text", json_stringn(writer->scratch.bytes, writer->scratch.length));
    buf_clear(&writer->scratch);
    for (size_t i = 0; i < length; i++) {
        buf_addf(&writer->scratch, "%02x", (unsigned)(uint8_t)text[i]);
    }
    set(writer, object, "hex", json_stringn(writer->scratch.bytes, writer->scratch.length));
    writer->failed = writer->failed || writer->scratch.failed;
    return object;
}

static json_t *make_number(enum document_number form, double value)
{
    if (!isfinite(value)) {
        return json_null();
    }
    if (form == DOCUMENT_INTEGER && fabs(value) < 9e15) {
        return json_integer((json_int_t)value);
    }
    return json_real(value == 0 ? 0.0 : value); /* no minus zero */
}

static json_t *make_cell(struct json_writer *writer, const struct document_column *column,
                         const struct document_cell *cell)
{
    json_t *object;

    if (cell->kind == DOCUMENT_CELL_TEXT) {
        return cell->is_sentence ? make_sentence(writer, cell->text)
                                 : make_text(writer, cell->text);
    }
    if (!column->has_interval) {
        return make_number(column->number,
                           cell->kind == DOCUMENT_CELL_NUMBER ? cell->value : (double)NAN);
    }
    bool is_number = cell->kind == DOCUMENT_CELL_NUMBER;
    object = json_object();
    set(writer, object, "value",
        make_number(column->number, is_number ? cell->value : (double)NAN));
    set(writer, object, "low", make_number(column->number, is_number ? cell->low : (double)NAN));
    set(writer, object, "high", make_number(column->number, is_number ? cell->high : (double)NAN));
    set(writer, object, "n", json_integer(is_number ? (json_int_t)cell->count : 0));
    set(writer, object, "status",
        json_string(!is_number                                    ? "unknown"
                    : isfinite(cell->low) && isfinite(cell->high) ? "measured"
                                                                  : "without_interval"));
    return object;
}

static const char *column_kind(const struct document_column *column)
{
    if (column->has_interval) {
        return "estimate";
    }
    return column->number == DOCUMENT_TEXT      ? "text"
           : column->number == DOCUMENT_INTEGER ? "integer"
                                                : "number";
}

static json_t *make_columns(struct json_writer *writer, const struct document_table *table)
{
    json_t *columns = json_array();

    for (size_t i = 0; i < table->column_count; i++) {
        json_t *column = json_object();

        set(writer, column, "name", json_string(table->columns[i].name));
        set(writer, column, "unit",
            table->columns[i].unit ? json_string(table->columns[i].unit) : json_null());
        set(writer, column, "kind", json_string(column_kind(&table->columns[i])));
        append(writer, columns, column);
    }
    return columns;
}

static json_t *make_row(struct json_writer *writer, const struct document_table *table,
                        const struct document_cell *cells)
{
    json_t *row = json_object();

    for (size_t i = 0; i < table->column_count; i++) {
        set(writer, row, table->columns[i].name, make_cell(writer, &table->columns[i], &cells[i]));
    }
    return row;
}

static json_t *make_sentences(struct json_writer *writer, const struct document_section *section)
{
    json_t *sentences = json_array();

    for (const struct document_block *block = section->first; block; block = block->next) {
        if (block->text && block->kind != DOCUMENT_CODE) {
            append(writer, sentences, make_sentence(writer, block->text));
        }
    }
    return sentences;
}

/* --- written piece by piece: the tree of a whole document would take many times its bytes --- */

/* What jansson writes of one value, moved to the right by as many spaces as the value is deep. */
struct shifted {
    struct buf *out;
    unsigned depth;
};

#define DEPTH_MAX 4

static void add_line_break(struct buf *out, unsigned depth)
{
    static const char text[] = "\n    ";

    _Static_assert(sizeof(text) == 1 + DEPTH_MAX + 1, "a space for each level");
    buf_add(out, text, 1 + (size_t)depth);
}

/* A line break is a piece of its own: in strings there is none. */
static int add_shifted(const char *bytes, size_t length, void *self)
{
    const struct shifted *shifted = self;

    if (length == 1 && *bytes == '\n') {
        add_line_break(shifted->out, shifted->depth);
    } else {
        buf_add(shifted->out, bytes, length);
    }
    return 0;
}

/* Takes the value. */
static void put_value(struct json_writer *writer, unsigned depth, json_t *value)
{
    struct shifted shifted = {writer->out, depth};

    writer->failed = !value ||
                     json_dump_callback(value, add_shifted, &shifted,
                                        JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY |
                                            JSON_REAL_PRECISION(DIGITS_OF_REAL)) != 0 ||
                     writer->failed;
    json_decref(value);
}

/* The next of an array's or object's items, of which `place` are there already. */
static void put_place(struct json_writer *writer, unsigned depth, size_t place)
{
    buf_add_text(writer->out, place ? "," : "");
    add_line_break(writer->out, depth);
}

/* What follows is the value. */
static void put_key(struct json_writer *writer, unsigned depth, size_t place, const char *key)
{
    put_place(writer, depth, place);
    put_value(writer, depth, json_string(key));
    buf_add_text(writer->out, ": ");
}

/* `bracket` closes what has so many items. */
static void put_end(struct json_writer *writer, unsigned depth, size_t item_count, char bracket)
{
    if (item_count) {
        add_line_break(writer->out, depth);
    }
    buf_add_char(writer->out, bracket);
}

static void put_table(struct json_writer *writer, const struct document_table *table)
{
    buf_add_char(writer->out, '{');
    put_key(writer, 3, 0, "caption");
    put_value(writer, 3, make_sentence(writer, table->caption));
    put_key(writer, 3, 1, "note");
    put_value(writer, 3, make_sentence(writer, table->note));
    put_key(writer, 3, 2, "columns");
    put_value(writer, 3, make_columns(writer, table));
    put_key(writer, 3, 3, "rows");
    buf_add_char(writer->out, '[');
    for (size_t i = 0; i < table->row_count; i++) {
        put_place(writer, 4, i);
        put_value(writer, 4, make_row(writer, table, table->rows[i]));
    }
    put_end(writer, 3, table->row_count, ']');
    put_end(writer, 2, 4, '}');
}

static size_t put_tables_of(struct json_writer *writer, const struct document_section *section)
{
    size_t count = json_object_size(writer->tables);

    for (const struct document_block *block = section->first; block; block = block->next) {
        const struct document_table *table = block->figure ? block->figure->table : block->table;

        if (table && !json_object_get(writer->tables, table->name)) {
            set(writer, writer->tables, table->name, json_true());
            put_key(writer, 2, count++, table->name);
            put_table(writer, table);
        }
    }
    return count;
}

static void put_tables(struct json_writer *writer, const struct document *document)
{
    buf_add_char(writer->out, '{');
    size_t count = put_tables_of(writer, &document->lead);

    for (const struct document_section *section = document->first; section;
         section = section->next) {
        count = put_tables_of(writer, section);
    }
    put_end(writer, 1, count, '}');
}

static void put_texts(struct json_writer *writer, const struct document *document)
{
    size_t count = 0;

    buf_add_char(writer->out, '{');
    put_key(writer, 2, count++, document->lead.id);
    put_value(writer, 2, make_sentences(writer, &document->lead));
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        put_key(writer, 2, count++, section->id);
        put_value(writer, 2, make_sentences(writer, section));
    }
    put_end(writer, 1, count, '}');
}

static void put_root(struct json_writer *writer, const struct document *document)
{
    buf_add_char(writer->out, '{');
    put_key(writer, 1, 0, "schema_version");
    put_value(writer, 1, json_integer(RENDER_SCHEMA_VERSION));
    put_key(writer, 1, 1, "program_version");
    put_value(writer, 1, make_text(writer, document->program));
    put_key(writer, 1, 2, "title");
    put_value(writer, 1, make_text(writer, document->title));
    put_key(writer, 1, 3, "verdict");
    put_value(writer, 1, json_string(document->word));
    put_key(writer, 1, 4, "texts");
    put_texts(writer, document);
    put_key(writer, 1, 5, "tables");
    put_tables(writer, document);
    put_end(writer, 0, 6, '}');
    buf_add_char(writer->out, '\n');
}

enum err_code render_json(const struct document *document, struct buf *out, struct err *e)
{
    struct json_writer writer = {.out = out, .tables = json_object()};

    buf_init(&writer.scratch, out->limit_bytes);
    writer.failed = !writer.tables;
    put_root(&writer, document);
    json_decref(writer.tables);
    buf_release(&writer.scratch);
    return writer.failed ? err_set(e, ERR_LIMIT, "no memory for report.json") : ERR_OK;
}
