// SPDX-License-Identifier: Apache-2.0
// Which keys of two plans differ.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "collector/plan/plan_diff.h"
#include "engines/base/attr.h"

#define PLAN                                                                                       \
    "title: t\nengines:\n  - { name: a, builtin: epoll }\n  - { name: b.c, builtin: blocking }\n"  \
    "workloads:\n  - { name: w, get: /ping, connections: 4 }\n"

static void canonical_make(const char *text, struct buf *out)
{
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(plan_parse("p", NULL, text, strlen(text), &plan, &e), ERR_OK, "%s", e.text);
    plan_format(plan, out);
    plan_free(plan);
}

Test(plan_diff, names_what_differs_by_its_keys)
{
    static const struct {
        const char *other, *keys;
    } rows[] = {
        {PLAN, ""},
        {PLAN "# a comment\n", ""},
        {PLAN "window: 21s\n", "window"},
        {PLAN "machine: { nofile: 7 }\nwarmup: 1s\n", "warmup, machine.nofile"},
        {PLAN "machine: { server_cpus: \"0\" }\n", "machine.server_cpus"},
        {"title: t\nengines:\n  - { name: a, builtin: epoll, threads: 2 }\n  - { name: b.c, "
         "builtin: "
         "blocking }\nworkloads:\n  - { name: w, get: /ping, connections: [4, 8] }\n",
         "engines.a.threads, workloads.w.connections"},
        {"title: t\nengines:\n  - { name: a, builtin: epoll }\n"
         "workloads:\n  - { name: v, get: /ping, connections: 4 }\n",
         "engines.b.c, workloads.w, workloads.v"},
        {PLAN "claims: [{ id: C, no_errors: true }]\n", "claims.C"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct buf a, b;
        char keys[200] = "?";
        struct err e = {0};

        buf_init(&a, 1 << 16);
        buf_init(&b, 1 << 16);
        canonical_make(PLAN, &a);
        canonical_make(rows[i].other, &b);
        cr_expect_eq(plan_diff(a.bytes, b.bytes, keys, sizeof(keys), &e), ERR_OK);
        cr_expect_str_eq(keys, rows[i].keys, "row %zu", i);
        buf_release(&a);
        buf_release(&b);
    }
}

/* The stored text is foreign: whatever it is, the answer fits. */
Test(plan_diff, cuts_the_list_where_there_is_no_room)
{
    char keys[24];
    struct err e = {0};

    cr_expect_eq(plan_diff("aaaaaaaaaaaa: 1\nbbbbbbbbbbbb: 1\ncccc: 1\n:::\n - - -\n\n", "x", keys,
                           sizeof(keys), &e),
                 ERR_OK);
    cr_expect_str_eq(keys, "aaaaaaaaaaaa, …");
}
