// SPDX-License-Identifier: Apache-2.0
// The head of an HTTP/1.1 request, read strictly (RFC 9112): pure, no allocation, spans into the
// caller's bytes.
#ifndef ENGINES_HTTP_PARSE_H
#define ENGINES_HTTP_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"

#define HTTP_HEAD_BYTES_MAX         16384
#define HTTP_REQUEST_LINE_BYTES_MAX 8192 /* more is 414 */
#define HTTP_METHOD_BYTES_MAX       32   /* more is 501 */
#define HTTP_FIELD_COUNT_MAX        64   /* more is 431 */

struct http_span {
    const char *bytes;
    size_t length;
};

#define HTTP_SPAN(literal)                                                                         \
    (struct http_span)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

enum http_method {
    HTTP_METHOD_GET,
    HTTP_METHOD_HEAD,
    HTTP_METHOD_POST,
    HTTP_METHOD_PUT,
    HTTP_METHOD_DELETE,
    HTTP_METHOD_OPTIONS,
    HTTP_METHOD_PATCH,
    HTTP_METHOD_TRACE,
    HTTP_METHOD_CONNECT,
    HTTP_METHOD_OTHER, /* a token that this server does not know */
};

struct http_field {
    struct http_span name;  /* never empty */
    struct http_span value; /* without the white space around it */
};

struct http_request {
    enum http_method method;
    struct http_span target;    /* as sent */
    struct http_span path;      /* before the "?": "/a", "*" or empty (CONNECT) */
    struct http_span authority; /* of an absolute-form target; length 0 otherwise */
    int minor_version;          /* 0 or 1; 1.2 and later are read as 1.1 */
    size_t head_bytes;          /* all of the head, its blank line included */
    size_t field_count;
    struct http_field fields[HTTP_FIELD_COUNT_MAX + 1]; /* one that is wrong is 400, not 431 */
};

enum http_result {
    HTTP_RESULT_DONE,
    HTTP_RESULT_MORE,  /* right so far, not at its end */
    HTTP_RESULT_ERROR, /* a status to answer with; the connection cannot go on */
};

/*
 * Reads one request head. Looks at whole lines only, so that the answer does not depend on how the
 * bytes were split.
 *
 * bytes        `length` of them, from the start of the request; one empty line before it is skipped
 * last_length  how many of them an earlier call had, which returned MORE; 0 on the first call
 * request_out  written on DONE; on MORE and ERROR its content is unspecified
 * status_out   written on ERROR: 400, 414, 431, 501 or 505
 */
enum http_result http_parse(const char *bytes, size_t length, size_t last_length,
                            struct http_request *request_out, int *status_out) ATTR_MUST_USE;

/*
 * Reads "name: value" CR LF (RFC 9112 5). False: the bytes do not begin with a whole field line, or
 * it is a folded one.
 *
 * length_out   of the line without its CRLF
 */
bool http_parse_field(const char *line, size_t available, struct http_field *field_out,
                      size_t *length_out);

/* The value of the first field of that name (lower case, letters without case), NULL when there is
 * none. */
const struct http_span *http_find_field(const struct http_request *request, const char *name);

/* Equal without regard to the case of ASCII letters; `lower` is a lower-case text. */
bool http_span_is(struct http_span span, const char *lower);

#endif
