// SPDX-License-Identifier: Apache-2.0
// Responses, head and body in one piece of memory.
#include "engines/http/http_write.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "engines/base/few_bytes.h"

/* Room for the fixed parts of a head. */
#define HEAD_BYTES_MAX 512

void http_date_set(struct http_date *date, int64_t wall_ns)
{
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t second = wall_ns / INT64_C(1000000000);
    time_t seconds = (time_t)second;
    struct tm utc;

    if (second == date->second || !gmtime_r(&seconds, &utc)) {
        return;
    }
    char text[128];
    snprintf(text, sizeof(text), HTTP_START_OK "%s, %02d %s %04d %02d:%02d:%02d GMT",
             days[utc.tm_wday], utc.tm_mday, months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour,
             utc.tm_min, utc.tm_sec);
    memcpy(date->start, text, sizeof(date->start) - 1);
    date->start[sizeof(date->start) - 1] = '\0';
    date->second = second;
}

void http_output_init(struct http_output *out, struct byte_pool *pool, const struct http_date *date)
{
    *out = (struct http_output){.pool = pool, .date = date};
}

void http_output_release(struct http_output *out)
{
    byte_pool_give(out->pool, out->bytes, out->capacity);
    http_output_init(out, out->pool, out->date);
}

void http_output_clear(struct http_output *out)
{
    out->length = 0;
    out->answer_count = 0;
    out->error_count = 0;
    out->failed = false;
}

static char *output_grow(struct http_output *out, size_t length)
{
    size_t capacity;

    char *bytes = byte_pool_take(out->pool, out->length + length, &capacity);
    if (!bytes) {
        out->failed = true;
        return NULL;
    }
    if (out->length) {
        memcpy(bytes, out->bytes, out->length);
    }
    byte_pool_give(out->pool, out->bytes, out->capacity);
    out->bytes = bytes;
    out->capacity = capacity;
    return bytes + out->length;
}

/* Where `length` more bytes go, NULL when they cannot. */
static inline char *output_reserve(struct http_output *out, size_t length)
{
    if (out->failed) {
        return NULL;
    }
    return length <= out->capacity - out->length ? out->bytes + out->length
                                                 : output_grow(out, length);
}

bool http_output_reserve(struct http_output *out, size_t bytes)
{
    return output_reserve(out, bytes) != NULL;
}

/* Of a number of bytes that the compiler knows. */
#define PUT_LITERAL(at, literal)                                                                   \
    ((char *)memcpy((at), (literal), sizeof(literal) - 1) + sizeof(literal) - 1)

static inline char *put(char *at, struct http_span text)
{
    few_bytes_copy(at, text.bytes, text.length);
    return at + text.length;
}

static char *put_number(char *at, size_t number)
{
    char digits[20];
    size_t start = sizeof(digits);

    if (number < 10) {
        *at = (char)('0' + number);
        return at + 1;
    }
    do {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return put(at, (struct http_span){digits + start, sizeof(digits) - start});
}

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {400, "Bad Request"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {417, "Expectation Failed"},
        {431, "Request Header Fields Too Large"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(reasons); i++) {
        if (reasons[i].status == status) {
            return reasons[i].reason;
        }
    }
    return "Unknown";
}

/* The status line, and the fields that every response has. */
static char *put_start(char *at, int status, const struct http_date *date)
{
    size_t status_bytes = sizeof(HTTP_STATUS_OK) - 1;
    size_t start_bytes = sizeof(date->start) - 1;

    if (status == 200) {
        return (char *)memcpy(at, date->start, start_bytes) + start_bytes;
    }
    const char *reason = http_reason(status);
    at = PUT_LITERAL(at, "HTTP/1.1 ");
    at = put_number(at, (size_t)status);
    *at++ = ' ';
    at = put(at, (struct http_span){reason, strlen(reason)});
    at = PUT_LITERAL(at, "\r\n");
    return put(at, (struct http_span){date->start + status_bytes, start_bytes - status_bytes});
}

void http_write_response(struct http_output *out, const struct http_response *response)
{
    size_t body_bytes = response->is_body_withheld ? 0 : response->body.length;
    char *start = output_reserve(out, HEAD_BYTES_MAX + response->content_type.length +
                                          response->allow.length + body_bytes);

    if (!start) {
        return;
    }
    char *at = put_start(start, response->status, out->date);
    if (response->content_type.length) {
        at = PUT_LITERAL(at, "\r\nContent-Type: ");
        at = put(at, response->content_type);
    }
    if (response->allow.length) {
        at = PUT_LITERAL(at, "\r\nAllow: ");
        at = put(at, response->allow);
    }
    if (response->closes) {
        at = PUT_LITERAL(at, "\r\nConnection: close");
    } else if (response->says_keep_alive) {
        at = PUT_LITERAL(at, "\r\nConnection: keep-alive");
    }
    at = PUT_LITERAL(at, "\r\nContent-Length: ");
    at = put_number(at, response->body.length);
    at = PUT_LITERAL(at, "\r\n\r\n");
    if (body_bytes) {
        at = put(at, response->body);
    }
    out->length += (size_t)(at - start);
    out->answer_count++;
    out->error_count += response->status >= 400;
}

void http_write_error(struct http_output *out, int status, bool closes)
{
    const char *reason = http_reason(status);

    http_write_response(out, &(struct http_response){
                                 .status = status,
                                 .content_type = HTTP_SPAN("text/plain"),
                                 .body = {reason, strlen(reason)},
                                 .closes = closes,
                             });
}

void http_write_continue(struct http_output *out)
{
    static const char head[] = "HTTP/1.1 100 Continue\r\n\r\n";
    char *start = output_reserve(out, sizeof(head) - 1);

    if (start) {
        memcpy(start, head, sizeof(head) - 1);
        out->length += sizeof(head) - 1;
    }
}
