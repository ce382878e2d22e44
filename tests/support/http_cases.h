// SPDX-License-Identifier: Apache-2.0
// Requests and what is to come of them, from RFC 9110 and RFC 9112: for the core alone, and for
// every server over a socket.
#ifndef TESTS_SUPPORT_HTTP_CASES_H
#define TESTS_SUPPORT_HTTP_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct http_case {
    const char *why, *input;
    size_t length;    /* of the input, which may hold NUL bytes */
    const char *want; /* as of http_run_summarise: "100 200 400c" */
};

struct http_case_group {
    const char *name;
    bool is_smuggling; /* what one reader takes for one request, another may take for two */
    const struct http_case *cases;
    size_t count;
};

extern const struct http_case_group http_case_groups[];
extern const size_t http_case_group_count;

#endif
