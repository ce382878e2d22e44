// SPDX-License-Identifier: Apache-2.0
// Tests of mixes of requests and of think time: what is drawn, and in which order it is due.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/driver/mix.h"
#include "collector/driver/think.h"
#include "engines/base/clock.h"
#include "report/drive/drive_mix.h"

#define ROUND_COUNT 7

/* Of one round of the deck; true when each card came as often as its weight says. */
static bool round_is_exact(struct mix *mix, const uint32_t *weights, uint32_t count,
                           uint32_t divisor)
{
    uint32_t dealt[MIX_REQUEST_COUNT_MAX] = {0};
    bool is_exact = true;

    for (uint32_t i = 0; i < mix->count; i++) {
        uint32_t card = mix_deal(mix);
        if (card >= count) {
            return false;
        }
        dealt[card]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        is_exact &= dealt[i] * divisor == weights[i];
    }
    return is_exact;
}

/* By hand: 9:1 and 90:10 are ten cards, 4:6 five, 1000:999 have no common divisor. */
Test(load_shape, each_round_of_a_mix_has_every_request_as_often_as_its_weight_says)
{
    static const struct {
        uint32_t weights[MIX_REQUEST_COUNT_MAX];
        uint32_t count, divisor, deck_count;
    } rows[] = {
        {{9, 1}, 2, 1, 10},        {{90, 10}, 2, 10, 10},
        {{4, 6}, 2, 2, 5},         {{5, 5, 5}, 3, 5, 3},
        {{1000, 999}, 2, 1, 1999}, {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 16, 1, 16}};
    static uint8_t deck[MIX_REQUEST_COUNT_MAX * MIX_WEIGHT_MAX];
    struct mix mix;

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_assert_eq(mix_deck_count(rows[i].weights, rows[i].count), rows[i].deck_count);
        mix_init(&mix, deck, rows[i].weights, rows[i].count, 42, 0);
        for (int round = 0; round < ROUND_COUNT; round++) {
            cr_expect(round_is_exact(&mix, rows[i].weights, rows[i].count, rows[i].divisor),
                      "row %zu, round %d", i, round);
        }
    }
}

Test(load_shape, the_order_of_a_mix_is_that_of_its_seed_and_thread)
{
    static const uint32_t weights[] = {3, 2, 1};
    enum { COUNT = 300 };
    uint8_t decks[4][6], orders[4][COUNT];
    struct mix mixes[4];
    int firsts = 0, thirds = 0;

    mix_init(&mixes[0], decks[0], weights, 3, 7, 1);
    mix_init(&mixes[1], decks[1], weights, 3, 7, 1);
    mix_init(&mixes[2], decks[2], weights, 3, 8, 1);
    mix_init(&mixes[3], decks[3], weights, 3, 7, 2);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 4; k++) {
            orders[k][i] = (uint8_t)mix_deal(&mixes[k]);
        }
        firsts += i % 6 == 0 && orders[0][i] == 0;
        thirds += i % 6 == 5 && orders[0][i] == 0;
    }
    cr_expect_arr_eq(orders[0], orders[1], COUNT);
    cr_expect_arr_neq(orders[0], orders[2], COUNT);
    cr_expect_arr_neq(orders[0], orders[3], COUNT);
    /* Half of 50 at any place, give or take six standard deviations of 3.5. */
    cr_expect(firsts >= 4 && firsts <= 46 && thirds >= 4 && thirds <= 46, "%d %d", firsts, thirds);
}

/* A heap against the plain search for the smallest. */
Test(load_shape, pauses_end_in_the_order_in_which_they_are_over)
{
    enum { COUNT = 200 };
    static const struct think_config config = {.mean_ns = 1000, .kind = THINK_EXPONENTIAL};
    struct think_entry entries[COUNT];
    struct think think;
    int64_t ends[COUNT];
    struct rng rng;

    rng_init(&rng, 5);
    think_init(&think, &config, 0, entries);
    cr_expect_eq(think_first_ns(&think), INT64_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        ends[i] = (int64_t)rng_below(&rng, 100); /* many the same */
        think_begin(&think, i, ends[i]);
    }
    int64_t last_ns = 0;
    for (int i = 0; i < 5 * COUNT; i++) { /* each that ends begins anew, as under load */
        int64_t first_ns = think_first_ns(&think);
        uint32_t index = think_end(&think);

        cr_expect_eq(first_ns, ends[index]);
        cr_expect(first_ns >= last_ns);
        last_ns = first_ns;
        if (i < 4 * COUNT) {
            ends[index] = last_ns + (int64_t)rng_below(&rng, 50);
            think_begin(&think, index, ends[index]);
        }
    }
    cr_expect_eq(think_first_ns(&think), INT64_MAX);
}

/* Exponential: mean m, standard deviation m, P(> m) = 1/e = 0.3679; with 40,000 draws the mean is
 * within 3 % (six standard errors of 0.5 %), the share within 0.0145 (six of 0.0024). */
Test(load_shape, pauses_are_as_long_as_they_should_be)
{
    enum { COUNT = 40000 };
    static const struct think_config constant = {.mean_ns = 10 * CLOCK_NS_PER_MS};
    static const struct think_config exponential = {
        .mean_ns = 10 * CLOCK_NS_PER_MS, .kind = THINK_EXPONENTIAL, .seed = 3};
    double sum_ms = 0, rest_sum_ms = 0;
    int long_count = 0;
    struct think think;

    think_init(&think, &exponential, 0, NULL);
    for (int i = 0; i < COUNT; i++) {
        double ms = (double)think_draw(&think) / (double)CLOCK_NS_PER_MS;
        sum_ms += ms;
        long_count += ms > 10;
    }
    cr_expect_float_eq(sum_ms / COUNT, 10, 0.3);
    cr_expect_float_eq((double)long_count / COUNT, 0.3679, 0.0145);
    think_init(&think, &constant, 0, NULL);
    cr_expect_eq(think_draw(&think), 10 * CLOCK_NS_PER_MS);
    for (int i = 0; i < COUNT; i++) { /* uniform: mean 5, standard error 0.0144 */
        int64_t rest_ns = think_draw_rest(&think);
        cr_expect(rest_ns >= 0 && rest_ns < 10 * CLOCK_NS_PER_MS);
        rest_sum_ms += (double)rest_ns / (double)CLOCK_NS_PER_MS;
    }
    cr_expect_float_eq(rest_sum_ms / COUNT, 5, 0.09);
}

Test(load_shape, reads_a_request_of_a_mix_or_says_how_to_write_one)
{
    static const struct {
        const char *text;
        uint32_t weight; /* 0: refused */
        const char *method, *path;
    } rows[] = {{"9 GET /ping", 9, "GET", "/ping"},
                {"1000 POST /a?b=c%20d", 1000, "POST", "/a?b=c%20d"},
                {"1 PROPFIND /", 1, "PROPFIND", "/"},
                {"", 0, NULL, NULL},
                {"GET /ping", 0, NULL, NULL},
                {"9 GET", 0, NULL, NULL},
                {"9 GET ping", 0, NULL, NULL},
                {"9  GET /ping", 0, NULL, NULL},
                {"9 GET /ping x", 0, NULL, NULL},
                {"9 GET /#", 0, NULL, NULL},
                {"9 GET /\r\nX: y", 0, NULL, NULL},
                {"0 GET /", 0, NULL, NULL},
                {"1001 GET /", 0, NULL, NULL},
                {"-1 GET /", 0, NULL, NULL},
                {"9 G\xc3\x89T /", 0, NULL, NULL},
                {"9 ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG /", 0, NULL, NULL}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct drive_request request = {.weight = 77};
        struct err e = {0};
        enum err_code code = drive_request_parse(rows[i].text, &request, &e);

        cr_expect_eq(code, rows[i].weight ? ERR_OK : ERR_USAGE, "row %zu", i);
        cr_expect_eq(request.weight, rows[i].weight ? rows[i].weight : 77);
        if (rows[i].weight) {
            cr_expect_str_eq(request.method, rows[i].method);
            cr_expect_str_eq(request.path, rows[i].path);
        } else {
            cr_expect(strstr(e.text, "as in \"9 GET /ping\""), "%s", e.text);
        }
    }
}
