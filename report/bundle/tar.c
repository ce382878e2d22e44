// SPDX-License-Identifier: Apache-2.0
// The archive's writer: deterministic ustar.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "report/bundle/tar.h"
#include "report/bundle/tar_header.h"

/* How far the writing is. */
struct tar_writer {
    const struct file_tree *tree;
    const struct tar_target *target;
    int64_t time_s;
    uint64_t written_bytes;
};

static enum err_code frame_add(struct tar_writer *writer, const void *bytes, size_t length,
                               struct err *e)
{
    writer->written_bytes += length;
    return length ? writer->target->frame(writer->target->self, bytes, length, e) : ERR_OK;
}

static enum err_code zeros_add(struct tar_writer *writer, size_t count, struct err *e)
{
    static const char zeros[TAR_RECORD_BYTES + 2 * TAR_BLOCK_BYTES];

    assert(count <= sizeof(zeros));
    return frame_add(writer, zeros, count, e);
}

static enum err_code entry_write(struct tar_writer *writer, const struct file_tree_entry *entry,
                                 struct err *e)
{
    struct tar_header header;
    char path[2 * FILE_TREE_PATH_BYTES_MAX + 4];

    int length = snprintf(path, sizeof(path), "%s%s%s%s", writer->tree->top,
                          *entry->path ? "/" : "", entry->path, entry->is_folder ? "/" : "");
    if (length > FILE_TREE_PATH_BYTES_MAX + 1) {
        return err_set(e, ERR_LIMIT, "%s: the path is longer than %d bytes", path,
                       FILE_TREE_PATH_BYTES_MAX);
    }
    enum err_code code = tar_header_make(&header, path, entry, writer->time_s, e);
    if (code == ERR_OK) {
        code = frame_add(writer, &header, sizeof(header), e);
    }
    if (code != ERR_OK || entry->is_folder) {
        return code;
    }
    writer->written_bytes += entry->length;
    code = writer->target->content(writer->target->self, writer->tree, entry, e);
    return code == ERR_OK ? zeros_add(writer, tar_padding(entry->length, TAR_BLOCK_BYTES), e)
                          : code;
}

enum err_code tar_write(const struct file_tree *tree, int64_t time_s,
                        const struct tar_target *target, struct err *e)
{
    char no_path[] = "";
    const struct file_tree_entry top = {.path = no_path, .is_folder = true};
    struct tar_writer writer = {.tree = tree, .target = target, .time_s = time_s};

    assert(tree->top[0]);
    if (time_s < 0 || time_s > TAR_TIME_S_MAX) {
        return err_set(e, ERR_LIMIT, "a time that ustar cannot hold: %lld", (long long)time_s);
    }
    enum err_code code = entry_write(&writer, &top, e);
    for (size_t i = 0; i < tree->count && code == ERR_OK; i++) {
        code = entry_write(&writer, &tree->entries[i], e);
    }
    if (code != ERR_OK) {
        return code;
    }
    size_t trailer = 2 * TAR_BLOCK_BYTES;
    trailer += tar_padding(writer.written_bytes + trailer, TAR_RECORD_BYTES);
    return zeros_add(&writer, trailer, e);
}
