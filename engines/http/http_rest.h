// SPDX-License-Identifier: Apache-2.0
// The input of a connection that is kept from one read to the next, in memory of a pool.
#ifndef ENGINES_HTTP_REST_H
#define ENGINES_HTTP_REST_H

#include "engines/http/byte_pool.h"
#include "engines/http/http_conn.h"

/* Zeroed: nothing is kept, and no memory is held. */
struct http_rest {
    char *bytes; /* NULL: no memory */
    size_t length, capacity;
};

/*
 * Keeps what `in` has left, at the front; `in` may lie in the same memory, or elsewhere.
 *
 * wanted_bytes   of the whole message (struct http_conn), 0 when it is unknown
 * room_bytes     free space that there must be behind a message of unknown size
 * returns        false when memory ran out; what was kept before is still held
 */
bool http_rest_keep(struct http_rest *rest, struct byte_pool *pool, const struct http_input *in,
                    size_t wanted_bytes, size_t room_bytes);

/* Appends bytes that came; false when memory ran out. */
bool http_rest_append(struct http_rest *rest, struct byte_pool *pool, const char *bytes,
                      size_t length);

void http_rest_release(struct http_rest *rest, struct byte_pool *pool);

#endif
