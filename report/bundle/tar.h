// SPDX-License-Identifier: Apache-2.0
// The archive: one tree has one sequence of bytes, that of `tar --format=ustar --sort=name` with
// owner 0, one time and plain modes. The reader takes nothing else.
#ifndef REPORT_BUNDLE_TAR_H
#define REPORT_BUNDLE_TAR_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

#define TAR_BLOCK_BYTES  512
#define TAR_RECORD_BYTES 10240 /* GNU tar's blocking factor of 20 */

/*
 * Appends the archive of a sorted tree whose top folder is named.
 *
 * time_s   of every entry, seconds since 1970: 0 … 8^11 - 1
 * source   POSIX.1-1988 ustar as GNU tar 1.34 writes it
 * errors   ERR_LIMIT: a path that ustar cannot hold, or the buffer's limit
 */
enum err_code tar_write(const struct file_tree *tree, int64_t time_s, struct buf *out,
                        struct err *e) ATTR_MUST_USE;

/*
 * Reads an archive into an empty tree. Foreign bytes: nothing beyond `length` is touched.
 *
 * time_s_out   the time that all entries have
 * fault_out    on ERR_FORMAT a stable word, static: "truncated", "bad-checksum", "bad-type" …
 * errors       ERR_FORMAT: not an archive that tar_write could have made; ERR_LIMIT
 */
enum err_code tar_read(const char *bytes, size_t length, struct file_tree *tree,
                       int64_t *time_s_out, const char **fault_out, struct err *e) ATTR_MUST_USE;

#endif
