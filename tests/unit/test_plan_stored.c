// SPDX-License-Identifier: Apache-2.0
// A stored plan takes its bodies from what is handed in, by their SHA-256, and opens no file.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/plan/plan_stored.h"
#include "tests/support/edge_buf.h"

/* printf pong | sha256sum */
#define PONG_SHA256 "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2"

static const char text[] =
    "title: t\ntrials: 1\nengines:\n  - { name: epoll, builtin: epoll }\nworkloads:\n"
    "  - { name: a, post: /echo, body: /etc/passwd/no, body_sha256: "
    "\"" PONG_SHA256 "\", connections: 1 }\n";

static enum err_code parse(const struct plan_body *bodies, size_t count, struct plan **plan_out,
                           struct err *e)
{
    struct edge_buf edge;

    edge_buf_init(&edge, text, strlen(text));
    enum err_code code =
        plan_parse_stored("plan", edge.bytes, edge.length, bodies, count, plan_out, e);
    edge_buf_release(&edge);
    return code;
}

Test(plan_stored, has_the_bodies_that_are_handed_in)
{
    const struct plan_body bodies[] = {{"00", "other", 5}, {PONG_SHA256, "pong", 4}};
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(parse(bodies, 2, &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan->workloads[0].requests[0].body_bytes, 4);
    cr_expect_eq(memcmp(plan->workloads[0].requests[0].body, "pong", 4), 0);
    cr_expect_str_eq(plan->workloads[0].requests[0].body_path, "/etc/passwd/no");
    plan_free(plan);
}

Test(plan_stored, may_know_a_long_body_by_its_digest_alone)
{
    const struct plan_body body = {PONG_SHA256, NULL, 4};
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(parse(&body, 1, &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan->workloads[0].requests[0].body_bytes, 4);
    cr_expect_null(plan->workloads[0].requests[0].body);
    cr_expect_str_eq(plan->workloads[0].requests[0].body_sha256, PONG_SHA256);
    plan_free(plan);
}

Test(plan_stored, is_refused_without_them)
{
    const struct plan_body other = {"00", "pong", 4}, forged = {PONG_SHA256, "pang", 4};
    struct plan *plan = NULL;
    struct err e = {0};

    cr_expect_eq(parse(NULL, 0, &plan, &e), ERR_MISMATCH);
    cr_expect_not_null(strstr(e.text, "is not with it"), "%s", e.text);
    cr_expect_eq(parse(&other, 1, &plan, &e), ERR_MISMATCH);
    cr_expect_eq(parse(&forged, 1, &plan, &e), ERR_USAGE, "%s", e.text);
    cr_expect_not_null(strstr(e.text, "has another one"), "%s", e.text);
    cr_expect_null(plan);
}
