// SPDX-License-Identifier: Apache-2.0
// One connection's HTTP: bytes in, bytes out, and what to do next. Knows no sockets, threads or
// clocks.
#ifndef ENGINES_HTTP_CONN_H
#define ENGINES_HTTP_CONN_H

#include "engines/http/http_chunk.h"
#include "engines/http/http_framing.h"
#include "engines/http/http_parse.h"
#include "engines/http/http_write.h"

#define HTTP_BODY_BYTES_MAX     ((size_t)1 << 20)   /* default limit; more is 413 */
#define HTTP_OUTPUT_BYTES_FLUSH ((size_t)128 << 10) /* answers wait to be sent above this */

/* Fills in content type and body, and the status when it is not 200. What it points at is copied
 * when it returns; `owned` is freed then. */
typedef void http_handler(const struct http_request *request, struct http_span body,
                          struct http_response *response);

/* One path with one method that does something; HEAD goes with GET. */
struct http_route {
    struct http_span path; /* byte-exact */
    enum http_method method;
    struct http_span allow; /* what 405 and OPTIONS say */
    http_handler *handle;
    bool takes_argument; /* the path is followed by one more segment, which is not empty */
};

struct http_routes {
    const struct http_route *rows;
    size_t count;
};

/* The input of a connection that is not used up: bytes[start, length). */
struct http_input {
    char *bytes;
    size_t start, length;
};

enum http_action {
    HTTP_ACTION_MORE,  /* send the output, keep the rest of the input, read on */
    HTTP_ACTION_FLUSH, /* send the output and feed again: the input may hold more requests */
    HTTP_ACTION_CLOSE, /* send the output, then close; the rest of the input is not wanted */
};

struct http_conn {
    size_t seen_bytes;   /* of the unfinished head: how much was looked at */
    size_t head_bytes;   /* 0 while the head is unfinished */
    size_t wanted_bytes; /* size of the whole message when it is known, else 0: a hint for memory */
    /* While a body is awaited; not touched by requests without one. */
    struct http_framing framing;
    struct http_chunk chunk;
    size_t read_index, write_index; /* of the chunked body, from the start of the message */
};

void http_conn_init(struct http_conn *conn);

/*
 * Answers every request that is whole. What it leaves in `in` comes first in the next call, with
 * new bytes behind it; the bytes are writable and change (chunked bodies are decoded where they
 * lie).
 */
enum http_action http_conn_feed(struct http_conn *conn, const struct http_routes *routes,
                                struct http_input *in, struct http_output *out);

/* Whether a request has begun and is not whole, `left_bytes` being what the input still holds. */
bool http_conn_is_started(const struct http_conn *conn, size_t left_bytes);

#endif
