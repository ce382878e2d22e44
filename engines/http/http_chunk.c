// SPDX-License-Identifier: Apache-2.0
// The chunked coding, decoded where it lies.
#include "engines/http/http_chunk.h"

#include <string.h>

#include "engines/http/http_line.h"

/* A place in one line; at its end at() gives NUL, which no line may hold. */
struct cursor {
    const char *line;
    size_t at, length;
};

static char cursor_char(const struct cursor *cursor)
{
    return cursor->at < cursor->length ? cursor->line[cursor->at] : '\0';
}

static bool blanks_skip(struct cursor *cursor)
{
    size_t start = cursor->at;

    while (cursor_char(cursor) == ' ' || cursor_char(cursor) == '\t') {
        cursor->at++;
    }
    return cursor->at > start;
}

static bool token_skip(struct cursor *cursor)
{
    size_t start = cursor->at;

    while (cursor->at < cursor->length && http_is_char(cursor->line[cursor->at], HTTP_CHAR_TOKEN)) {
        cursor->at++;
    }
    return cursor->at > start;
}

/* quoted-string, RFC 9110 5.6.4 */
static bool quoted_skip(struct cursor *cursor)
{
    for (cursor->at++; cursor->at < cursor->length; cursor->at++) {
        char c = cursor->line[cursor->at];

        if (c == '"') {
            cursor->at++;
            return true;
        }
        if (c == '\\') {
            cursor->at++;
            c = cursor_char(cursor);
        }
        if (!http_is_char(c, HTTP_CHAR_VALUE)) {
            return false;
        }
    }
    return false;
}

/* *( BWS ";" BWS name [ BWS "=" BWS value ] ) up to the end of the line */
static bool extensions_skip(struct cursor *cursor)
{
    while (cursor->at < cursor->length) {
        blanks_skip(cursor);
        if (cursor_char(cursor) != ';') {
            return false;
        }
        cursor->at++;
        blanks_skip(cursor);
        if (!token_skip(cursor)) {
            return false;
        }
        size_t name_end = cursor->at;
        blanks_skip(cursor);
        if (cursor_char(cursor) != '=') {
            cursor->at = name_end;
            continue;
        }
        cursor->at++;
        blanks_skip(cursor);
        if (cursor_char(cursor) == '"' ? !quoted_skip(cursor) : !token_skip(cursor)) {
            return false;
        }
    }
    return true;
}

/* A size line; returns 0 or a status. */
static int size_line_parse(struct http_chunk *chunk, const char *line, size_t length)
{
    struct cursor cursor = {line, 0, length};
    uint64_t size = 0;

    for (int digit; (digit = http_hex_value(cursor_char(&cursor))) >= 0; cursor.at++) {
        if (cursor.at == 16) {
            return 400;
        }
        size = size << 4 | (uint64_t)digit;
    }
    if (cursor.at == 0 || size >> 63) {
        return 400;
    }
    chunk->extension_bytes += length - cursor.at;
    if (!extensions_skip(&cursor) || chunk->extension_bytes > HTTP_CHUNK_EXTENSION_BYTES_MAX) {
        return 400;
    }
    if (size > chunk->body_limit_bytes - chunk->body_bytes) {
        return 413;
    }
    chunk->body_bytes += size;
    chunk->left_bytes = size;
    chunk->state = size ? HTTP_CHUNK_DATA : HTTP_CHUNK_TRAILER;
    return 0;
}

/* One line of the trailer, with its CRLF behind it; returns 0 or a status. */
static int trailer_line_parse(struct http_chunk *chunk, const char *line, size_t length)
{
    struct http_field field;
    size_t field_length;

    chunk->trailer_bytes += length + 2;
    if (!http_parse_field(line, length + 2, &field, &field_length)) {
        return 400;
    }
    return chunk->trailer_bytes > HTTP_TRAILER_BYTES_MAX ? 431 : 0;
}

/* A size or trailer line; DONE means that the line ended the body. */
static enum http_result line_decode(struct http_chunk *chunk, const char *bytes, size_t length,
                                    size_t *read, int *status_out)
{
    bool is_trailer = chunk->state == HTTP_CHUNK_TRAILER;
    size_t limit = is_trailer ? HTTP_TRAILER_BYTES_MAX : HTTP_CHUNK_LINE_BYTES_MAX;
    size_t available = length - *read < limit ? length - *read : limit;
    size_t line_length;
    const char *line = bytes + *read;

    *status_out = 400;
    switch (http_find_line(line, available, &line_length)) {
    case HTTP_LINE_BROKEN:
        return HTTP_RESULT_ERROR;
    case HTTP_LINE_MORE:
        *status_out = is_trailer ? 431 : 400;
        return available == limit ? HTTP_RESULT_ERROR : HTTP_RESULT_MORE;
    case HTTP_LINE_WHOLE:
        break;
    }
    *read += line_length + 2;
    if (is_trailer && line_length == 0) {
        return HTTP_RESULT_DONE;
    }
    *status_out = is_trailer ? trailer_line_parse(chunk, line, line_length)
                             : size_line_parse(chunk, line, line_length);
    return *status_out ? HTTP_RESULT_ERROR : HTTP_RESULT_MORE;
}

static void data_move(struct http_chunk *chunk, char *bytes, size_t length, size_t *read,
                      size_t *write)
{
    size_t count = length - *read;

    if (count > chunk->left_bytes) {
        count = (size_t)chunk->left_bytes;
    }
    memmove(bytes + *write, bytes + *read, count);
    *read += count;
    *write += count;
    chunk->left_bytes -= count;
    if (chunk->left_bytes == 0) {
        chunk->state = HTTP_CHUNK_DATA_END;
    }
}

/* The CRLF behind a chunk's data: each byte is judged as soon as it is there. */
static enum http_result data_end_decode(struct http_chunk *chunk, const char *bytes, size_t length,
                                        size_t *read)
{
    size_t available = length - *read;

    if ((available >= 1 && bytes[*read] != '\r') || (available >= 2 && bytes[*read + 1] != '\n')) {
        return HTTP_RESULT_ERROR;
    }
    if (available >= 2) {
        *read += 2;
        chunk->state = HTTP_CHUNK_SIZE;
    }
    return HTTP_RESULT_MORE;
}

void http_chunk_init(struct http_chunk *chunk, uint64_t body_limit_bytes)
{
    *chunk = (struct http_chunk){.state = HTTP_CHUNK_SIZE, .body_limit_bytes = body_limit_bytes};
}

enum http_result http_chunk_decode(struct http_chunk *chunk, char *bytes, size_t length,
                                   size_t *read, size_t *write, int *status_out)
{
    int status = 0;

    for (;;) {
        size_t start = *read;
        enum http_chunk_state state = chunk->state;
        enum http_result result = HTTP_RESULT_MORE;

        if (state == HTTP_CHUNK_DATA) {
            data_move(chunk, bytes, length, read, write);
        } else if (state == HTTP_CHUNK_DATA_END) {
            status = 400;
            result = data_end_decode(chunk, bytes, length, read);
        } else {
            result = line_decode(chunk, bytes, length, read, &status);
        }
        if (result == HTTP_RESULT_ERROR) {
            *status_out = status;
        }
        if (result != HTTP_RESULT_MORE || *read == start) {
            return result;
        }
    }
}
