// SPDX-License-Identifier: Apache-2.0
// The archive: a deterministic ustar writer and the strict reader of what it writes.
#include "report/bundle/tar.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES   100
#define PREFIX_BYTES 155
#define TIME_S_MAX   INT64_C(077777777777)

/* One header block. All members are bytes, so it has no holes. */
struct tar_header {
    char name[NAME_BYTES], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type,
        link_name[100], magic[6], version[2], user[32], group[32], device_major[8], device_minor[8],
        prefix[PREFIX_BYTES], padding[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK_BYTES, "a header is one block");

/* `digits` octal digits and a NUL. */
static void octal_format(char *field, int digits, uint64_t value)
{
    for (int i = digits - 1; i >= 0; i--) {
        field[i] = (char)('0' + (value & 7));
        value >>= 3;
    }
    field[digits] = '\0';
}

static unsigned header_sum(const struct tar_header *header)
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
    size_t start = length > PREFIX_BYTES + 1 ? PREFIX_BYTES + 1 : length;

    if (start == length && path[length - 1] == '/') {
        start--;
    }
    for (size_t i = start - 1; i > 0; i--) {
        if (path[i] == '/') {
            return length - i - 1 <= NAME_BYTES ? i : 0;
        }
    }
    return 0;
}

/* path: with the top folder; a folder's ends in '/'. */
static enum err_code header_make(struct tar_header *header, const char *path,
                                 const struct file_tree_entry *entry, int64_t time_s, struct err *e)
{
    size_t length = strlen(path);

    memset(header, 0, sizeof(*header));
    if (length <= NAME_BYTES) {
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
    octal_format(header->checksum, 6, header_sum(header));
    header->checksum[7] = ' ';
    return ERR_OK;
}

static size_t padding_of(size_t length, size_t unit)
{
    return (unit - length % unit) % unit;
}

static void zeros_add(struct buf *out, size_t count)
{
    static const char zeros[TAR_RECORD_BYTES];

    for (; count > sizeof(zeros); count -= sizeof(zeros)) {
        buf_add(out, zeros, sizeof(zeros));
    }
    buf_add(out, zeros, count);
}

static enum err_code entry_write(const struct file_tree *tree, const struct file_tree_entry *entry,
                                 int64_t time_s, struct buf *out, struct err *e)
{
    struct tar_header header;
    char path[2 * FILE_TREE_PATH_BYTES_MAX + 4];

    int length = snprintf(path, sizeof(path), "%s%s%s%s", tree->top, *entry->path ? "/" : "",
                          entry->path, entry->is_folder ? "/" : "");
    if (length > FILE_TREE_PATH_BYTES_MAX + 1) {
        return err_set(e, ERR_LIMIT, "%s: the path is longer than %d bytes", path,
                       FILE_TREE_PATH_BYTES_MAX);
    }
    enum err_code code = header_make(&header, path, entry, time_s, e);
    if (code != ERR_OK) {
        return code;
    }
    buf_add(out, &header, sizeof(header));
    if (!entry->is_folder) {
        buf_add(out, entry->bytes, entry->length);
        zeros_add(out, padding_of(entry->length, TAR_BLOCK_BYTES));
    }
    return ERR_OK;
}

enum err_code tar_write(const struct file_tree *tree, int64_t time_s, struct buf *out,
                        struct err *e)
{
    char no_path[] = "";
    const struct file_tree_entry top = {.path = no_path, .is_folder = true};
    size_t start = out->length;

    assert(tree->top[0]);
    if (time_s < 0 || time_s > TIME_S_MAX) {
        return err_set(e, ERR_LIMIT, "a time that ustar cannot hold: %lld", (long long)time_s);
    }
    enum err_code code = entry_write(tree, &top, time_s, out, e);
    for (size_t i = 0; i < tree->count && code == ERR_OK; i++) {
        code = entry_write(tree, &tree->entries[i], time_s, out, e);
    }
    if (code != ERR_OK) {
        return code;
    }
    zeros_add(out, 2 * TAR_BLOCK_BYTES);
    zeros_add(out, padding_of(out->length - start, TAR_RECORD_BYTES));
    return buf_check(out, "the archive", e);
}

/* --- reading ------------------------------------------------------------------------------------
 */

struct tar_reader {
    const char *bytes;
    size_t length, offset;
    int64_t time_s; /* of the first entry; -1 before it */
    struct file_tree *tree;
    const char *fault;
    struct err *e;
};

static enum err_code reader_fail(struct tar_reader *reader, const char *fault, const char *text)
{
    reader->fault = fault;
    return err_set(reader->e, ERR_FORMAT, "at byte %zu: %s", reader->offset, text);
}

/* Exactly `digits` octal digits and a NUL: the only form that is written. */
static bool octal_parse(const char *field, int digits, uint64_t *value_out)
{
    uint64_t value = 0;

    for (int i = 0; i < digits; i++) {
        if (field[i] < '0' || field[i] > '7') {
            return false;
        }
        value = value << 3 | (uint64_t)(field[i] - '0');
    }
    *value_out = value;
    return field[digits] == '\0';
}

static bool all_zero(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i]) {
            return false;
        }
    }
    return true;
}

/* Text up to a NUL with nothing but NULs after it; false when the rest is not empty. */
static bool field_get(const char *field, size_t field_bytes, size_t *length_out)
{
    size_t length = strnlen(field, field_bytes);

    *length_out = length;
    return all_zero(field + length, field_bytes - length);
}

/* The whole path, joined as a reader of ustar does. */
static enum err_code header_get_path(struct tar_reader *reader, const struct tar_header *header,
                                     char path_out[PREFIX_BYTES + NAME_BYTES + 2])
{
    size_t name_bytes, prefix_bytes;

    if (!field_get(header->name, sizeof(header->name), &name_bytes) ||
        !field_get(header->prefix, sizeof(header->prefix), &prefix_bytes) || name_bytes == 0) {
        return reader_fail(reader, "bad-path", "the name is empty or has bytes after its end");
    }
    snprintf(path_out, PREFIX_BYTES + NAME_BYTES + 2, "%.*s%s%.*s", (int)prefix_bytes,
             header->prefix, prefix_bytes ? "/" : "", (int)name_bytes, header->name);
    return ERR_OK;
}

/* Takes the top folder's name off; the first entry gives it. "" for the top folder itself. */
static enum err_code path_strip_top(struct tar_reader *reader, char *path, bool is_folder,
                                    const char **inner_out)
{
    char *top = reader->tree->top;
    size_t length = strlen(path);
    struct err cause;

    if (is_folder != (path[length - 1] == '/')) {
        return reader_fail(reader, "bad-path", "a folder's name ends in '/', a file's does not");
    }
    if (is_folder) {
        path[length - 1] = '\0';
    }
    if (file_tree_check_path(path, &cause) != ERR_OK) {
        return reader_fail(reader, "bad-path", cause.text);
    }
    if (!*top) {
        if (!is_folder || strchr(path, '/')) {
            return reader_fail(reader, "bad-top", "the first entry is not one top folder");
        }
        memcpy(top, path, strlen(path) + 1);
        *inner_out = "";
        return ERR_OK;
    }
    size_t top_bytes = strlen(top);
    if (strncmp(path, top, top_bytes) != 0 || path[top_bytes] != '/') {
        return reader_fail(reader, "bad-top", "an entry outside the top folder");
    }
    *inner_out = path + top_bytes + 1;
    return ERR_OK;
}

/* Exactly "0000000" and a NUL. */
static bool octal_is_zero(const char *field)
{
    return memcmp(field, "0000000", 8) == 0;
}

/* Fields that say who owns a file or which device it is: always the same. */
static enum err_code header_check_fixed(struct tar_reader *reader, const struct tar_header *header)
{
    if (!octal_is_zero(header->uid) || !octal_is_zero(header->gid) ||
        !all_zero(header->user, sizeof(header->user)) ||
        !all_zero(header->group, sizeof(header->group))) {
        return reader_fail(reader, "bad-owner", "the owner is not 0");
    }
    if (!octal_is_zero(header->device_major) || !octal_is_zero(header->device_minor) ||
        !all_zero(header->link_name, sizeof(header->link_name)) ||
        !all_zero(header->padding, sizeof(header->padding))) {
        return reader_fail(reader, "bad-header", "a field that must be empty is not");
    }
    return ERR_OK;
}

static enum err_code header_check(struct tar_reader *reader, const struct tar_header *header)
{
    uint64_t sum;

    if (memcmp(header->magic,
               "ustar\0"
               "00",
               8) != 0) {
        return reader_fail(reader, "bad-magic", "no ustar header");
    }
    if (!octal_parse(header->checksum, 6, &sum) || header->checksum[7] != ' ' ||
        sum != header_sum(header)) {
        return reader_fail(reader, "bad-checksum", "the header's checksum is wrong");
    }
    if (header->type != '0' && header->type != '5') {
        return reader_fail(reader, "bad-type", "neither a regular file nor a folder");
    }
    return header_check_fixed(reader, header);
}

/* Mode, time and size of a header that header_check passed. */
static enum err_code header_get_numbers(struct tar_reader *reader, const struct tar_header *header,
                                        bool *is_executable_out, size_t *size_out)
{
    bool is_folder = header->type == '5';
    uint64_t mode, time_s, size;

    if (!octal_parse(header->mode, 7, &mode) || (mode != 0755 && (is_folder || mode != 0644))) {
        return reader_fail(reader, "bad-mode", "a mode other than 0644 and 0755");
    }
    if (!octal_parse(header->time, 11, &time_s) ||
        (reader->time_s >= 0 && (int64_t)time_s != reader->time_s)) {
        return reader_fail(reader, "bad-time", "entries have different times");
    }
    if (!octal_parse(header->size, 11, &size) || (is_folder && size)) {
        return reader_fail(reader, "bad-size", "no size in octal, or a folder with a size");
    }
    if (size > reader->length - reader->offset) {
        return reader_fail(reader, "truncated", "the archive ends inside a file");
    }
    reader->time_s = (int64_t)time_s;
    *is_executable_out = !is_folder && mode == 0755;
    *size_out = (size_t)size;
    return ERR_OK;
}

/* Entries are in the order of tar_write, each once. */
static enum err_code entry_add(struct tar_reader *reader, const char *path,
                               const struct file_tree_entry *like, const char *bytes)
{
    struct file_tree *tree = reader->tree;
    const char *last = tree->count ? tree->entries[tree->count - 1].path : NULL;

    if (last && file_tree_compare_paths(last, path) >= 0) {
        bool twice = strcmp(last, path) == 0;
        return reader_fail(reader, twice ? "duplicate" : "bad-order",
                           twice ? "a name twice" : "the entries are not in order");
    }
    enum err_code code = like->is_folder
                             ? file_tree_add_folder(tree, path, reader->e)
                             : file_tree_add_file(tree, path, bytes, like->length, reader->e);
    if (code == ERR_OK) {
        tree->entries[tree->count - 1].is_executable = like->is_executable;
    } else {
        reader->fault = code == ERR_LIMIT ? "too-large" : "bad-path";
    }
    return code;
}

static enum err_code entry_read(struct tar_reader *reader)
{
    struct tar_header header;
    char path[PREFIX_BYTES + NAME_BYTES + 2];
    struct file_tree_entry like = {0};
    const char *inner = NULL;

    memcpy(&header, reader->bytes + reader->offset, sizeof(header));
    enum err_code code = header_check(reader, &header);
    if (code == ERR_OK) {
        code = header_get_path(reader, &header, path);
    }
    like.is_folder = header.type == '5';
    if (code == ERR_OK) {
        code = path_strip_top(reader, path, like.is_folder, &inner);
    }
    if (code != ERR_OK) {
        return code;
    }
    reader->offset += sizeof(header);
    code = header_get_numbers(reader, &header, &like.is_executable, &like.length);
    if (code == ERR_OK && *inner) {
        code = entry_add(reader, inner, &like, reader->bytes + reader->offset);
    }
    if (code != ERR_OK) {
        return code;
    }
    size_t padding = padding_of(like.length, TAR_BLOCK_BYTES);
    if (padding > reader->length - reader->offset - like.length) {
        return reader_fail(reader, "truncated", "the archive ends inside a file");
    }
    reader->offset += like.length;
    if (!all_zero(reader->bytes + reader->offset, padding)) {
        return reader_fail(reader, "bad-padding", "bytes after a file that are not zero");
    }
    reader->offset += padding;
    return ERR_OK;
}

/* After the entries: two zero blocks, and zeros up to a whole record, no more. */
static enum err_code trailer_read(struct tar_reader *reader)
{
    size_t want = 2 * TAR_BLOCK_BYTES;

    want += padding_of(reader->offset + want, TAR_RECORD_BYTES);
    if (reader->length - reader->offset < want) {
        return reader_fail(reader, "truncated", "the end of the archive is missing");
    }
    if (reader->length - reader->offset > want || !all_zero(reader->bytes + reader->offset, want)) {
        return reader_fail(reader, "trailing-data", "data after the end of the archive");
    }
    return ERR_OK;
}

enum err_code tar_read(const char *bytes, size_t length, struct file_tree *tree,
                       int64_t *time_s_out, const char **fault_out, struct err *e)
{
    struct tar_reader reader = {
        .bytes = bytes, .length = length, .time_s = -1, .tree = tree, .e = e};
    enum err_code code = ERR_OK;

    for (;;) {
        if (length - reader.offset < TAR_BLOCK_BYTES) {
            code = reader_fail(&reader, "truncated", "the end of the archive is missing");
            break;
        }
        if (all_zero(bytes + reader.offset, TAR_BLOCK_BYTES)) {
            code = *tree->top ? trailer_read(&reader)
                              : reader_fail(&reader, "empty", "an archive without entries");
            break;
        }
        code = entry_read(&reader);
        if (code != ERR_OK) {
            break;
        }
    }
    if (code == ERR_OK) {
        *time_s_out = reader.time_s;
    } else {
        *fault_out = reader.fault;
    }
    return code;
}
