// SPDX-License-Identifier: Apache-2.0
// The results file as a file: who may write it, whether it is one, its schema, its journal.
#ifndef COLLECTOR_STORE_STORE_FILE_H
#define COLLECTOR_STORE_STORE_FILE_H

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct sqlite3;

struct store_file {
    char *path; /* with symbolic links resolved */
    struct sqlite3 *db;
    int lock_fd;
    const char *journal_mode; /* "wal" or "delete" */
};

/*
 * Takes the writer's lock, makes the file when there is none, checks it, migrates it and marks what
 * a killed program left running.
 *
 * errors   those of store_open
 */
enum err_code store_file_open(const char *path, struct store_file *file_out,
                              struct err *e) ATTR_MUST_USE;

/* Leaves one file, unless another program has it open; gives the lock back. */
void store_file_close(struct store_file *file);

/* Runs statements that give no rows. errors as store_file_fail */
enum err_code store_file_execute(struct sqlite3 *db, const char *sql, struct err *e) ATTR_MUST_USE;

/*
 * SQLite's last error as ours; the text names the file.
 *
 * errors   ERR_FORMAT: a damaged file; ERR_DB: else, with the errno when there is no room
 */
enum err_code store_file_fail(struct sqlite3 *db, struct err *e);
/* The same with a name of the caller's. */
enum err_code store_file_fail_named(struct sqlite3 *db, const char *path, struct err *e);

#endif
