// SPDX-License-Identifier: Apache-2.0
// Random numbers from a stored seed: SplitMix64 fills the state of xoshiro256**, so an order can be
// made again.
#ifndef ENGINES_BASE_RNG_H
#define ENGINES_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

#define RNG_NAME "splitmix64/xoshiro256**"

struct rng {
    uint64_t state[4];
};

/* source   Steele, Lea, Flood 2014 (SplitMix64); Blackman, Vigna 2018 (xoshiro256**) */
void rng_init(struct rng *rng, uint64_t seed);

static inline uint64_t rng_rotate_left(uint64_t value, unsigned count)
{
    return (value << count) | (value >> (64 - count));
}

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rng_rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rng_rotate_left(s[3], 45);
    return result;
}

/* Uniform in [0, bound), without modulo bias; bound > 0.   source   Lemire 2019, rejection by
 * threshold */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/* Uniform in [0, 1) with 53 random bits. */
double rng_unit(struct rng *rng);

/* Fisher–Yates over `count` indices; every permutation is equally likely. */
void rng_shuffle(struct rng *rng, uint32_t *values, size_t count);

#endif
