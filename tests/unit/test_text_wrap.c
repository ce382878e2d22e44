// SPDX-License-Identifier: Apache-2.0
// Lines of a fixed-width page. Expected lines by hand.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/text_safe.h"
#include "report/render/text_wrap.h"
#include "tests/support/prop.h"

Test(text_wrap, breaks_at_spaces_and_only_cuts_what_is_longer_than_a_line)
{
    static const struct {
        const char *text;
        size_t column_count, begun, indent;
        const char *want;
    } rows[] = {
        {"", 10, 0, 0, "\n"},
        {"one two three", 8, 0, 0, "one two\nthree\n"},
        {"one two three", 8, 2, 2, "one\n  two\n  three\n"},
        {"abcdefghij", 4, 0, 0, "abcd\nefgh\nij\n"},
        {"95\xc2\xa0% of", 4, 0, 0, "95\xc2\xa0%\nof\n"}, /* no break at U+00A0 */
        {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 4, 0, 0, /* two columns each */
         "\xe6\xbc\xa2\xe6\xbc\xa2\n\xe6\xbc\xa2\n"},
        {"a  b", 10, 0, 0, "a b\n"},
        {"one two three", 9, 0, 4, "one two\n    three\n"}, /* indented only where it goes on */
    };
    struct buf out;

    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        buf_clear(&out);
        text_wrap(&out, rows[i].text, rows[i].column_count, rows[i].begun, rows[i].indent);
        cr_expect_str_eq(out.bytes, rows[i].want, "row %zu: %s", i, out.bytes);
    }
    buf_release(&out);
}

/* Letters, wide signs, combining marks and spaces in any order. */
static void make_text(struct rng *rng, struct buf *text)
{
    static const char *const parts[] = {
        "a", "bb", " ", "\xe6\xbc\xa2", "e\xcc\x81", " ", "\xf0\x9f\x9a\x80", "\xc2\xa0", "  "};
    uint64_t count = rng_below(rng, 200);

    for (uint64_t i = 0; i < count; i++) {
        buf_add_text(text, parts[rng_below(rng, ARRAY_COUNT(parts))]);
    }
}

/* What is not a space or a line end, in its order. */
static void keep_signs(const char *text, struct buf *out)
{
    for (; *text; text++) {
        if (*text != ' ' && *text != '\n') {
            buf_add_char(out, *text);
        }
    }
}

Test(text_wrap, keeps_every_sign_and_no_line_is_too_long)
{
    struct buf text, out, before, after;

    buf_init(&text, 1 << 16);
    buf_init(&out, 1 << 16);
    buf_init(&before, 1 << 16);
    buf_init(&after, 1 << 16);
    for_each_case(rng, 2000, 11)
    {
        size_t column_count = 4 + rng_below(&rng, 60), indent = rng_below(&rng, 3);

        buf_clear(&text);
        buf_clear(&out);
        buf_clear(&before);
        buf_clear(&after);
        make_text(&rng, &text);
        text_wrap(&out, text.bytes, column_count, 0, indent);
        keep_signs(text.bytes, &before);
        keep_signs(out.bytes, &after);
        cr_expect_str_eq(after.bytes, before.bytes, "seed %llu",
                         (unsigned long long)prop_case_seed);
        for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
            cr_expect_leq(text_columns(line), column_count, "seed %llu: \"%s\"",
                          (unsigned long long)prop_case_seed, line);
        }
    }
    buf_release(&text);
    buf_release(&out);
    buf_release(&before);
    buf_release(&after);
}
