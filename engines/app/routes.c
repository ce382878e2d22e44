// SPDX-License-Identifier: Apache-2.0
// The table of paths, and what handlers share.
#include "engines/app/routes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
#define ALLOW_GET {"GET, HEAD, OPTIONS", 18}
#define ALLOW_POST {"POST, OPTIONS", 13}
#define PATH(text) {text, sizeof(text) - 1}
/* clang-format on */

/* The last field: an argument follows, one segment that is not empty. */
static const struct http_route rows[] = {
    {PATH("/ping"), HTTP_METHOD_GET, ALLOW_GET, ping_handle, false},
    {PATH("/echo"), HTTP_METHOD_POST, ALLOW_POST, echo_handle, false},
    {PATH("/sink"), HTTP_METHOD_POST, ALLOW_POST, sink_handle, false},
    {PATH("/book"), HTTP_METHOD_GET, ALLOW_GET, book_handle, false},
    {PATH("/upload"), HTTP_METHOD_POST, ALLOW_POST, upload_handle, false},
    {PATH("/fat"), HTTP_METHOD_POST, ALLOW_POST, fat_handle, false},
    {PATH("/bytes/"), HTTP_METHOD_GET, ALLOW_GET, bytes_handle, true},
    {PATH("/delay/"), HTTP_METHOD_GET, ALLOW_GET, delay_handle, true},
    /* Bytes are compared as they came, nothing is decoded; curl writes the hex in small letters. */
    {PATH("/a\xc3\xa7\xc3\xa3o/"), HTTP_METHOD_GET, ALLOW_GET, action_handle, true},
    {PATH("/a%C3%A7%C3%A3o/"), HTTP_METHOD_GET, ALLOW_GET, action_handle, true},
    {PATH("/a%c3%a7%c3%a3o/"), HTTP_METHOD_GET, ALLOW_GET, action_handle, true},
    {PATH("/"), HTTP_METHOD_GET, ALLOW_GET, root_handle, false},
};

const struct http_routes app_routes = {rows, ARRAY_COUNT(rows)};

void app_init(uint64_t seed)
{
    book_init(seed);
}

struct http_span app_argument(const struct http_request *request)
{
    size_t start = request->path.length;

    while (start > 0 && request->path.bytes[start - 1] != '/') {
        start--;
    }
    return (struct http_span){request->path.bytes + start, request->path.length - start};
}

static void status_answer(struct http_response *response, int status)
{
    const char *reason = http_reason(status);
    size_t length = 0;

    while (reason[length]) {
        length++;
    }
    response->status = status;
    response->content_type = HTTP_SPAN("text/plain");
    response->body = (struct http_span){reason, length};
}

bool app_number(const struct http_request *request, struct http_response *response, size_t maximum,
                size_t *number_out)
{
    struct http_span text = app_argument(request);
    size_t number = 0;

    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];

        if (c < '0' || c > '9') {
            status_answer(response, 404);
            return false;
        }
        number = number * 10 + (size_t)(c - '0');
        if (number > maximum) {
            status_answer(response, 404);
            return false;
        }
    }
    *number_out = number;
    return true;
}

void app_fail(struct http_response *response)
{
    status_answer(response, 503);
}

void app_answer_json(struct http_response *response, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        app_fail(response);
        return;
    }
    response->content_type = HTTP_SPAN("application/json");
    response->owned = text;
    response->body = (struct http_span){text, (size_t)length};
}
