// SPDX-License-Identifier: Apache-2.0
// Claims of a plan: what is read, how it is written out, what is refused and where.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "tests/support/edge_buf.h"

#define HEAD                                                                                       \
    "title: t\n"                                                                                   \
    "engines: [{ name: a, builtin: epoll }, { name: b, builtin: blocking }]\n"                     \
    "workloads: [{ name: w, get: /, connections: [1, 8] }, "                                       \
    "{ name: f, get: /, flood: { connections: 9, for: 1s } }]\n"                                   \
    "claims:\n"

static enum err_code edge_parse(const char *text, struct plan **plan_out, struct err *e)
{
    struct edge_buf edge;
    size_t length = strlen(text);

    edge_buf_init(&edge, text, length);
    enum err_code code = plan_parse("p.yaml", NULL, edge.bytes, length, plan_out, e);
    edge_buf_release(&edge);
    return code;
}

Test(plan_claims, have_one_spelling_that_is_a_fixed_point)
{
    static const struct {
        const char *claim, *want;
    } rows[] = {
        {"{ at_least: 1.20, workload: w, over: b, of: a, ratio: throughput, id: C1 }",
         "ratio: throughput\n    of: \"a\"\n    over: \"b\"\n    workload: \"w\"\n"
         "    at_least: 1.2\n"},
        {"{ id: C1, ratio: p999, of: b, over: a, at_least: 0.1, at_most: 1e1, connections: 8 }",
         "ratio: p999\n    of: \"b\"\n    over: \"a\"\n    connections: 8\n    at_least: 0.1\n"
         "    at_most: 1e+01\n"},
        {"{ id: C1, order: p99, engines: [b, a] }",
         "order: p99\n    engines:\n      - \"b\"\n      - \"a\"\n"},
        {"{ id: C1, bound: p50, of: a, at_most: 0.25ms }",
         "bound: p50\n    of: \"a\"\n    at_most: 250us\n"},
        {"{ id: C1, bound: rss, of: a, at_most: 64MiB }",
         "bound: rss\n    of: \"a\"\n    at_most: 67108864\n"},
        {"{ id: C1, bound: server_cpu, of: a, at_least: 20us }",
         "bound: server_cpu\n    of: \"a\"\n    at_least: 20us\n"},
        {"{ id: C1, level: throughput, of: a, value: 50000/s, within: 2.5% }",
         "level: throughput\n    of: \"a\"\n    value: 5e+04/s\n    within: 2.5%\n"},
        {"{ id: C1, no_errors: true }", "no_errors: true\n"},
        {"{ id: C1, recovers: b }", "recovers: \"b\"\n    growth: 33554432\n"},
        {"{ id: C1, recovers: b, at_most: 2s, growth: 1MiB, workload: f }",
         "recovers: \"b\"\n    workload: \"f\"\n    at_most: 2s\n    growth: 1048576\n"},
        {"{ id: C1, no_errors: true, of: b, workload: w }",
         "no_errors: true\n    of: \"b\"\n    workload: \"w\"\n"},
    };
    struct buf first, second;

    buf_init(&first, 8192);
    buf_init(&second, 8192);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[1024], want[1024];
        struct plan *plan = NULL;
        struct err e = {0};

        snprintf(text, sizeof(text), HEAD "  - %s\n", rows[i].claim);
        snprintf(want, sizeof(want), "claims:\n  - id: \"C1\"\n    %s", rows[i].want);
        cr_assert_eq(edge_parse(text, &plan, &e), ERR_OK, "row %zu: %s", i, e.text);
        buf_clear(&first);
        plan_format(plan, &first);
        const char *claims = strstr(first.bytes, "claims:\n");

        cr_assert(claims);
        cr_expect_str_eq(claims, want, "row %zu: %s", i, claims);
        plan_free(plan);
        /* Read again, as a plan and as a report does it: only the claims. */
        cr_assert_eq(edge_parse(first.bytes, &plan, &e), ERR_OK, "row %zu: %s", i, e.text);
        buf_clear(&second);
        plan_format(plan, &second);
        cr_expect_str_eq(first.bytes, second.bytes, "row %zu", i);
        plan_free(plan);
        cr_assert_eq(plan_parse_claims("p", claims, strlen(claims), &plan, &e), ERR_OK,
                     "row %zu: %s", i, e.text);
        cr_assert_eq(plan->claim_count, 1);
        plan_free(plan);
    }
    buf_release(&first);
    buf_release(&second);
}

#define SAME(a, b) (isnan(a) ? isnan(b) : (a) == (b))

Test(plan_claims, are_read_in_the_units_of_their_metric)
{
    static const struct {
        const char *claim;
        double at_least, at_most, value, within;
    } rows[] = {
        {"{ id: C, ratio: throughput, of: a, over: b, at_least: 1.2 }", 1.2, NAN, NAN, NAN},
        {"{ id: C, bound: throughput, of: a, at_least: 5e4/s }", 50000, NAN, NAN, NAN},
        {"{ id: C, bound: p99, of: a, at_most: 5ms }", NAN, 5e6, NAN, NAN},
        {"{ id: C, bound: server_cpu, of: a, at_least: 1us, at_most: 20us }", 1e3, 2e4, NAN, NAN},
        {"{ id: C, bound: rss, of: a, at_most: 64kB }", NAN, 64000, NAN, NAN},
        {"{ id: C, level: p50, of: a, value: 2ms, within: 5% }", NAN, NAN, 2e6, 5},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[1024];
        struct plan *plan = NULL;
        struct err e = {0};

        snprintf(text, sizeof(text), HEAD "  - %s\n", rows[i].claim);
        cr_assert_eq(edge_parse(text, &plan, &e), ERR_OK, "row %zu: %s", i, e.text);
        const struct plan_claim *claim = &plan->claims[0];

        cr_expect(SAME(rows[i].at_least, claim->at_least), "row %zu", i);
        cr_expect(SAME(rows[i].at_most, claim->at_most), "row %zu", i);
        cr_expect(SAME(rows[i].value, claim->value), "row %zu", i);
        cr_expect(SAME(rows[i].within, claim->within), "row %zu", i);
        plan_free(plan);
    }
}

Test(plan_claims, mistakes_are_told_where_they_are)
{
    static const struct {
        const char *claims, *want;
    } rows[] = {
        {"  ratio: 1\n", "p.yaml:5:3: claims: write a list"},
        {"  - C1\n", "p.yaml:5:5: a claim: a single value"},
        {"  - { id: C1 }\n", "p.yaml:5:5: a claim of no kind; add one of ratio, order"},
        {"  - { ratio: throughput }\n", "p.yaml:5:5: a claim has no \"id\""},
        {"  - { id: C, ratio: speed }\n", "p.yaml:5:21: ratio: no metric \"speed\""},
        {"  - { id: C, ratio: rss, bound: rss }\n", "p.yaml:5:33: bound beside ratio"},
        {"  - { id: C, ratio: rss, of: a }\n", "p.yaml:5:5: a claim of kind ratio has no \"over\""},
        {"  - { id: C, ratio: rss, of: a, over: b }\n", "p.yaml:5:5: a claim without a limit"},
        {"  - { id: C, ratio: rss, of: a, over: b, at_least: 2, at_most: 1 }\n",
         "p.yaml:5:64: at_most: below at_least"},
        {"  - { id: C, ratio: rss, of: a, over: b, at_least: 0 }\n",
         "p.yaml:5:52: at_least: \"0\"; write a number above 0 like 1.2"},
        {"  - { id: C, ratio: rss, of: a, over: b, at_least: nan }\n",
         "p.yaml:5:52: at_least: \"nan\""},
        {"  - { id: C, ratio: rss, of: a, over: b, at_least: 1e999 }\n",
         "p.yaml:5:52: at_least: \"1e999\""},
        {"  - { id: C, ratio: rss, of: a, over: a, at_least: 1 }\n",
         "p.yaml:5:39: an engine against itself: \"a\""},
        {"  - { id: C, ratio: rss, of: a, over: c, at_least: 1 }\n",
         "p.yaml:5:39: no engine has the name \"c\""},
        {"  - { id: C, bound: rss, of: a, over: b, at_least: 1 }\n",
         "p.yaml:5:39: over: has no place in a claim of kind bound"},
        {"  - { id: C, bound: rss, of: a, at_most: 5ms }\n", "p.yaml:5:42: at_most: "},
        {"  - { id: C, bound: rss, of: a, at_most: 0 }\n",
         "p.yaml:5:42: at_most: 0 is outside 1 byte to 1 PiB"},
        {"  - { id: C, bound: p99, of: a, at_most: 5 }\n", "p.yaml:5:42: at_most: "},
        {"  - { id: C, bound: throughput, of: a, at_least: 5 }\n",
         "p.yaml:5:50: at_least: \"5\"; write a number above 0 like 50000/s"},
        {"  - { id: C, level: throughput, of: a, value: 5/s, within: 0.05 }\n",
         "p.yaml:5:60: within: \"0.05\"; write a number above 0 like 5%"},
        {"  - { id: C, level: throughput, of: a, value: 5/s }\n",
         "p.yaml:5:5: a claim of kind level has no \"within\""},
        {"  - { id: C, order: p99, engines: [a] }\n", "p.yaml:5:35: engines: an order needs two"},
        {"  - { id: C, order: p99, engines: a }\n", "p.yaml:5:35: engines: write a list"},
        {"  - { id: C, no_errors: false }\n", "p.yaml:5:25: no_errors: only true"},
        {"  - { id: C, no_errors: true, workload: v }\n",
         "p.yaml:5:41: workload: none has the name \"v\""},
        {"  - { id: C, recovers: z }\n", "p.yaml:5:24: no engine has the name \"z\""},
        {"  - { id: C, recovers: a, at_least: 1s }\n",
         "p.yaml:5:37: at_least: has no place in a claim of kind recovers"},
        {"  - { id: C, recovers: a, at_most: 5 }\n", "p.yaml:5:36: at_most: "},
        {"  - { id: C, recovers: a, growth: 5ms }\n", "p.yaml:5:35: growth: "},
        {"  - { id: C, recovers: a, workload: w }\n",
         "p.yaml:5:37: recovers: the workload has no flood; name a workload with a flood"},
        {"  - { id: C, no_errors: true, workload: f }\n",
         "p.yaml:5:41: no_errors: the workload is a flood, of which only \"recovers\""},
        {"  - { id: C, no_errors: true, growth: 1MiB }\n",
         "p.yaml:5:39: growth: has no place in a claim of kind no_errors"},
        {"  - { id: C, no_errors: true, connections: 2 }\n",
         "p.yaml:5:44: connections: the workload has no load point of 2"},
        {"  - { id: C, no_errors: true }\n  - { id: C, no_errors: true }\n",
         "p.yaml:6:11: id: a second claim \"C\""},
        {"  - { id: C, no_errors: true, at_leest: 1 }\n",
         "p.yaml:5:31: unknown key \"at_leest\" in a claim; did you mean \"at_least\"?"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[1024];
        struct plan *plan = NULL;
        struct err e = {0};

        snprintf(text, sizeof(text), HEAD "%s", rows[i].claims);
        cr_expect_eq(edge_parse(text, &plan, &e), ERR_USAGE, "row %zu", i);
        cr_expect_null(plan);
        cr_expect_eq(strncmp(e.text, rows[i].want, strlen(rows[i].want)), 0, "row %zu: %s", i,
                     e.text);
    }
}

/* Claims may come before what they name; a stored text is judged by what the session has. */
Test(plan_claims, may_stand_before_the_engines)
{
    static const char text[] = "claims: [{ id: C, no_errors: true, of: a }]\n"
                               "title: t\nengines: [{ name: a, builtin: epoll }]\n"
                               "workloads: [{ name: w, get: /, connections: 1 }]\n";
    static const char foreign[] =
        "claims: [{ id: C, no_errors: true, of: z }]\nfuture: { key: [1] }\n";
    static const char *const refused[] = {"", "- a\n", "claims: 7\n", "claims: [{ id: C }]\n"};
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(edge_parse(text, &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan->claim_count, 1);
    plan_free(plan);
    cr_assert_eq(plan_parse_claims("p", foreign, strlen(foreign), &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan->claim_count, 1);
    plan_free(plan);
    cr_assert_eq(plan_parse_claims("p", "title: t\n", 9, &plan, &e), ERR_OK);
    cr_expect_eq(plan->claim_count, 0);
    plan_free(plan);
    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        cr_expect_eq(plan_parse_claims("p", refused[i], strlen(refused[i]), &plan, &e), ERR_USAGE,
                     "row %zu", i);
    }
}
