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
#define ADOPTED_BYTES  ((size_t)64 << 10) /* arrays from there on are not copied */
#define POINTER_TYPE   "row_reader"

/* What SQLite calls with the values of a row behind the reader. They are ours until it returns. */
static void take_values(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct row_reader *reader = count > 0 ? sqlite3_value_pointer(values[0], POINTER_TYPE) : NULL;

    if (reader) {
        reader->values = values + 1;
        reader->lending->take(reader, reader->self);
        reader->values = NULL;
    }
    if (!reader || reader->code != ERR_OK) {
        sqlite3_result_error_code(context, SQLITE_ABORT);
    }
}

static enum err_code prepare_lending(struct row_reader *reader, const char *name, const char *sql,
                                     struct sqlite3_stmt **statement_out)
{
    sqlite3 *handle = reader->db->handle;

    if (sqlite3_create_function_v2(handle, "row_take", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                   take_values, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(handle, sql, -1, statement_out, NULL) != SQLITE_OK) {
        return results_db_fail(reader->db, name, reader->e);
    }
    return ERR_OK;
}

/* The statement of that name; `sql` NULL: of the embedded file. Made when it is asked for first. */
static enum err_code find_statement(struct row_reader *reader, const char *name, const char *sql)
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
        code = sql ? prepare_lending(reader, name, sql, &kept->statement)
                   : results_db_prepare(reader->db, name, &kept->statement, reader->e);
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
    reader->lending = NULL;
    reader->code = find_statement(reader, name, NULL);
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
    size_t first = FIRST_CAPACITY * reader->item_bytes;
    size_t least = reader->adopted_bytes > first ? reader->adopted_bytes : first;
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

void *row_add(struct row_reader *reader)
{
    if (reader->code != ERR_OK ||
        (reader->items_bytes / reader->item_bytes <= reader->count && !grow(reader))) {
        return NULL;
    }
    return memset(reader->items + reader->item_bytes * reader->count++, 0, reader->item_bytes);
}

void *row_next(struct row_reader *reader)
{
    if (reader->code != ERR_OK) {
        return NULL;
    }
    int step = sqlite3_step(reader->statement);

    if (step == SQLITE_ROW) {
        return row_add(reader);
    }
    if (step != SQLITE_DONE) {
        reader->code = results_db_fail(reader->db, reader->table, reader->e);
    }
    return NULL;
}

void row_lend(struct row_reader *reader, const struct row_lending *lending, int64_t key, void *self)
{
    if (reader->code != ERR_OK) {
        return;
    }
    reader->lending = lending;
    reader->self = self;
    reader->table = lending->table;
    reader->count = 0;
    reader->item_bytes = lending->item_bytes;
    reader->code = find_statement(reader, lending->table, lending->sql);
    if (reader->code != ERR_OK) {
        return;
    }
    sqlite3_bind_int64(reader->statement, 1, key);
    sqlite3_bind_pointer(reader->statement, 2, reader, POINTER_TYPE, NULL);
    int step = SQLITE_ROW;

    while (step == SQLITE_ROW) {
        step = sqlite3_step(reader->statement);
    }
    if (step != SQLITE_DONE && reader->code == ERR_OK) {
        reader->code = results_db_fail(reader->db, reader->table, reader->e);
    }
}

/* Gives the array to the arena; the next one begins as large as this one is. */
static void *give_items(struct row_reader *reader, size_t bytes)
{
    char *items = realloc(reader->items, bytes);

    reader->items = items ? items : reader->items;
    if (!row_arena_adopt(reader->arena, reader->items, bytes)) {
        return NULL;
    }
    items = reader->items;
    reader->items = NULL;
    reader->items_bytes = 0;
    reader->adopted_bytes = bytes;
    return items;
}

void *row_end(struct row_reader *reader, size_t *count_out)
{
    void *array = NULL;
    size_t bytes = reader->count * reader->item_bytes;

    sqlite3_reset(reader->statement);
    if (reader->code == ERR_OK && reader->count) {
        array = bytes < ADOPTED_BYTES ? row_arena_copy(reader->arena, reader->items, bytes)
                                      : give_items(reader, bytes);
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

    snprintf(text, sizeof(text), "%.60s is %s",
             reader->lending ? reader->lending->names[column]
                             : sqlite3_column_name(reader->statement, column),
             what);
    row_refuse(reader, text);
}

/* Nobody else uses the connection, which has no mutex: then a value may be looked at as it is. */
static inline sqlite3_value *value_at(const struct row_reader *reader, int column)
{
    return reader->values ? reader->values[column]
                          : sqlite3_column_value(reader->statement, column);
}

static inline int64_t read_integer(struct row_reader *reader, int column, int64_t minimum,
                                   bool is_needed)
{
    sqlite3_value *value = value_at(reader, column);
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
    if (reader->code == ERR_OK && sqlite3_value_type(value_at(reader, column)) == SQLITE_NULL) {
        return NULL;
    }
    return row_text(reader, column, bytes_max);
}

const char *row_text(struct row_reader *reader, int column, size_t bytes_max)
{
    if (reader->code != ERR_OK) {
        return NULL;
    }
    sqlite3_value *value = value_at(reader, column);

    if (sqlite3_value_type(value) != SQLITE_TEXT) {
        refuse_column(reader, column, "no text");
        return NULL;
    }
    const char *text = (const char *)sqlite3_value_text(value);
    size_t length = (size_t)sqlite3_value_bytes(value);

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
    const char *text = (const char *)sqlite3_value_text(value_at(reader, column));

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
    sqlite3_value *value = reader->code == ERR_OK ? value_at(reader, column) : NULL;
    int type = value ? sqlite3_value_type(value) : SQLITE_NULL;

    if (type == SQLITE_NULL) {
        return NULL;
    }
    if (type != SQLITE_BLOB) {
        refuse_column(reader, column, "no blob");
        return NULL;
    }
    const void *bytes = sqlite3_value_blob(value);
    size_t length = (size_t)sqlite3_value_bytes(value);
    const uint8_t *copy = row_arena_copy(reader->arena, bytes, length);

    if (!copy) {
        fail_memory(reader);
        return NULL;
    }
    *length_out = length;
    return copy;
}
