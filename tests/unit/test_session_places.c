// SPDX-License-Identifier: Apache-2.0
// Which places of a schedule a sitting runs.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/run/session_places.h"
#include "engines/base/attr.h"

static const char text[] =
    "title: t\nbaseline: a\ntrials: 2\nengines:\n  - { name: a, builtin: epoll }\n"
    "  - { name: \"a:b\", builtin: blocking }\nworkloads:\n"
    "  - { name: v, get: /ping, connections: 4 }\n  - { name: w, get: /ping, connections: [4, 8] "
    "}\n"
    /* Any file: whether it is a results file is not for the plan. */
    "  - { name: u, get: /ping, connections: 4, driver: replay, replay: Makefile }\n";

/* 4 cells of 2 blocks of 3 arms, and 2 numbers of connections before and after. */
Test(session_places, are_those_that_only_names_and_their_calibration)
{
    static const struct {
        const char *only[2];
        size_t count;
        const char *want;
        bool engines_wanted[2];
    } rows[] = {
        {{NULL}, 4 * 2 * 3 + 4, NULL, {true, true}},
        {{"a"}, 4 * 2 + 4, NULL, {true, false}},
        {{"a:v"}, 2 + 2, NULL, {true, false}},
        {{"a:b"}, 4 * 2 + 4, NULL, {false, true}},
        {{"a:u"}, 2, NULL, {false, false}},
        {{"a:b:w"}, 2 * 2 + 4, NULL, {false, true}},
        {{"a (A/A):v"}, 2 + 2, NULL, {true, false}},
        {{"a:v", "a:w"}, 3 * 2 + 4, NULL, {true, false}},
        {{"a:v", "a:v"}, 2 + 2, NULL, {true, false}},
        {{"b"},
         0,
         "--only b: no engine of the plan has that name; did you mean \"a\"?",
         {false, false}},
        {{"nothing"},
         0,
         "--only nothing: no engine of the plan has that name; known: a, a:b",
         {false, false}},
        {{"a:x"},
         0,
         "--only a:x: no workload of the plan has that name; did you mean \"v\"?",
         {false, false}},
        {{"a:"},
         0,
         "--only a:: no workload of the plan has that name; known: v, w, u",
         {false, false}},
        {{""}, 0, "--only : no engine of the plan has that name; known: a, a:b", {false, false}},
    };
    struct plan *plan = NULL;
    struct schedule schedule;
    struct err e = {0};

    cr_assert_eq(plan_parse("p", NULL, text, strlen(text), &plan, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(schedule_make(plan, &schedule, &e), ERR_OK);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct session_config config = {.plan = plan,
                                              .only = rows[i].only,
                                              .only_count = (size_t)(rows[i].only[0] != NULL) +
                                                            (rows[i].only[1] != NULL)};
        struct session_places places = {0};
        enum err_code code = session_places_make(&config, &schedule, &places, &e);

        cr_expect_eq(code, rows[i].want ? ERR_USAGE : ERR_OK, "row %zu: %s", i, e.text);
        cr_expect_eq(places.wanted_count, rows[i].count, "row %zu: %zu", i, places.wanted_count);
        cr_expect_arr_eq(places.engines_wanted, rows[i].engines_wanted, 2, "row %zu", i);
        cr_expect_eq(places.is_replay, places.wanted_count == 2, "row %zu", i);
        if (rows[i].want) {
            cr_expect_str_eq(e.text, rows[i].want, "row %zu", i);
        }
        session_places_release(&places);
    }
    schedule_release(&schedule);
    plan_free(plan);
}

Test(session_places, that_are_done_are_let_out_and_the_others_get_the_next_attempt)
{
    struct store_past_row done[] = {{.numbers = {0, 1, 1, 0}},
                                    {.numbers = {3, 2, 0, 1}},
                                    {.numbers = {1000, 1, 1, 0}},
                                    {.numbers = {-1, 1, 1, 0}}};
    const struct store_past past = {.places = {done, ARRAY_COUNT(done)}};
    struct session_places places = {0};
    struct plan *plan = NULL;
    struct schedule schedule;
    struct err e = {0};

    cr_assert_eq(plan_parse("p", NULL, text, strlen(text), &plan, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(schedule_make(plan, &schedule, &e), ERR_OK);
    const struct session_config config = {.plan = plan};
    cr_assert_eq(session_places_make(&config, &schedule, &places, &e), ERR_OK);
    session_places_drop_done(&places, &past);
    cr_expect_eq(places.wanted_count, schedule.count - 1);
    cr_expect_not(places.items[0].is_wanted);
    cr_expect(places.items[3].is_wanted);
    cr_expect_eq(places.items[3].attempt_index, 2);
    cr_expect_eq(places.items[4].attempt_index, 0);
    session_places_release(&places);
    schedule_release(&schedule);
    plan_free(plan);
}
