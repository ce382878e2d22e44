// SPDX-License-Identifier: Apache-2.0
// Lines of a head: the three fields that decide framing are understood, the others only checked.
#include "collector/driver/response_head.h"

#include <string.h>

enum field { FIELD_OTHER, FIELD_CONTENT_LENGTH, FIELD_TRANSFER_ENCODING, FIELD_CONNECTION };

void response_fail(struct response *response, enum outcome failure)
{
    response->failure = failure;
    response->phase = PHASE_FAILED;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* RFC 9110 5.6.2 */
static bool is_token_byte(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* "HTTP/1.x 200", then a space or the end of the line. */
static void status_step(struct response *r, char c)
{
    static const char prefix[] = "HTTP/1.";
    unsigned position = r->position++;
    bool is_good;

    if (position < 7) {
        is_good = c == prefix[position];
    } else if (position == 7) {
        is_good = is_digit(c);
        r->head.minor_version = (uint8_t)(c - '0');
    } else if (position == 8) {
        is_good = c == ' ';
    } else if (position < 12) {
        is_good = is_digit(c) && !(position == 9 && (c < '1' || c > '5'));
        r->head.status = (uint16_t)(r->head.status * 10 + (c - '0'));
    } else {
        is_good = c == ' ' || c == '\r' || c == '\n';
        r->phase = c == '\r' ? PHASE_STATUS_LF : c == '\n' ? PHASE_LINE_START : PHASE_REASON;
    }
    if (!is_good) {
        response_fail(r, OUTCOME_PROTOCOL_STATUS);
    }
}

static size_t reason_step(struct response *r, const char *bytes, size_t length)
{
    size_t used = 0;

    while (used < length && is_field_byte(bytes[used])) {
        used++;
    }
    if (used == length) {
        return used;
    }
    if (bytes[used] == '\r') {
        r->phase = PHASE_STATUS_LF;
    } else if (bytes[used] == '\n') {
        r->phase = PHASE_LINE_START;
    } else {
        response_fail(r, OUTCOME_PROTOCOL_STATUS);
    }
    return used + 1;
}

static enum field field_find(const char *name, size_t length)
{
    static const char *const names[] = {[FIELD_CONTENT_LENGTH] = "content-length",
                                        [FIELD_TRANSFER_ENCODING] = "transfer-encoding",
                                        [FIELD_CONNECTION] = "connection"};

    for (int field = FIELD_CONTENT_LENGTH; field <= FIELD_CONNECTION; field++) {
        if (strlen(names[field]) == length && memcmp(names[field], name, length) == 0) {
            return (enum field)field;
        }
    }
    return FIELD_OTHER;
}

/* A name that is longer than those that matter is kept cut: it then equals none of them. */
static void name_add(struct response *r, char c)
{
    if (r->name_length < sizeof(r->name)) {
        r->name[r->name_length++] = lower(c);
    }
}

static void line_start_step(struct response *r, char c)
{
    if (c == '\r') {
        r->phase = PHASE_HEAD_LF;
    } else if (c == '\n') {
        r->phase = PHASE_HEAD_ENDS;
    } else if (is_token_byte(c)) {
        r->name_length = 0;
        name_add(r, c);
        r->phase = PHASE_NAME;
    } else {
        response_fail(r, OUTCOME_PROTOCOL_HEADER);
    }
}

static void name_end(struct response *r)
{
    r->field = r->in_trailer ? FIELD_OTHER : (uint8_t)field_find(r->name, r->name_length);
    r->token_length = 0;
    r->token_ended = false;
    r->digits_ended = false;
    r->position = 0; /* 1 once a Content-Length has a digit */
    r->left_bytes = 0;
    r->phase = PHASE_VALUE;
}

static size_t name_step(struct response *r, const char *bytes, size_t length)
{
    size_t used = 0;

    while (used < length && is_token_byte(bytes[used])) {
        name_add(r, bytes[used++]);
    }
    if (used == length) {
        return used;
    }
    if (bytes[used] == ':') {
        name_end(r);
    } else {
        response_fail(r, OUTCOME_PROTOCOL_HEADER);
    }
    return used + 1;
}

static void length_add(struct response *r, char c)
{
    if (c == ' ' || c == '\t') {
        r->digits_ended = r->position > 0;
        return;
    }
    uint64_t digit = (uint64_t)(c - '0');
    if (!is_digit(c) || r->digits_ended || r->left_bytes > (INT64_MAX - digit) / 10) {
        response_fail(r, OUTCOME_PROTOCOL_HEADER);
        return;
    }
    r->position = 1;
    r->left_bytes = r->left_bytes * 10 + digit;
}

static bool token_is(const struct response *r, const char *text)
{
    return strlen(text) == r->token_length && memcmp(r->token, text, r->token_length) == 0;
}

static void token_end(struct response *r)
{
    if (r->token_length == 0) {
        return; /* an empty list element counts for nothing */
    }
    if (r->field == FIELD_TRANSFER_ENCODING) {
        r->head.is_chunked = token_is(r, "chunked");
    } else if (token_is(r, "close")) {
        r->head.says_close = true;
    } else if (token_is(r, "keep-alive")) {
        r->head.says_keep_alive = true;
    }
    r->token_length = 0;
    r->token_ended = false;
}

/* Elements of a comma-separated list; one with a blank inside equals no known element. */
static void token_add(struct response *r, char c)
{
    if (c == ',') {
        token_end(r);
    } else if (c == ' ' || c == '\t') {
        r->token_ended = r->token_length > 0;
    } else if (r->token_ended) {
        r->token_length = sizeof(r->token);
    } else if (r->token_length < sizeof(r->token)) {
        r->token[r->token_length++] = lower(c);
    }
}

static void value_end(struct response *r)
{
    struct response_head *head = &r->head;

    if (r->field == FIELD_CONTENT_LENGTH) {
        if (r->position == 0 || (head->has_length && head->content_length != r->left_bytes)) {
            response_fail(r, OUTCOME_PROTOCOL_HEADER);
            return;
        }
        head->has_length = true;
        head->content_length = r->left_bytes;
    } else if (r->field != FIELD_OTHER) {
        head->has_encoding |= r->field == FIELD_TRANSFER_ENCODING;
        token_end(r);
    }
    r->position = 0;
    r->left_bytes = 0;
}

/* The byte after the value: its line ends, or it is malformed. */
static void value_stop(struct response *r, char c)
{
    if (c != '\r' && c != '\n') {
        response_fail(r, OUTCOME_PROTOCOL_HEADER);
        return;
    }
    value_end(r);
    if (r->phase != PHASE_FAILED) {
        r->phase = c == '\r' ? PHASE_VALUE_LF : PHASE_LINE_START;
    }
}

static size_t value_step(struct response *r, const char *bytes, size_t length)
{
    size_t used = 0;

    for (; used < length && is_field_byte(bytes[used]); used++) {
        if (r->field == FIELD_CONTENT_LENGTH) {
            length_add(r, bytes[used]);
        } else if (r->field != FIELD_OTHER) {
            token_add(r, bytes[used]);
        }
        if (r->phase == PHASE_FAILED) {
            return used + 1;
        }
    }
    if (used == length) {
        return used;
    }
    value_stop(r, bytes[used]);
    return used + 1;
}

/* A CR was read; only LF may follow. */
static void lf_step(struct response *r, char c)
{
    if (c != '\n') {
        response_fail(r, r->phase == PHASE_STATUS_LF ? OUTCOME_PROTOCOL_STATUS
                                                     : OUTCOME_PROTOCOL_HEADER);
    } else {
        r->phase = r->phase == PHASE_HEAD_LF ? PHASE_HEAD_ENDS : PHASE_LINE_START;
    }
}

size_t response_head_step(struct response *response, const char *bytes, size_t length)
{
    switch (response->phase) {
    case PHASE_STATUS:
        status_step(response, *bytes);
        return 1;
    case PHASE_REASON:
        return reason_step(response, bytes, length);
    case PHASE_LINE_START:
        line_start_step(response, *bytes);
        return 1;
    case PHASE_NAME:
        return name_step(response, bytes, length);
    case PHASE_VALUE:
        return value_step(response, bytes, length);
    default:
        lf_step(response, *bytes);
        return 1;
    }
}
