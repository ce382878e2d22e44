// SPDX-License-Identifier: Apache-2.0
// The text of a plan as a session stores it.
#include "tests/support/plan_text.h"

#include "collector/plan/plan.h"
#include "tests/support/results_sql.h"

#define WHOLE_PLAN                                                                                 \
    "engines: [{ name: epoll, builtin: epoll }, { name: blocking, builtin: blocking }]\n"          \
    "workloads: [{ name: ping, get: /ping, expect: { body: pong }, connections: 125 }]\n"

void plan_text_make_whole(struct buf *text)
{
    struct plan *plan = NULL;
    struct err e = {0};

    buf_add_text(text, WHOLE_PLAN);
    sql_fail_if(plan_parse("plan", NULL, text->bytes, text->length, &plan, &e) != ERR_OK, NULL,
                e.text);
    text->length = 0;
    plan_format(plan, text);
    plan_free(plan);
}
