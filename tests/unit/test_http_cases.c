// SPDX-License-Identifier: Apache-2.0
// The core answers every case of tests/support/http_cases.c as it should.
#include <criterion/criterion.h>

#include "tests/support/http_cases.h"
#include "tests/support/http_run.h"

Test(http_cases, are_answered_as_the_standards_say)
{
    for (size_t g = 0; g < http_case_group_count; g++) {
        const struct http_case_group *group = &http_case_groups[g];

        for (size_t i = 0; i < group->count; i++) {
            const struct http_case *one = &group->cases[i];
            struct http_run run;
            char got[64];

            http_run_init(&run, one->input, one->length, NULL, 0);
            http_run_summarise(&run, got, sizeof(got));
            cr_expect_str_eq(got, one->want, "%s: %s: \"%s\", not \"%s\"", group->name, one->why,
                             got, one->want);
            http_run_release(&run);
        }
    }
}
