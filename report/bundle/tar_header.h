// SPDX-License-Identifier: Apache-2.0
// One header of an archive, as the writer makes it and the reader wants it.
#ifndef REPORT_BUNDLE_TAR_HEADER_H
#define REPORT_BUNDLE_TAR_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/tar.h"

#define TAR_NAME_BYTES   100
#define TAR_PREFIX_BYTES 155
#define TAR_TIME_S_MAX   INT64_C(077777777777)

/* One block. All members are bytes, so it has no holes. */
struct tar_header {
    char name[TAR_NAME_BYTES], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type,
        link_name[100], magic[6], version[2], user[32], group[32], device_major[8], device_minor[8],
        prefix[TAR_PREFIX_BYTES], padding[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK_BYTES, "a header is one block");

/*
 * Fills a header.
 *
 * path     with the top folder; a folder's ends in '/'
 * errors   ERR_LIMIT: a path that ustar cannot hold
 */
enum err_code tar_header_make(struct tar_header *header, const char *path,
                              const struct file_tree_entry *entry, int64_t time_s,
                              struct err *e) ATTR_MUST_USE;

/* The sum of its bytes, those of the checksum counted as blanks. */
unsigned tar_header_sum(const struct tar_header *header);

/* Bytes up to the next multiple of `unit`. */
size_t tar_padding(uint64_t length, size_t unit);

#endif
