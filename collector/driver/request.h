// SPDX-License-Identifier: Apache-2.0
// The bytes of one HTTP/1.1 request from its parts.
#ifndef COLLECTOR_DRIVER_REQUEST_H
#define COLLECTOR_DRIVER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

struct request_parts {
    const char *method;         /* a token; only "HEAD" is special to the driver */
    const char *path;           /* request target, as it goes on the wire */
    const char *host;           /* of the Host field */
    const char *const *headers; /* each "Name: value"; one that is given replaces ours */
    size_t header_count;
    const char *body; /* NULL: none, and no Content-Length */
    size_t body_bytes;
};

/*
 * Appends the request. Ours are Host, User-Agent, Accept, and with a body Content-Type; each name
 * is followed by ": " and the value without white space around it.
 *
 * errors   ERR_USAGE: a method that is no token; a header that is no "Name: value", holds a control
 *          character, frames the body (Content-Length, Transfer-Encoding: they are made from the
 *          body), or is a second Host; ERR_LIMIT
 */
enum err_code request_format(const struct request_parts *parts, struct buf *out,
                             struct err *e) ATTR_MUST_USE;

/* True for RFC 9110's token: letters, digits and !#$%&'*+-.^_`|~, at least one. */
bool request_is_token(const char *text, size_t length);

#endif
