// SPDX-License-Identifier: Apache-2.0
// Lines and characters of HTTP/1.1: what the head, the chunked coding and its trailer share.
#ifndef ENGINES_HTTP_LINE_H
#define ENGINES_HTTP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/http/http_parse.h"

enum http_line {
    HTTP_LINE_WHOLE,
    HTTP_LINE_MORE,
    HTTP_LINE_BROKEN, /* a CR or an LF by itself, or a line with another control character */
};

/*
 * Finds the end of a line. A line ends with CRLF and holds neither CR nor LF (RFC 9112 2.2: a bare
 * LF may be taken as an end, a bare CR must not; this server takes neither), and no other control
 * character but HTAB, which no line of a head or of the chunked coding may have.
 *
 * length_out   of the line without its CRLF; written for HTTP_LINE_WHOLE
 */
enum http_line http_find_line(const char *line, size_t available, size_t *length_out);

/* How many bytes from the start are no control characters (C0 but HTAB, DEL): so many may stand in
 * a value. */
size_t http_count_clean(const char *bytes, size_t available);

/*
 * Takes a request target apart (RFC 9112 3.2): origin, absolute, authority or asterisk form,
 * whichever the method allows. False: not a target.
 */
bool http_parse_target(struct http_request *request);

/* "host" or "host:port" with a host that is not empty and no userinfo (RFC 9110 7.2, 4.2.1). */
bool http_is_authority(struct http_span text);

enum http_char {
    HTTP_CHAR_TOKEN = 1, /* tchar, RFC 9110 5.6.2 */
    HTTP_CHAR_TARGET =
        2, /* what a URI may hold, RFC 3986 2, without "#"; and UTF-8 as it is (RFC 3987) */
    HTTP_CHAR_VALUE = 4, /* field-vchar, SP and HTAB, RFC 9110 5.5 */
    HTTP_CHAR_HOST = 8,  /* reg-name, RFC 3986 3.2.2, without "," */
    HTTP_CHAR_DIGIT = 32,
    HTTP_CHAR_PATH = 16, /* of targets all but "%" and "?", which mean something there */
};

extern const unsigned char http_chars[256];

static inline bool http_is_char(char c, enum http_char class)
{
    return http_chars[(unsigned char)c] & class;
}

/* Where the characters of a class end that begin at bytes[at]. */
static inline size_t http_skip(const char *bytes, size_t at, size_t end, enum http_char class)
{
    while (at < end && http_is_char(bytes[at], class)) {
        at++;
    }
    return at;
}

/* 0 … 15, or -1 */
int http_hex_value(char c);

#endif
