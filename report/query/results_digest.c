// SPDX-License-Identifier: Apache-2.0
// SHA-256 over the rows of a results file, independent of how SQLite laid them out.
#include <sqlite3.h>
#include <string.h>

#include "collector/digest.h"
#include "engines/base/buf.h"
#include "report/query/results.h"
#include "report/query/results_db.h"

/* Every table of the schema, parents before children; rows in the order of their keys. */
static const struct {
    const char *table, *sql;
} tables[] = {
    {"session", "SELECT * FROM session ORDER BY session_id"},
    {"fact", "SELECT * FROM fact ORDER BY session_id, moment, name"},
    {"engine", "SELECT * FROM engine ORDER BY engine_id"},
    {"workload", "SELECT * FROM workload ORDER BY workload_id"},
    {"cell", "SELECT * FROM cell ORDER BY cell_id"},
    {"trial", "SELECT * FROM trial ORDER BY trial_id"},
    {"sample", "SELECT * FROM sample ORDER BY trial_id, sample_index"},
    {"outcome", "SELECT * FROM outcome ORDER BY trial_id, sample_index, kind"},
    {"log", "SELECT * FROM log ORDER BY trial_id"},
    {"event", "SELECT * FROM event ORDER BY event_id"},
};

#define BLOCK_BYTES     ((size_t)64 << 10) /* given to the digest at once */
#define ROW_BYTES_LIMIT ((size_t)256 << 20)

struct hashing {
    const struct results_db *db;
    struct digest *digest;
    struct buf bytes; /* not yet in the digest */
};

static void add_field(struct buf *out, sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);

    if (type == SQLITE_NULL) {
        buf_add(out, "n\n", 2);
        return;
    }
    if (type == SQLITE_INTEGER) {
        buf_add(out, "i ", 2);
        buf_add_integer(out, sqlite3_column_int64(statement, column));
        buf_add_char(out, '\n');
        return;
    }
    /* STRICT tables hold no other type than text and blob; a column's blob is its bytes as stored.
     */
    const void *bytes = sqlite3_column_blob(statement, column);
    int length = sqlite3_column_bytes(statement, column);

    buf_add(out, type == SQLITE_TEXT ? "t " : "b ", 2);
    buf_add_integer(out, length);
    buf_add_char(out, ' ');
    buf_add(out, length ? bytes : "", (size_t)length);
    buf_add_char(out, '\n');
}

static enum err_code flush(struct hashing *hashing, struct err *e)
{
    enum err_code code = buf_check(&hashing->bytes, "a row of the results file", e);

    digest_add(hashing->digest, hashing->bytes.bytes, hashing->bytes.length);
    buf_clear(&hashing->bytes);
    return code;
}

static enum err_code add_rows(struct hashing *hashing, sqlite3_stmt *statement, size_t index,
                              struct err *e)
{
    int column_count = sqlite3_column_count(statement), step;

    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < column_count; i++) {
            add_field(&hashing->bytes, statement, i);
        }
        if (hashing->bytes.length >= BLOCK_BYTES && flush(hashing, e) != ERR_OK) {
            return ERR_LIMIT;
        }
    }
    return step == SQLITE_DONE ? flush(hashing, e)
                               : results_db_fail(hashing->db, tables[index].table, e);
}

static enum err_code add_table(struct hashing *hashing, size_t index, struct err *e)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(hashing->db->handle, tables[index].sql, -1, &statement, NULL) !=
        SQLITE_OK) {
        return results_db_fail(hashing->db, tables[index].table, e);
    }
    buf_add_text(&hashing->bytes, tables[index].table);
    buf_add_char(&hashing->bytes, '\n');
    enum err_code code = add_rows(hashing, statement, index, e);

    sqlite3_finalize(statement);
    return code;
}

enum err_code results_digest(const char *path, bool immutable, char hex_out[65], struct err *e)
{
    struct results_db db = {0};
    struct hashing hashing = {.db = &db};
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_SCHEMA, e);

    buf_init(&hashing.bytes, ROW_BYTES_LIMIT);
    if (code == ERR_OK) {
        code = digest_new(&hashing.digest, e);
    }
    for (size_t i = 0; i < ARRAY_COUNT(tables) && code == ERR_OK; i++) {
        code = add_table(&hashing, i, e);
    }
    if (code == ERR_OK) {
        digest_finish(hashing.digest, hex_out);
    }
    buf_release(&hashing.bytes);
    digest_free(hashing.digest);
    results_db_close(&db);
    return code;
}
