// SPDX-License-Identifier: Apache-2.0
// SQL for tests that make results files.
#include "tests/support/results_sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/sample.h"
#include "tests/support/results_builder.h"

void sql_fail_if(bool failed, sqlite3 *db, const char *what)
{
    if (failed) {
        fprintf(stderr, "results of a test: %s: %s\n", what, db ? sqlite3_errmsg(db) : "");
        abort();
    }
}

void sql_execute(sqlite3 *db, const char *sql)
{
    sql_fail_if(sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK, db, sql);
}

void sql_executef(sqlite3 *db, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    sql_fail_if(!sql, NULL, format);
    sql_execute(db, sql);
    sqlite3_free(sql);
}

void sql_bind_metric(sqlite3_stmt *statement, int index, int64_t value)
{
    if (value == METRIC_UNKNOWN) {
        sqlite3_bind_null(statement, index);
    } else {
        sqlite3_bind_int64(statement, index, value);
    }
}

void results_builder_alter(const char *path, const char *sql)
{
    sqlite3 *db;

    sql_fail_if(sqlite3_open(path, &db) != SQLITE_OK, db, path);
    sql_execute(db, sql);
    sql_fail_if(sqlite3_close(db) != SQLITE_OK, db, "close");
}
