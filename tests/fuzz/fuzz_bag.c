// SPDX-License-Identifier: Apache-2.0
// Manifests and bag-info.txt: any bytes; what is called canonical is spelled in one way.
#include <stdlib.h>
#include <string.h>

#include "report/bundle/bag.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void manifest_read(const char *text, size_t length)
{
    struct bag_manifest manifest;
    struct buf again;

    if (bag_parse_manifest(text, length, &manifest, NULL) != ERR_OK) {
        return;
    }
    buf_init(&again, 2 * length + 100);
    for (size_t i = 0; i < manifest.count; i++) {
        buf_addf(&again, "%s  %s\n", manifest.lines[i].hex, manifest.lines[i].path);
    }
    if (manifest.is_canonical &&
        (again.length != length || memcmp(again.bytes, text, length) != 0)) {
        abort();
    }
    buf_release(&again);
    bag_release_manifest(&manifest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    struct bag_info info;

    manifest_read(text, length);
    if (bag_parse_info(text, length, &info, NULL) == ERR_OK) {
        struct buf again;
        buf_init(&again, length + 1);
        bag_format_info(&info, &again);
        if (again.length != length || memcmp(again.bytes, text, length) != 0) {
            abort();
        }
        buf_release(&again);
    }
    return 0;
}
