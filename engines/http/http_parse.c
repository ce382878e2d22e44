// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP/1.1 request, line by line.
#include "engines/http/http_parse.h"

#include <string.h>

#include "engines/http/http_line.h"

bool http_span_is(struct http_span span, const char *lower)
{
    for (size_t i = 0; i < span.length; i++) {
        char c = span.bytes[i];

        if (c >= 'A' && c <= 'Z') {
            c = (char)(c | 0x20);
        }
        if (lower[i] == '\0' || c != lower[i]) {
            return false;
        }
    }
    return lower[span.length] == '\0';
}

const struct http_span *http_find_field(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->field_count; i++) {
        if (http_span_is(request->fields[i].name, name)) {
            return &request->fields[i].value;
        }
    }
    return NULL;
}

/* Methods are case-sensitive (RFC 9110 9.1). */
static enum http_method method_find(struct http_span text)
{
    static const struct {
        struct http_span text;
        enum http_method method;
    } methods[] = {
        {{"POST", 4}, HTTP_METHOD_POST},       {{"HEAD", 4}, HTTP_METHOD_HEAD},
        {{"PUT", 3}, HTTP_METHOD_PUT},         {{"DELETE", 6}, HTTP_METHOD_DELETE},
        {{"OPTIONS", 7}, HTTP_METHOD_OPTIONS}, {{"PATCH", 5}, HTTP_METHOD_PATCH},
        {{"TRACE", 5}, HTTP_METHOD_TRACE},     {{"CONNECT", 7}, HTTP_METHOD_CONNECT},
    };

    if (text.length == 3 && memcmp(text.bytes, "GET", 3) == 0) {
        return HTTP_METHOD_GET; /* the usual one, without a loop */
    }
    for (size_t i = 0; i < ARRAY_COUNT(methods); i++) {
        if (text.length == methods[i].text.length &&
            memcmp(text.bytes, methods[i].text.bytes, text.length) == 0) {
            return methods[i].method;
        }
    }
    return HTTP_METHOD_OTHER;
}

/* "HTTP/1.1" and nothing else in form (RFC 9112 2.3). Returns 0 or a status. */
static int version_parse(const char *text, size_t length, int *minor_out)
{
    if (length != 8 || memcmp(text, "HTTP/", 5) != 0 || text[6] != '.' || text[5] < '0' ||
        text[5] > '9' || text[7] < '0' || text[7] > '9') {
        return 400;
    }
    if (text[5] != '1') {
        return 505;
    }
    *minor_out = text[7] > '0';
    return 0;
}

/* method SP request-target SP HTTP-version, each SP single (RFC 9112 3). Returns 0 or a status. */
static int request_line_parse(const char *line, size_t length, struct http_request *request)
{
    size_t at = 0;

    while (at < length && http_is_char(line[at], HTTP_CHAR_TOKEN)) {
        at++;
    }
    if (at > HTTP_METHOD_BYTES_MAX) {
        return 501;
    }
    if (at == 0 || at == length || line[at] != ' ') {
        return 400;
    }
    request->method = method_find((struct http_span){line, at});
    size_t start = ++at;
    unsigned marks = 0;
    while (at < length && http_is_char(line[at], HTTP_CHAR_TARGET)) {
        marks |= http_chars[(unsigned char)line[at]] & HTTP_CHAR_MARK;
        at++;
    }
    if (at == start || at == length || line[at] != ' ') {
        return 400;
    }
    request->target = (struct http_span){line + start, at - start};
    request->authority = (struct http_span){line, 0};
    at++;
    int status = version_parse(line + at, length - at, &request->minor_version);
    if (status) {
        return status;
    }
    return http_parse_target(request, marks == 0) ? 0 : 400;
}

/* Whether the bytes after last_length cannot change a MORE: no line ends in them and no limit is
 * crossed. */
static bool is_still_more(const char *bytes, size_t length, size_t last_length)
{
    size_t line_limit = HTTP_REQUEST_LINE_BYTES_MAX + 2;

    if (last_length == 0 || length >= HTTP_HEAD_BYTES_MAX || bytes[last_length - 1] == '\r' ||
        (last_length < line_limit && length >= line_limit - 2)) {
        return false;
    }
    size_t new_bytes = length - last_length;
    return !memchr(bytes + last_length, '\n', new_bytes) &&
           !memchr(bytes + last_length, '\r', new_bytes);
}

static enum http_result parse_fail(int status, int *status_out)
{
    *status_out = status;
    return HTTP_RESULT_ERROR;
}

static enum http_result fields_parse(const char *bytes, size_t at, size_t end,
                                     struct http_request *request, int *status_out)
{
    size_t count = 0;

    for (;;) {
        size_t length;
        enum http_line found = http_find_line(bytes + at, end - at, &length);

        if (found == HTTP_LINE_BROKEN) {
            return parse_fail(400, status_out);
        }
        if (found == HTTP_LINE_MORE) {
            return end == HTTP_HEAD_BYTES_MAX ? parse_fail(431, status_out) : HTTP_RESULT_MORE;
        }
        const char *line = bytes + at;
        struct http_field field;
        at += length + 2;
        if (length == 0) {
            request->head_bytes = at;
            request->field_count = count;
            return HTTP_RESULT_DONE;
        }
        if (!http_parse_field(line, length, &field)) {
            return parse_fail(400, status_out);
        }
        if (count == HTTP_FIELD_COUNT_MAX) {
            return parse_fail(431, status_out);
        }
        request->fields[count++] = field;
    }
}

enum http_result http_parse(const char *bytes, size_t length, size_t last_length,
                            struct http_request *request_out, int *status_out)
{
    size_t end = length < HTTP_HEAD_BYTES_MAX ? length : HTTP_HEAD_BYTES_MAX;
    size_t line_length;

    if (is_still_more(bytes, length, last_length)) {
        return HTTP_RESULT_MORE;
    }
    size_t at = end >= 2 && bytes[0] == '\r' && bytes[1] == '\n' ? 2 : 0;
    size_t line_end = at + HTTP_REQUEST_LINE_BYTES_MAX;
    if (line_end > end) {
        line_end = end;
    }
    switch (http_find_line(bytes + at, line_end - at, &line_length)) {
    case HTTP_LINE_BROKEN:
        return parse_fail(400, status_out);
    case HTTP_LINE_MORE:
        return line_end - at == HTTP_REQUEST_LINE_BYTES_MAX ? parse_fail(414, status_out)
                                                            : HTTP_RESULT_MORE;
    case HTTP_LINE_WHOLE:
        break;
    }
    int status = request_line_parse(bytes + at, line_length, request_out);
    if (status) {
        return parse_fail(status, status_out);
    }
    return fields_parse(bytes, at + line_length + 2, end, request_out, status_out);
}
