// SPDX-License-Identifier: Apache-2.0
// GET /bytes/N: an answer of any size.
#include "engines/app/routes.h"

/* Never written, so that it is one page of zeros of the kernel's and no memory of this process. */
static char zeros[APP_BYTES_MAX];

void bytes_handle(const struct http_request *request, struct http_span body,
                  struct http_response *response)
{
    size_t count;

    (void)body;
    if (app_number(request, response, APP_BYTES_MAX, &count)) {
        response->content_type = HTTP_SPAN("application/octet-stream");
        response->body = (struct http_span){zeros, count};
    }
}
