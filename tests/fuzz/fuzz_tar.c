// SPDX-License-Identifier: Apache-2.0
// What the reader takes, the writer gives back, byte for byte.
#include <stdlib.h>
#include <string.h>

#include "report/bundle/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct file_tree tree;
    const char *fault = NULL;
    int64_t time_s = 0;
    struct err e;

    file_tree_init(&tree);
    if (tar_read((const char *)bytes, length, &tree, &time_s, &fault, &e) == ERR_OK) {
        struct buf again;
        buf_init(&again, length);
        if (tar_write(&tree, time_s, &again, &e) == ERR_OK &&
            (again.length != length || memcmp(again.bytes, bytes, length) != 0)) {
            abort();
        }
        buf_release(&again);
    } else if (!fault) {
        abort();
    }
    file_tree_release(&tree);
    return 0;
}
