// SPDX-License-Identifier: Apache-2.0
// Reads what was measured before, on a connection of its own: the writing thread has the other.
#include "collector/store/store_past.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/store/store_file.h"

#define BUSY_MS 5000

static enum err_code fail_memory(const char *path, struct err *e)
{
    return err_set(e, ERR_LIMIT, "%.200s: out of memory", path);
}

static void rows_free(struct store_past_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->rows[i].texts[0]);
        free(rows->rows[i].texts[1]);
    }
    free(rows->rows);
}

void store_past_free(struct store_past *past)
{
    if (!past) {
        return;
    }
    free(past->uid);
    free(past->plan_text);
    rows_free(&past->engines);
    rows_free(&past->cells);
    rows_free(&past->places);
    rows_free(&past->facts);
    free(past);
}

/* False: out of memory. */
static bool text_copy(sqlite3_stmt *statement, int column, char **text_out)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    *text_out = text ? strdup((const char *)text) : NULL;
    return !text || *text_out;
}

static bool row_add(sqlite3_stmt *statement, int number_count, struct store_past_rows *rows)
{
    struct store_past_row *grown = realloc(rows->rows, (rows->count + 1) * sizeof(*grown));
    int column_count = sqlite3_column_count(statement);

    if (!grown) {
        return false;
    }
    rows->rows = grown;
    struct store_past_row *row = &rows->rows[rows->count++];
    memset(row, 0, sizeof(*row));
    for (int i = 0; i < number_count; i++) {
        row->numbers[i] = sqlite3_column_int64(statement, i);
    }
    bool is_kept = true;
    for (int i = number_count; i < column_count; i++) {
        is_kept = text_copy(statement, i, &row->texts[i - number_count]) && is_kept;
    }
    return is_kept;
}

/* The first number_count columns are integers, the others texts; ?1 is the session. */
static enum err_code rows_read(sqlite3 *db, const char *sql, int64_t session_id, int number_count,
                               struct store_past_rows *rows, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    enum err_code code = ERR_OK;

    if (status == SQLITE_OK) {
        sqlite3_bind_int64(statement, 1, session_id);
        status = sqlite3_step(statement);
    }
    while (status == SQLITE_ROW && code == ERR_OK) {
        if (!row_add(statement, number_count, rows)) {
            code = fail_memory(sqlite3_db_filename(db, "main"), e);
        }
        status = sqlite3_step(statement);
    }
    if (code == ERR_OK && status != SQLITE_DONE) {
        code = store_file_fail(db, e);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum err_code session_find(sqlite3 *db, const char *plan_digest, struct store_past *past,
                                  struct err *e)
{
    static const char sql[] = "SELECT session_id, session_uid, plan_text, plan_digest = ?1 "
                              "FROM session ORDER BY plan_digest = ?1 DESC, session_id DESC";
    const char *path = sqlite3_db_filename(db, "main");
    sqlite3_stmt *statement = NULL;
    enum err_code code = ERR_OK;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return store_file_fail(db, e);
    }
    sqlite3_bind_text(statement, 1, plan_digest, -1, SQLITE_STATIC);
    int status = sqlite3_step(statement);
    if (status == SQLITE_DONE) {
        code = err_set(e, ERR_USAGE, "%.200s: holds no session: run without --resume", path);
    } else if (status != SQLITE_ROW) {
        code = store_file_fail(db, e);
    } else {
        past->session_id = sqlite3_column_int64(statement, 0);
        if (!text_copy(statement, 1, &past->uid) || !text_copy(statement, 2, &past->plan_text)) {
            code = fail_memory(path, e);
        } else if (!sqlite3_column_int(statement, 3)) {
            code = err_set(e, ERR_MISMATCH, "%.200s: no session of this plan", path);
        }
    }
    sqlite3_finalize(statement);
    return code;
}

static enum err_code session_read(sqlite3 *db, struct store_past *past, struct err *e)
{
    const struct {
        const char *sql;
        int number_count;
        struct store_past_rows *rows;
    } tables[] = {
        {"SELECT engine_id, name, binary_sha256 FROM engine WHERE session_id = ?1", 1,
         &past->engines},
        {"SELECT cell_id, connection_count, ifnull(rate_per_s, 0), is_calibration, name FROM cell "
         "JOIN workload USING (workload_id) WHERE session_id = ?1",
         4, &past->cells},
        {"SELECT order_index, max(attempt_index) + 1, max(state = 'finished'), max(sitting_index) "
         "FROM trial WHERE session_id = ?1 GROUP BY order_index ORDER BY order_index",
         4, &past->places},
        {"SELECT name, value FROM fact WHERE session_id = ?1 AND moment = 'start'", 0,
         &past->facts},
    };
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < ARRAY_COUNT(tables); i++) {
        code = rows_read(db, tables[i].sql, past->session_id, tables[i].number_count,
                         tables[i].rows, e);
    }
    for (size_t i = 0; i < past->places.count; i++) {
        int64_t sitting_index = past->places.rows[i].numbers[3];

        if (sitting_index >= past->sitting_count) {
            past->sitting_count = sitting_index + 1;
        }
    }
    return code;
}

enum err_code store_past_read(const char *path, const char *plan_digest,
                              struct store_past **past_out, struct err *e)
{
    struct store_past *past = calloc(1, sizeof(*past));
    sqlite3 *db = NULL;
    enum err_code code = past ? ERR_OK : fail_memory(path, e);

    if (code == ERR_OK && sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        code = db ? store_file_fail(db, e) : fail_memory(path, e);
    }
    if (code == ERR_OK) {
        sqlite3_busy_timeout(db, BUSY_MS);
        code = session_find(db, plan_digest, past, e);
    }
    if (code == ERR_OK) {
        code = session_read(db, past, e);
    }
    sqlite3_close(db);
    if (code != ERR_OK && code != ERR_MISMATCH) {
        store_past_free(past);
        return code;
    }
    *past_out = past;
    return code;
}
