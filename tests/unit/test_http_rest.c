// SPDX-License-Identifier: Apache-2.0
// What a connection keeps between reads.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/http/http_rest.h"
#include "tests/support/prop.h"

/* Whatever comes and is used up, in whatever steps: what is kept is what a plain array keeps. */
Test(http_rest, keeps_what_was_not_used_up)
{
    for_each_case(rng, 200, 7)
    {
        struct byte_pool pool;
        struct http_rest rest = {0};
        static char model[200000], block[9000];
        size_t length = 0;

        byte_pool_init(&pool);
        for (int step = 0; step < 30; step++) {
            size_t count = rng_below(&rng, sizeof(block));
            for (size_t i = 0; i < count; i++) {
                block[i] = (char)rng_below(&rng, 256);
            }
            if (length + count > sizeof(model)) {
                break;
            }
            cr_assert(http_rest_append(&rest, &pool, block, count));
            memcpy(model + length, block, count);
            length += count;
            struct http_input in = {rest.bytes, rng_below(&rng, length + 1), length};
            size_t room = 1 + rng_below(&rng, 5000);
            cr_assert(http_rest_keep(&rest, &pool, &in, rng_below(&rng, 20000), room));
            length -= in.start;
            memmove(model, model + in.start, length);
            cr_expect_eq(rest.length, length, "seed %lu", prop_case_seed);
            cr_expect(length == 0 || memcmp(rest.bytes, model, length) == 0);
            cr_expect_gt(rest.capacity, rest.length, "seed %lu: no room", prop_case_seed);
        }
        http_rest_release(&rest, &pool);
        cr_expect_null(rest.bytes);
        byte_pool_release(&pool);
    }
}
