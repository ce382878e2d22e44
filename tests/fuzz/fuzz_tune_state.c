// SPDX-License-Identifier: Apache-2.0
// The former values of tuned settings: any bytes; what is taken is written again as it was.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/probe/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct tune tune;
    struct buf again;

    if (tune_state_parse((const char *)bytes, length, &tune, NULL) != ERR_OK) {
        return 0;
    }
    buf_init(&again, length + 1);
    tune_state_format(&tune, &again);
    for (size_t i = 0; i < tune.count; i++) {
        if (strstr(tune.changes[i].path, "..") || tune.changes[i].path[0] == '/') {
            abort();
        }
    }
    if (again.failed || again.length != length || memcmp(again.bytes, bytes, length) != 0) {
        abort();
    }
    buf_release(&again);
    return 0;
}
