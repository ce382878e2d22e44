// SPDX-License-Identifier: Apache-2.0
// POST /echo: the request's body.
#include "engines/app/routes.h"

void echo_handle(const struct http_request *request, struct http_span body,
                 struct http_response *response)
{
    const struct http_span *type = http_find_field(request, "content-type");

    response->content_type = type && type->length ? *type : HTTP_SPAN("application/octet-stream");
    response->body = body;
}
