// SPDX-License-Identifier: Apache-2.0
// Names for LaTeX. Expected commands: The LaTeX Companion, tables of special characters, by hand;
// `ci/run formats` has pdflatex read all of tests/support/hostile_names.json.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/text_latex.h"
#include "tests/support/hostile_names.h"

Test(text_latex, writes_specials_as_commands)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"epoll 2.3", "epoll 2.3"},
        {"a_b & 50% #1 $x", "a\\_b \\& 50\\% \\#1 \\$x"},
        {"\\input{x}", "\\textbackslash{}input\\{x\\}"},
        {"^^41~", "\\textasciicircum{}\\textasciicircum{}41\\textasciitilde{}"},
        {"1\xe2\x80\xaf"
         "000\xc3\x97",
         "1\\,000\\ensuremath{\\times}"},
        {"caf\xc3\xa9 \xc3\xa3", "caf\xc3\xa9 \xc3\xa3"},
        {"\xf0\x9f\x9a\x80", "{[}U+1F680{]}\\allowbreak{}"},
        {"\x01", "{[}U+FFFD{]}\\allowbreak{}"},
        {"\xe2\x81\xa8name\xe2\x81\xa9", "name"},
        {"[1cm]", "{[}1cm{]}"},
        {"--", "{-}{-}"},
        {"0123456789abcdef0 1", "0123456789abcdef\\allowbreak{}0 1"},
    };
    struct buf out;

    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        buf_clear(&out);
        text_add_latex(&out, rows[i].text);
        cr_expect_str_eq(out.bytes, rows[i].want, "row %zu: %s", i, out.bytes);
    }
    buf_release(&out);
}

/* Braces are balanced, and every backslash begins one of the commands above. */
Test(text_latex, leaves_nothing_of_a_hostile_name_alive)
{
    size_t count;
    const char *const *names = hostile_names_load(&count);
    struct buf out;

    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < count; i++) {
        int depth = 0;

        buf_clear(&out);
        text_add_latex(&out, names[i]);
        for (const char *at = out.bytes; *at; at++) {
            if (*at == '\\') {
                at++;
                cr_expect(strchr("{}$&#%_,tea", *at) != NULL, "name %zu: %s", i, out.bytes);
                continue;
            }
            depth += (*at == '{') - (*at == '}');
            cr_expect_geq(depth, 0, "name %zu", i);
            cr_expect_null(strchr("$&#%_^\"'`<>|\n", *at), "name %zu: %s", i, out.bytes);
        }
        cr_expect_eq(depth, 0, "name %zu", i);
    }
    hostile_names_free(names);
    buf_release(&out);
}
