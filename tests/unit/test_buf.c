// SPDX-License-Identifier: Apache-2.0
// The growing buffer.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/buf.h"
#include "tests/support/prop.h"

Test(buf, holds_what_is_appended_with_a_nul_behind)
{
    struct buf buf;

    buf_init(&buf, 100);
    cr_expect_str_eq(buf.bytes, "");
    buf_add(&buf, "ab\0c", 4);
    buf_add_text(&buf, "de");
    buf_add_char(&buf, 'f');
    buf_addf(&buf, "%03d", 7);
    cr_expect_eq(buf.length, 10);
    cr_expect_eq(memcmp(buf.bytes, "ab\0cdef007", 11), 0);
    cr_expect_eq(buf_check(&buf, "it", NULL), ERR_OK);
    buf_release(&buf);
    cr_expect_eq(buf.length, 0);
    cr_expect_str_eq(buf.bytes, "");
    buf_release(&buf);
}

Test(buf, takes_its_limit_and_not_a_byte_more)
{
    struct buf buf;
    struct err e = {0};

    buf_init(&buf, 5);
    buf_add_text(&buf, "12345");
    cr_expect_not(buf.failed);
    buf_add(&buf, NULL, 0);
    cr_expect_not(buf.failed);
    buf_add_char(&buf, '6');
    cr_expect(buf.failed);
    cr_expect_str_eq(buf.bytes, "12345");
    cr_expect_eq(buf_check(&buf, "the text", &e), ERR_LIMIT);
    cr_expect_str_eq(e.text, "the text is larger than 5 bytes, or memory ran out");
    buf_clear(&buf);
    cr_expect_eq(buf_check(&buf, "the text", &e), ERR_OK);
    buf_addf(&buf, "%s", "123456");
    cr_expect(buf.failed);
    cr_expect_eq(buf.length, 0);
    buf_add_text(&buf, "1");
    cr_expect_eq(buf.length, 0, "after a refusal everything is refused");
    buf_release(&buf);
}

Test(buf, reserves_room_that_the_caller_fills)
{
    struct buf buf;

    buf_init(&buf, 1000);
    char *at = buf_reserve(&buf, 1000);
    cr_assert_not_null(at);
    memset(at, 'x', 1000);
    buf.length = 1000;
    cr_expect_null(buf_reserve(&buf, 1));
    cr_expect(buf.failed);
    buf_release(&buf);
}

Test(buf, is_the_concatenation_of_its_parts)
{
    for_each_case(rng, 200, 11)
    {
        static char want[20000];
        size_t length = 0;
        struct buf buf;

        buf_init(&buf, sizeof(want));
        for (int i = 0; i < 20; i++) {
            char part[500];
            size_t part_length = (size_t)rng_below(&rng, sizeof(part));

            memset(part, (int)('a' + rng_below(&rng, 26)), part_length);
            buf_add(&buf, part, part_length);
            memcpy(want + length, part, part_length);
            length += part_length;
        }
        cr_expect(buf.length == length && memcmp(buf.bytes, want, length) == 0, "seed %llu",
                  (unsigned long long)prop_case_seed);
        cr_expect_eq(buf.bytes[length], '\0');
        buf_release(&buf);
    }
}

/* Against the C library: every number of digits, its neighbours, both signs, and random ones. */
Test(buf, writes_integers_as_printf_does)
{
    int64_t values[4 * 20 + 4] = {0, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    size_t count = 4;

    for (int64_t power = 1; power < INT64_MAX / 10; power *= 10) {
        values[count++] = power;
        values[count++] = power - 1;
        values[count++] = -power;
        values[count++] = 1 - power;
    }
    for_each_case(rng, 2000, 12)
    {
        int64_t value = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64));
        char want[32], have[32];

        value = prop_case < (int)count ? values[prop_case] : value;
        snprintf(want, sizeof(want), "%lld", (long long)value);
        memset(have, '#', sizeof(have));
        char *end = buf_put_integer(have, value);
        cr_expect_eq(have[BUF_INTEGER_BYTES], '#');
        *end = '\0';
        cr_expect_str_eq(have, want);
    }
}
