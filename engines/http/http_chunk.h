// SPDX-License-Identifier: Apache-2.0
// The chunked coding (RFC 9112 7.1), decoded where it lies.
#ifndef ENGINES_HTTP_CHUNK_H
#define ENGINES_HTTP_CHUNK_H

#include <stdint.h>

#include "engines/http/http_parse.h"

#define HTTP_CHUNK_LINE_BYTES_MAX      1024  /* a size line with its extensions; more is 400 */
#define HTTP_CHUNK_EXTENSION_BYTES_MAX 16384 /* of all size lines together; more is 400 */
#define HTTP_TRAILER_BYTES_MAX         8192  /* more is 431 */

enum http_chunk_state {
    HTTP_CHUNK_SIZE,
    HTTP_CHUNK_DATA,
    HTTP_CHUNK_DATA_END,
    HTTP_CHUNK_TRAILER,
};

struct http_chunk {
    enum http_chunk_state state;
    uint64_t left_bytes; /* of the chunk that is being read */
    uint64_t body_bytes; /* decoded, with what is left of this chunk */
    uint64_t body_limit_bytes;
    size_t extension_bytes, trailer_bytes;
};

void http_chunk_init(struct http_chunk *chunk, uint64_t body_limit_bytes);

/*
 * Decodes bytes[*read, length) and appends the body's bytes at bytes[*write]; *write <= *read
 * always. Trailer fields are checked for their form and dropped. MORE leaves an unfinished line
 * between *read and length.
 *
 * status_out   on ERROR: 400, 413 or 431
 */
enum http_result http_chunk_decode(struct http_chunk *chunk, char *bytes, size_t length,
                                   size_t *read, size_t *write, int *status_out) ATTR_MUST_USE;

#endif
