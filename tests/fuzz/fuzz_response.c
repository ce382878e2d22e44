// SPDX-License-Identifier: Apache-2.0
// The response parser: whole, in pieces, with and without a template, gives one result.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/response.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

struct reading {
    enum response_state state;
    enum outcome failure;
    uint64_t body_bytes, body_xxh64;
    size_t used;
    struct response_head head;
};

/* Pieces of 1 + seed % 7, … bytes when `seed` is not 0; each in memory of its own. */
static struct reading read_all(const uint8_t *bytes, size_t length,
                               const struct response_rules *rules,
                               struct response_template *template, unsigned seed)
{
    struct response response;
    struct reading reading;

    memset(&reading, 0, sizeof(reading));
    response_init(&response);
    reading.state = RESPONSE_MORE;
    while (reading.used < length && reading.state == RESPONSE_MORE) {
        size_t left = length - reading.used;
        size_t piece = seed ? 1 + (seed = seed * 1103515245 + 12345) / 65536 % 7 : left;
        size_t used = 0;

        piece = piece < left ? piece : left;
        char *copy = malloc(piece);
        if (!copy) {
            abort();
        }
        memcpy(copy, bytes + reading.used, piece);
        reading.state = response_feed(&response, template, rules, copy, piece, &used);
        free(copy);
        if (used > piece || (reading.state == RESPONSE_MORE && used != piece)) {
            abort();
        }
        reading.used += used;
    }
    if (reading.state == RESPONSE_MORE) {
        reading.state = response_end(&response, rules);
    }
    if (reading.state == RESPONSE_FAILED) {
        reading.failure = response.failure;
        reading.used = 0; /* where a malformed response is given up is no promise */
        return reading;
    }
    reading.body_bytes = response.body_bytes;
    reading.body_xxh64 = rules->hash_wanted ? response.body_xxh64 : 0;
    reading.head = response.head;
    return reading;
}

static void same_or_abort(const struct reading *a, const struct reading *b)
{
    if (a->state != b->state || a->failure != b->failure || a->body_bytes != b->body_bytes ||
        a->body_xxh64 != b->body_xxh64 || a->used != b->used || a->head.status != b->head.status ||
        a->head.says_close != b->head.says_close ||
        a->head.says_keep_alive != b->head.says_keep_alive) {
        abort();
    }
}

/* First byte: rules; second: seed of the split. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    /* It keeps what earlier inputs taught it: that must not change any result. */
    static struct response_template template;

    if (length < 2) {
        return 0;
    }
    struct response_rules rules = {
        .is_head = data[0] & 1, .hash_wanted = !(data[0] & 2), .learn_status = 200};
    const uint8_t *bytes = data + 2;
    size_t count = length - 2;
    struct reading whole = read_all(bytes, count, &rules, NULL, 0);
    struct reading pieces = read_all(bytes, count, &rules, NULL, 1U + data[1]);
    struct reading learned = read_all(bytes, count, &rules, &template, 0);
    struct reading again = read_all(bytes, count, &rules, &template, 0);

    same_or_abort(&whole, &pieces);
    same_or_abort(&whole, &learned);
    same_or_abort(&whole, &again);
    return 0;
}
