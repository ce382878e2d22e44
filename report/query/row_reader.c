// SPDX-License-Identifier: Apache-2.0
// Checked reading of rows.
#include "report/query/row_reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "report/query/row_text.h"

#define FIRST_CAPACITY 32

void row_begin(struct row_reader *reader, const char *name, const char *table, int64_t key,
               size_t item_bytes)
{
    if (reader->code != ERR_OK) {
        return;
    }
    reader->table = table;
    reader->count = 0;
    reader->capacity = 0;
    reader->item_bytes = item_bytes;
    reader->code = results_db_prepare(reader->db, name, &reader->statement, reader->e);
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
    size_t capacity = reader->capacity ? reader->capacity * 2 : FIRST_CAPACITY;
    char *items = NULL;

    if (capacity <= SIZE_MAX / 2 / reader->item_bytes) {
        items = realloc(reader->items, capacity * reader->item_bytes);
    }
    if (!items) {
        fail_memory(reader);
        return false;
    }
    reader->items = items;
    reader->capacity = capacity;
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
    if (reader->count == reader->capacity && !grow(reader)) {
        return NULL;
    }
    return memset(reader->items + reader->item_bytes * reader->count++, 0, reader->item_bytes);
}

void *row_end(struct row_reader *reader, size_t *count_out)
{
    void *array = NULL;
    size_t bytes = reader->count * reader->item_bytes;

    sqlite3_finalize(reader->statement);
    reader->statement = NULL;
    if (reader->code == ERR_OK && reader->count) {
        array = row_arena_copy(reader->arena, reader->items, bytes);
        if (!array) {
            fail_memory(reader);
        }
    }
    if (reader->code == ERR_OK) {
        *count_out = reader->count;
    }
    free(reader->items);
    reader->items = NULL;
    return array;
}

void row_release(struct row_reader *reader)
{
    sqlite3_finalize(reader->statement);
    reader->statement = NULL;
    free(reader->items);
    reader->items = NULL;
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

static int64_t read_integer(struct row_reader *reader, int column, int64_t minimum)
{
    int64_t value = sqlite3_column_int64(reader->statement, column);

    if (value < minimum || value == METRIC_UNKNOWN) {
        refuse_column(reader, column, "less than it can be");
        return METRIC_UNKNOWN;
    }
    return value;
}

int64_t row_integer_or_unknown(struct row_reader *reader, int column, int64_t minimum)
{
    if (reader->code != ERR_OK) {
        return METRIC_UNKNOWN;
    }
    switch (sqlite3_column_type(reader->statement, column)) {
    case SQLITE_INTEGER:
        return read_integer(reader, column, minimum);
    case SQLITE_NULL:
        return METRIC_UNKNOWN;
    default:
        refuse_column(reader, column, "no integer");
        return METRIC_UNKNOWN;
    }
}

int64_t row_integer(struct row_reader *reader, int column, int64_t minimum)
{
    if (reader->code != ERR_OK) {
        return METRIC_UNKNOWN;
    }
    if (sqlite3_column_type(reader->statement, column) != SQLITE_INTEGER) {
        refuse_column(reader, column, "no integer");
        return METRIC_UNKNOWN;
    }
    return read_integer(reader, column, minimum);
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
