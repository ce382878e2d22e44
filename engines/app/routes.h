// SPDX-License-Identifier: Apache-2.0
// What the built-in servers answer: a static table of paths, one file a handler.
#ifndef ENGINES_APP_ROUTES_H
#define ENGINES_APP_ROUTES_H

#include "engines/http/http_conn.h"

#define APP_SEED_DEFAULT 1
#define APP_BYTES_MAX    ((size_t)1 << 20) /* /bytes/N: more is 404 */
#define APP_DELAY_MS_MAX 1000              /* /delay/MS: more is 404 */

extern const struct http_routes app_routes;

/* Makes what the handlers keep in memory; once, before any of them runs. The same seed makes the
 * same answers. */
void app_init(uint64_t seed);

/* The last segment of the path: what a route that takes an argument was given. */
struct http_span app_argument(const struct http_request *request);
/* That segment as plain digits, at most `maximum`. False: it is something else, and the response
 * says 404. */
bool app_number(const struct http_request *request, struct http_response *response, size_t maximum,
                size_t *number_out);
/* The answer when memory ran out: 503. */
void app_fail(struct http_response *response);
/* A JSON answer from format and values. */
void app_answer_json(struct http_response *response, const char *format, ...) ATTR_PRINTF(2, 3);

/* GET /: says what this is. */
http_handler root_handle;
/* GET /ping: "pong". */
http_handler ping_handle;
/* POST /echo: the request's body with its content type. */
http_handler echo_handle;
/* POST /sink: "taken", whatever the body is. */
http_handler sink_handle;
/* GET /book: the order book as JSON, bids descending, asks ascending. */
http_handler book_handle;
/* POST /upload: keeps a copy of the body, answers its length and SHA-256. */
http_handler upload_handle;
/* POST /fat: widens the body to 2 and to 4 bytes a byte, answers lengths and sum. */
http_handler fat_handle;
/* GET /bytes/N: N bytes, all zero. */
http_handler bytes_handle;
/* GET /delay/MS: its thread sleeps, as one that waits for a database does. */
http_handler delay_handle;
/* GET /ação/ID, as UTF-8 or percent-encoded: the ID as it was sent. */
http_handler action_handle;

/* The book of a seed; book_handle answers from it. */
void book_init(uint64_t seed);

#endif
