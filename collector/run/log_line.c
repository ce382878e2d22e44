// SPDX-License-Identifier: Apache-2.0
// Foreign bytes become one line of UTF-8.
#include "collector/run/log_line.h"

#include <stdint.h>
#include <string.h>

#include "collector/plan/plan_utf8.h"

static void bytes_blank(char *text, size_t length)
{
    uint32_t character;

    for (size_t i = 0; i < length;) {
        size_t bytes = plan_utf8_decode(text + i, length - i, &character);

        if (bytes == 0 || plan_utf8_is_control(character)) {
            bytes = bytes ? bytes : 1;
            memset(text + i, ' ', bytes);
        }
        i += bytes;
    }
}

void log_line_make(char *text, size_t length, bool is_cut)
{
    static const char mark[] = "…";
    const size_t mark_bytes = sizeof(mark) - 1;

    if (is_cut && length > mark_bytes) {
        size_t begin = mark_bytes;

        while (begin < length && ((unsigned char)text[begin] & 0xc0) == 0x80) {
            begin++; /* not within a letter */
        }
        memcpy(text, mark, mark_bytes);
        memmove(text + mark_bytes, text + begin, length - begin);
        length -= begin - mark_bytes;
    }
    bytes_blank(text, length);
    while (length && text[length - 1] == ' ') {
        length--;
    }
    text[length] = '\0';
}
