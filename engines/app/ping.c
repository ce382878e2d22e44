// SPDX-License-Identifier: Apache-2.0
// GET /ping: the smallest answer.
#include "engines/app/routes.h"

void ping_handle(const struct http_request *request, struct http_span body,
                 struct http_response *response)
{
    (void)request;
    (void)body;
    response->content_type = HTTP_SPAN("text/plain");
    response->body = HTTP_SPAN("pong");
}
