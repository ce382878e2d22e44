// SPDX-License-Identifier: Apache-2.0
// The archive: one tree has one sequence of bytes, that of `tar --format=ustar --sort=name` with
// owner 0, one time and plain modes. The reader takes nothing else. Neither holds a file in memory.
#ifndef REPORT_BUNDLE_TAR_H
#define REPORT_BUNDLE_TAR_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

#define TAR_BLOCK_BYTES  512
#define TAR_RECORD_BYTES 10240 /* GNU tar's blocking factor of 20 */

/* Where an archive goes: headers, padding and trailer as bytes, files as entries of the tree. */
struct tar_target {
    enum err_code (*frame)(void *self, const void *bytes, size_t length, struct err *e);
    enum err_code (*content)(void *self, const struct file_tree *tree,
                             const struct file_tree_entry *entry, struct err *e);
    void *self;
};

/*
 * Writes the archive of a sorted tree whose top folder is named.
 *
 * time_s   of every entry, seconds since 1970: 0 … 8^11 - 1
 * source   POSIX.1-1988 ustar as GNU tar 1.34 writes it
 * errors   ERR_LIMIT: a path or a time that ustar cannot hold; those of the target
 */
enum err_code tar_write(const struct file_tree *tree, int64_t time_s,
                        const struct tar_target *target, struct err *e) ATTR_MUST_USE;

struct tar_reader;

/*
 * A reader on the heap that is fed an archive piece by piece and adds its files to an empty tree,
 * each with its place in the archive and its SHA-256.
 *
 * archive_bytes   of the whole archive
 * errors          ERR_LIMIT: memory
 */
enum err_code tar_reader_new(struct file_tree *tree, uint64_t archive_bytes,
                             struct tar_reader **reader_out, struct err *e) ATTR_MUST_USE;

/*
 * The next bytes, as many as there are. Foreign bytes: nothing beyond `length` is touched.
 *
 * errors   ERR_FORMAT: not an archive that tar_write could have made; ERR_LIMIT: too much of it.
 * After one nothing more is taken.
 */
enum err_code tar_reader_add(struct tar_reader *reader, const char *bytes, size_t length,
                             struct err *e) ATTR_MUST_USE;

/* After the last byte. time_s_out: the time that all entries have. errors as tar_reader_add */
enum err_code tar_reader_end(struct tar_reader *reader, int64_t *time_s_out,
                             struct err *e) ATTR_MUST_USE;

/* A stable word of what was wrong, static: "truncated", "bad-checksum", "bad-type" …; NULL. */
const char *tar_reader_fault(const struct tar_reader *reader);
/* NULL is accepted. */
void tar_reader_free(struct tar_reader *reader);

#endif
