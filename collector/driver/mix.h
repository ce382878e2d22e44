// SPDX-License-Identifier: Apache-2.0
// Which request of a weighted mix comes next: cards of a deck, dealt in a random order from a seed,
// so that each round of the deck has every request exactly as often as its weight says.
#ifndef COLLECTOR_DRIVER_MIX_H
#define COLLECTOR_DRIVER_MIX_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/rng.h"

#define MIX_REQUEST_COUNT_MAX 16
#define MIX_WEIGHT_MAX        1000

struct mix {
    uint8_t *deck; /* the caller's memory, mix_deck_count long */
    uint32_t count, dealt_count;
    struct rng rng;
};

/* Cards of the deck: the weights (each > 0) without their common divisor, added up. */
uint32_t mix_deck_count(const uint32_t *weights, uint32_t weight_count);

/* A deck of its own for each thread `number`: the order is that of seed and number, whatever the
 * server does. */
void mix_init(struct mix *mix, uint8_t *deck, const uint32_t *weights, uint32_t weight_count,
              uint64_t seed, uint32_t number);

/* The index of the next request. */
uint32_t mix_deal(struct mix *mix);

#endif
