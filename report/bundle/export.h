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
 * Whether a file out of a bundle may be read: header, exact schema (before anything in it is
 * evaluated), then integrity and foreign keys; all read only, hardened, with limits. SQLite does
 * not look at CHECK constraints of a read-only file: export_write of it does.
 *
 * fault_out   on failure a stable word, static: "db-header", "db-schema", "db-integrity"
 * errors      ERR_FORMAT, ERR_DB
 */
enum err_code export_check(const char *path, const char **fault_out, struct err *e) ATTR_MUST_USE;

#endif
