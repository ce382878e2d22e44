// SPDX-License-Identifier: Apache-2.0
// POST /sink: takes the body and does nothing with it, so that receiving is all that is measured.
#include "engines/app/routes.h"

void sink_handle(const struct http_request *request, struct http_span body,
                 struct http_response *response)
{
    (void)request;
    (void)body;
    response->content_type = HTTP_SPAN("text/plain");
    response->body = HTTP_SPAN("taken");
}
