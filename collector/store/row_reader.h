// SPDX-License-Identifier: Apache-2.0
// Rows of a results file as checked values. The first value that is not what it must be stops the
// reading; the error names table, column and row.
#ifndef COLLECTOR_STORE_ROW_READER_H
#define COLLECTOR_STORE_ROW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/store/results_db.h"
#include "collector/store/row_arena.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define ROW_NAME_BYTES_MAX 4096 /* names, words, hashes, paths */
#define ROW_ANY_INTEGER    (INT64_MIN + 1)
#define ROW_TEXT_BYTES_MAX 1000000 /* plans, commands, events: SQLite's limit as it is set here */

struct row_lending;
struct sqlite3_value;

/* Values are read by column number, each with what it must be. After a failure every call is
 * without effect. */
struct row_reader {
    const struct results_db *db;
    struct row_arena *arena; /* texts and finished arrays go there */
    struct sqlite3_stmt *statement;
    const struct row_lending *lending; /* NULL: rows are those of the statement */
    struct sqlite3_value **values;     /* those of the row that is lent */
    void *self;
    const char *table;  /* for messages */
    enum err_code code; /* the first failure */
    struct err *e;
    char *items; /* the array being read, on the heap */
    size_t items_bytes, count, item_bytes;
    size_t adopted_bytes; /* of the large array before, which the arena has now; 0: none */
    /* By the names that row_begin got, which stay as long as the reader: made once. */
    struct row_statement {
        const char *name;
        struct sqlite3_stmt *statement;
    } kept[14];
};

/* Begins the statement NAME.sql of results_db_prepare with ?1 = key; items of item_bytes each
 * follow. */
void row_begin(struct row_reader *reader, const char *name, const char *table, int64_t key,
               size_t item_bytes);

/* The next row's item, zeroed, or NULL at the end and after a failure. */
void *row_next(struct row_reader *reader);

/*
 * Rows that SQLite lends, all values of one at once, as arguments of a function: a third of the
 * time of asking for each, where a million rows have 90 columns.
 */
struct row_lending {
    const char *sql;          /* "SELECT row_take(?2, …) …", ?1 = key */
    const char *const *names; /* of the arguments behind ?2: their places are the columns below */
    const char *table;
    size_t item_bytes;
    void (*take)(struct row_reader *reader, void *self); /* begins with row_add */
};

/* Has `take` called for each row, in order; row_end follows. `lending` stays as long as the reader.
 */
void row_lend(struct row_reader *reader, const struct row_lending *lending, int64_t key,
              void *self);

/* The item of a row that is lent, zeroed, or NULL after a failure. */
void *row_add(struct row_reader *reader);

/* Ends the statement; the array is copied to the arena. NULL when it is empty or after a failure.
 */
void *row_end(struct row_reader *reader, size_t *count_out);

/* Frees statements and memory, but not the arena. */
void row_release(struct row_reader *reader);

/* An integer in [minimum, INT64_MAX]. row_integer_or_unknown accepts NULL as METRIC_UNKNOWN. */
int64_t row_integer(struct row_reader *reader, int column, int64_t minimum);
int64_t row_integer_or_unknown(struct row_reader *reader, int column, int64_t minimum);

/* `count` columns from `column` on, as row_integer_or_unknown reads each. */
void row_integers_or_unknown(struct row_reader *reader, int column, int count, int64_t minimum,
                             int64_t *values);

/* UTF-8 of at most bytes_max, copied. row_text_or_null accepts NULL. */
const char *row_text(struct row_reader *reader, int column, size_t bytes_max);
const char *row_text_or_null(struct row_reader *reader, int column, size_t bytes_max);

/* The index of a text among `count` words; 0 after a failure. */
size_t row_word(struct row_reader *reader, int column, const char *const *words, size_t count);

/* The word itself, out of a list that ends with NULL. */
const char *row_one_of(struct row_reader *reader, int column, const char *const *words);

/* A copy of a blob; NULL (and length 0) for NULL. */
const uint8_t *row_blob_or_null(struct row_reader *reader, int column, size_t *length_out);

/* Records that the row does not make sense: "TABLE row N: WHAT". */
void row_refuse(struct row_reader *reader, const char *what);

#endif
