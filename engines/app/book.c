// SPDX-License-Identifier: Apache-2.0
// GET /book: an order book in memory, answered as JSON that each request builds anew from many
// small allocations, as an application of objects and strings does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/app/routes.h"
#include "engines/base/rng.h"

enum {
    LEVEL_COUNT = 32,
    MIDDLE_TICKS = 1000000, /* a tick is 0.01 */
    STEP_TICKS_MAX = 25,
    QUANTITY_MAX = 100000, /* thousandths */
    ORDERS_MAX = 40,
    TEXT_BYTES = 32,
    GROWTH_BYTES = 256,
};

struct level {
    uint64_t price_ticks, quantity, order_count;
};

static struct {
    uint64_t seed;
    struct level bids[LEVEL_COUNT], asks[LEVEL_COUNT]; /* the best first */
} book;

/* A level as a request sees it: an object with two strings, each of its own memory. */
struct quote {
    struct quote *next;
    char *price, *quantity;
    uint64_t order_count;
};

/* A string that grows by little, as one that is appended to does. */
struct text {
    char *bytes;
    size_t length, capacity;
    bool failed;
};

static struct level level_make(struct rng *rng, uint64_t price_ticks)
{
    /* One after the other: an initialiser may evaluate them in any order. */
    uint64_t quantity = 1 + rng_below(rng, QUANTITY_MAX);
    uint64_t order_count = 1 + rng_below(rng, ORDERS_MAX);

    return (struct level){price_ticks, quantity, order_count};
}

void book_init(uint64_t seed)
{
    struct rng rng;
    uint64_t bid = MIDDLE_TICKS, ask = MIDDLE_TICKS;

    rng_init(&rng, seed);
    book.seed = seed;
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        bid -= 1 + rng_below(&rng, STEP_TICKS_MAX);
        ask += 1 + rng_below(&rng, STEP_TICKS_MAX);
        book.bids[i] = level_make(&rng, bid);
        book.asks[i] = level_make(&rng, ask);
    }
}

static char *decimal_make(uint64_t value, uint64_t unit, int digits)
{
    char text[2 * TEXT_BYTES];

    snprintf(text, sizeof(text), "%llu.%0*llu", (unsigned long long)(value / unit), digits,
             (unsigned long long)(value % unit));
    return strdup(text);
}

static void quotes_free(struct quote *quote)
{
    while (quote) {
        struct quote *next = quote->next;

        free(quote->price);
        free(quote->quantity);
        free(quote);
        quote = next;
    }
}

/* The levels of a side as a list of objects; NULL when memory ran out. */
static struct quote *quotes_make(const struct level *levels)
{
    struct quote *first = NULL;

    for (size_t i = LEVEL_COUNT; i > 0; i--) {
        const struct level *level = &levels[i - 1];
        struct quote *quote = calloc(1, sizeof(*quote));

        if (!quote) {
            quotes_free(first);
            return NULL;
        }
        quote->next = first;
        first = quote;
        quote->price = decimal_make(level->price_ticks, 100, 2);
        quote->quantity = decimal_make(level->quantity, 1000, 3);
        quote->order_count = level->order_count;
        if (!quote->price || !quote->quantity) {
            quotes_free(first);
            return NULL;
        }
    }
    return first;
}

static void text_add(struct text *text, const char *bytes)
{
    size_t length = strlen(bytes);

    if (!text->bytes || text->length + length > text->capacity) {
        size_t capacity = text->length + length + GROWTH_BYTES;
        char *grown = realloc(text->bytes, capacity);

        if (!grown) {
            text->failed = true;
            return;
        }
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void side_add(struct text *text, const char *name, const struct level *levels)
{
    struct quote *quotes = quotes_make(levels);
    char line[4 * TEXT_BYTES];

    text->failed |= !quotes;
    snprintf(line, sizeof(line), ",\"%s\":[", name);
    text_add(text, line);
    for (const struct quote *quote = quotes; quote; quote = quote->next) {
        snprintf(line, sizeof(line), "%s[\"%.20s\",\"%.20s\",%llu]", quote == quotes ? "" : ",",
                 quote->price, quote->quantity, (unsigned long long)quote->order_count);
        text_add(text, line);
    }
    text_add(text, "]");
    quotes_free(quotes);
}

void book_handle(const struct http_request *request, struct http_span body,
                 struct http_response *response)
{
    struct text text = {0};
    char line[4 * TEXT_BYTES];

    (void)request;
    (void)body;
    snprintf(line, sizeof(line), "{\"symbol\":\"TACHO\",\"seed\":%llu",
             (unsigned long long)book.seed);
    text_add(&text, line);
    side_add(&text, "bids", book.bids);
    side_add(&text, "asks", book.asks);
    text_add(&text, "}");
    response->owned = text.bytes;
    response->content_type = HTTP_SPAN("application/json");
    response->body = (struct http_span){text.bytes, text.length};
    if (text.failed) {
        app_fail(response);
    }
}
