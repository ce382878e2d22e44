// SPDX-License-Identifier: Apache-2.0
// The state machine over the bytes of a response: lines of the head in response_head.c, framing
// here.
#include "collector/driver/response.h"

#include <string.h>

#include "collector/driver/response_head.h"
#include "engines/base/attr.h"

/* So many heads in a row that differ from the template, and another head is learned. */
#define TEMPLATE_MISS_LIMIT 16
#define DATE_VALUE_BYTES    29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

void response_init(struct response *response)
{
    memset(response, 0, offsetof(struct response, hash));
    response->phase = PHASE_STATUS;
}

bool response_is_started(const struct response *response)
{
    return response->is_started;
}

bool response_keeps_alive(const struct response *response)
{
    const struct response_head *head = &response->head;

    if (head->says_close || head->status == 101 || response->phase == PHASE_DONE_BY_CLOSE ||
        (head->has_encoding && (head->has_length || head->minor_version == 0))) {
        return false;
    }
    return head->minor_version >= 1 || head->says_keep_alive;
}

static enum response_state response_finish(struct response *r, const struct response_rules *rules,
                                           enum phase phase)
{
    r->phase = (uint8_t)phase;
    if (rules->hash_wanted && r->body_bytes == 0) {
        r->body_xxh64 = XXH64(NULL, 0, 0);
    } else if (rules->hash_wanted) {
        r->body_xxh64 = XXH64_digest(&r->hash);
    }
    return RESPONSE_DONE;
}

static void body_add(struct response *r, const struct response_rules *rules, const char *bytes,
                     size_t length)
{
    if (rules->hash_wanted && length > 0) {
        if (r->body_bytes == 0) {
            XXH64_reset(&r->hash, 0);
        }
        XXH64_update(&r->hash, bytes, length);
    }
    r->body_bytes += length;
}

/* The blank line was read: what comes next? */
static void head_end(struct response *r, const struct response_rules *rules)
{
    const struct response_head *head = &r->head;

    r->head_bytes = 0;
    if (head->status / 100 == 1 && head->status != 101) {
        uint16_t interim_count = (uint16_t)(r->interim_count + 1);

        response_init(r);
        r->is_started = true;
        r->interim_count = interim_count;
        if (interim_count > RESPONSE_INTERIM_LIMIT) {
            response_fail(r, OUTCOME_PROTOCOL_LIMIT);
        }
    } else if (rules->is_head || head->status == 101 || head->status == 204 ||
               head->status == 304) {
        r->phase = PHASE_BODY_ENDS;
    } else if (head->has_encoding) {
        r->phase = head->is_chunked ? PHASE_CHUNK_SIZE : PHASE_BODY_CLOSE;
    } else if (head->has_length) {
        r->left_bytes = head->content_length;
        r->phase = r->left_bytes > 0 ? PHASE_BODY_LENGTH : PHASE_BODY_ENDS;
    } else {
        r->phase = PHASE_BODY_CLOSE;
    }
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        return (c | 0x20) - 'a' + 10;
    }
    return -1;
}

/* One byte of "1a;name=value CR LF". position: hex digits so far, capped. */
static void chunk_size_step(struct response *r, char c)
{
    int digit = hex_value(c);

    if (r->phase == PHASE_CHUNK_SIZE_LF) {
        if (c != '\n') {
            response_fail(r, OUTCOME_PROTOCOL_CHUNK);
            return;
        }
        r->head_bytes = 0;
        r->position = 0;
        r->in_trailer = r->left_bytes == 0;
        r->phase = r->in_trailer ? PHASE_LINE_START : PHASE_CHUNK_DATA;
    } else if (c == '\r' && r->position > 0) {
        r->phase = PHASE_CHUNK_SIZE_LF;
    } else if (r->phase == PHASE_CHUNK_EXTENSION) {
        if (!is_field_byte(c)) {
            response_fail(r, OUTCOME_PROTOCOL_CHUNK);
        }
    } else if (digit >= 0 && r->left_bytes <= (uint64_t)(INT64_MAX - digit) / 16) {
        r->left_bytes = r->left_bytes * 16 + (uint64_t)digit;
        r->position = 1;
    } else if (digit < 0 && r->position > 0 && (c == ';' || c == ' ' || c == '\t')) {
        r->phase = PHASE_CHUNK_EXTENSION;
    } else {
        response_fail(r, OUTCOME_PROTOCOL_CHUNK);
    }
}

static void chunk_data_end_step(struct response *r, char c)
{
    if (c != (r->phase == PHASE_CHUNK_DATA_CR ? '\r' : '\n')) {
        response_fail(r, OUTCOME_PROTOCOL_CHUNK);
        return;
    }
    r->phase = r->phase == PHASE_CHUNK_DATA_CR ? PHASE_CHUNK_DATA_LF : PHASE_CHUNK_SIZE;
}

static void counted_body_end(struct response *r)
{
    r->phase = r->phase == PHASE_BODY_LENGTH ? PHASE_BODY_ENDS : PHASE_CHUNK_DATA_CR;
}

static size_t body_step(struct response *r, const struct response_rules *rules, const char *bytes,
                        size_t length)
{
    if (r->phase == PHASE_BODY_CLOSE) {
        body_add(r, rules, bytes, length);
        return length;
    }
    size_t taken = r->left_bytes < length ? (size_t)r->left_bytes : length;

    body_add(r, rules, bytes, taken);
    r->left_bytes -= taken;
    if (r->left_bytes == 0) {
        counted_body_end(r);
    }
    return taken;
}

/* Uses at least one byte; `length` is not 0. */
static size_t step(struct response *r, const struct response_rules *rules, const char *bytes,
                   size_t length)
{
    if (r->phase >= PHASE_BODY_LENGTH) {
        return body_step(r, rules, bytes, length);
    }
    size_t room = RESPONSE_HEAD_LIMIT_BYTES - r->head_bytes;
    if (room == 0) {
        response_fail(r, OUTCOME_PROTOCOL_LIMIT);
        return 1;
    }
    size_t taken = 1;
    if (r->phase >= PHASE_CHUNK_DATA_CR) {
        chunk_data_end_step(r, *bytes);
        return taken;
    }
    r->head_bytes++;
    if (r->phase >= PHASE_CHUNK_SIZE) {
        chunk_size_step(r, *bytes);
        return taken;
    }
    r->head_bytes--;
    taken = response_head_step(r, bytes, length < room ? length : room);
    r->head_bytes += (uint32_t)taken;
    if (r->phase == PHASE_HEAD_ENDS) {
        if (r->in_trailer) {
            r->phase = PHASE_BODY_ENDS;
        } else {
            head_end(r, rules);
        }
    }
    return taken;
}

static bool date_is_plain(const char *bytes)
{
    for (size_t i = 0; i < DATE_VALUE_BYTES; i++) {
        if (!is_field_byte(bytes[i])) {
            return false;
        }
    }
    return true;
}

/* Sets the head from the template when the bytes begin with it; returns bytes used, 0 when not. */
static size_t template_match(struct response *r, struct response_template *t, const char *bytes,
                             size_t length)
{
    size_t rest =
        t->date_offset < t->head_bytes ? t->date_offset + DATE_VALUE_BYTES : t->head_bytes;
    if (length < t->head_bytes || memcmp(bytes, t->bytes, t->date_offset) != 0 ||
        memcmp(bytes + rest, t->bytes + rest, t->head_bytes - rest) != 0 ||
        (rest < t->head_bytes && !date_is_plain(bytes + t->date_offset))) {
        if (++t->miss_count >= TEMPLATE_MISS_LIMIT) {
            t->head_bytes = 0;
        }
        return 0;
    }
    t->miss_count = 0;
    r->head = t->head;
    r->is_started = true;
    return t->head_bytes;
}

static uint32_t date_find(const char *bytes, size_t length)
{
    static const char date_name[] = "\ndate: ";
    size_t name_bytes = sizeof(date_name) - 1;

    for (size_t i = 0; i + name_bytes + DATE_VALUE_BYTES < length; i++) {
        const char *end = bytes + i + name_bytes + DATE_VALUE_BYTES;
        if (bytes[i] == '\n' && strncasecmp(bytes + i, date_name, name_bytes) == 0 &&
            (*end == '\r' || *end == '\n') && date_is_plain(end - DATE_VALUE_BYTES)) {
            return (uint32_t)(i + name_bytes);
        }
    }
    return (uint32_t)length;
}

static void template_learn(struct response_template *t, const struct response_head *head,
                           const char *bytes, size_t length)
{
    memcpy(t->bytes, bytes, length);
    t->head = *head;
    t->head_bytes = (uint32_t)length;
    t->date_offset = date_find(bytes, length);
    t->miss_count = 0;
}

/* The head was read, it came in one piece and it is one that is expected again. */
static bool head_is_exemplary(const struct response *r, const struct response_rules *rules,
                              size_t length)
{
    bool is_usual =
        rules->learn_status ? r->head.status == rules->learn_status : r->head.status / 100 == 2;

    return r->phase >= PHASE_CHUNK_SIZE && r->phase != PHASE_FAILED && r->interim_count == 0 &&
           is_usual && length <= RESPONSE_TEMPLATE_BYTES;
}

/* Reads the head, by the template or byte by byte; returns bytes used. */
static size_t head_read(struct response *r, struct response_template *t,
                        const struct response_rules *rules, const char *bytes, size_t length)
{
    bool begins_here = !r->is_started;
    size_t used = 0;

    if (begins_here && t && t->head_bytes > 0) {
        used = template_match(r, t, bytes, length);
        if (used > 0) {
            head_end(r, rules);
            return used;
        }
    }
    r->is_started = true;
    while (used < length && r->phase < PHASE_CHUNK_SIZE && !r->in_trailer) {
        used += step(r, rules, bytes + used, length - used);
    }
    if (begins_here && t && t->head_bytes == 0 && head_is_exemplary(r, rules, used)) {
        template_learn(t, &r->head, bytes, used);
    }
    return used;
}

enum response_state response_feed(struct response *response, struct response_template *template,
                                  const struct response_rules *rules, const char *bytes,
                                  size_t length, size_t *consumed_out)
{
    size_t used = 0;

    if (length > 0 && response->phase < PHASE_CHUNK_SIZE && !response->in_trailer) {
        used = head_read(response, template, rules, bytes, length);
    }
    while (used < length && response->phase < PHASE_BODY_ENDS) {
        used += step(response, rules, bytes + used, length - used);
    }
    *consumed_out = used;
    if (response->phase == PHASE_FAILED) {
        return RESPONSE_FAILED;
    }
    if (response->phase == PHASE_BODY_ENDS) {
        return response_finish(response, rules, PHASE_BODY_ENDS);
    }
    return RESPONSE_MORE;
}

enum response_state response_end(struct response *response, const struct response_rules *rules)
{
    if (response->phase == PHASE_BODY_CLOSE) {
        return response_finish(response, rules, PHASE_DONE_BY_CLOSE);
    }
    if (!response->is_started) {
        response_fail(response, OUTCOME_CLOSED_EARLY);
    } else if (response->phase < PHASE_CHUNK_SIZE && !response->in_trailer) {
        response_fail(response, OUTCOME_TRUNCATED_HEAD);
    } else {
        response_fail(response, OUTCOME_TRUNCATED_BODY);
    }
    return RESPONSE_FAILED;
}

uint64_t response_skippable_bytes(const struct response *response,
                                  const struct response_rules *rules)
{
    bool is_counted = response->phase == PHASE_BODY_LENGTH || response->phase == PHASE_CHUNK_DATA;

    return is_counted && !rules->hash_wanted ? response->left_bytes : 0;
}

enum response_state response_skip(struct response *response, const struct response_rules *rules,
                                  uint64_t length)
{
    response->body_bytes += length;
    response->left_bytes -= length;
    if (response->left_bytes == 0) {
        counted_body_end(response);
    }
    return response->phase == PHASE_BODY_ENDS ? response_finish(response, rules, PHASE_BODY_ENDS)
                                              : RESPONSE_MORE;
}
