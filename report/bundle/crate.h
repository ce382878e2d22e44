// SPDX-License-Identifier: Apache-2.0
// RO-Crate 1.2 metadata with a Process Run Crate 0.5: what each file of data/ is, and which run
// made it.
#ifndef REPORT_BUNDLE_CRATE_H
#define REPORT_BUNDLE_CRATE_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/content.h"
#include "report/bundle/file_tree.h"

#define CRATE_PATH      "data/ro-crate-metadata.json"
#define CRATE_BYTES_MAX ((size_t)16 << 20)

/*
 * Appends the metadata of the files below data/ in a sorted tree, CRATE_PATH left out.
 *
 * source   https://w3id.org/ro/crate/1.2, https://w3id.org/ro/wfrun/process/0.5
 * errors   ERR_FORMAT: a text that is not UTF-8; ERR_LIMIT
 */
enum err_code crate_format(const struct content_config *config, const struct file_tree *tree,
                           struct buf *out, struct err *e) ATTR_MUST_USE;

/*
 * Whether the metadata in a sorted tree tells of each file below data/ once, with its size and
 * SHA-256, and of no other. Foreign bytes.
 *
 * errors   ERR_FORMAT: it does not, with the file's name; ERR_LIMIT: memory
 */
enum err_code crate_check(const struct file_tree *tree, struct err *e) ATTR_MUST_USE;

#endif
