// SPDX-License-Identifier: Apache-2.0
// Chunked bodies: decoded in one piece and byte by byte, the result is the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engines/http/http_chunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct decoded {
    enum http_result result;
    int status;
    size_t read, write;
};

/* Decodes with the input growing by `step` bytes. */
static struct decoded input_decode(char *bytes, size_t length, size_t step)
{
    struct http_chunk chunk;
    struct decoded decoded = {HTTP_RESULT_MORE, 0, 0, 0};

    http_chunk_init(&chunk, 1000);
    for (size_t end = 0; decoded.result == HTTP_RESULT_MORE && end < length;) {
        end = length - end < step ? length : end + step;
        decoded.result =
            http_chunk_decode(&chunk, bytes, end, &decoded.read, &decoded.write, &decoded.status);
        if (decoded.write > decoded.read || decoded.read > end || decoded.write > 1000) {
            abort();
        }
    }
    return decoded;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *whole = malloc(size + 1);
    char *split = malloc(size + 1);

    if (whole && split && size) {
        memcpy(whole, data, size);
        memcpy(split, data, size);
        struct decoded a = input_decode(whole, size, size);
        struct decoded b = input_decode(split, size, 1);
        if (a.result != b.result || (a.result == HTTP_RESULT_ERROR && a.status != b.status) ||
            (a.result != HTTP_RESULT_ERROR &&
             (a.write != b.write || memcmp(whole, split, a.write) != 0))) {
            abort();
        }
    }
    free(whole);
    free(split);
    return 0;
}
