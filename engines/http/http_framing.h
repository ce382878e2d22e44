// SPDX-License-Identifier: Apache-2.0
// How long a request's body is and what the request asks of the connection (RFC 9112 6, 9): pure.
#ifndef ENGINES_HTTP_FRAMING_H
#define ENGINES_HTTP_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/http/http_parse.h"

enum http_body {
    HTTP_BODY_NONE,
    HTTP_BODY_LENGTH,
    HTTP_BODY_CHUNKED,
};

struct http_framing {
    enum http_body body;
    uint64_t length; /* HTTP_BODY_LENGTH: at least 1 */
    bool keep_alive;
    bool expects_continue;
};

/*
 * Decides the framing. Whatever two readers could take differently is an error: both
 * Content-Length and Transfer-Encoding, either of them twice, a length that is not plain digits.
 *
 * body_limit_bytes  longer announced bodies are 413
 * framing_out       untouched on error
 * returns           0, or the status to answer with before closing: 400, 413, 417, 501
 */
int http_frame(const struct http_request *request, uint64_t body_limit_bytes,
               struct http_framing *framing_out);

#endif
