// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>

#include "engines/base/rng.h"
#include "tests/support/prop.h"

/* Published first outputs of SplitMix64 with seed 1234567 (Vigna's splitmix64.c; Rosetta Code lists
 * them). They are the state that rng_init makes. */
Test(rng, seeds_its_state_with_splitmix64)
{
    static const uint64_t want[4] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    struct rng rng;

    rng_init(&rng, 1234567);
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(rng.state[i], want[i], "word %zu", i);
    }
}

/* xoshiro256** from state {1, 2, 3, 4}: the first outputs in the test of the Rust crate
 * rand_xoshiro, made with the authors' C code. */
Test(rng, continues_with_xoshiro256_starstar)
{
    static const uint64_t want[5] = {11520, 0, 1509978240, UINT64_C(1215971899390074240),
                                     UINT64_C(1216172134540287360)};
    struct rng rng = {{1, 2, 3, 4}};

    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(rng_next(&rng), want[i], "output %zu", i);
    }
}

Test(rng, a_shuffle_is_a_permutation)
{
    for_each_case(rng, 200, 7)
    {
        uint32_t values[20];
        uint32_t seen = 0;

        for (uint32_t i = 0; i < 20; i++) {
            values[i] = i;
        }
        rng_shuffle(&rng, values, 20);
        for (size_t i = 0; i < 20; i++) {
            seen |= UINT32_C(1) << values[i];
        }
        cr_expect_eq(seen, (UINT32_C(1) << 20) - 1, "seed %llu",
                     (unsigned long long)prop_case_seed);
    }
}
