// SPDX-License-Identifier: Apache-2.0
// Checked reading of rows.
#include "collector/store/row_reader.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "collector/store/row_text.h"

#define FIRST_CAPACITY 32

/* The statement of that name, made when it is asked for first. */
static enum err_code find_statement(struct row_reader *reader, const char *name)
{
    size_t i = 0;

    while (i < ARRAY_COUNT(reader->kept) && reader->kept[i].name &&
           strcmp(reader->kept[i].name, name) != 0) {
        i++;
    }
    assert(i < ARRAY_COUNT(reader->kept));
    struct row_statement *kept = &reader->kept[i];
    enum err_code code = ERR_OK;

    if (!kept->name) {
        code = results_db_prepare(reader->db, name, &kept->statement, reader->e);
        kept->name = code == ERR_OK ? name : NULL;
    }
    reader->statement = kept->statement;
    return code;
}

void row_begin(struct row_reader *reader, const char *name, const char *table, int64_t key,
               size_t item_bytes)
{
    if (reader->code != ERR_OK) {
        return;
    }
    reader->table = table;
    reader->count = 0;
    reader->item_bytes = item_bytes;
    reader->code = find_statement(reader, name);
    if (reader->code == ERR_OK && sqlite3_bind_parameter_count(reader->statement) > 0) {
        sqlite3_bind_int64(reader->statement, 1, key);
    }
}

static void fail_memory(struct row_reader *reader)
{
    reader->code = err_set(reader->e, ERR_LIMIT, "%s: more rows than memory may hold (table %s)",
                           reader->db->path, reader->table);
}

static bool grow(struct row_reader *reader)
{
    size_t least = FIRST_CAPACITY * reader->item_bytes;
    size_t bytes = reader->items_bytes > least / 2 ? 2 * reader->items_bytes : least;
    char *items = reader->items_bytes <= SIZE_MAX / 4 ? realloc(reader->items, bytes) : NULL;

    if (!items) {
        fail_memory(reader);
        return false;
    }
    reader->items = items;
    reader->items_bytes = bytes;
    return true;
}

void *row_next(struct row_reader *reader)
{
    if (reader->code != ERR_OK) {
        return NULL;
    }
    int step = sqlite3_step(reader->statement);

    if (step != SQLITE_ROW) {
        if (step != SQLITE_DONE) {
            reader->code = results_db_fail(reader->db, reader->table, reader->e);
        }
        return NULL;
    }
    if (reader->items_bytes / reader->item_bytes <= reader->count && !grow(reader)) {
        return NULL;
    }
    return memset(reader->items + reader->item_bytes * reader->count++, 0, reader->item_bytes);
}

void *row_end(struct row_reader *reader, size_t *count_out)
{
    void *array = NULL;
    size_t bytes = reader->count * reader->item_bytes;

    sqlite3_reset(reader->statement);
    if (reader->code == ERR_OK && reader->count) {
        array = row_arena_copy(reader->arena, reader->items, bytes);
        if (!array) {
            fail_memory(reader);
        }
    }
    if (reader->code == ERR_OK) {
        *count_out = reader->count;
    }
    return array;
}

void row_release(struct row_reader *reader)
{
    for (size_t i = 0; i < ARRAY_COUNT(reader->kept); i++) {
        sqlite3_finalize(reader->kept[i].statement);
        reader->kept[i] = (struct row_statement){NULL, NULL};
    }
    reader->statement = NULL;
    free(reader->items);
    reader->items = NULL;
    reader->items_bytes = 0;
}

void row_refuse(struct row_reader *reader, const char *what)
{
    if (reader->code != ERR_OK) {
        return;
    }
    reader->code =
        err_set(reader->e, ERR_FORMAT, "%s: table %s, row %zu: %s; the file was changed or damaged",
                reader->db->path, reader->table, reader->count, what);
}

static void refuse_column(struct row_reader *reader, int column, const char *what)
{
    char text[160];

    snprintf(text, sizeof(text), "%.60s is %s", sqlite3_column_name(reader->statement, column),
             what);
    row_refuse(reader, text);
}

/* Nobody else uses the connection, which has no mutex: then a value may be looked at as it is. */
static inline int64_t read_integer(struct row_reader *reader, int column, int64_t minimum,
                                   bool is_needed)
{
    sqlite3_value *value = sqlite3_column_value(reader->statement, column);
    int type = sqlite3_value_type(value);

    if (type == SQLITE_NULL && !is_needed) {
        return METRIC_UNKNOWN;
    }
    if (type != SQLITE_INTEGER) {
        refuse_column(reader, column, "no integer");
        return METRIC_UNKNOWN;
    }
    int64_t integer = sqlite3_value_int64(value);

    if (integer < minimum || integer == METRIC_UNKNOWN) {
        refuse_column(reader, column, "less than it can be");
        return METRIC_UNKNOWN;
    }
    return integer;
}

int64_t row_integer_or_unknown(struct row_reader *reader, int column, int64_t minimum)
{
    return reader->code == ERR_OK ? read_integer(reader, column, minimum, false) : METRIC_UNKNOWN;
}

void row_integers_or_unknown(struct row_reader *reader, int column, int count, int64_t minimum,
                             int64_t *values)
{
    for (int i = 0; i < count && reader->code == ERR_OK; i++) {
        values[i] = read_integer(reader, column + i, minimum, false);
    }
}

int64_t row_integer(struct row_reader *reader, int column, int64_t minimum)
{
    return reader->code == ERR_OK ? read_integer(reader, column, minimum, true) : METRIC_UNKNOWN;
}

const char *row_text_or_null(struct row_reader *reader, int column, size_t bytes_max)
{
    if (reader->code == ERR_OK && sqlite3_column_type(reader->statement, column) == SQLITE_NULL) {
        return NULL;
    }
    return row_text(reader, column, bytes_max);
}

const char *row_text(struct row_reader *reader, int column, size_t bytes_max)
{
    if (reader->code != ERR_OK) {
        return NULL;
    }
    if (sqlite3_column_type(reader->statement, column) != SQLITE_TEXT) {
        refuse_column(reader, column, "no text");
        return NULL;
    }
    const char *text = (const char *)sqlite3_column_text(reader->statement, column);
    size_t length = (size_t)sqlite3_column_bytes(reader->statement, column);

    if (!text) {
        fail_memory(reader);
        return NULL;
    }
    if (length > bytes_max) {
        refuse_column(reader, column, "longer than it may be");
        return NULL;
    }
    if (!row_text_is_utf8(text, length)) {
        refuse_column(reader, column, "no UTF-8 text");
        return NULL;
    }
    const char *copy = row_arena_copy(reader->arena, text, length);

    if (!copy) {
        fail_memory(reader);
    }
    return copy;
}

size_t row_word(struct row_reader *reader, int column, const char *const *words, size_t count)
{
    if (reader->code != ERR_OK) {
        return 0;
    }
    const char *text = (const char *)sqlite3_column_text(reader->statement, column);

    for (size_t i = 0; text && i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    refuse_column(reader, column, "no word that this version knows");
    return 0;
}

const char *row_one_of(struct row_reader *reader, int column, const char *const *words)
{
    size_t count = 0;

    while (words[count]) {
        count++;
    }
    return words[row_word(reader, column, words, count)];
}

const uint8_t *row_blob_or_null(struct row_reader *reader, int column, size_t *length_out)
{
    if (reader->code != ERR_OK || sqlite3_column_type(reader->statement, column) == SQLITE_NULL) {
        return NULL;
    }
    if (sqlite3_column_type(reader->statement, column) != SQLITE_BLOB) {
        refuse_column(reader, column, "no blob");
        return NULL;
    }
    const void *bytes = sqlite3_column_blob(reader->statement, column);
    size_t length = (size_t)sqlite3_column_bytes(reader->statement, column);
    const uint8_t *copy = row_arena_copy(reader->arena, bytes, length);

    if (!copy) {
        fail_memory(reader);
        return NULL;
    }
    *length_out = length;
    return copy;
}
