// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of RFC 3629.
#include "report/query/row_text.h"

#include "engines/base/attr.h"

/* A sequence by its first byte: how many bytes follow, and the range of the first of these (the
 * others are 80–BF). */
static const struct sequence {
    unsigned char first_low, first_high, follow_count, second_low, second_high;
} sequences[] = {
    {0x01, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

/* Bytes of the sequence that begins here; 0 when there is none. */
static size_t sequence_length(const unsigned char *bytes, size_t left)
{
    const struct sequence *s = sequences;
    const struct sequence *end = sequences + ARRAY_COUNT(sequences);

    while (s < end && (bytes[0] < s->first_low || bytes[0] > s->first_high)) {
        s++;
    }
    if (s == end || left <= s->follow_count) {
        return 0;
    }
    for (size_t i = 1; i <= s->follow_count; i++) {
        unsigned char low = i == 1 ? s->second_low : 0x80;
        unsigned char high = i == 1 ? s->second_high : 0xbf;

        if (bytes[i] < low || bytes[i] > high) {
            return 0;
        }
    }
    return s->follow_count + (size_t)1;
}

bool row_text_is_utf8(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;

    while (length) {
        size_t step = sequence_length(at, length);

        if (!step) {
            return false;
        }
        at += step;
        length -= step;
    }
    return true;
}

void row_text_make_line(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f) {
            *at = '?';
        }
    }
}
