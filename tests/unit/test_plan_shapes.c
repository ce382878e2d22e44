// SPDX-License-Identifier: Apache-2.0
// Mixes, think time, other drivers and the driver's connections in a plan: where each mistake is.
#include <criterion/criterion.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "tests/support/edge_buf.h"

#define TITLE     "title: t\n"
#define ENGINES   "engines: [{ name: a, builtin: epoll }]\n"
#define WORKLOADS "workloads: [{ name: w, get: /, connections: 1 }]\n"
#define MINIMAL   TITLE ENGINES WORKLOADS
#define ZEROS     "0000000000000000000000000000000000000000000000000000000000000000"
#define W(item)   TITLE ENGINES "workloads:\n  - { " item " }\n"

static const char *const mistakes[][2] = {
    {W("name: w, connections: 1, requests: [{ get: /a }]"),
     "p.yaml:4:42: requests: write a list of at least two, like "},
    {W("name: w, connections: 1, requests: /a"),
     "p.yaml:4:42: requests: write a list of at least two"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { weight: 2 }]"),
     "p.yaml:4:56: a request has no method; add one of get, head, post"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b, weight: 0 }]"),
     "p.yaml:4:75: weight: 0 is outside 1 to 1000"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b, weight: 1001 }]"),
     "p.yaml:4:75: weight: 1001 is outside 1 to 1000"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b, wait: 1 }]"),
     "p.yaml:4:67: unknown key \"wait\" in a request; "},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b, body: x }]"),
     "p.yaml:4:73: body with GET; only post sends a body"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { post: /b, body: missing }]"),
     "p.yaml:4:74: body: "},
    {W("name: w, connections: 1, requests: [{ get: /a }, { head: /b, expect: { body: x } }]"),
     "p.yaml:4:76: expect: a body with head"},
    {W("name: w, connections: 1, get: /c, requests: [{ get: /a }, { get: /b }]"),
     "p.yaml:4:37: get beside requests; write it in one of its items"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b }], expect: { status: 201 }"),
     "p.yaml:4:78: expect beside requests"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /b }], pipeline: 2"),
     "p.yaml:4:80: pipeline with requests; of a mix one request is on the way"},
    {W("name: w, requests: [{ get: /a }, { get: /b }], flood: { connections: 9, for: 2s }"),
     "p.yaml:4:26: requests beside flood"},
    {W("name: w, connections: 1, requests: [{ get: /a }, { get: /a }, { get: /a }, { get: /a }, { "
       "get: /a }, { get: /a }, { get: /a }, { get: /a }, { get: /a }, { get: /a }, { get: /a }, { "
       "get: /a }, { get: /a }, { get: /a }, { get: /a }, { get: /a }, { get: /a }]"),
     "p.yaml:4:251: requests: more than 16; make two workloads of it"},
    {W("name: w, connections: 1, get: /, think_time: 0s"),
     "p.yaml:4:52: think_time: 0s is outside 1us to 3600s"},
    {W("name: w, connections: 1, get: /, think_time: 10"),
     "p.yaml:4:52: think_time: \"10\" has no unit"},
    {W("name: w, connections: 1, get: /, think_kind: exponential"),
     "p.yaml:4:52: think_kind without think_time; add a time like 10ms or leave it out"},
    {W("name: w, connections: 1, get: /, think_time: 1ms, think_kind: normal"),
     "p.yaml:4:69: think_kind: \"normal\" is not one of constant, exponential"},
    {W("name: w, connections: 1, get: /, think_time: 9ms, rate: 2/s"),
     "p.yaml:4:52: think_time with rate; it is of a closed loop"},
    {W("name: w, connections: 1, get: /, think_time: 9ms, pipeline: 2"),
     "p.yaml:4:52: think_time with pipeline; "},
    {W("name: w, get: /, think_time: 9ms, flood: { connections: 9, for: 2s }"),
     "p.yaml:4:36: think_time beside flood"},
    {MINIMAL "machine: { io: aio }\n", "p.yaml:4:16: io: \"aio\" is not one of epoll, io_uring"},
    {MINIMAL "machine: { source_addresses: [] }\n",
     "p.yaml:4:30: source_addresses: write a list like [127.0.0.2, 127.0.0.3]"},
    {MINIMAL "machine: { source_addresses: [10.0.0.1] }\n",
     "p.yaml:4:31: source_addresses: \"10.0.0.1\" is no address of 127.0.0.0/8; write one like "
     "127.0.0.2"},
    {MINIMAL "machine: { source_addresses: [localhost] }\n",
     "p.yaml:4:31: source_addresses: \"localhost\" is no address"},
    {MINIMAL "machine: { source_addresses: [127.0.0.2, 127.0.0.2] }\n",
     "p.yaml:4:42: source_addresses: \"127.0.0.2\" a second time; keep one"},
    {W("name: w, get: /, connections: 1, driver: ab"),
     "p.yaml:4:48: driver: \"ab\" is not one of tacho, wrk, replay"},
    {W("name: w, head: /, connections: 1, driver: wrk"),
     "p.yaml:4:49: driver: wrk sends one get over connections that are kept"},
    {W("name: w, get: /, connections: 1, think_time: 1ms, driver: wrk"),
     "p.yaml:4:65: driver: wrk sends one get"},
    {W("name: w, get: /, connections: 1, rate: 5/s, driver: wrk"),
     "p.yaml:4:59: driver: wrk sends one get"},
    {W("name: w, get: /, connections: 1, driver: replay"),
     "p.yaml:4:48: driver: replay wants the results file to play; add \"replay: FILE\""},
    {W("name: w, get: /, connections: 1, replay: a.db"),
     "p.yaml:4:48: replay beside another driver; add \"driver: replay\" or leave it out"},
    {W("name: w, get: /, connections: 1, driver: replay, replay: /tmp/a.db"),
     "p.yaml:4:64: replay: an absolute path; write it relative to the plan's folder"},
    {W("name: w, get: /, flood: { connections: 9, for: 2s }, driver: replay, replay: a.db"),
     "p.yaml:4:68: driver: replay plays trials of one request; leave out the mix or the flood"},
    {TITLE ENGINES
     "workloads: [{ name: w, get: /, connections: 1, driver: wrk }]\nwindow: 1500ms\n",
     "p.yaml:4:9: window: wrk measures whole seconds; make it one like 2s"},
    {TITLE ENGINES "workloads: [{ name: w, get: /, connections: 1, driver: wrk }]\n"
                   "claims: [{ id: C, bound: p99, of: a, at_most: 1ms }]\n",
     "p.yaml:4:"},
    {W("name: w, get: /, connections: 1, driver: replay, replay: a.db"),
     "p.yaml:4:64: replay: a.db: No such file or directory; name a results file"},
    {W("name: w, get: /, connections: 1, driver: replay, replay: tests"),
     "p.yaml:4:64: replay: tests: not a regular file; name a results file"},
    {W("name: w, get: /, connections: 1, driver: replay, replay: Makefile, replay_sha256: ab"),
     "p.yaml:4:89: replay_sha256: not a SHA-256; write 64 lower-case hex digits"},
    {W("name: w, get: /, connections: 1, driver: replay, replay: Makefile, replay_sha256: " ZEROS),
     "p.yaml:4:89: replay_sha256: the file Makefile has another one: "},
    {W("name: w, get: /, connections: 1, replay_sha256: " ZEROS),
     "p.yaml:4:55: replay_sha256 without replay; name the file in \"replay\" or leave it out"},
    {TITLE ENGINES
     "workloads: [{ name: w, get: /, connections: 1, driver: replay, replay: Makefile }]\n"
     "claims: [{ id: C, bound: p99, of: a, at_most: 1ms }]\n",
     "p.yaml:4:"},
    {TITLE "engines: [{ name: a, url: \"https://127.0.0.1:9\", tls: true }]\n"
           "workloads: [{ name: w, get: /, connections: 1, driver: wrk }]\n",
     "p.yaml:2:"},
};

/* Each text ends at an unreadable page. */
Test(plan_shapes, tells_line_and_column_of_every_kind_of_mistake)
{
    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        struct plan *plan = NULL;
        struct edge_buf edge;
        struct err e = {0};
        size_t length = strlen(mistakes[i][0]);

        edge_buf_init(&edge, mistakes[i][0], length);
        cr_expect_eq(plan_parse("p.yaml", NULL, edge.bytes, length, &plan, &e), ERR_USAGE,
                     "row %zu", i);
        cr_expect_eq(strncmp(e.text, mistakes[i][1], strlen(mistakes[i][1])), 0,
                     "row %zu:\n  got  %s\n  want %s", i, e.text, mistakes[i][1]);
        edge_buf_release(&edge);
    }
}
