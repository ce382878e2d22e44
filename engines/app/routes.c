// SPDX-License-Identifier: Apache-2.0
// The table of paths.
#include "engines/app/routes.h"

#define ALLOW_GET                                                                                  \
    {                                                                                              \
        "GET, HEAD, OPTIONS", 18                                                                   \
    }
#define ALLOW_POST                                                                                 \
    {                                                                                              \
        "POST, OPTIONS", 13                                                                        \
    }

static const struct http_route rows[] = {
    {{"/ping", 5}, HTTP_METHOD_GET, ALLOW_GET, ping_handle},
    {{"/echo", 5}, HTTP_METHOD_POST, ALLOW_POST, echo_handle},
    {{"/", 1}, HTTP_METHOD_GET, ALLOW_GET, root_handle},
};

const struct http_routes app_routes = {rows, ARRAY_COUNT(rows)};
