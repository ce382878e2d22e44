// SPDX-License-Identifier: Apache-2.0
// SplitMix64 and xoshiro256**, from the published definitions.
#include "engines/base/rng.h"

#include <assert.h>

static uint64_t splitmix64_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_init(struct rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        rng->state[i] = splitmix64_next(&seed);
    }
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    assert(bound > 0);
    uint64_t threshold = (0 - bound) % bound;

    for (;;) {
        uint64_t value = rng_next(rng);
        if (value >= threshold) {
            return value % bound;
        }
    }
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

void rng_shuffle(struct rng *rng, uint32_t *values, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rng_below(rng, i);
        uint32_t kept = values[i - 1];

        values[i - 1] = values[other];
        values[other] = kept;
    }
}
