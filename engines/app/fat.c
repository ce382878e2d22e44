// SPDX-License-Identifier: Apache-2.0
// POST /fat: wide temporaries, as an application that turns bytes into wide strings has them: large
// blocks that live for one request are what allocators differ in most.
#include <stdlib.h>

#include "engines/app/routes.h"

void fat_handle(const struct http_request *request, struct http_span body,
                struct http_response *response)
{
    uint16_t *wide = malloc((body.length + 1) * sizeof(*wide));
    uint32_t *wider = malloc((body.length + 1) * sizeof(*wider));
    uint64_t sum = 0;

    (void)request;
    if (!wide || !wider) {
        app_fail(response);
        goto done;
    }
    for (size_t i = 0; i < body.length; i++) {
        wide[i] = (unsigned char)body.bytes[i];
    }
    for (size_t i = 0; i < body.length; i++) {
        wider[i] = wide[i];
    }
    for (size_t i = 0; i < body.length; i++) {
        sum += wider[i];
    }
    app_answer_json(response, "{\"bytes\":%zu,\"wide_bytes\":%zu,\"wider_bytes\":%zu,\"sum\":%llu}",
                    body.length, body.length * sizeof(*wide), body.length * sizeof(*wider),
                    (unsigned long long)sum);
done:
    free(wide);
    free(wider);
}
