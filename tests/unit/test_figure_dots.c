// SPDX-License-Identifier: Apache-2.0
// Dots of figures with more trials than can be seen.
#include <criterion/criterion.h>
#include <math.h>

#include "report/compose/compose_parts.h"
#include "report/compose/figure_parts.h"
#include "tests/support/prop.h"

#define COUNT_MAX 200

/* Looked at one by one: a value that is not drawn lies between two of its group that are. */
Test(figure_dots, thinning_loses_no_extreme)
{
    for_each_case(rng, 300, 21)
    {
        size_t count = (size_t)rng_below(&rng, COUNT_MAX), group = 1 + (size_t)rng_below(&rng, 9);
        double values[COUNT_MAX];
        bool is_drawn[COUNT_MAX] = {false};
        size_t drawn_count = 0;

        for (size_t i = 0; i < count; i++) {
            values[i] = rng_below(&rng, 8) == 0 ? (double)NAN : (double)rng_below(&rng, 50);
        }
        figure_thin(values, count, group, is_drawn);
        for (size_t i = 0; i < count; i++) {
            bool has_lower = false, has_higher = false;

            drawn_count += is_drawn[i];
            for (size_t k = i / group * group; k < count && k < i / group * group + group; k++) {
                has_lower = has_lower || (is_drawn[k] && values[k] <= values[i]);
                has_higher = has_higher || (is_drawn[k] && values[k] >= values[i]);
            }
            cr_expect(isnan(values[i]) ? !is_drawn[i] : has_lower && has_higher,
                      "seed %llu value %zu", (unsigned long long)prop_case_seed, i);
        }
        cr_expect_leq(drawn_count, 2 * ((count + group - 1) / group));
    }
}

Test(figure_dots, are_within_their_budget)
{
    for (size_t count = 1; count < 100000; count = count * 3 / 2 + 1) {
        size_t group = figure_dot_group(count);

        cr_expect_eq(group == 1, count <= FIGURE_DOT_BUDGET, "%zu", count);
        cr_expect_leq(group == 1 ? count : 2 * (count / group), FIGURE_DOT_BUDGET, "%zu", count);
    }
}
