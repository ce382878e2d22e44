// SPDX-License-Identifier: Apache-2.0
// Reads HTTP/1.x responses piece by piece: a state machine that needs no copy of what it read, so a
// response may come in any split. Allocates nothing.
#ifndef COLLECTOR_DRIVER_RESPONSE_H
#define COLLECTOR_DRIVER_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define XXH_STATIC_LINKING_ONLY /* the hash state lies in the connection, not on the heap */
#include <xxhash.h>

#include "collector/sample.h"

#define RESPONSE_HEAD_LIMIT_BYTES (64 * 1024) /* of one head, a trailer section, a chunk line */
#define RESPONSE_INTERIM_LIMIT    16          /* 1xx heads before the final one */

/*
 * Strictness. A line of the head or of the trailers may end in a bare LF (RFC 9112 2.2); lines of
 * the chunked coding end in CR LF only. Folded header lines, white space before a colon, control
 * characters and contradicting or overflowing Content-Length values are protocol_header. A
 * Transfer-Encoding overrides a Content-Length and makes the connection end. A chunk size beyond
 * 63 bits is protocol_chunk.
 */
struct response_rules {
    bool is_head;     /* the request was HEAD: no body whatever is announced */
    bool hash_wanted; /* XXH64 of the body */
    int learn_status; /* only a head with this status becomes the template; 0: any 2xx */
};

enum response_state {
    RESPONSE_MORE,   /* everything given was used; the response is not whole */
    RESPONSE_DONE,   /* whole; the bytes after *consumed_out are not part of it */
    RESPONSE_FAILED, /* response->failure says how */
};

/* What a head says. */
struct response_head {
    uint64_t content_length;
    uint16_t status;
    uint8_t minor_version;
    bool has_length, has_encoding, is_chunked; /* is_chunked: chunked is the last coding */
    bool says_close, says_keep_alive;
};

struct response {
    uint64_t body_bytes; /* of the decoded body so far */
    uint64_t body_xxh64; /* when done and wanted */
    uint64_t left_bytes; /* of the body or of the chunk */
    struct response_head head;
    enum outcome failure; /* with RESPONSE_FAILED */
    uint32_t head_bytes;  /* of the running head, trailer section or chunk line */
    uint16_t interim_count;
    uint8_t phase, field;
    uint8_t position, name_length, token_length;
    bool in_trailer, is_started, digits_ended, token_ended;
    char name[18];
    char token[12];
    XXH64_state_t hash; /* the last one: where no body is looked at, its memory is left alone */
};

#define RESPONSE_TEMPLATE_BYTES 4096
/* The head that a server sends again and again: recognised by comparing bytes. Zero it to begin. */
struct response_template {
    uint32_t head_bytes;  /* 0: nothing was learned */
    uint32_t date_offset; /* where the 29 bytes of the Date value are; head_bytes when none */
    uint32_t miss_count;  /* heads in a row that were another one; many make it learn anew */
    struct response_head head;
    char bytes[RESPONSE_TEMPLATE_BYTES];
};

/* Ready for the first byte of the next response. */
void response_init(struct response *response);

/*
 * Reads on.
 *
 * template       NULL: none
 * consumed_out   bytes used; all of them unless the response ended
 * source         RFC 9112
 */
enum response_state response_feed(struct response *response, struct response_template *template,
                                  const struct response_rules *rules, const char *bytes,
                                  size_t length, size_t *consumed_out);

/* The connection ended here: RESPONSE_DONE for a body that is framed so, else RESPONSE_FAILED. */
enum response_state response_end(struct response *response, const struct response_rules *rules);

/* Bytes of the body that may be thrown away unseen (at least so many follow); 0: none. */
uint64_t response_skippable_bytes(const struct response *response,
                                  const struct response_rules *rules);
/* So many of them were. */
enum response_state response_skip(struct response *response, const struct response_rules *rules,
                                  uint64_t length);

/* True when at least one byte of this response was read. */
bool response_is_started(const struct response *response);

/* True when the connection may carry another request; valid after RESPONSE_DONE. */
bool response_keeps_alive(const struct response *response);

#endif
