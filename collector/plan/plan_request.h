// SPDX-License-Identifier: Apache-2.0
// A request of a workload: what is sent, and what a right answer is.
#ifndef COLLECTOR_PLAN_PLAN_REQUEST_H
#define COLLECTOR_PLAN_PLAN_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "collector/driver/mix.h"

#define PLAN_REQUEST_COUNT_MAX MIX_REQUEST_COUNT_MAX

struct plan_expect {
    int status;         /* default 200 */
    int64_t body_bytes; /* -1: not stated */
    const char *body;   /* the literal body (body_bytes long), NULL: not stated */
    const char
        *body_sha256; /* 64 hex digits, NULL: not stated; made from `body` when that is given */
};

struct plan_request {
    const char *method;    /* "GET", "HEAD", "POST" */
    const char *path;      /* begins with '/' */
    const char *body_path; /* as written in the plan, NULL: no body */
    const char *body;      /* request body, body_bytes long; "" when none */
    size_t body_bytes;
    const char *body_sha256; /* of the request body; NULL when none */
    struct plan_expect expect;
    uint32_t weight; /* of a mix: 1 … MIX_WEIGHT_MAX */
};

#endif
