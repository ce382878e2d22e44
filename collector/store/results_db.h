// SPDX-License-Identifier: Apache-2.0
// A results file opened read only as foreign data: nothing of it is trusted before its schema and
// pages are checked.
#ifndef COLLECTOR_STORE_RESULTS_DB_H
#define COLLECTOR_STORE_RESULTS_DB_H

#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct sqlite3;
struct sqlite3_stmt;

struct results_db {
    struct sqlite3 *handle;
    const char *path; /* the caller's, for messages */
};

/*
 * Opens the file, checks it and begins one read transaction: application id, version, schema equal
 * byte for byte to that of a fresh file, integrity, foreign keys, in this order (integrity_check
 * evaluates what the schema says, so the schema comes first).
 *
 * immutable  no lock, no journal: bytes as they lie there
 * errors     as results_load
 */
enum results_db_check {
    RESULTS_DB_WHOLE,
    RESULTS_DB_SCHEMA /* all but the pages and keys: for who reads a file that was checked whole */
};
enum err_code results_db_open(struct results_db *db_out, const char *path, bool immutable,
                              enum results_db_check check, struct err *e) ATTR_MUST_USE;

/* A zeroed one is accepted. */
void results_db_close(struct results_db *db);

/* Prepares the statement of an embedded file, of report/query or
 * collector/store/sql, NAME.sql. errors ERR_FORMAT */
enum err_code results_db_prepare(const struct results_db *db, const char *name,
                                 struct sqlite3_stmt **statement_out, struct err *e) ATTR_MUST_USE;

/* Turns SQLite's last error into one line that names the file and what was being done. */
enum err_code results_db_fail(const struct results_db *db, const char *what, struct err *e);

#endif
