// SPDX-License-Identifier: Apache-2.0
// The archive's strict reader: takes what the writer makes and nothing else.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/tar.h"
#include "report/bundle/tar_header.h"

enum reader_state { READER_HEADER, READER_CONTENT, READER_PADDING, READER_TRAILER };

struct tar_reader {
    struct file_tree *tree;
    uint64_t archive_bytes, fed_bytes;
    uint64_t offset; /* offset: of the next byte that is looked at */
    int64_t time_s;  /* of the first entry; -1 before it */
    enum reader_state state;
    struct tar_header header; /* of the entry that is read, or its first header_bytes */
    size_t header_bytes;
    uint64_t left_bytes; /* of content, padding or trailer */
    struct digest *digest;
    const char *fault;
    struct err *e; /* of the call that runs */
};

static enum err_code reader_fail(struct tar_reader *reader, const char *fault, const char *text)
{
    reader->fault = fault;
    return err_set(reader->e, ERR_FORMAT, "at byte %llu: %s", (unsigned long long)reader->offset,
                   text);
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
                                     char path_out[TAR_PREFIX_BYTES + TAR_NAME_BYTES + 2])
{
    size_t name_bytes, prefix_bytes;

    if (!field_get(header->name, sizeof(header->name), &name_bytes) ||
        !field_get(header->prefix, sizeof(header->prefix), &prefix_bytes) || name_bytes == 0) {
        return reader_fail(reader, "bad-path", "the name is empty or has bytes after its end");
    }
    snprintf(path_out, TAR_PREFIX_BYTES + TAR_NAME_BYTES + 2, "%.*s%s%.*s", (int)prefix_bytes,
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
        sum != tar_header_sum(header)) {
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
    if (size > reader->archive_bytes - reader->offset) {
        return reader_fail(reader, "truncated", "the archive ends inside a file");
    }
    reader->time_s = (int64_t)time_s;
    *is_executable_out = !is_folder && mode == 0755;
    *size_out = (size_t)size;
    return ERR_OK;
}

/* Entries are in the order of tar_write, each once. The content comes next. */
static enum err_code entry_add(struct tar_reader *reader, const char *path,
                               const struct file_tree_entry *like)
{
    struct file_tree *tree = reader->tree;
    const char *last = tree->count ? tree->entries[tree->count - 1].path : NULL;

    if (last && file_tree_compare_paths(last, path) >= 0) {
        bool twice = strcmp(last, path) == 0;
        return reader_fail(reader, twice ? "duplicate" : "bad-order",
                           twice ? "a name twice" : "the entries are not in order");
    }
    enum err_code code = like->is_folder ? file_tree_add_folder(tree, path, reader->e)
                                         : file_tree_add_stored(tree, path, like, reader->e);
    if (code != ERR_OK) {
        reader->fault = code == ERR_LIMIT ? "too-large" : "bad-path";
    }
    return code;
}

/* The content of a file is whole: its digest goes into the tree. */
static void content_end(struct tar_reader *reader)
{
    struct file_tree_entry *entry = &reader->tree->entries[reader->tree->count - 1];

    digest_finish(reader->digest, entry->sha256);
    reader->left_bytes = tar_padding(entry->length, TAR_BLOCK_BYTES);
    reader->state = reader->left_bytes ? READER_PADDING : READER_HEADER;
}

/* A whole header block was taken. */
static enum err_code header_read(struct tar_reader *reader)
{
    const struct tar_header *header = &reader->header;
    char path[TAR_PREFIX_BYTES + TAR_NAME_BYTES + 2];
    struct file_tree_entry like = {.is_folder = header->type == '5'};
    const char *inner = NULL;

    enum err_code code = header_check(reader, header);
    if (code == ERR_OK) {
        code = header_get_path(reader, header, path);
    }
    if (code == ERR_OK) {
        code = path_strip_top(reader, path, like.is_folder, &inner);
    }
    if (code != ERR_OK) {
        return code;
    }
    reader->offset += TAR_BLOCK_BYTES;
    reader->header_bytes = 0;
    code = header_get_numbers(reader, header, &like.is_executable, &like.length);
    like.offset = (size_t)reader->offset;
    if (code == ERR_OK && *inner) {
        code = entry_add(reader, inner, &like);
    }
    if (code == ERR_OK && !like.is_folder) {
        reader->state = READER_CONTENT;
        reader->left_bytes = like.length;
        if (like.length == 0) {
            content_end(reader);
        }
    }
    return code;
}

/* The first zero block: two of them, and zeros up to a whole record, no more. */
static enum err_code trailer_begin(struct tar_reader *reader)
{
    uint64_t want = 2 * TAR_BLOCK_BYTES;

    if (!*reader->tree->top) {
        return reader_fail(reader, "empty", "an archive without entries");
    }
    want += tar_padding(reader->offset + want, TAR_RECORD_BYTES);
    if (reader->archive_bytes - reader->offset < want) {
        return reader_fail(reader, "truncated", "the end of the archive is missing");
    }
    if (reader->archive_bytes - reader->offset > want) {
        return reader_fail(reader, "trailing-data", "data after the end of the archive");
    }
    reader->state = READER_TRAILER;
    reader->left_bytes = want - TAR_BLOCK_BYTES;
    reader->offset += TAR_BLOCK_BYTES;
    return ERR_OK;
}

static enum err_code header_take(struct tar_reader *reader, const char *bytes, size_t length,
                                 size_t *taken_out)
{
    size_t room = TAR_BLOCK_BYTES - reader->header_bytes;
    size_t taken = length < room ? length : room;

    memcpy((char *)&reader->header + reader->header_bytes, bytes, taken);
    reader->header_bytes += taken;
    *taken_out = taken;
    if (reader->header_bytes < TAR_BLOCK_BYTES) {
        return ERR_OK;
    }
    return all_zero((const char *)&reader->header, TAR_BLOCK_BYTES) ? trailer_begin(reader)
                                                                    : header_read(reader);
}

static enum err_code rest_take(struct tar_reader *reader, const char *bytes, size_t length,
                               size_t *taken_out)
{
    size_t taken = length < reader->left_bytes ? length : (size_t)reader->left_bytes;

    *taken_out = taken;
    if (reader->state == READER_CONTENT) {
        digest_add(reader->digest, bytes, taken);
    } else if (!all_zero(bytes, taken)) {
        return reader->state == READER_PADDING
                   ? reader_fail(reader, "bad-padding", "bytes after a file that are not zero")
                   : reader_fail(reader, "trailing-data", "data after the end of the archive");
    }
    reader->offset += taken;
    reader->left_bytes -= taken;
    if (reader->left_bytes == 0 && reader->state == READER_CONTENT) {
        content_end(reader);
    } else if (reader->left_bytes == 0 && reader->state == READER_PADDING) {
        reader->state = READER_HEADER;
    }
    return ERR_OK;
}

enum err_code tar_reader_new(struct file_tree *tree, uint64_t archive_bytes,
                             struct tar_reader **reader_out, struct err *e)
{
    struct tar_reader *reader = calloc(1, sizeof(*reader));

    if (!reader || digest_new(&reader->digest, NULL) != ERR_OK) {
        free(reader);
        return err_set(e, ERR_LIMIT, "no memory for an archive");
    }
    reader->tree = tree;
    reader->archive_bytes = archive_bytes;
    reader->time_s = -1;
    *reader_out = reader;
    return ERR_OK;
}

enum err_code tar_reader_add(struct tar_reader *reader, const char *bytes, size_t length,
                             struct err *e)
{
    enum err_code code = ERR_OK;

    reader->e = e;
    if (length > reader->archive_bytes - reader->fed_bytes) {
        return reader_fail(reader, "trailing-data", "more bytes than the archive has");
    }
    reader->fed_bytes += length;
    while (length && code == ERR_OK) {
        size_t taken = 0;

        if (reader->state == READER_TRAILER && reader->left_bytes == 0) {
            return reader_fail(reader, "trailing-data", "data after the end of the archive");
        }
        code = reader->state == READER_HEADER ? header_take(reader, bytes, length, &taken)
                                              : rest_take(reader, bytes, length, &taken);
        bytes += taken;
        length -= taken;
    }
    return code;
}

enum err_code tar_reader_end(struct tar_reader *reader, int64_t *time_s_out, struct err *e)
{
    reader->e = e;
    if (reader->state != READER_TRAILER || reader->left_bytes) {
        return reader_fail(reader, "truncated", "the end of the archive is missing");
    }
    *time_s_out = reader->time_s;
    return ERR_OK;
}

const char *tar_reader_fault(const struct tar_reader *reader)
{
    return reader->fault;
}

void tar_reader_free(struct tar_reader *reader)
{
    if (reader) {
        digest_free(reader->digest);
        free(reader);
    }
}
