// SPDX-License-Identifier: Apache-2.0
// What the servers wrote, one log at a time.
#include "report/query/results_logs.h"

#include <sqlite3.h>

#include "collector/store/results_db.h"
#include "report/query/results_pass.h"

static enum err_code log_take(const struct results_db *db, sqlite3_stmt *statement,
                              struct results_log *log_out, struct err *e)
{
    struct results_log log = {.trial_id = sqlite3_column_int64(statement, 0),
                              .written_bytes = sqlite3_column_int64(statement, 1),
                              .head = sqlite3_column_blob(statement, 2),
                              .tail = sqlite3_column_blob(statement, 3)};

    log.head_bytes = (size_t)sqlite3_column_bytes(statement, 2);
    log.tail_bytes = (size_t)sqlite3_column_bytes(statement, 3);
    if (log.trial_id <= 0 || log.written_bytes <= 0 ||
        log.head_bytes + log.tail_bytes > (uint64_t)log.written_bytes) {
        return err_set(e, ERR_FORMAT, "%s: log %lld: holds more than the server wrote", db->path,
                       (long long)log.trial_id);
    }
    log.head = log.head_bytes ? log.head : "";
    log.tail = log.tail_bytes ? log.tail : "";
    *log_out = log;
    return ERR_OK;
}

enum err_code results_visit_logs(const char *path, bool immutable,
                                 enum err_code (*visit)(void *self, const struct results_log *log,
                                                        struct err *e),
                                 void *self, struct err *e)
{
    struct results_db db = {0};
    sqlite3_stmt *statement = NULL;
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_SCHEMA, e);
    int step = SQLITE_DONE;

    if (code == ERR_OK) {
        code = results_db_prepare(&db, "results_visit_logs", &statement, e);
    }
    while (code == ERR_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct results_log log;

        code = log_take(&db, statement, &log, e);
        if (code == ERR_OK) {
            code = visit(self, &log, e);
        }
    }
    if (code == ERR_OK && step != SQLITE_DONE) {
        code = results_db_fail(&db, "log", e);
    }
    sqlite3_finalize(statement);
    results_db_close(&db);
    return code;
}
