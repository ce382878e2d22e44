// SPDX-License-Identifier: Apache-2.0
// A growing byte buffer with a limit.
#include "engines/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char empty_text[1];

void buf_init(struct buf *buf, size_t limit_bytes)
{
    *buf = (struct buf){.bytes = empty_text, .limit_bytes = limit_bytes};
}

void buf_release(struct buf *buf)
{
    if (buf->capacity) {
        free(buf->bytes);
    }
    buf_init(buf, buf->limit_bytes);
}

void buf_clear(struct buf *buf)
{
    buf->length = 0;
    buf->failed = false;
    if (buf->capacity) {
        buf->bytes[0] = '\0';
    }
}

char *buf_reserve(struct buf *buf, size_t length)
{
    if (buf->failed || length > buf->limit_bytes - buf->length) {
        buf->failed = true;
        return NULL;
    }
    size_t needed = buf->length + length + 1;
    if (needed > buf->capacity) {
        size_t capacity = buf->capacity ? buf->capacity : 64;
        while (capacity < needed) {
            capacity *= 2;
        }
        char *bytes = realloc(buf->capacity ? buf->bytes : NULL, capacity);
        if (!bytes) {
            buf->failed = true;
            return NULL;
        }
        buf->bytes = bytes;
        buf->capacity = capacity;
        buf->bytes[buf->length] = '\0';
    }
    return buf->bytes + buf->length;
}

void buf_add(struct buf *buf, const void *bytes, size_t length)
{
    char *end = buf_reserve(buf, length);

    if (!end) {
        return;
    }
    if (length) {
        memcpy(end, bytes, length);
    }
    buf->length += length;
    buf->bytes[buf->length] = '\0';
}

void buf_add_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_add_char(struct buf *buf, char byte)
{
    buf_add(buf, &byte, 1);
}

static unsigned count_digits(uint64_t value)
{
    /* clang-format off */
    static const uint64_t powers[BUF_INTEGER_BYTES] = {
        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
        100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
        10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000u};
    /* clang-format on */
    unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
    unsigned digits = bits * 1233 >> 12; /* log10(2): as many, or one too few */

    return digits + (digits == 0 || value >= powers[digits]);
}

char *buf_put_integer(char *at, int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    if ((uint64_t)value < 10) { /* most numbers in long tables */
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 0) {
        *at++ = '-';
    }
    char *end = at + count_digits(rest), *first = end;

    while (rest >= 10) {
        first -= 2;
        memcpy(first, pairs + 2 * (rest % 100), 2);
        rest /= 100;
    }
    if (first > at) {
        *at = (char)('0' + rest);
    }
    return end;
}

void buf_add_integer(struct buf *buf, int64_t value)
{
    char digits[BUF_INTEGER_BYTES];

    buf_add(buf, digits, (size_t)(buf_put_integer(digits, value) - digits));
}

void buf_addf(struct buf *buf, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *end = length < 0 ? NULL : buf_reserve(buf, (size_t)length);
    if (!end) {
        buf->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(end, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buf->length += (size_t)length;
}

enum err_code buf_check(const struct buf *buf, const char *what, struct err *e)
{
    if (buf->failed) {
        return err_set(e, ERR_LIMIT, "%s is larger than %zu bytes, or memory ran out", what,
                       buf->limit_bytes);
    }
    return ERR_OK;
}
