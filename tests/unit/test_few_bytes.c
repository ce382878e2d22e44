// SPDX-License-Identifier: Apache-2.0
// A few bytes, compared and copied as memcmp and memcpy do it, and not a byte further.
#include <criterion/criterion.h>

#include "engines/base/few_bytes.h"
#include "tests/support/edge_buf.h"

#define LENGTH_MAX 40

Test(few_bytes, are_equal_and_copied_as_memcmp_and_memcpy_say)
{
    char text[LENGTH_MAX], other[LENGTH_MAX], copy[LENGTH_MAX + 2];
    struct edge_buf edge;

    for (int i = 0; i < LENGTH_MAX; i++) {
        text[i] = (char)(i * 37 + 1);
    }
    for (size_t length = 0; length <= LENGTH_MAX; length++) {
        edge_buf_init(&edge, text, length);
        cr_expect(few_bytes_equal(text, edge.bytes, length), "%zu", length);
        for (size_t at = 0; at < length; at++) {
            memcpy(other, text, LENGTH_MAX);
            other[at] ^= 4;
            cr_expect_not(few_bytes_equal(other, edge.bytes, length), "%zu of %zu", at, length);
        }
        memset(copy, '-', sizeof(copy));
        few_bytes_copy(copy + 1, edge.bytes, length);
        cr_expect_eq(memcmp(copy + 1, text, length), 0, "%zu", length);
        cr_expect(copy[0] == '-' && copy[length + 1] == '-', "%zu", length);
        few_bytes_copy(edge.bytes, text, length);
        edge_buf_release(&edge);
    }
}
