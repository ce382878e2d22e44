// SPDX-License-Identifier: Apache-2.0
// Makes large files of a tree piece by piece: one after the other in the tree's store, or their
// digests alone where nobody will read them.
#ifndef REPORT_BUNDLE_SPOOL_H
#define REPORT_BUNDLE_SPOOL_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"

struct spool;

/*
 * A spool on the heap that writes to the tree's store_fd; -1: nothing is kept.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code spool_new(struct file_tree *tree, struct spool **spool_out,
                        struct err *e) ATTR_MUST_USE;
/* NULL is accepted. */
void spool_free(struct spool *spool);

/* Appends to the file that is being made; a failure is told by spool_end_file. */
void spool_add(struct spool *spool, const void *bytes, size_t length);

/* The file is whole: adds it to the tree; the next one begins. errors ERR_SYS: the disk, and those
 * of file_tree_add_stored */
enum err_code spool_end_file(struct spool *spool, const char *path, struct err *e) ATTR_MUST_USE;

#endif
