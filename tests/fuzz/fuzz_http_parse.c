// SPDX-License-Identifier: Apache-2.0
// Request heads: resumed at any byte, the parser decides as it does for the whole, and every span
// lies inside the input.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engines/http/http_framing.h"
#include "engines/http/http_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void span_check(struct http_span span, const char *bytes, size_t length)
{
    if (span.length && (span.bytes < bytes || span.bytes + span.length > bytes + length)) {
        abort();
    }
}

static void request_check(const struct http_request *request, const char *bytes, size_t length)
{
    struct http_framing framing;

    if (request->head_bytes > length || request->field_count > HTTP_FIELD_COUNT_MAX) {
        abort();
    }
    span_check(request->target, bytes, request->head_bytes);
    span_check(request->authority, bytes, request->head_bytes);
    for (size_t i = 0; i < request->field_count; i++) {
        span_check(request->fields[i].name, bytes, request->head_bytes);
        span_check(request->fields[i].value, bytes, request->head_bytes);
    }
    int status = http_frame(request, 1 << 20, &framing);
    if (status == 0 && framing.body == HTTP_BODY_LENGTH &&
        (framing.length == 0 || framing.length > 1 << 20)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request whole, resumed;
    int whole_status = 0, resumed_status = 0;

    if (size < 2) {
        return 0;
    }
    /* The first two bytes say where the input was cut; a copy of exact size lets the sanitizer see
     * every byte read too far. */
    size_t length = size - 2;
    size_t cut = length ? (size_t)(data[0] << 8 | data[1]) % (length + 1) : 0;
    char *bytes = malloc(length + !length);
    if (!bytes) {
        return 0;
    }
    memcpy(bytes, data + 2, length);
    enum http_result result = http_parse(bytes, length, 0, &whole, &whole_status);
    enum http_result first = http_parse(bytes, cut, 0, &resumed, &resumed_status);
    if (first == HTTP_RESULT_MORE && cut > 0) {
        first = http_parse(bytes, length, cut, &resumed, &resumed_status);
    } else if (first == HTTP_RESULT_MORE) {
        first = result;
        resumed_status = whole_status;
    }
    if (first != result || (result == HTTP_RESULT_ERROR && whole_status != resumed_status)) {
        abort();
    }
    if (result == HTTP_RESULT_DONE) {
        request_check(&whole, bytes, length);
    }
    free(bytes);
    return 0;
}
