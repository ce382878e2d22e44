// SPDX-License-Identifier: Apache-2.0
// A place in foreign text that cannot leave its bytes.
#include "engines/base/cursor.h"

#include <string.h>

bool cursor_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

void cursor_skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && cursor_is_blank(*cursor->at)) {
        cursor->at++;
    }
}

bool cursor_take_line(struct cursor *cursor, struct cursor *line_out)
{
    if (cursor->at >= cursor->end) {
        return false;
    }
    const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    const char *line_end = newline ? newline : cursor->end;
    *line_out = (struct cursor){cursor->at, line_end};
    cursor->at = newline ? newline + 1 : cursor->end;
    return true;
}

bool cursor_take_word(struct cursor *cursor, struct cursor *word_out)
{
    cursor_skip_blanks(cursor);
    const char *start = cursor->at;
    while (cursor->at < cursor->end && !cursor_is_blank(*cursor->at) && *cursor->at != '\n') {
        cursor->at++;
    }
    *word_out = (struct cursor){start, cursor->at};
    return cursor->at > start;
}

bool cursor_is(const struct cursor *word, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(word->end - word->at) == length && memcmp(word->at, text, length) == 0;
}

bool cursor_take_digits(struct cursor *cursor, unsigned base, uint64_t *number_out)
{
    const char *start = cursor->at;
    uint64_t number = 0;

    for (; cursor->at < cursor->end; cursor->at++) {
        char byte = *cursor->at;
        unsigned digit = byte >= '0' && byte <= '9'   ? (unsigned)(byte - '0')
                         : byte >= 'a' && byte <= 'f' ? (unsigned)(byte - 'a') + 10
                         : byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A') + 10
                                                      : 99;
        if (digit >= base) {
            break;
        }
        if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
            __builtin_add_overflow(number, (uint64_t)digit, &number)) {
            return false;
        }
    }
    if (cursor->at == start) {
        return false;
    }
    *number_out = number;
    return true;
}

bool cursor_take_number(struct cursor *cursor, uint64_t *number_out)
{
    struct cursor word;
    uint64_t number;

    if (!cursor_take_word(cursor, &word)) {
        return false;
    }
    bool is_negative = *word.at == '-';
    word.at += is_negative;
    if (!cursor_take_digits(&word, 10, &number) || word.at != word.end) {
        return false;
    }
    *number_out = is_negative ? UINT64_C(0) - number : number;
    return true;
}

bool cursor_copy(const struct cursor *cursor, char *out, size_t capacity)
{
    size_t length = (size_t)(cursor->end - cursor->at);

    if (length >= capacity) {
        return false;
    }
    memcpy(out, cursor->at, length);
    out[length] = '\0';
    return true;
}
