// SPDX-License-Identifier: Apache-2.0
// The canonical copy of a results file: rows in order in a fresh file, so that equal rows give
// equal bytes whatever their history. And the checks that a foreign copy must pass before anyone
// reads it.
#ifndef REPORT_BUNDLE_EXPORT_H
#define REPORT_BUNDLE_EXPORT_H

#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Writes all rows of a results file into a new file: the schema of the program, one transaction,
 * each table in order of its key, pages of 4096 bytes, no journal beside it. The bytes depend on
 * the rows and on the version of SQLite (bytes 96 … 99) alone.
 *
 * source_path   opened read only; rows in a write-ahead log beside it count, unless `immutable`
 * target_path   must not exist
 * errors        ERR_FORMAT: not a results file of this version; ERR_DB: SQLite failed, e.g. a full
 *               disk
 */
enum err_code export_write(const char *source_path, bool immutable, const char *target_path,
                           struct err *e) ATTR_MUST_USE;

/*
 * Whether export_write of a file gives another file; writes nothing. `path` is in a private folder.
 *
 * errors   as export_write: its rows are none that the schema allows
 */
enum err_code export_compare(const char *path, bool *differs_out, struct err *e) ATTR_MUST_USE;

/* Whether the version of SQLite that wrote the file is the one in use: else the bytes may differ.
 */
bool export_is_by_this_sqlite(const char *path);

/* How much of a foreign file is looked at. */
enum export_depth {
    EXPORT_SCHEMA, /* header and exact schema, before anything in it is evaluated */
    EXPORT_LINKS,  /* and the foreign keys: for a file that export_compare finds no difference in */
    EXPORT_PAGES,  /* and every page */
};

/*
 * Whether a file out of a bundle may be read; read only, hardened, with limits. SQLite does not
 * look at CHECK constraints of a read-only file: export_write and export_compare do.
 *
 * fault_out   on failure a stable word, static: "db-header", "db-schema", "db-integrity"
 * errors      ERR_FORMAT, ERR_DB
 */
enum err_code export_check(const char *path, enum export_depth depth, const char **fault_out,
                           struct err *e) ATTR_MUST_USE;

#endif
