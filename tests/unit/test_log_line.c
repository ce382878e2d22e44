// SPDX-License-Identifier: Apache-2.0
// What a program wrote as one line.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/run/log_line.h"
#include "engines/base/attr.h"

Test(log_line, keeps_letters_and_blanks_controls_and_what_is_no_utf8)
{
    static const struct {
        const char *bytes;
        size_t length;
        bool is_cut;
        const char *line;
    } rows[] = {
        {"", 0, false, ""},
        {"plain\n", 6, false, "plain"},
        {"endereço já em uso: não\n", 27, false, "endereço já em uso: não"},
        {"\xd0\xbf\xd0\xbe\xd1\x80\xd1\x82\r\n", 10, false, "порт"},
        {"a\xff"
         "b\xc3",
         4, false, "a b"}, /* no UTF-8, and cut within a letter */
        {"a\x1b[2J\xc2\x9b"
         "b",
         8, false, "a [2J  b"}, /* ESC and CSI of C1 */
        {"a\xe2\x80\xa8"
         "b",
         5, false, "a   b"}, /* U+2028 */
        {"a\0b", 3, false, "a b"},
        {"12345678", 8, true, "…45678"},
        {"12\xc3\xa3"
         "5678",
         8, true, "…5678"}, /* a letter lies across the mark's end */
        {"\xa3\xc3\xa3"
         "5678",
         7, true, "…5678"},
        {"123", 3, true, "123"}, /* no room for the mark */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[64];

        memset(text, 'x', sizeof(text));
        memcpy(text, rows[i].bytes, rows[i].length);
        log_line_make(text, rows[i].length, rows[i].is_cut);
        cr_expect_str_eq(text, rows[i].line, "row %zu", i);
    }
}
