// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP/1.1 request, line by line.
#include "engines/http/http_parse.h"

#include <string.h>

#include "engines/http/http_line.h"

#define VERSION_BYTES ((size_t)8)

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

/* "HTTP/1.1" CR LF and nothing else in form (RFC 9112 2.3). Returns 0 or a status. */
static int version_parse(const char *text, size_t available, int *minor_out)
{
    if (available < VERSION_BYTES + 2 || memcmp(text + VERSION_BYTES, "\r\n", 2) != 0) {
        return 400;
    }
    if (memcmp(text, "HTTP/1.1", VERSION_BYTES) == 0) {
        *minor_out = 1;
        return 0;
    }
    if (memcmp(text, "HTTP/", 5) != 0 || text[6] != '.' || text[5] < '0' || text[5] > '9' ||
        text[7] < '0' || text[7] > '9') {
        return 400;
    }
    if (text[5] != '1') {
        return 505;
    }
    *minor_out = text[7] > '0';
    return 0;
}

/*
 * method SP request-target SP HTTP-version CR LF, each SP single (RFC 9112 3).
 *
 * length_out   of the line without its CRLF; written on success
 * returns      0 or a status, which counts only when the line is whole: its end may not be there
 */
static int request_line_parse(const char *line, size_t available, struct http_request *request,
                              size_t *length_out)
{
    size_t at = http_skip(line, 0, available, HTTP_CHAR_TOKEN);

    if (at > HTTP_METHOD_BYTES_MAX) {
        return 501;
    }
    if (at == 0 || at == available || line[at] != ' ') {
        return 400;
    }
    request->method = method_find((struct http_span){line, at});
    size_t start = ++at;
    at = http_skip(line, at, available, HTTP_CHAR_PATH);
    size_t path_end = at;
    if (at < available && line[at] != ' ') {
        at = http_skip(line, at, available, HTTP_CHAR_TARGET);
    }
    if (at == start || at == available || line[at] != ' ') {
        return 400;
    }
    request->target = (struct http_span){line + start, at - start};
    request->authority = (struct http_span){line, 0};
    at++;
    int status = version_parse(line + at, available - at, &request->minor_version);
    if (status) {
        return status;
    }
    *length_out = at + VERSION_BYTES;
    if (path_end == at - 1 && line[start] == '/' && request->method != HTTP_METHOD_CONNECT) {
        /* the usual form, which is all path */
        request->path = request->target;
        return 0;
    }
    return http_parse_target(request) ? 0 : 400;
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

/* Bytes that are no line of what was wanted: a broken line, a whole one that is wrong, or one that
 * has no end yet and no room left for it. Returns 0: it may still become one. */
static int line_judge(const char *line, size_t available, int status_if_whole, int status_if_full)
{
    size_t length;

    switch (http_find_line(line, available, &length)) {
    case HTTP_LINE_BROKEN:
        return 400;
    case HTTP_LINE_WHOLE:
        return status_if_whole;
    case HTTP_LINE_MORE:
        break;
    }
    return status_if_full;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool field_parse(const char *line, size_t available, struct http_field *field_out,
                               size_t *length_out)
{
    size_t name_length = http_skip(line, 0, available, HTTP_CHAR_TOKEN);

    if (name_length == 0 || name_length == available || line[name_length] != ':') {
        return false;
    }
    size_t start = name_length + 1;
    size_t end = start + http_count_clean(line + start, available - start);
    if (available - end < 2 || line[end] != '\r' || line[end + 1] != '\n') {
        return false;
    }
    *length_out = end;
    while (start < end && is_blank(line[start])) {
        start++;
    }
    while (end > start && is_blank(line[end - 1])) {
        end--;
    }
    *field_out = (struct http_field){{line, name_length}, {line + start, end - start}};
    return true;
}

bool http_parse_field(const char *line, size_t available, struct http_field *field_out,
                      size_t *length_out)
{
    return field_parse(line, available, field_out, length_out);
}

static enum http_result fields_parse(const char *bytes, size_t at, size_t end,
                                     struct http_request *request, int *status_out)
{
    size_t count = 0;

    for (;;) {
        size_t length;

        if (end - at >= 2 && memcmp(bytes + at, "\r\n", 2) == 0) {
            request->head_bytes = at + 2;
            request->field_count = count;
            return HTTP_RESULT_DONE;
        }
        if (!field_parse(bytes + at, end - at, &request->fields[count], &length)) {
            int status =
                line_judge(bytes + at, end - at, 400, end == HTTP_HEAD_BYTES_MAX ? 431 : 0);
            return status ? parse_fail(status, status_out) : HTTP_RESULT_MORE;
        }
        if (count++ == HTTP_FIELD_COUNT_MAX) {
            return parse_fail(431, status_out);
        }
        at += length + 2;
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
    size_t at = end >= 2 && memcmp(bytes, "\r\n", 2) == 0 ? 2 : 0;
    size_t available =
        end - at < HTTP_REQUEST_LINE_BYTES_MAX ? end - at : HTTP_REQUEST_LINE_BYTES_MAX;
    int status = request_line_parse(bytes + at, available, request_out, &line_length);
    if (status) {
        status = line_judge(bytes + at, available, status,
                            available == HTTP_REQUEST_LINE_BYTES_MAX ? 414 : 0);
        return status ? parse_fail(status, status_out) : HTTP_RESULT_MORE;
    }
    return fields_parse(bytes, at + line_length + 2, end, request_out, status_out);
}
