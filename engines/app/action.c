// SPDX-License-Identifier: Apache-2.0
// GET /ação/ID: a path beyond ASCII, taken byte for byte.
#include "engines/app/routes.h"

void action_handle(const struct http_request *request, struct http_span body,
                   struct http_response *response)
{
    (void)body;
    response->content_type = HTTP_SPAN("text/plain; charset=utf-8");
    response->body = app_argument(request);
}
