// SPDX-License-Identifier: Apache-2.0
// Metadata that are taken tell the digest of the file that is there.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/crate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char digest[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    char *copy = malloc(length + 1);

    if (!copy) {
        return 0;
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    struct file_tree_entry entries[] = {
        {.path = (char[]){"data/abc.txt"}, .bytes = (char[]){"abc"}, .length = 3},
        {.path = (char[]){CRATE_PATH}, .bytes = copy, .length = length}};
    const struct file_tree tree = {.entries = entries, .count = 2, .capacity = 2};

    /* An escape (\u0061) could spell the digest otherwise. */
    if (crate_check(&tree, NULL) == ERR_OK && !memchr(copy, '\\', length) &&
        !memmem(copy, length, digest, sizeof(digest) - 1)) {
        abort();
    }
    free(copy);
    return 0;
}
