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
    struct buf scratch;
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

static json_t *make_table(struct json_writer *writer, const struct document_table *table)
{
    json_t *object = json_object(), *columns = json_array(), *rows = json_array();

    for (size_t i = 0; i < table->column_count; i++) {
        json_t *column = json_object();

        set(writer, column, "name", json_string(table->columns[i].name));
        set(writer, column, "unit",
            table->columns[i].unit ? json_string(table->columns[i].unit) : json_null());
        set(writer, column, "kind", json_string(column_kind(&table->columns[i])));
        append(writer, columns, column);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        json_t *row = json_object();

        for (size_t k = 0; k < table->column_count; k++) {
            set(writer, row, table->columns[k].name,
                make_cell(writer, &table->columns[k], &table->rows[i][k]));
        }
        append(writer, rows, row);
    }
    set(writer, object, "caption", make_sentence(writer, table->caption));
    set(writer, object, "note", make_sentence(writer, table->note));
    set(writer, object, "columns", columns);
    set(writer, object, "rows", rows);
    return object;
}

static void add_tables(struct json_writer *writer, json_t *tables,
                       const struct document_section *section)
{
    for (const struct document_block *block = section->first; block; block = block->next) {
        const struct document_table *table = block->table;

        if (block->figure) {
            table = block->figure->table;
        }
        if (table && !json_object_get(tables, table->name)) {
            set(writer, tables, table->name, make_table(writer, table));
        }
    }
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

static json_t *make_root(struct json_writer *writer, const struct document *document)
{
    json_t *root = json_object(), *texts = json_object(), *tables = json_object();

    set(writer, root, "schema_version", json_integer(RENDER_SCHEMA_VERSION));
    set(writer, root, "program_version", make_text(writer, document->program));
    set(writer, root, "title", make_text(writer, document->title));
    set(writer, root, "verdict", json_string(document->word));
    set(writer, texts, document->lead.id, make_sentences(writer, &document->lead));
    add_tables(writer, tables, &document->lead);
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        set(writer, texts, section->id, make_sentences(writer, section));
        add_tables(writer, tables, section);
    }
    set(writer, root, "texts", texts);
    set(writer, root, "tables", tables);
    return root;
}

static int add_bytes(const char *bytes, size_t length, void *out)
{
    buf_add(out, bytes, length);
    return 0;
}

enum err_code render_json(const struct document *document, struct buf *out, struct err *e)
{
    struct json_writer writer = {0};

    buf_init(&writer.scratch, out->limit_bytes);
    json_t *root = make_root(&writer, document);
    if (!root || writer.failed ||
        json_dump_callback(root, add_bytes, out,
                           JSON_INDENT(1) | JSON_PRESERVE_ORDER |
                               JSON_REAL_PRECISION(DIGITS_OF_REAL)) != 0) {
        json_decref(root);
        buf_release(&writer.scratch);
        return err_set(e, ERR_LIMIT, "no memory for report.json");
    }
    buf_add_char(out, '\n');
    json_decref(root);
    buf_release(&writer.scratch);
    return ERR_OK;
}
