// SPDX-License-Identifier: Apache-2.0
// GET /delay/MS: a handler that waits. An event loop serves nobody else meanwhile; that is the
// point.
#include "engines/app/routes.h"
#include "engines/base/clock.h"

void delay_handle(const struct http_request *request, struct http_span body,
                  struct http_response *response)
{
    const struct clock *clock = clock_system();
    size_t delay_ms;

    (void)body;
    if (!app_number(request, response, APP_DELAY_MS_MAX, &delay_ms)) {
        return;
    }
    int64_t deadline_ns = clock_now_ns(clock) + (int64_t)delay_ms * CLOCK_NS_PER_MS;
    while (clock_now_ns(clock) < deadline_ns) {
        clock->sleep_until_ns(clock->self, deadline_ns);
    }
    response->content_type = HTTP_SPAN("text/plain");
    response->body = HTTP_SPAN("waited");
}
