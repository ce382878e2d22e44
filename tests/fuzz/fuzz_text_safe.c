// SPDX-License-Identifier: Apache-2.0
// Any bytes as a name: every form is UTF-8 and has no live character.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/text_safe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(void (*add)(struct buf *, const char *), const char *text, const char *forbidden)
{
    struct buf out;

    buf_init(&out, 1 << 24);
    add(&out, text);
    assert(out.failed || text_is_utf8(out.bytes, out.length));
    assert(strpbrk(out.bytes, forbidden) == NULL);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);

    if (!text) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    check(text_add_attribute, text, "<>\"'\n");
    check(text_add_markdown, text, "<>|`*[]\n");
    check(text_add_clean, text, "\n\t\x01\x7f");
    check(text_add_csv, text, "\xff");
    free(text);
    return 0;
}
