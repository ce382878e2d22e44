// SPDX-License-Identifier: Apache-2.0
// Makes a tree of a folder of the disk, following nothing and blocking on nothing.
#ifndef REPORT_BUNDLE_FOLDER_H
#define REPORT_BUNDLE_FOLDER_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

/*
 * Adds what lies in the folder at `path` to the tree, below `prefix` ("" or "data/report"), and
 * sorts. Files stay on disk; what is read of them later must have the SHA-256 that they have now.
 *
 * fault_out   on ERR_FORMAT a stable word, static: "not-regular", "mode", "bad-path"
 * errors      ERR_SYS; ERR_FORMAT: neither a regular file with one link nor a folder, an executable
 *             or set-id file, a name against the rules; ERR_LIMIT
 */
enum err_code folder_read(const char *path, const char *prefix, struct file_tree *tree,
                          const char **fault_out, struct err *e) ATTR_MUST_USE;

#endif
