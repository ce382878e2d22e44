// SPDX-License-Identifier: Apache-2.0
// What the reader takes, the writer gives back, byte for byte; where the pieces end is no matter.
#include <stdlib.h>
#include <string.h>

#include "report/bundle/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What was read, beside what is written. */
struct twin {
    const char *bytes;
    size_t length, at;
};

static enum err_code frame_compare(void *self, const void *bytes, size_t length, struct err *e)
{
    struct twin *twin = self;

    (void)e;
    if (length > twin->length - twin->at || memcmp(twin->bytes + twin->at, bytes, length) != 0) {
        abort();
    }
    twin->at += length;
    return ERR_OK;
}

static enum err_code content_compare(void *self, const struct file_tree *tree,
                                     const struct file_tree_entry *entry, struct err *e)
{
    struct twin *twin = self;
    char hex[DIGEST_HEX_BYTES];

    (void)tree;
    if (entry->offset != twin->at || entry->length > twin->length - twin->at ||
        digest_bytes(twin->bytes + twin->at, entry->length, hex, e) != ERR_OK ||
        strcmp(hex, entry->sha256) != 0) {
        abort();
    }
    twin->at += entry->length;
    return ERR_OK;
}

/* NULL: the archive was taken; else the fault. */
static const char *archive_read(const char *bytes, size_t length, size_t piece_bytes,
                                struct file_tree *tree, int64_t *time_s)
{
    struct tar_reader *reader = NULL;
    enum err_code code = tar_reader_new(tree, length, &reader, NULL);

    for (size_t at = 0; at < length && code == ERR_OK; at += piece_bytes) {
        size_t left = length - at;
        code = tar_reader_add(reader, bytes + at, left < piece_bytes ? left : piece_bytes, NULL);
    }
    if (code == ERR_OK) {
        code = tar_reader_end(reader, time_s, NULL);
    }
    const char *fault = reader ? tar_reader_fault(reader) : NULL;
    tar_reader_free(reader);
    if ((code == ERR_OK) != !fault) {
        abort();
    }
    return fault;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct twin twin = {.bytes = (const char *)bytes, .length = length};
    const struct tar_target target = {frame_compare, content_compare, &twin};
    struct file_tree tree, pieces;
    int64_t time_s = 0;

    file_tree_init(&tree);
    file_tree_init(&pieces);
    const char *fault = archive_read(twin.bytes, length, length + 1, &tree, &time_s);
    if (archive_read(twin.bytes, length, 1 + length % 777, &pieces, &time_s) != fault) {
        abort();
    }
    if (!fault && (tar_write(&tree, time_s, &target, NULL) != ERR_OK || twin.at != length)) {
        abort();
    }
    file_tree_release(&tree);
    file_tree_release(&pieces);
    return 0;
}
