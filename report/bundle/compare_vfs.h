// SPDX-License-Identifier: Apache-2.0
// A place for SQLite to write a database to that keeps nothing: each page is compared with that of
// a file that is there.
#ifndef REPORT_BUNDLE_COMPARE_VFS_H
#define REPORT_BUNDLE_COMPARE_VFS_H

#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define COMPARE_VFS_PAGE_BYTES 4096

struct compare_vfs;

/*
 * Registers a VFS whose only database is compared with a file.
 *
 * given_path   pages of 4096 bytes; does not change meanwhile
 * errors       ERR_SYS: it cannot be opened; ERR_LIMIT: memory
 */
enum err_code compare_vfs_open(const char *given_path, struct compare_vfs **vfs_out,
                               struct err *e) ATTR_MUST_USE;

/* For sqlite3_open_v2; any file name will do. */
const char *compare_vfs_name(const struct compare_vfs *vfs);

/* Whether so much differed that SQLite was told that the disk is full. */
bool compare_vfs_gave_up(const struct compare_vfs *vfs);

/* After the database was closed: whether it is another one than the file. */
bool compare_vfs_differs(const struct compare_vfs *vfs);

/* NULL is accepted. */
void compare_vfs_close(struct compare_vfs *vfs);

#endif
