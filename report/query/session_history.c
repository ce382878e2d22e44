// SPDX-License-Identifier: Apache-2.0
// Looks for earlier sessions of a plan.
#include "report/query/session_history.h"

#include <sqlite3.h>
#include <string.h>

#include "collector/store/results_db.h"

enum err_code session_history_load(const char *path, bool immutable, int64_t session_id,
                                   size_t most, char (*uids_out)[SESSION_UID_BYTES],
                                   size_t *total_out, struct err *e)
{
    struct results_db db = {0};
    sqlite3_stmt *statement = NULL;
    enum err_code code = results_db_open(&db, path, immutable, RESULTS_DB_SCHEMA, e);
    int step = SQLITE_DONE;
    size_t total = 0;

    if (code == ERR_OK) {
        code = results_db_prepare(&db, "session_history", &statement, e);
    }
    if (code == ERR_OK) {
        sqlite3_bind_int64(statement, 1, session_id);
    }
    while (code == ERR_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *uid = (const char *)sqlite3_column_text(statement, 0);

        if (!uid || strlen(uid) != SESSION_UID_BYTES - 1) {
            code = err_set(e, ERR_FORMAT, "%s: session before %lld: the id has not %d characters",
                           path, (long long)session_id, SESSION_UID_BYTES - 1);
        } else if (total++ < most) {
            memcpy(uids_out[total - 1], uid, SESSION_UID_BYTES);
        }
    }
    if (code == ERR_OK && step != SQLITE_DONE) {
        code = results_db_fail(&db, "session", e);
    }
    sqlite3_finalize(statement);
    results_db_close(&db);
    if (code == ERR_OK) {
        *total_out = total;
    }
    return code;
}
