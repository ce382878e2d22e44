// SPDX-License-Identifier: Apache-2.0
// POST /upload: holds the body in memory of its own and answers its length and SHA-256.
#include <stdlib.h>
#include <string.h>

#include "engines/app/routes.h"
#include "engines/base/sha256.h"

void upload_handle(const struct http_request *request, struct http_span body,
                   struct http_response *response)
{
    char digest[SHA256_TEXT_BYTES];
    char *held = malloc(body.length + 1);

    (void)request;
    if (!held) {
        app_fail(response);
        return;
    }
    memcpy(held, body.bytes, body.length);
    sha256_hex(held, body.length, digest);
    free(held);
    app_answer_json(response, "{\"bytes\":%zu,\"sha256\":\"%s\"}", body.length, digest);
}
