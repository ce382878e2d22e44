// SPDX-License-Identifier: Apache-2.0
// Lines and characters of HTTP/1.1.
#include "engines/http/http_line.h"

#include <string.h>

enum {
    CHAR_TOKEN = 1, /* tchar, RFC 9110 5.6.2 */
    CHAR_TARGET =
        2, /* what a URI may hold, RFC 3986 2, without "#"; and UTF-8 as it is (RFC 3987) */
    CHAR_VALUE = 4, /* field-vchar, SP and HTAB, RFC 9110 5.5 */
    CHAR_HOST = 8,  /* reg-name, RFC 3986 3.2.2, without "," */
};

#define LETTER (CHAR_TOKEN | CHAR_TARGET | CHAR_VALUE | CHAR_HOST)

__extension__ static const unsigned char char_classes[256] = {
    ['\t'] = CHAR_VALUE,
    [' '] = CHAR_VALUE,
    ['0' ... '9'] = LETTER,
    ['A' ... 'Z'] = LETTER,
    ['a' ... 'z'] = LETTER,
    ['!'] = LETTER,
    ['"'] = CHAR_VALUE,
    ['#'] = CHAR_TOKEN | CHAR_VALUE,
    ['$'] = LETTER,
    ['%'] = LETTER,
    ['&'] = LETTER,
    ['\''] = LETTER,
    ['('] = CHAR_TARGET | CHAR_VALUE | CHAR_HOST,
    [')'] = CHAR_TARGET | CHAR_VALUE | CHAR_HOST,
    ['*'] = LETTER,
    ['+'] = LETTER,
    [','] = CHAR_TARGET | CHAR_VALUE,
    ['-'] = LETTER,
    ['.'] = LETTER,
    ['/'] = CHAR_TARGET | CHAR_VALUE,
    [':'] = CHAR_TARGET | CHAR_VALUE,
    [';'] = CHAR_TARGET | CHAR_VALUE | CHAR_HOST,
    ['<'] = CHAR_VALUE,
    ['='] = CHAR_TARGET | CHAR_VALUE | CHAR_HOST,
    ['>'] = CHAR_VALUE,
    ['?'] = CHAR_TARGET | CHAR_VALUE,
    ['@'] = CHAR_TARGET | CHAR_VALUE,
    ['['] = CHAR_TARGET | CHAR_VALUE,
    ['\\'] = CHAR_VALUE,
    [']'] = CHAR_TARGET | CHAR_VALUE,
    ['^'] = CHAR_TOKEN | CHAR_VALUE,
    ['_'] = LETTER,
    ['`'] = CHAR_TOKEN | CHAR_VALUE,
    ['{'] = CHAR_VALUE,
    ['|'] = CHAR_TOKEN | CHAR_VALUE,
    ['}'] = CHAR_VALUE,
    ['~'] = LETTER,
    [128 ... 255] = CHAR_TARGET | CHAR_VALUE,
};

static bool is_class(char c, unsigned char class)
{
    return char_classes[(unsigned char)c] & class;
}

bool http_is_token_char(char c)
{
    return is_class(c, CHAR_TOKEN);
}

bool http_is_target_char(char c)
{
    return is_class(c, CHAR_TARGET);
}

bool http_is_value_char(char c)
{
    return is_class(c, CHAR_VALUE);
}

int http_hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

enum http_line http_find_line(const char *line, size_t available, size_t *length_out)
{
    const char *feed = memchr(line, '\n', available);
    size_t searched = feed ? (size_t)(feed - line) : available;
    const char *carriage = memchr(line, '\r', searched);

    if (feed) {
        if (!carriage || carriage + 1 != feed) {
            return HTTP_LINE_BROKEN;
        }
        *length_out = (size_t)(carriage - line);
        return HTTP_LINE_WHOLE;
    }
    return carriage && carriage + 1 != line + searched ? HTTP_LINE_BROKEN : HTTP_LINE_MORE;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool http_parse_field(const char *line, size_t length, struct http_field *field_out)
{
    size_t name_length = 0;

    while (name_length < length && is_class(line[name_length], CHAR_TOKEN)) {
        name_length++;
    }
    if (name_length == 0 || name_length == length || line[name_length] != ':') {
        return false;
    }
    size_t start = name_length + 1;
    size_t end = length;
    while (start < end && is_blank(line[start])) {
        start++;
    }
    while (end > start && is_blank(line[end - 1])) {
        end--;
    }
    for (size_t i = start; i < end; i++) {
        if (!is_class(line[i], CHAR_VALUE)) {
            return false;
        }
    }
    *field_out = (struct http_field){{line, name_length}, {line + start, end - start}};
    return true;
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
        while (host_length < text.length && is_class(text.bytes[host_length], CHAR_HOST)) {
            host_length++;
        }
    }
    if (host_length == 0 || host_length == text.length) {
        return host_length != 0;
    }
    if (text.bytes[host_length] != ':' || text.length - host_length > 6) {
        return false;
    }
    for (size_t i = host_length + 1; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') {
            return false;
        }
    }
    return true;
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
