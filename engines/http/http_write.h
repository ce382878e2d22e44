// SPDX-License-Identifier: Apache-2.0
// Responses, head and body in one piece of memory, so that any number of them leave in one send.
#ifndef ENGINES_HTTP_WRITE_H
#define ENGINES_HTTP_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/http/byte_pool.h"
#include "engines/http/http_parse.h"

#define HTTP_DATE_BYTES 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/* How every response begins, made once a second: its status line is that of 200, and another one
 * is written in its place. */
#define HTTP_STATUS_OK "HTTP/1.1 200 OK\r\n"
#define HTTP_START_OK  HTTP_STATUS_OK "Server: tacho\r\nDate: "

struct http_date {
    int64_t second; /* -1: never set */
    char start[sizeof(HTTP_START_OK) + HTTP_DATE_BYTES];
};

/* Sets it for a wall time in ns; costs one comparison while the second is the same. */
void http_date_set(struct http_date *date, int64_t wall_ns);

/* The date field's value; a string. */
static inline const char *http_date_text(const struct http_date *date)
{
    return date->start + sizeof(HTTP_START_OK) - 1;
}

/* What waits to be sent. Grows out of the pool. */
struct http_output {
    char *bytes;
    size_t length, capacity;
    struct byte_pool *pool;
    const struct http_date *date;
    uint32_t answer_count; /* final responses among the bytes */
    uint32_t error_count;  /* of these, 4xx and 5xx */
    bool failed;           /* memory ran out: the bytes are not whole */
};

void http_output_init(struct http_output *out, struct byte_pool *pool,
                      const struct http_date *date);
void http_output_release(struct http_output *out);
/* Makes sure of memory for so many more bytes; false when there is none. */
bool http_output_reserve(struct http_output *out, size_t bytes);
/* Empties it and keeps its memory. */
void http_output_clear(struct http_output *out);

struct http_response {
    int status;
    struct http_span content_type; /* length 0: none */
    struct http_span body;
    void *owned;            /* of malloc, NULL or what the body points into: freed by http_conn */
    struct http_span allow; /* length 0: none */
    bool is_body_withheld;  /* HEAD: its length is announced, its bytes are not sent */
    bool closes;            /* "Connection: close" */
    bool says_keep_alive;   /* "Connection: keep-alive", for 1.0 clients that asked */
};

void http_write_response(struct http_output *out, const struct http_response *response);
/* An error with its reason as a text body. */
void http_write_error(struct http_output *out, int status, bool closes);
void http_write_continue(struct http_output *out);

/* "Not Found" for 404; "Unknown" for what this server never sends. */
const char *http_reason(int status);

#endif
