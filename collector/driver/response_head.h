// SPDX-License-Identifier: Apache-2.0
// The part of the response parser that reads lines: status line, header fields, trailer fields.
#ifndef COLLECTOR_DRIVER_RESPONSE_HEAD_H
#define COLLECTOR_DRIVER_RESPONSE_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/driver/response.h"

/* In this order: lines of a head, lines of the chunked coding, body bytes, ends. */
enum phase {
    PHASE_STATUS,
    PHASE_REASON,
    PHASE_STATUS_LF,
    PHASE_LINE_START,
    PHASE_NAME,
    PHASE_VALUE,
    PHASE_VALUE_LF,
    PHASE_HEAD_LF,
    PHASE_HEAD_ENDS, /* left at once */
    PHASE_CHUNK_SIZE,
    PHASE_CHUNK_EXTENSION,
    PHASE_CHUNK_SIZE_LF,
    PHASE_CHUNK_DATA_CR,
    PHASE_CHUNK_DATA_LF,
    PHASE_BODY_LENGTH,
    PHASE_CHUNK_DATA,
    PHASE_BODY_CLOSE,
    PHASE_BODY_ENDS, /* whole */
    PHASE_DONE_BY_CLOSE,
    PHASE_FAILED,
};

void response_fail(struct response *response, enum outcome failure);

/* Uses 1 … length bytes of a head; response->phase becomes PHASE_HEAD_ENDS after the blank line. */
size_t response_head_step(struct response *response, const char *bytes, size_t length);

/* May stand in a field value or a reason phrase: no control character but the tab. */
static inline bool is_field_byte(char c)
{
    return ((unsigned char)c >= 0x20 && c != 0x7f) || c == '\t';
}

#endif
