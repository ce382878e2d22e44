// SPDX-License-Identifier: Apache-2.0
// Runs of wrk as a published file: an engine a file, a workload a kind of load.
#ifndef REPORT_IMPORT_IMPORT_WRK_H
#define REPORT_IMPORT_IMPORT_WRK_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/*
 * Reads the files and appends the JSON of datasets/published/schema.json. An engine is named after
 * its file without folder and ending; a workload after its path and wrk's options.
 *
 * title      NULL: made from the names of the engines
 * warnings   gets a line for each line or value that was left out
 * errors     ERR_SYS: a file cannot be read; ERR_FORMAT: what wrk_text_parse refuses, or two files
 *            of one name and load; ERR_LIMIT: memory
 */
enum err_code import_wrk(const char *const *paths, size_t path_count, const char *title,
                         struct buf *out, struct buf *warnings, struct err *e) ATTR_MUST_USE;

#endif
