// SPDX-License-Identifier: Apache-2.0
// One connection's HTTP: head, body, answer, next.
#include "engines/http/http_conn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/few_bytes.h"

enum step {
    STEP_NEXT,
    STEP_MORE,
    STEP_CLOSE,
};

void http_conn_init(struct http_conn *conn)
{
    *conn = (struct http_conn){0};
}

bool http_conn_is_started(const struct http_conn *conn, size_t left_bytes)
{
    return conn->head_bytes != 0 || left_bytes != 0;
}

static enum step request_refuse(struct http_output *out, int status)
{
    http_write_error(out, status, true);
    return STEP_CLOSE;
}

static bool span_equals(struct http_span a, struct http_span b)
{
    return a.length == b.length && few_bytes_equal(a.bytes, b.bytes, a.length);
}

static bool route_matches(const struct http_route *route, struct http_span path)
{
    size_t prefix = route->path.length;

    if (!route->takes_argument) {
        return span_equals(route->path, path);
    }
    return path.length > prefix && memcmp(path.bytes, route->path.bytes, prefix) == 0 &&
           !memchr(path.bytes + prefix, '/', path.length - prefix);
}

/* The row that answers, or NULL with the status and what is allowed instead. */
static const struct http_route *route_find(const struct http_routes *routes,
                                           const struct http_request *request, int *status_out,
                                           struct http_span *allow_out)
{
    enum http_method method =
        request->method == HTTP_METHOD_HEAD ? HTTP_METHOD_GET : request->method;

    *status_out = 404;
    if (method == HTTP_METHOD_OTHER || method == HTTP_METHOD_CONNECT) {
        *status_out = 501;
        return NULL;
    }
    if (span_equals(request->path, HTTP_SPAN("*"))) {
        *status_out = 200;
        *allow_out = HTTP_SPAN("GET, HEAD, POST, OPTIONS");
        return NULL;
    }
    for (size_t i = 0; i < routes->count; i++) {
        const struct http_route *route = &routes->rows[i];

        if (!route_matches(route, request->path)) {
            continue;
        }
        if (route->method == method) {
            return route;
        }
        *status_out = method == HTTP_METHOD_OPTIONS ? 200 : 405;
        *allow_out = route->allow;
    }
    return NULL;
}

/* Writes the answer to a request that is whole. */
static void request_answer(const struct http_routes *routes, const struct http_request *request,
                           const struct http_framing *framing, struct http_span body,
                           struct http_output *out)
{
    struct http_response response = {
        .is_body_withheld = request->method == HTTP_METHOD_HEAD,
        .closes = !framing->keep_alive,
        .says_keep_alive = framing->keep_alive && request->minor_version == 0,
    };
    const struct http_route *route = route_find(routes, request, &response.status, &response.allow);

    if (route) {
        response.status = 200;
        route->handle(request, body, &response);
    } else if (response.status != 200) {
        const char *reason = http_reason(response.status);
        response.content_type = HTTP_SPAN("text/plain");
        response.body = (struct http_span){reason, strlen(reason)};
    }
    http_write_response(out, &response);
    if (response.owned) {
        free(response.owned);
    }
}

/* The request is answered and its bytes are used; ready for the next one. What a body sets is set
 * by its head before it is read. */
static enum step request_end(struct http_conn *conn, struct http_input *in, size_t used_bytes,
                             bool keep_alive)
{
    in->start += used_bytes;
    conn->seen_bytes = conn->head_bytes = conn->wanted_bytes = 0;
    return keep_alive ? STEP_NEXT : STEP_CLOSE;
}

/* Answers a request whose body came later than its head: the head, still there, is read again. */
static enum step body_end(struct http_conn *conn, const struct http_routes *routes,
                          struct http_input *in, struct http_output *out, size_t body_bytes,
                          size_t used_bytes)
{
    const char *message = in->bytes + in->start;
    struct http_request request;
    int status;
    enum http_result result = http_parse(message, conn->head_bytes, 0, &request, &status);

    assert(result == HTTP_RESULT_DONE);
    request_answer(routes, &request, &conn->framing,
                   (struct http_span){message + conn->head_bytes, body_bytes}, out);
    return request_end(conn, in, used_bytes, conn->framing.keep_alive);
}

static enum step chunked_continue(struct http_conn *conn, const struct http_routes *routes,
                                  struct http_input *in, struct http_output *out)
{
    char *message = in->bytes + in->start;
    size_t length = in->length - in->start;
    int status;

    switch (http_chunk_decode(&conn->chunk, message, length, &conn->read_index, &conn->write_index,
                              &status)) {
    case HTTP_RESULT_ERROR:
        return request_refuse(out, status);
    case HTTP_RESULT_DONE:
        return body_end(conn, routes, in, out, conn->write_index - conn->head_bytes,
                        conn->read_index);
    case HTTP_RESULT_MORE:
        break;
    }
    /* Close the gap that decoding left, so that only the body's own size is ever kept. */
    size_t left = length - conn->read_index;
    memmove(message + conn->write_index, message + conn->read_index, left);
    conn->read_index = conn->write_index;
    in->length = in->start + conn->write_index + left;
    return STEP_MORE;
}

static enum step body_continue(struct http_conn *conn, const struct http_routes *routes,
                               struct http_input *in, struct http_output *out)
{
    if (conn->framing.body == HTTP_BODY_CHUNKED) {
        return chunked_continue(conn, routes, in, out);
    }
    if (in->length - in->start < conn->wanted_bytes) {
        return STEP_MORE;
    }
    return body_end(conn, routes, in, out, (size_t)conn->framing.length, conn->wanted_bytes);
}

/* A head with a body behind it. */
static enum step body_begin(struct http_conn *conn, const struct http_routes *routes,
                            const struct http_request *request, struct http_input *in,
                            struct http_output *out)
{
    int status;
    struct http_span allow;

    if (conn->framing.expects_continue) {
        /* A client that asks first need not send the body of a request that is refused: it could
         * not be told from the next request, so the connection ends (RFC 9110 10.1.1). */
        if (!route_find(routes, request, &status, &allow)) {
            conn->framing.keep_alive = false;
            request_answer(routes, request, &conn->framing, (struct http_span){"", 0}, out);
            return STEP_CLOSE;
        }
        http_write_continue(out);
    }
    conn->head_bytes = request->head_bytes;
    conn->read_index = conn->write_index = request->head_bytes;
    http_chunk_init(&conn->chunk, HTTP_BODY_BYTES_MAX);
    if (conn->framing.body == HTTP_BODY_LENGTH) {
        conn->wanted_bytes = request->head_bytes + (size_t)conn->framing.length;
    }
    return body_continue(conn, routes, in, out);
}

static enum step request_begin(struct http_conn *conn, const struct http_routes *routes,
                               struct http_input *in, struct http_output *out)
{
    struct http_request request;
    struct http_framing framing;
    size_t length = in->length - in->start;
    int status;

    switch (http_parse(in->bytes + in->start, length, conn->seen_bytes, &request, &status)) {
    case HTTP_RESULT_MORE:
        conn->seen_bytes = length;
        return STEP_MORE;
    case HTTP_RESULT_ERROR:
        return request_refuse(out, status);
    case HTTP_RESULT_DONE:
        break;
    }
    status = http_frame(&request, HTTP_BODY_BYTES_MAX, &framing);
    if (status) {
        return request_refuse(out, status);
    }
    if (framing.body != HTTP_BODY_NONE) {
        conn->framing = framing;
        return body_begin(conn, routes, &request, in, out);
    }
    request_answer(routes, &request, &framing, (struct http_span){"", 0}, out);
    return request_end(conn, in, request.head_bytes, framing.keep_alive);
}

enum http_action http_conn_feed(struct http_conn *conn, const struct http_routes *routes,
                                struct http_input *in, struct http_output *out)
{
    while (in->start < in->length) {
        if (out->length >= HTTP_OUTPUT_BYTES_FLUSH) {
            return HTTP_ACTION_FLUSH;
        }
        enum step step = conn->head_bytes ? body_continue(conn, routes, in, out)
                                          : request_begin(conn, routes, in, out);
        if (step == STEP_MORE) {
            return HTTP_ACTION_MORE;
        }
        if (step == STEP_CLOSE) {
            return HTTP_ACTION_CLOSE;
        }
    }
    return HTTP_ACTION_MORE;
}
