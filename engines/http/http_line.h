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
    HTTP_LINE_BROKEN, /* a CR or an LF by itself */
};

/*
 * Finds the end of a line. A line ends with CRLF and holds neither CR nor LF (RFC 9112 2.2: a bare
 * LF may be taken as an end, a bare CR must not; this server takes neither).
 *
 * length_out   of the line without its CRLF; written for HTTP_LINE_WHOLE
 */
enum http_line http_find_line(const char *line, size_t available, size_t *length_out);

/* Reads "name: value" (RFC 9112 5); false: not a field line, or a folded one. */
bool http_parse_field(const char *line, size_t length, struct http_field *field_out);

/*
 * Takes a request target apart (RFC 9112 3.2): origin, absolute, authority or asterisk form,
 * whichever the method allows. False: not a target.
 */
bool http_parse_target(struct http_request *request);

/* "host" or "host:port" with a host that is not empty and no userinfo (RFC 9110 7.2, 4.2.1). */
bool http_is_authority(struct http_span text);

bool http_is_token_char(char c);
bool http_is_target_char(char c);
bool http_is_value_char(char c);
/* 0 … 15, or -1 */
int http_hex_value(char c);

#endif
