// SPDX-License-Identifier: Apache-2.0
// What a plan may say of TLS, and what it may not.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collector/plan/plan.h"

#define ENGINES   "engines: [{ name: a, builtin: epoll }, "
#define WORKLOADS "workloads: [{ name: w, get: /, connections: 1 }]\n"
#define E_ROW     "title: t\n" ENGINES

Test(plan_tls, tells_what_does_not_go_over_it)
{
    static const struct {
        const char *text;
        const char *want; /* how the message begins */
    } rows[] = {
        {E_ROW "{ name: b, url: \"https://10.0.0.1:80\" }]\n",
         "p.yaml:2:56: url: a server on this machine only; write https://127.0.0.1:PORT"},
        {E_ROW "{ name: b, url: \"https://localhost:1/x\" }]\n",
         "p.yaml:2:56: url: paths belong to the workloads; write https://localhost:1"},
        {E_ROW "{ name: b, url: \"http://127.0.0.1:1\", tls: true }]\n",
         "p.yaml:2:40: tls: the url says http; write https"},
        {E_ROW "{ name: b, builtin: epoll, tls: true }]\n",
         "p.yaml:2:40: tls: this is for a command or a url"},
        {E_ROW "{ name: b, external: node, tls: true }]\n",
         "p.yaml:2:40: tls: this is for a command or a url"},
        {E_ROW "{ name: b, url: \"https://127.0.0.1:1\", tls: false }]\n",
         "p.yaml:2:84: tls: write \"true\" or a mapping like { ca: cert.pem }"},
        {E_ROW "{ name: b, url: \"https://127.0.0.1:1\", tls: { ca: /x.pem } }]\n",
         "p.yaml:2:90: ca: an absolute path"},
        {E_ROW "{ name: b, url: \"https://127.0.0.1:1\", tls: { host: \"a:1\" } }]\n",
         "p.yaml:2:92: host: the name or IPv4 address in the server's certificate"},
        {E_ROW "{ name: b, url: \"https://127.0.0.1:1\", tls: { ca: x, insecure: true } }]\n",
         "p.yaml:2:84: ca: nobody looks at a certificate where \"insecure\" is true"},
        {E_ROW "{ name: b, url: \"https://127.0.0.1:1\" }]\n"
               "workloads: [{ name: w, get: /, flood: { connections: 1, for: 1s } }]\n",
         "p.yaml:2:48: tls: a flood goes over plain connections; make two plans of it"},
        {"title: t\nmachine: { io: io_uring }\n" ENGINES
         "{ name: b, url: \"https://127.0.0.1:1\" }]\n" WORKLOADS,
         "p.yaml:3:48: tls: goes with \"io: epoll\" only"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct plan *plan = NULL;
        struct err e = {0};

        cr_expect_eq(plan_parse("p.yaml", NULL, rows[i].text, strlen(rows[i].text), &plan, &e),
                     ERR_USAGE, "row %zu", i);
        cr_expect_eq(strncmp(e.text, rows[i].want, strlen(rows[i].want)), 0,
                     "row %zu:\n  got  %s\n  want %s", i, e.text, rows[i].want);
        cr_expect_null(plan, "row %zu", i);
    }
}

/* The file lies beside the plan, and is looked at before anything runs. */
Test(plan_tls, a_file_of_certificates_holds_some)
{
    static const struct {
        const char *ca, *want; /* how the message ends; NULL: none */
    } rows[] = {
        {"a.pem", NULL},
        {"../../../README.md", "/../../../README.md: no file with certificates in PEM"},
        {"absent.pem", "/absent.pem: No such file or directory"},
        {"../tls", "/../tls: not a regular file but a folder"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct plan *plan = NULL;
        struct err e = {0};
        char text[512];

        snprintf(text, sizeof(text),
                 E_ROW "{ name: b, url: \"https://127.0.0.1:1\", tls: { ca: %s } }]\n" WORKLOADS,
                 rows[i].ca);
        cr_expect_eq(plan_parse("p.yaml", "tests/fixtures/tls", text, strlen(text), &plan, &e) ==
                         ERR_OK,
                     rows[i].want == NULL, "row %zu: %s", i, e.text);
        cr_expect(!rows[i].want || (strncmp(e.text, "p.yaml:2:84: ca: ", 17) == 0 &&
                                    strstr(e.text, rows[i].want)),
                  "row %zu: %s", i, e.text);
        plan_free(plan);
    }
}
