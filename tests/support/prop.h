// SPDX-License-Identifier: Apache-2.0
// Property tests: a seeded loop in one test. The seed is printed when a case fails; PROP_SEED=…
// repeats it.
#ifndef TESTS_SUPPORT_PROP_H
#define TESTS_SUPPORT_PROP_H

#include <stdint.h>
#include <stdlib.h>

#include "engines/base/rng.h"

/* The seed of this run: PROP_SEED of the environment, else `seed`. */
static inline uint64_t prop_seed(uint64_t seed)
{
    const char *given = getenv("PROP_SEED");
    return given ? strtoull(given, NULL, 0) : seed;
}

/*
 * for_each_case(rng, 1000, 42) { … cr_expect(…, "seed %llu case %d", prop_case_seed, prop_case); }
 * Each case has a generator of its own, so that one case can be run alone.
 */
#define for_each_case(rng_name, case_count, seed)                                                  \
    for (int prop_case = 0; prop_case < (case_count); prop_case++)                                 \
        for (uint64_t prop_case_seed = prop_seed(seed) + (uint64_t)prop_case, prop_once = 1;       \
             prop_once; prop_once = 0)                                                             \
            for (struct rng rng_name,                                                              \
                 *prop_rng = (rng_init(&rng_name, prop_case_seed), &rng_name);                     \
                 prop_rng; prop_rng = NULL)

#endif
