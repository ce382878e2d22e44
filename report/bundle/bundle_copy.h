// SPDX-License-Identifier: Apache-2.0
// The files of a bundle that was verified, read once more: the same bytes or none.
#ifndef REPORT_BUNDLE_BUNDLE_COPY_H
#define REPORT_BUNDLE_BUNDLE_COPY_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

/*
 * Reads an archive or a folder into an empty tree.
 *
 * archive_sha256   that verify_run found: of the archive, of a folder of the one it was in
 * errors           ERR_MISMATCH: it changed since; ERR_SYS, ERR_FORMAT, ERR_LIMIT
 */
enum err_code bundle_copy(const char *path, const char *archive_sha256, struct file_tree *tree,
                          struct err *e) ATTR_MUST_USE;

#endif
