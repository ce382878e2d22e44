// SPDX-License-Identifier: Apache-2.0
// SHA-256 over the rows of a results file, independent of how SQLite laid them out.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "collector/side_digest.h"
#include "collector/store/results_db.h"
#include "engines/base/buf.h"
#include "report/query/results.h"
#include "report/query/results_hash.h"

/* Every table of the schema, parents before children; rows in the order of their keys. */
static const struct {
    const char *table, *sql;
} tables[] = {
    {"session", "SELECT * FROM session ORDER BY session_id"},
    {"fact", "SELECT * FROM fact ORDER BY session_id, moment, name"},
    {"engine", "SELECT * FROM engine ORDER BY engine_id"},
    {"workload", "SELECT * FROM workload ORDER BY workload_id"},
    {"request", "SELECT * FROM request ORDER BY workload_id, request_index"},
    {"cell", "SELECT * FROM cell ORDER BY cell_id"},
    {"trial", "SELECT * FROM trial ORDER BY trial_id"},
    {"sample", "SELECT * FROM sample ORDER BY trial_id, sample_index"},
    {"outcome", "SELECT * FROM outcome ORDER BY trial_id, sample_index, kind"},
    {"request_total", "SELECT * FROM request_total ORDER BY trial_id, request_index"},
    {"foreign_load", "SELECT * FROM foreign_load ORDER BY trial_id"},
    {"log", "SELECT * FROM log ORDER BY trial_id"},
    {"event", "SELECT * FROM event ORDER BY event_id"},
};

#define BLOCK_BYTES     ((size_t)64 << 10) /* given to the digest at once */
#define ROW_BYTES_LIMIT ((size_t)256 << 20)

struct results_hash {
    const struct results_db *db;
    struct side_digest *digest;
    struct buf bytes; /* not yet in the digest */
};

static enum err_code flush(struct results_hash *hash, struct err *e)
{
    enum err_code code = buf_check(&hash->bytes, "a row of the results file", e);

    side_digest_add(hash->digest, hash->bytes.bytes, hash->bytes.length);
    buf_clear(&hash->bytes);
    return code;
}

#define FIELD_BYTES_MAX (BUF_INTEGER_BYTES + sizeof("i \n"))

static char *put_null(char *at)
{
    return mempcpy(at, "n\n", 2);
}

static char *put_integer(char *at, int64_t value)
{
    *at++ = 'i';
    *at++ = ' ';
    at = buf_put_integer(at, value);
    *at++ = '\n';
    return at;
}

static char *put_metric(char *at, int64_t value)
{
    return value == METRIC_UNKNOWN ? put_null(at) : put_integer(at, value);
}

static char *put_bytes(char *at, char type, const void *bytes, size_t length)
{
    *at++ = type;
    *at++ = ' ';
    at = buf_put_integer(at, (int64_t)length);
    *at++ = ' ';
    at = mempcpy(at, bytes, length);
    *at++ = '\n';
    return at;
}

/* A connection without a mutex is used by one thread: its values may be looked at as they are. */
static void add_field(struct buf *out, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    bool has_bytes = type != SQLITE_NULL && type != SQLITE_INTEGER;
    /* STRICT tables hold no other type than text and blob; a blob is its bytes as stored. */
    const void *bytes = has_bytes ? sqlite3_value_blob(value) : NULL;
    size_t length = bytes ? (size_t)sqlite3_value_bytes(value) : 0;
    char *begin = buf_reserve(out, FIELD_BYTES_MAX + length), *at = begin;

    if (!begin) {
        return;
    }
    if (has_bytes) {
        at = put_bytes(at, type == SQLITE_TEXT ? 't' : 'b', length ? bytes : "", length);
    } else {
        at = type == SQLITE_NULL ? put_null(at) : put_integer(at, sqlite3_value_int64(value));
    }
    out->length += (size_t)(at - begin);
}

static enum err_code add_row(struct results_hash *hash, sqlite3_stmt *statement, struct err *e)
{
    int column_count = sqlite3_column_count(statement);

    for (int i = 0; i < column_count; i++) {
        add_field(&hash->bytes, sqlite3_column_value(statement, i));
    }
    return hash->bytes.length >= BLOCK_BYTES ? flush(hash, e) : ERR_OK;
}

static void add_name(struct results_hash *hash, size_t index)
{
    buf_add_text(&hash->bytes, tables[index].table);
    buf_add_char(&hash->bytes, '\n');
}

static enum err_code add_rows(struct results_hash *hash, size_t index, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    enum err_code code = ERR_OK;
    int step = SQLITE_ROW;

    if (sqlite3_prepare_v2(hash->db->handle, tables[index].sql, -1, &statement, NULL) !=
        SQLITE_OK) {
        return results_db_fail(hash->db, tables[index].table, e);
    }
    while (code == ERR_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        code = add_row(hash, statement, e);
    }
    if (code == ERR_OK && step != SQLITE_DONE) {
        code = results_db_fail(hash->db, tables[index].table, e);
    }
    sqlite3_finalize(statement);
    return code;
}

static size_t sample_table(void)
{
    size_t index = 0;

    while (strcmp(tables[index].table, "sample") != 0) {
        index++;
    }
    return index;
}

bool results_hash_fits(const struct results_db *db)
{
    sqlite3_stmt *statement = NULL;
    bool fits = sqlite3_prepare_v2(db->handle, "SELECT count(*) FROM session", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) == 1;

    sqlite3_finalize(statement);
    return fits;
}

enum err_code results_hash_begin(const struct results_db *db, struct results_hash **hash_out,
                                 struct err *e)
{
    struct results_hash *hash = calloc(1, sizeof(*hash));

    if (!hash) {
        return err_set(e, ERR_LIMIT, "%s: no memory for its digest", db->path);
    }
    hash->db = db;
    buf_init(&hash->bytes, ROW_BYTES_LIMIT);
    enum err_code code = side_digest_new(&hash->digest, e);

    for (size_t i = 0; i < sample_table() && code == ERR_OK; i++) {
        add_name(hash, i);
        code = add_rows(hash, i, e);
    }
    if (code != ERR_OK) {
        results_hash_free(hash);
        return code;
    }
    add_name(hash, sample_table());
    *hash_out = hash;
    return ERR_OK;
}

static char *put_blob(char *at, const struct sample_blob *blob)
{
    return blob->bytes ? put_bytes(at, 'b', blob->bytes, blob->length) : put_null(at);
}

enum err_code results_hash_sample(struct results_hash *hash, int64_t trial_id,
                                  const struct sample *sample, struct err *e)
{
    const struct sample_blob *const blobs[] = {&sample->histogram, &sample->service_histogram,
                                               &sample->lag_histogram};
    const char *phase = sample_phase_names[sample->phase];
    size_t bytes = (5 + METRIC_COUNT + ARRAY_COUNT(blobs)) * FIELD_BYTES_MAX + strlen(phase);

    for (size_t i = 0; i < ARRAY_COUNT(blobs); i++) {
        bytes += blobs[i]->length;
    }
    char *begin = buf_reserve(&hash->bytes, bytes), *at = begin;

    if (begin) {
        at = put_integer(at, trial_id);
        at = put_integer(at, sample->index);
        at = put_bytes(at, 't', phase, strlen(phase));
        at = put_integer(at, sample->start_ns);
        at = put_integer(at, sample->end_ns);
        for (int i = 0; i < METRIC_COUNT; i++) {
            at = put_metric(at, sample->metrics[i]);
        }
        for (size_t i = 0; i < ARRAY_COUNT(blobs); i++) {
            at = put_blob(at, blobs[i]);
        }
        hash->bytes.length += (size_t)(at - begin);
    }
    return hash->bytes.length >= BLOCK_BYTES || !begin ? flush(hash, e) : ERR_OK;
}

enum err_code results_hash_end(struct results_hash *hash, char hex_out[65], struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = sample_table() + 1; i < ARRAY_COUNT(tables) && code == ERR_OK; i++) {
        add_name(hash, i);
        code = add_rows(hash, i, e);
    }
    if (code == ERR_OK) {
        code = flush(hash, e);
    }
    if (code == ERR_OK) {
        side_digest_finish(hash->digest, hex_out);
    }
    return code;
}

void results_hash_free(struct results_hash *hash)
{
    if (hash) {
        buf_release(&hash->bytes);
        side_digest_free(hash->digest);
        free(hash);
    }
}

enum err_code results_digest(const char *path, bool immutable, char hex_out[65], struct err *e)
{
    struct results_db db = {0};
    struct results_hash *hash = NULL;
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_SCHEMA, e);

    if (code == ERR_OK) {
        code = results_hash_begin(&db, &hash, e);
    }
    if (code == ERR_OK) {
        code = add_rows(hash, sample_table(), e);
    }
    if (code == ERR_OK) {
        code = results_hash_end(hash, hex_out, e);
    }
    results_hash_free(hash);
    results_db_close(&db);
    return code;
}
