// SPDX-License-Identifier: Apache-2.0
// What is found lies within the bytes, and is the first.
#include <stdint.h>
#include <stdlib.h>

#include "report/bundle/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct secret_hit hit, again;

    if (secret_find((const char *)bytes, length, &hit) &&
        (hit.offset >= length || hit.line < 1 || hit.line > hit.offset + 1 ||
         !secret_find((const char *)bytes + hit.offset, length - hit.offset, &again) ||
         again.offset != 0)) {
        abort();
    }
    return 0;
}
