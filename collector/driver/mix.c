// SPDX-License-Identifier: Apache-2.0
// A deck that is shuffled while it is dealt.
#include "collector/driver/mix.h"

#include <string.h>

#define SEED_STEP UINT64_C(0x6d69780000000000) /* apart from the seeds of arrivals and thinking */

static uint32_t common_divisor(const uint32_t *weights, uint32_t weight_count)
{
    uint32_t divisor = 0;

    for (uint32_t i = 0; i < weight_count; i++) {
        uint32_t rest = weights[i];

        while (rest > 0) {
            uint32_t next = divisor % rest;

            divisor = rest;
            rest = next;
        }
    }
    return divisor > 0 ? divisor : 1;
}

uint32_t mix_deck_count(const uint32_t *weights, uint32_t weight_count)
{
    uint32_t divisor = common_divisor(weights, weight_count);
    uint32_t count = 0;

    for (uint32_t i = 0; i < weight_count; i++) {
        count += weights[i] / divisor;
    }
    return count;
}

void mix_init(struct mix *mix, uint8_t *deck, const uint32_t *weights, uint32_t weight_count,
              uint64_t seed, uint32_t number)
{
    uint32_t divisor = common_divisor(weights, weight_count);

    *mix = (struct mix){.deck = deck};
    for (uint32_t i = 0; i < weight_count; i++) {
        memset(deck + mix->count, (int)i, weights[i] / divisor);
        mix->count += weights[i] / divisor;
    }
    rng_init(&mix->rng, (seed ^ SEED_STEP) + number);
}

/* One step of Fisher and Yates: any of the cards that are left comes to the front. */
uint32_t mix_deal(struct mix *mix)
{
    uint32_t place = mix->dealt_count;
    uint32_t from = place + (uint32_t)rng_below(&mix->rng, mix->count - place);
    uint8_t card = mix->deck[from];

    mix->deck[from] = mix->deck[place];
    mix->deck[place] = card;
    mix->dealt_count = place + 1 < mix->count ? place + 1 : 0;
    return card;
}
