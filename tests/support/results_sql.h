// SPDX-License-Identifier: Apache-2.0
// SQL for tests that make results files: what cannot be done ends the test.
#ifndef TESTS_SUPPORT_RESULTS_SQL_H
#define TESTS_SUPPORT_RESULTS_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* db   for what SQLite says; NULL: nothing */
void sql_fail_if(bool failed, sqlite3 *db, const char *what);
void sql_execute(sqlite3 *db, const char *sql);
/* Formats as sqlite3_mprintf (%Q quotes a text) and runs it. */
void sql_executef(sqlite3 *db, const char *format, ...);
/* METRIC_UNKNOWN is NULL. */
void sql_bind_metric(sqlite3_stmt *statement, int index, int64_t value);

#endif
