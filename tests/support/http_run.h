// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to one HTTP connection as an engine would, in pieces, each at the edge of an
// unreadable page.
#ifndef TESTS_SUPPORT_HTTP_RUN_H
#define TESTS_SUPPORT_HTTP_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/buf.h"
#include "engines/http/http_conn.h"

struct http_run {
    struct buf output;
    bool is_closed;         /* the connection asked to be closed; later pieces were not fed */
    size_t left_bytes;      /* of the input, not used up */
    size_t most_kept_bytes; /* the most that had to be kept between two pieces */
    unsigned answer_count, error_count;
};

/* Feeds pieces that end at the offsets `cuts`, ascending, and a last one to the end. Every Date is
 * Sun, 06 Nov 1994 08:49:37 GMT. */
void http_run_init(struct http_run *run, const char *input, size_t length, const size_t *cuts,
                   size_t cut_count);
void http_run_release(struct http_run *run);

/* "100 200 400c": the status of every response, "c" when the connection was closed. */
void http_run_summarise(const struct http_run *run, char *text, size_t text_bytes);

/* The same of bytes that came over a socket. */
void http_text_summarise(const char *bytes, size_t length, bool is_closed, char *text,
                         size_t text_bytes);

#endif
