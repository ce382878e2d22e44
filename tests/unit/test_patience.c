// SPDX-License-Identifier: Apache-2.0
// The times of a connection, from numbers alone.
#include <criterion/criterion.h>

#include "engines/base/clock.h"
#include "engines/patience.h"

#define SECOND CLOCK_NS_PER_S

/* At `at_s` the client has sent `bytes`, after which it is where `place` says; "-": only looked at.
 */
struct event {
    int at_s;
    char place; /* 'i' between requests, 'h' within a head, 'b' within a body, '-' nothing came */
    unsigned bytes;
    enum patience_state want;
};

static void events_expect(const char *name, const struct event *events, size_t count,
                          uint32_t body_bytes_per_s)
{
    const struct engine_config config = {
        .idle_seconds = 60, .head_seconds = 10, .body_bytes_per_s = body_bytes_per_s};
    struct patience patience = {.active_ns = SECOND};
    char before = 'i';

    for (size_t i = 0; i < count && (i == 0 || events[i].at_s); i++) {
        const struct event *event = &events[i];
        int64_t now_ns = (1 + event->at_s) * SECOND;

        if (event->place != '-') {
            struct http_conn http = {.head_bytes = event->place == 'b' ? 40 : 0};
            bool is_next = before == 'b' && event->place == 'h';

            patience_receive(&patience, event->bytes, now_ns);
            patience_settle(&patience, &http, event->place == 'i' ? 0 : 1, is_next, now_ns);
            before = event->place;
        }
        enum patience_state state = patience_check(&patience, &config, now_ns);
        cr_expect_eq(state, event->want, "%s, event %zu: %d", name, i, (int)state);
    }
}

#define W PATIENCE_WAITS
#define E PATIENCE_ENDS
#define T PATIENCE_TELLS

/* By hand: idle 60 s, a head 10 s from its first byte, and 100 B/s over windows of 5 s is 500. */
Test(patience, says_what_hand_calculation_says)
{
    static const struct {
        const char *name;
        uint32_t rate;
        struct event events[8];
    } rows[] = {
        {"silence", 100, {{0, '-', 0, W}, {59, '-', 0, W}, {60, '-', 0, E}}},
        {"answered, then silence", 100, {{1, 'i', 40, W}, {60, '-', 0, W}, {61, '-', 0, E}}},
        {"a byte of a head a second",
         100,
         {{1, 'h', 1, W}, {4, 'h', 1, W}, {10, 'h', 1, W}, {11, 'h', 1, T}}},
        {"a second request has a time of its own",
         100,
         {{1, 'h', 9, W}, {9, 'i', 9, W}, {15, 'h', 1, W}, {24, '-', 0, W}, {25, '-', 0, T}}},
        {"a body at the rate",
         100,
         {{1, 'b', 40, W}, {5, 'b', 500, W}, {6, '-', 0, W}, {9, 'b', 500, W}, {11, '-', 0, W}}},
        {"a body one byte below it",
         100,
         {{1, 'b', 40, W}, {4, 'b', 499, W}, {5, '-', 0, W}, {6, '-', 0, T}}},
        {"what came with the head does not count twice", 100, {{1, 'b', 5000, W}, {6, '-', 0, T}}},
        {"a later window",
         100,
         {{1, 'b', 9, W}, {2, 'b', 9000, W}, {6, '-', 0, W}, {10, 'b', 499, W}, {11, '-', 0, T}}},
        {"a head in time, then a body: the head's time is over with it",
         100,
         {{1, 'h', 9, W}, {9, 'b', 9, W}, {13, 'b', 500, W}, {14, '-', 0, W}}},
        {"a body and the next head",
         100,
         {{1, 'b', 9, W}, {3, 'h', 9, W}, {12, '-', 0, W}, {13, '-', 0, T}}},
        {"any rate will do",
         0,
         {{1, 'b', 9, W}, {11, '-', 0, W}, {60, '-', 0, W}, {61, '-', 0, T}}},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        events_expect(rows[i].name, rows[i].events, ARRAY_COUNT(rows[i].events), rows[i].rate);
    }
}

/* Idle 60 s while it takes what is sent, and 2 s (ENGINE_LINGER_SECONDS) to close. */
Test(patience, ends_who_does_not_read_or_does_not_close)
{
    static const struct {
        bool lingers;
        int at_s;
        enum patience_state want;
    } rows[] = {{false, 59, W}, {false, 60, E}, {true, 1, W}, {true, 2, E}};
    const struct engine_config config = {.idle_seconds = 60, .head_seconds = 1};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        /* A request that is half sent changes nothing: nobody is told. */
        const struct patience patience = {.active_ns = SECOND, .started_ns = SECOND};

        cr_expect_eq(
            patience_check_last(&patience, &config, rows[i].lingers, (1 + rows[i].at_s) * SECOND),
            rows[i].want, "row %zu", i);
    }
}

Test(patience, a_thread_waits_no_longer_than_the_shortest_time)
{
    static const struct {
        uint32_t idle_seconds, head_seconds;
        int want_ms;
    } rows[] = {{60, 10, 5000}, {2, 10, 2000}, {60, 1, 1000}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct engine_config config = {.idle_seconds = rows[i].idle_seconds,
                                             .head_seconds = rows[i].head_seconds};
        cr_expect_eq(patience_wait_ms(&config), rows[i].want_ms);
    }
}
