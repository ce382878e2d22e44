// SPDX-License-Identifier: Apache-2.0
// Lines and characters of HTTP/1.1.
#include "engines/http/http_line.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define TARGET (HTTP_CHAR_TARGET | HTTP_CHAR_PATH)
#define LETTER (HTTP_CHAR_TOKEN | TARGET | HTTP_CHAR_VALUE | HTTP_CHAR_HOST)

__extension__ const unsigned char http_chars[256] = {
    ['\t'] = HTTP_CHAR_VALUE,
    [' '] = HTTP_CHAR_VALUE,
    ['0' ... '9'] = LETTER | HTTP_CHAR_DIGIT,
    ['A' ... 'Z'] = LETTER,
    ['a' ... 'z'] = LETTER,
    ['!'] = LETTER,
    ['"'] = HTTP_CHAR_VALUE,
    ['#'] = HTTP_CHAR_TOKEN | HTTP_CHAR_VALUE,
    ['$'] = LETTER,
    ['%'] = (LETTER & ~HTTP_CHAR_PATH),
    ['&'] = LETTER,
    ['\''] = LETTER,
    ['('] = TARGET | HTTP_CHAR_VALUE | HTTP_CHAR_HOST,
    [')'] = TARGET | HTTP_CHAR_VALUE | HTTP_CHAR_HOST,
    ['*'] = LETTER,
    ['+'] = LETTER,
    [','] = TARGET | HTTP_CHAR_VALUE,
    ['-'] = LETTER,
    ['.'] = LETTER,
    ['/'] = TARGET | HTTP_CHAR_VALUE,
    [':'] = TARGET | HTTP_CHAR_VALUE,
    [';'] = TARGET | HTTP_CHAR_VALUE | HTTP_CHAR_HOST,
    ['<'] = HTTP_CHAR_VALUE,
    ['='] = TARGET | HTTP_CHAR_VALUE | HTTP_CHAR_HOST,
    ['>'] = HTTP_CHAR_VALUE,
    ['?'] = HTTP_CHAR_TARGET | HTTP_CHAR_VALUE,
    ['@'] = TARGET | HTTP_CHAR_VALUE,
    ['['] = TARGET | HTTP_CHAR_VALUE,
    ['\\'] = HTTP_CHAR_VALUE,
    [']'] = TARGET | HTTP_CHAR_VALUE,
    ['^'] = HTTP_CHAR_TOKEN | HTTP_CHAR_VALUE,
    ['_'] = LETTER,
    ['`'] = HTTP_CHAR_TOKEN | HTTP_CHAR_VALUE,
    ['{'] = HTTP_CHAR_VALUE,
    ['|'] = HTTP_CHAR_TOKEN | HTTP_CHAR_VALUE,
    ['}'] = HTTP_CHAR_VALUE,
    ['~'] = LETTER,
    [128 ... 255] = TARGET | HTTP_CHAR_VALUE,
};

int http_hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Sixteen at a time where the processor can; then eight: the lowest marked byte of a word is exact,
 * those above it need not be. */
size_t http_count_clean(const char *bytes, size_t available)
{
    size_t at = 0;

#ifdef __SSE2__
    while (available - at >= sizeof(__m128i)) {
        __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(bytes + at));
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1f)), text);
        __m128i delete = _mm_cmpeq_epi8(text, _mm_set1_epi8(0x7f));
        int marks = _mm_movemask_epi8(_mm_or_si128(control, delete));

        if (!marks) {
            at += sizeof(__m128i);
            continue;
        }
        at += (size_t)__builtin_ctz((unsigned)marks);
        if (bytes[at] != '\t') {
            return at;
        }
        at++;
    }
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t each = UINT64_C(0x0101010101010101);

    while (available - at >= sizeof(uint64_t)) {
        uint64_t word, marks;

        memcpy(&word, bytes + at, sizeof(word));
        uint64_t deletes = word ^ each * 0x7f;
        marks = (((word - each * 0x20) & ~word) | ((deletes - each) & ~deletes)) & each * 0x80;
        if (!marks) {
            at += sizeof(word);
            continue;
        }
        at += (size_t)__builtin_ctzll(marks) / 8;
        if (bytes[at] != '\t') {
            return at;
        }
        at++;
    }
#endif
    while (at < available && http_is_char(bytes[at], HTTP_CHAR_VALUE)) {
        at++;
    }
    return at;
}

enum http_line http_find_line(const char *line, size_t available, size_t *length_out)
{
    size_t clean = http_count_clean(line, available);

    if (available - clean >= 2 && line[clean] == '\r' && line[clean + 1] == '\n') {
        *length_out = clean;
        return HTTP_LINE_WHOLE;
    }
    /* An unfinished line, or a wrong one. */
    const char *carriage = memchr(line, '\r', available);
    bool is_broken =
        memchr(line, '\n', available) || (carriage && carriage + 1 != line + available);
    return is_broken ? HTTP_LINE_BROKEN : HTTP_LINE_MORE;
}

/* "[" hex digits, colons and dots "]": the length with the brackets, 0 when it is not one. */
static size_t bracketed_length(struct http_span text)
{
    for (size_t i = 1; i < text.length; i++) {
        char c = text.bytes[i];

        if (c == ']') {
            return i > 1 ? i + 1 : 0;
        }
        if (http_hex_value(c) < 0 && c != ':' && c != '.') {
            return 0;
        }
    }
    return 0;
}

bool http_is_authority(struct http_span text)
{
    size_t host_length = 0;

    if (text.length && text.bytes[0] == '[') {
        host_length = bracketed_length(text);
    } else {
        host_length = http_skip(text.bytes, 0, text.length, HTTP_CHAR_HOST);
    }
    if (host_length == 0 || host_length == text.length) {
        return host_length != 0;
    }
    if (text.bytes[host_length] != ':' || text.length - host_length > 6) {
        return false;
    }
    return http_skip(text.bytes, host_length + 1, text.length, HTTP_CHAR_DIGIT) == text.length;
}

static bool percents_are_right(struct http_span text)
{
    const char *at = text.bytes;
    const char *end = text.bytes + text.length;

    while ((at = memchr(at, '%', (size_t)(end - at)))) {
        if (end - at < 3 || http_hex_value(at[1]) < 0 || http_hex_value(at[2]) < 0) {
            return false;
        }
        at += 3;
    }
    return true;
}

/* Cuts "/path?query" behind the path. */
static struct http_span path_cut(struct http_span text)
{
    const char *question = memchr(text.bytes, '?', text.length);

    return (struct http_span){text.bytes, question ? (size_t)(question - text.bytes) : text.length};
}

static bool absolute_parse(struct http_request *request)
{
    static const char scheme[] = "http://";
    size_t scheme_length = sizeof(scheme) - 1;
    struct http_span target = request->target;

    if (target.length <= scheme_length ||
        !http_span_is((struct http_span){target.bytes, scheme_length}, scheme)) {
        return false;
    }
    struct http_span rest = {target.bytes + scheme_length, target.length - scheme_length};
    size_t length = 0;
    while (length < rest.length && rest.bytes[length] != '/' && rest.bytes[length] != '?') {
        length++;
    }
    request->authority = (struct http_span){rest.bytes, length};
    request->path = path_cut((struct http_span){rest.bytes + length, rest.length - length});
    if (request->path.length == 0) {
        request->path = request->method == HTTP_METHOD_OPTIONS && length == rest.length
                            ? HTTP_SPAN("*")
                            : HTTP_SPAN("/");
    }
    return http_is_authority(request->authority);
}

bool http_parse_target(struct http_request *request)
{
    struct http_span target = request->target;

    if (!percents_are_right(target)) {
        return false;
    }
    if (request->method == HTTP_METHOD_CONNECT) {
        request->path = (struct http_span){target.bytes, 0};
        return http_is_authority(target) && memchr(target.bytes, ':', target.length);
    }
    if (target.bytes[0] == '/') {
        request->path = path_cut(target);
        return true;
    }
    if (target.length == 1 && target.bytes[0] == '*') {
        request->path = target;
        return request->method == HTTP_METHOD_OPTIONS;
    }
    return absolute_parse(request);
}
