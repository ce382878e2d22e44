// SPDX-License-Identifier: Apache-2.0
// Foreign text in every place where it can stand. Expected values by hand from RFC 3629, RFC 4180,
// the HTML standard and gnuplot's manual.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/text_safe.h"
#include "tests/support/edge_buf.h"
#include "tests/support/prop.h"

#define FFFD "\xef\xbf\xbd"

static void expect_text(void (*add)(struct buf *, const char *), const char *in, const char *want)
{
    struct buf out;

    buf_init(&out, 65536);
    add(&out, in);
    cr_expect_str_eq(out.bytes, want, "of %s: %s", in, out.bytes);
    buf_release(&out);
}

Test(text_safe, reads_utf_8_strictly_and_not_past_its_end)
{
    static const struct {
        const char *bytes;
        size_t length, step;
        uint32_t want;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"\xc3\xa9", 2, 2, 0xE9},
        {"\xe2\x82\xac", 3, 3, 0x20AC},
        {"\xf0\x9f\x98\x80", 4, 4, 0x1F600},
        {"\xc3", 1, 1, TEXT_INVALID},             /* cut off */
        {"\xf0\x9f\x98", 3, 1, TEXT_INVALID},     /* cut off */
        {"\xc0\xaf", 2, 1, TEXT_INVALID},         /* overlong '/' */
        {"\xe0\x80\xaf", 3, 1, TEXT_INVALID},     /* overlong */
        {"\xed\xa0\x80", 3, 1, TEXT_INVALID},     /* surrogate */
        {"\xf4\x90\x80\x80", 4, 1, TEXT_INVALID}, /* above 10FFFF */
        {"\x80", 1, 1, TEXT_INVALID},
        {"\xff", 1, 1, TEXT_INVALID},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;
        uint32_t code_point = 0;

        edge_buf_init(&edge, rows[i].bytes, rows[i].length);
        cr_expect_eq(text_decode(edge.bytes, edge.length, &code_point), rows[i].step, "row %zu", i);
        cr_expect_eq(code_point, rows[i].want, "row %zu", i);
        edge_buf_release(&edge);
    }
}

/* Code points of the C1 block (ECMA-48: 9B begins a sequence as ESC [ does) and of UAX 9. */
Test(text_safe, marks_on_a_line_what_would_steer_the_terminal)
{
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", ""},
        {"plain \xc3\xa9 \xf0\x9f\x9a\x80", "plain \xc3\xa9 \xf0\x9f\x9a\x80"},
        {"a\x1b[2Jb\x7f\n", "a?[2Jb??"},
        {"a\xc2\x9b"
         "2J",
         "a?2J"},
        {"a\xe2\x80\xae"
         "b\xe2\x80\x8f\xe2\x80\xa8",
         "a?b??"},
        {"cut \xe2\x80", "cut ??"},
        {"\xff\xe2\x81\xa8", "??"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[64];

        strcpy(text, rows[i].in);
        text_mark_unsafe(text);
        cr_expect_str_eq(text, rows[i].want, "row %zu: %s", i, text);
    }
}

Test(text_safe, replaces_what_is_invisible_or_turns_text_around)
{
    expect_text(text_add_clean, "a\nb\tc\rd", "a b c d");
    expect_text(text_add_clean, "a\x01z\x7f", "a" FFFD "z" FFFD);
    expect_text(text_add_clean, "\xc2\x85", FFFD); /* C1 */
    expect_text(text_add_clean,
                "\xe2\x80\xae"
                "abc",
                FFFD "abc"); /* right-to-left override */
    expect_text(text_add_clean, "\xe2\x81\xa8x\xe2\x81\xa9", FFFD "x" FFFD);
    expect_text(text_add_clean, "\xff\xfe", FFFD FFFD);
    expect_text(text_add_clean, "\xd7\x90\xd7\x91 12", "\xd7\x90\xd7\x91 12"); /* Hebrew stays */
}

Test(text_safe, html_has_no_live_character)
{
    /* B17 */
    expect_text(text_add_html, "<img src=x onerror=alert(1)>",
                "&lt;img src=x onerror=alert(1)&gt;");
    expect_text(text_add_attribute, "\" onmouseover='x' &", "&quot; onmouseover=&#39;x&#39; &amp;");
    expect_text(text_add_html, "</script><script>", "&lt;/script&gt;&lt;script&gt;");
    expect_text(text_add_html, "at 2026-11-01T00:16:40Z, 2026-11-01T00:16:40",
                "at <time>2026-11-01T00:16:40Z</time>, 2026-11-01T00:16:40");
}

Test(text_safe, a_name_in_a_sentence_is_isolated)
{
    struct buf sentence, out;

    buf_init(&sentence, 4096);
    buf_init(&out, 4096);
    text_add_name(&sentence, "a|b\xe2\x81\xa9<i>", 40);
    buf_add_text(&sentence, " is [1, 2]");
    text_add_html(&out, sentence.bytes);
    cr_expect_str_eq(out.bytes, "<bdi>a|b" FFFD "&lt;i&gt;</bdi> is [1, 2]");
    buf_clear(&out);
    text_add_markdown_sentence(&out, sentence.bytes);
    cr_expect_str_eq(out.bytes, "a&#124;b" FFFD "&#60;i&#62; is [1, 2]");
    buf_clear(&out);
    text_add_sentence(&out, sentence.bytes);
    cr_expect_str_eq(out.bytes, "a|b" FFFD "<i> is [1, 2]");

    /* CommonMark 0.30, 6.2: "_" within a word does not emphasise; at its edge it does. */
    buf_clear(&out);
    buf_clear(&sentence);
    text_add_name(&sentence, "a_b", 10);
    buf_add_text(&sentence, ": NOT_REPRODUCED, 1_2, _x_, y _ z_");
    text_add_markdown_sentence(&out, sentence.bytes);
    cr_expect_str_eq(out.bytes, "a&#95;b: NOT_REPRODUCED, 1_2, &#95;x&#95;, y &#95; z&#95;");
    buf_release(&out);
    buf_release(&sentence);
}

Test(text_safe, long_names_are_cut_by_their_width)
{
    /* B19: 300 letters; wide characters take two columns; a pile of accents takes none. */
    struct buf out;
    char name[2048];

    buf_init(&out, 65536);
    memset(name, 'x', 300);
    name[300] = '\0';
    text_add_gnuplot(&out, name, 10);
    cr_expect_str_eq(out.bytes, "'xxxxx\xe2\x80\xa6xxxx'");
    buf_clear(&out);
    text_add_gnuplot(&out, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2", 5);
    cr_expect_str_eq(out.bytes, "'\xe6\xbc\xa2\xe2\x80\xa6\xe6\xbc\xa2'");
    buf_clear(&out);
    strcpy(name, "a");
    for (int i = 0; i < 500; i++) {
        strcat(name, "\xcc\x81");
    }
    text_add_gnuplot(&out, name, 10);
    cr_expect_lt(out.length, 100);
    buf_release(&out);
}

Test(text_safe, long_names_with_the_same_beginning_stay_apart)
{
    static const struct {
        const char *in;
        size_t column_count;
        const char *want;
    } rows[] = {
        {"a-very-long-common-prefix-of-a-name-one", 20, "a-very-lon\xe2\x80\xa6-name-one"},
        {"a-very-long-common-prefix-of-a-name-two", 20, "a-very-lon\xe2\x80\xa6-name-two"},
        {"abcdefgh", 8, "abcdefgh"},
        {"abcdefgh", 4, "ab\xe2\x80\xa6h"},
        {"abcdefgh", 1, "\xe2\x80\xa6"},
        /* e with an acute accent of its own: the accent never stands alone after the dots */
        {"abcdefgxe\xcc\x81", 5, "ab\xe2\x80\xa6xe\xcc\x81"},
        {"abcdefge\xcc\x81xy", 6, "abc\xe2\x80\xa6xy"},
        {"abcdefge\xcc\x81y", 4, "ab\xe2\x80\xa6y"},
        /* woman, zero-width joiner, laptop: both or none */
        {"abcdefgh\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", 6, "abc\xe2\x80\xa6"},
    };
    struct buf out;

    buf_init(&out, 4096);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char want[80];

        buf_clear(&out);
        text_add_name(&out, rows[i].in, rows[i].column_count);
        snprintf(want, sizeof(want), "\xe2\x81\xa8%s\xe2\x81\xa9", rows[i].want);
        cr_expect_str_eq(out.bytes, want, "row %zu: %s", i, out.bytes);
    }
    buf_release(&out);
}

Test(text_safe, csv_follows_rfc_4180_and_shows_no_formula)
{
    /* B18 */
    expect_text(text_add_csv, "=1+1", "'=1+1");
    expect_text(text_add_csv, "+x", "'+x");
    expect_text(text_add_csv, "-x", "'-x");
    expect_text(text_add_csv, "@x", "'@x");
    expect_text(text_add_csv, "\tx", "\"'\tx\"");
    expect_text(text_add_csv, "a\"b", "\"a\"\"b\"");
    expect_text(text_add_csv, "a,b", "\"a,b\"");
    expect_text(text_add_csv, "a\nb", "\"a\nb\"");
    expect_text(text_add_csv, "plain", "plain");
    expect_text(text_add_csv, "\xff", FFFD);
    expect_text(text_add_csv, "\x1b[31mred\a", FFFD "[31mred" FFFD);
    expect_text(text_add_csv, "a\x7f\xc2\x9b\xc2\xa0", "a" FFFD FFFD "\xc2\xa0");
}

Test(text_safe, blank_is_what_shows_nothing)
{
    cr_expect(text_is_blank(""));
    cr_expect(text_is_blank(" \t\n"));
    cr_expect(text_is_blank("\xe2\x80\x8b\xc2\xa0"), "a zero-width and a no-break space");
    cr_expect_not(text_is_blank(" ."));
    cr_expect_not(text_is_blank("\x01"), "shown as U+FFFD");
}

Test(text_safe, markdown_has_no_live_character)
{
    /* B16 */
    expect_text(text_add_markdown, "A | B", "A &#124; B");
    expect_text(text_add_markdown, "`x` \\", "&#96;x&#96; &#92;");
    expect_text(text_add_markdown, "# a\nb", "&#35;&#8288; a b");
    expect_text(text_add_markdown, "[a](javascript:b)", "&#91;a&#93;(javascript&#58;b)");
    expect_text(text_add_markdown, "6.18-fc/x (A/A), 5%", "6.18-fc/x (A/A), 5%");
    expect_text(text_add_markdown, "- a. 1. b", "&#45; a&#46; 1&#46; b");
    expect_text(text_add_markdown, "see Www.x.org", "see Www&#46;x.org");
    expect_text(text_add_markdown, "http://x a@b", "http&#58;//x a&#64;&#8288;b");
}

Test(text_safe, gnuplot_strings_end_where_they_should)
{
    /* B12. A doubled apostrophe at the start of a string would end it in gnuplot 5.4.4. */
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"a`touch x`b \"\\\n@ & { } ^ _ ~ #", "'a`touch x`b \"\\ @ & { } ^ _ ~ #'"},
        {"it's", "'it' . \"\\047\" . 's'"},
        {"'; x", "'' . \"\\047\" . '; x'"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf out;

        buf_init(&out, 4096);
        text_add_gnuplot(&out, rows[i].in, 80);
        cr_expect_str_eq(out.bytes, rows[i].want, "row %zu: %s", i, out.bytes);
        buf_release(&out);
    }
}

Test(text_safe, whatever_the_bytes_the_result_is_utf_8_and_closed)
{
    for_each_case(rng, 2000, 19)
    {
        char raw[64];
        size_t length = rng_below(&rng, sizeof(raw) - 1);
        struct buf name, out;

        for (size_t i = 0; i < length; i++) {
            raw[i] = (char)(1 + rng_below(&rng, 255));
        }
        raw[length] = '\0';
        buf_init(&name, 4096);
        buf_init(&out, 4096);
        text_add_name(&name, raw, 1 + rng_below(&rng, 70));
        text_add_html(&out, name.bytes);
        cr_expect(text_is_utf8(out.bytes, out.length), "seed %llu",
                  (unsigned long long)prop_case_seed);
        cr_expect(memcmp(out.bytes, "<bdi>", 5) == 0 &&
                      memcmp(out.bytes + out.length - 6, "</bdi>", 6) == 0 &&
                      memchr(out.bytes + 5, '<', out.length - 11) == NULL,
                  "seed %llu", (unsigned long long)prop_case_seed);
        buf_clear(&out);
        text_add_gnuplot(&out, raw, 30);
        cr_expect(text_is_utf8(out.bytes, out.length) && !memchr(out.bytes, '\n', out.length),
                  "seed %llu", (unsigned long long)prop_case_seed);
        buf_release(&name);
        buf_release(&out);
    }
}
