// SPDX-License-Identifier: Apache-2.0
// The input of a connection that is kept from one read to the next.
#include "engines/http/http_rest.h"

#include <string.h>

/* Moves to larger memory, with `length` bytes of `from` at the front. */
static bool rest_move(struct http_rest *rest, struct byte_pool *pool, size_t capacity,
                      const char *from, size_t length)
{
    struct http_rest moved = {.length = length};

    moved.bytes = byte_pool_take(pool, capacity, &moved.capacity);
    if (!moved.bytes) {
        return false;
    }
    if (length) {
        memcpy(moved.bytes, from, length);
    }
    byte_pool_give(pool, rest->bytes, rest->capacity);
    *rest = moved;
    return true;
}

bool http_rest_keep(struct http_rest *rest, struct byte_pool *pool, const struct http_input *in,
                    size_t wanted_bytes, size_t room_bytes)
{
    size_t left = in->length - in->start;
    size_t wanted = wanted_bytes > left ? wanted_bytes : left + room_bytes;

    if (wanted > rest->capacity) {
        return rest_move(rest, pool, wanted, in->bytes + in->start, left);
    }
    memmove(rest->bytes, in->bytes + in->start, left);
    rest->length = left;
    return true;
}

bool http_rest_append(struct http_rest *rest, struct byte_pool *pool, const char *bytes,
                      size_t length)
{
    if (length > rest->capacity - rest->length &&
        !rest_move(rest, pool, rest->length + length, rest->bytes, rest->length)) {
        return false;
    }
    memcpy(rest->bytes + rest->length, bytes, length);
    rest->length += length;
    return true;
}

void http_rest_release(struct http_rest *rest, struct byte_pool *pool)
{
    byte_pool_give(pool, rest->bytes, rest->capacity);
    *rest = (struct http_rest){0};
}
