// SPDX-License-Identifier: Apache-2.0
// Any text as the URL of the driver, and its path and host in a request.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/request.h"
#include "collector/driver/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct target target;
    struct buf out;
    char *text = malloc(length + 1);

    if (!text) {
        return 0;
    }
    memcpy(text, bytes, length);
    text[length] = '\0';
    buf_init(&out, 1 << 20);
    if (target_parse(text, &target, NULL) == ERR_OK) {
        /* What was taken makes one request line and one Host, whatever the text was. */
        const struct request_parts parts = {
            .method = "GET", .path = target.path, .host = target.host};
        const char *const header = text;
        struct request_parts with_header = parts;
        if (request_format(&parts, &out, NULL) != ERR_OK) {
            abort();
        }
        size_t lines = 0;
        for (size_t i = 0; i < out.length; i++) {
            lines += out.bytes[i] == '\n';
        }
        if (lines != 5) { /* request line, Host, User-Agent, Accept, the blank line */
            abort();
        }
        with_header.headers = &header;
        with_header.header_count = 1;
        (void)!request_format(&with_header, &out, NULL);
    }
    buf_release(&out);
    free(text);
    return 0;
}
