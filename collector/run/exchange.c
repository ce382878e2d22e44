// SPDX-License-Identifier: Apache-2.0
// What the driver sends and expects for a request of a plan.
#include "collector/run/exchange.h"

#include <string.h>

bool exchange_is_head(const struct plan_request *request)
{
    return strcmp(request->method, "HEAD") == 0;
}

enum err_code exchange_format_request(const struct plan_request *request, const char *host,
                                      uint16_t port, struct buf *out, struct err *e)
{
    buf_addf(out, "%s %s HTTP/1.1\r\nHost: %s:%u\r\nUser-Agent: tacho\r\nAccept: */*\r\n",
             request->method, request->path, host, port);
    if (strcmp(request->method, "POST") == 0) {
        buf_addf(out, "Content-Type: application/octet-stream\r\nContent-Length: %zu\r\n",
                 request->body_bytes);
    }
    buf_add_text(out, "\r\n");
    buf_add(out, request->body, request->body_bytes);
    return buf_check(out, "the request", e);
}

struct driver_expect exchange_make_expect(const struct plan_request *request,
                                          const struct check_answer *answer)
{
    const struct plan_expect *expect = &request->expect;
    struct driver_expect made = {.status = expect->status, .body_bytes = expect->body_bytes};

    if (exchange_is_head(request)) {
        made.body_bytes = 0;
    } else if (expect->body_sha256) {
        made.body_bytes = (int64_t)answer->body_bytes;
        made.body_hash_checked = true;
        made.body_xxh64 = answer->body_xxh64;
    }
    return made;
}
