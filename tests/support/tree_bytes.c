// SPDX-License-Identifier: Apache-2.0
// A bundle's tree to and from the bytes of its archive in memory.
#include "tests/support/tree_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "report/bundle/tar.h"

static enum err_code frame_add(void *self, const void *bytes, size_t length, struct err *e)
{
    buf_add(self, bytes, length);
    return buf_check(self, "the archive", e);
}

static enum err_code content_add_to(void *self, const struct file_tree *tree,
                                    const struct file_tree_entry *entry, struct err *e)
{
    return file_tree_load(tree, entry, self, e);
}

enum err_code tree_bytes_pack(const struct file_tree *tree, int64_t time_s, struct buf *out,
                              struct err *e)
{
    const struct tar_target target = {frame_add, content_add_to, out};

    return tar_write(tree, time_s, &target, e);
}

static void contents_take(const char *bytes, struct file_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct file_tree_entry *entry = &tree->entries[i];

        if (!entry->is_folder) {
            entry->bytes = malloc(entry->length + 1);
            memcpy(entry->bytes, bytes + entry->offset, entry->length);
            entry->bytes[entry->length] = '\0';
        }
    }
}

enum err_code tree_bytes_unpack(const char *bytes, size_t length, size_t piece_bytes,
                                struct file_tree *tree, int64_t *time_s_out, const char **fault_out,
                                struct err *e)
{
    struct tar_reader *reader = NULL;
    enum err_code code = tar_reader_new(tree, length, &reader, e);

    for (size_t done = 0; code == ERR_OK && done < length;) {
        size_t piece = piece_bytes && length - done > piece_bytes ? piece_bytes : length - done;

        code = tar_reader_add(reader, bytes + done, piece, e);
        done += piece;
    }
    if (code == ERR_OK) {
        code = tar_reader_end(reader, time_s_out, e);
    }
    if (code == ERR_OK) {
        contents_take(bytes, tree);
    } else {
        *fault_out = tar_reader_fault(reader);
    }
    tar_reader_free(reader);
    return code;
}
