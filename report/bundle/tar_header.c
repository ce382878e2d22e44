// SPDX-License-Identifier: Apache-2.0
// One header of an archive: POSIX.1-1988 ustar as GNU tar 1.34 writes it.
#include "report/bundle/tar_header.h"

#include <stdio.h>
#include <string.h>

/* `digits` octal digits and a NUL. */
static void octal_format(char *field, int digits, uint64_t value)
{
    for (int i = digits - 1; i >= 0; i--) {
        field[i] = (char)('0' + (value & 7));
        value >>= 3;
    }
    field[digits] = '\0';
}

unsigned tar_header_sum(const struct tar_header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    unsigned sum = 0;

    for (size_t i = 0; i < sizeof(*header); i++) {
        bool in_checksum = i >= offsetof(struct tar_header, checksum) &&
                           i < offsetof(struct tar_header, checksum) + sizeof(header->checksum);
        sum += in_checksum ? ' ' : bytes[i];
    }
    return sum;
}

/* Where GNU tar cuts a path of more than 100 bytes: at the last '/' that leaves a prefix of at most
 * 155 bytes, not at the final one of a folder. 0: nowhere. */
static size_t path_find_split(const char *path, size_t length)
{
    size_t start = length > TAR_PREFIX_BYTES + 1 ? TAR_PREFIX_BYTES + 1 : length;

    if (start == length && path[length - 1] == '/') {
        start--;
    }
    for (size_t i = start - 1; i > 0; i--) {
        if (path[i] == '/') {
            return length - i - 1 <= TAR_NAME_BYTES ? i : 0;
        }
    }
    return 0;
}

enum err_code tar_header_make(struct tar_header *header, const char *path,
                              const struct file_tree_entry *entry, int64_t time_s, struct err *e)
{
    size_t length = strlen(path);

    memset(header, 0, sizeof(*header));
    if (length <= TAR_NAME_BYTES) {
        memcpy(header->name, path, length);
    } else {
        size_t split = path_find_split(path, length);
        if (split == 0) {
            return err_set(e, ERR_LIMIT, "%s: the path cannot be cut for ustar", path);
        }
        memcpy(header->prefix, path, split);
        memcpy(header->name, path + split + 1, length - split - 1);
    }
    octal_format(header->mode, 7, entry->is_folder || entry->is_executable ? 0755 : 0644);
    octal_format(header->uid, 7, 0);
    octal_format(header->gid, 7, 0);
    octal_format(header->size, 11, entry->length);
    octal_format(header->time, 11, (uint64_t)time_s);
    header->type = entry->is_folder ? '5' : '0';
    memcpy(header->magic, "ustar", 6);
    memcpy(header->version, "00", 2);
    octal_format(header->device_major, 7, 0);
    octal_format(header->device_minor, 7, 0);
    octal_format(header->checksum, 6, tar_header_sum(header));
    header->checksum[7] = ' ';
    return ERR_OK;
}

size_t tar_padding(uint64_t length, size_t unit)
{
    return (unit - (size_t)(length % unit)) % unit;
}
