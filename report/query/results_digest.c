// SPDX-License-Identifier: Apache-2.0
// SHA-256 over the rows of a results file, independent of how SQLite laid them out.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
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

static void add_field(struct digest *digest, sqlite3_stmt *statement, int column)
{
    char head[64];
    int type = sqlite3_column_type(statement, column);

    if (type == SQLITE_NULL) {
        digest_add(digest, "n\n", 2);
        return;
    }
    if (type == SQLITE_INTEGER) {
        int length = snprintf(head, sizeof(head), "i %lld\n",
                              (long long)sqlite3_column_int64(statement, column));

        digest_add(digest, head, (size_t)length);
        return;
    }
    /* STRICT tables hold no other type than text and blob; a column's blob is its bytes as stored.
     */
    const void *bytes = sqlite3_column_blob(statement, column);
    int length = sqlite3_column_bytes(statement, column);
    int head_length =
        snprintf(head, sizeof(head), "%c %d ", type == SQLITE_TEXT ? 't' : 'b', length);

    digest_add(digest, head, (size_t)head_length);
    digest_add(digest, length ? bytes : "", (size_t)length);
    digest_add(digest, "\n", 1);
}

static enum err_code add_table(struct digest *digest, const struct results_db *db, size_t index,
                               struct err *e)
{
    sqlite3_stmt *statement = NULL;
    int step;

    if (sqlite3_prepare_v2(db->handle, tables[index].sql, -1, &statement, NULL) != SQLITE_OK) {
        return results_db_fail(db, tables[index].table, e);
    }
    digest_add(digest, tables[index].table, strlen(tables[index].table));
    digest_add(digest, "\n", 1);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            add_field(digest, statement, i);
        }
    }
    enum err_code code = step == SQLITE_DONE ? ERR_OK : results_db_fail(db, tables[index].table, e);

    sqlite3_finalize(statement);
    return code;
}

enum err_code results_digest(const char *path, enum results_trust trust, char hex_out[65],
                             struct err *e)
{
    struct results_db db = {0};
    struct digest *digest = NULL;
    enum err_code code = results_db_open(&db, path, trust, e);

    if (code == ERR_OK) {
        code = digest_new(&digest, e);
    }
    for (size_t i = 0; i < ARRAY_COUNT(tables) && code == ERR_OK; i++) {
        code = add_table(digest, &db, i, e);
    }
    if (code == ERR_OK) {
        digest_finish(digest, hex_out);
    }
    digest_free(digest);
    results_db_close(&db);
    return code;
}
