// SPDX-License-Identifier: Apache-2.0
// GET /.
#include "engines/app/routes.h"

void root_handle(const struct http_request *request, struct http_span body,
                 struct http_response *response)
{
    (void)request;
    (void)body;
    response->content_type = HTTP_SPAN("text/plain");
    response->body = HTTP_SPAN("tacho-engine\n");
}
