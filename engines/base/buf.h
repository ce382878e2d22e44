// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer that carries its own limit. Text in it is always followed by a NUL that
// does not count.
#ifndef ENGINES_BASE_BUF_H
#define ENGINES_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct buf {
    char *bytes;        /* never NULL after buf_init: an empty buffer points at a static "" */
    size_t length;      /* bytes in use, without the NUL */
    size_t capacity;    /* bytes allocated; 0 while nothing is */
    size_t limit_bytes; /* length never exceeds it */
    bool failed; /* an append was refused: the content is not whole; checked once at the end */
};

/* Storage is the caller's; the buffer grows on the heap up to limit_bytes. */
void buf_init(struct buf *buf, size_t limit_bytes);
/* Gives the memory back; the buffer is as after buf_init. Accepts one that was released before. */
void buf_release(struct buf *buf);
/* Empties it and keeps the memory; clears `failed`. */
void buf_clear(struct buf *buf);

/*
 * Appends. When the limit or memory is exceeded nothing of this call is appended and `failed` is
 * set; later appends are refused as well. Look once with buf_check, not after each call.
 */
void buf_add(struct buf *buf, const void *bytes, size_t length);
void buf_add_text(struct buf *buf, const char *text);
void buf_add_char(struct buf *buf, char byte);
void buf_add_integer(struct buf *buf, int64_t value); /* decimal; as "%lld", many times faster */
void buf_addf(struct buf *buf, const char *format, ...) ATTR_PRINTF(2, 3);

/*
 * ERR_OK, or ERR_LIMIT when an append was refused.
 *
 * what     the noun for the message: "report.html is larger than 4194304 bytes"
 */
enum err_code buf_check(const struct buf *buf, const char *what, struct err *e) ATTR_MUST_USE;

/* Makes room for `length` more bytes and returns where they go; the caller then adds to
 * buf->length. NULL on failure. */
char *buf_reserve(struct buf *buf, size_t length);

/* Writes the value in decimal, without a NUL, and returns what is behind it: for rows of many
 * numbers, in room for BUF_INTEGER_BYTES each. */
#define BUF_INTEGER_BYTES 20 /* 2^63 has 19 digits, and a sign */
char *buf_put_integer(char *at, int64_t value);

#endif
