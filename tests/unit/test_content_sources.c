// SPDX-License-Identifier: Apache-2.0
// What a list of a bundle's contents says of sources, by the engines that were measured.
#include <criterion/criterion.h>
#include <string.h>

#include "report/bundle/content.h"

#define ENGINE_COUNT_MAX 3

Test(content_sources, are_called_those_of_the_servers_only_when_all_are_built_in)
{
    static const struct {
        struct results_engine engines[ENGINE_COUNT_MAX];
        size_t count;
        const char *words;
    } cases[] = {
        {{{.role = "limit", .kind = "builtin"}, {.role = "baseline", .kind = "builtin"}},
         2,
         "server sources, "},
        {{{.role = "limit", .kind = "builtin"},
          {.role = "baseline", .kind = "command"},
          {.role = "candidate", .kind = "builtin"}},
         3,
         "sources of the built-in servers, "},
        {{{.role = "limit", .kind = "builtin"}, {.role = "baseline", .kind = "url"}}, 2, ""},
        {{{.role = "limit", .kind = "builtin"}}, 1, ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct results_engine engines[ENGINE_COUNT_MAX];
        const struct results results = {.engines = engines, .engine_count = cases[i].count};

        memcpy(engines, cases[i].engines, sizeof(engines));
        cr_expect_str_eq(content_sources_words(&results), cases[i].words, "case %zu", i);
    }
}
