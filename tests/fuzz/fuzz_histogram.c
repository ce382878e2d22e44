// SPDX-License-Identifier: Apache-2.0
// Decoding a histogram: of the compressed form, and of a payload that is compressed here, so that
// the counts are reached.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "collector/driver/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static void decode_and_check(const uint8_t *bytes, size_t length)
{
    static struct histogram histogram, again;
    struct buf blob;

    histogram_clear(&histogram);
    if (histogram_decode(bytes, length, &histogram, NULL) != ERR_OK) {
        histogram_clear(&again);
        if (memcmp(&again, &histogram, sizeof(again)) != 0) {
            abort();
        }
        return;
    }
    buf_init(&blob, 1 << 20);
    histogram_clear(&again);
    if (histogram_encode(&histogram, &blob, NULL) != ERR_OK ||
        histogram_decode((const uint8_t *)blob.bytes, blob.length, &again, NULL) != ERR_OK ||
        memcmp(&again, &histogram, sizeof(again)) != 0) {
        abort();
    }
    buf_release(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    uint8_t header[8] = {0x1c, 0x84, 0x93, 0x14};
    uLong packed_bytes = compressBound((uLong)length);
    uint8_t *packed = malloc(sizeof(header) + packed_bytes);

    decode_and_check(data, length);
    if (!packed || compress(packed + sizeof(header), &packed_bytes, data, (uLong)length) != Z_OK) {
        abort();
    }
    for (int i = 0; i < 4; i++) {
        header[4 + i] = (uint8_t)(packed_bytes >> (24 - 8 * i));
    }
    memcpy(packed, header, sizeof(header));
    decode_and_check(packed, sizeof(header) + packed_bytes);
    free(packed);
    return 0;
}
