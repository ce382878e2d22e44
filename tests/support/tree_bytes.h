// SPDX-License-Identifier: Apache-2.0
// A bundle's tree to and from the bytes of its archive in memory.
#ifndef TESTS_SUPPORT_TREE_BYTES_H
#define TESTS_SUPPORT_TREE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/buf.h"
#include "report/bundle/file_tree.h"

/* Appends the archive. errors as tar_write */
enum err_code tree_bytes_pack(const struct file_tree *tree, int64_t time_s, struct buf *out,
                              struct err *e);

/*
 * Reads an archive into an empty tree, its files into memory.
 *
 * piece_bytes   handed to the reader at once; 0: all
 * fault_out     the reader's word on failure
 * errors        as tar_reader_add
 */
enum err_code tree_bytes_unpack(const char *bytes, size_t length, size_t piece_bytes,
                                struct file_tree *tree, int64_t *time_s_out, const char **fault_out,
                                struct err *e);

#endif
