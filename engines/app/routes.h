// SPDX-License-Identifier: Apache-2.0
// What the built-in servers answer: a static table of paths, one file a handler.
#ifndef ENGINES_APP_ROUTES_H
#define ENGINES_APP_ROUTES_H

#include "engines/http/http_conn.h"

extern const struct http_routes app_routes;

/* GET /: says what this is. */
http_handler root_handle;
/* GET /ping: "pong". */
http_handler ping_handle;
/* POST /echo: the request's body with its content type. */
http_handler echo_handle;

#endif
