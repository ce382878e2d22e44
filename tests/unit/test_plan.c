// SPDX-License-Identifier: Apache-2.0
// Plans: what is read, what is refused and where.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/plan/plan.h"
#include "collector/plan/plan_cpus.h"
#include "collector/plan/plan_utf8.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/edge_buf.h"

/* Parses a copy that ends at an unreadable page. */
static enum err_code edge_parse(const char *text, size_t length, struct plan **plan_out,
                                struct err *e)
{
    struct edge_buf edge;

    edge_buf_init(&edge, text, length);
    enum err_code code = plan_parse("p.yaml", NULL, edge.bytes, length, plan_out, e);
    edge_buf_release(&edge);
    return code;
}

static struct plan *plan_of(const char *text)
{
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(edge_parse(text, strlen(text), &plan, &e), ERR_OK, "%s", e.text);
    return plan;
}

#define TITLE     "title: t\n"
#define ENGINES   "engines: [{ name: a, builtin: epoll }]\n"
#define WORKLOADS "workloads: [{ name: w, get: /, connections: 1 }]\n"
#define MINIMAL   TITLE ENGINES WORKLOADS

Test(plan, fills_in_the_documented_defaults)
{
    struct plan *plan = plan_of(MINIMAL);

    cr_expect_str_eq(plan->title, "t");
    cr_expect_str_eq(plan->baseline, "a");
    cr_expect_eq(plan->block_count, 10);
    cr_expect(plan->aa_arm);
    cr_expect_eq(plan->settle_ns, INT64_C(3000000000));
    cr_expect_eq(plan->warmup_ns, INT64_C(5000000000));
    cr_expect_eq(plan->window_ns, INT64_C(20000000000));
    cr_expect_eq(plan->cooldown_ns, INT64_C(2000000000));
    cr_expect_eq(plan->sample_ns, INT64_C(500000000));
    cr_expect_eq(plan->timeout_ns, INT64_C(2000000000));
    cr_expect_eq(plan->ready_within_ns, INT64_C(30000000000));
    cr_expect_eq(plan->seed, 1);
    cr_expect_null(plan->machine.server_cpus);
    cr_expect_eq(plan->workloads[0].requests[0].expect.status, 200);
    cr_expect_eq(plan->workloads[0].requests[0].expect.body_bytes, -1);
    cr_expect_str_eq(plan->workloads[0].requests[0].method, "GET");
    /* 1 cell of 10 blocks of 2 arms and 2 calibrations, 30 s each */
    cr_expect_eq(plan_duration_ns(plan), 22 * INT64_C(30000000000));
    plan_free(plan);
}

Test(plan, of_an_article_has_twenty_blocks)
{
    struct plan *plan = plan_of("trials: article\n" MINIMAL);

    cr_expect_eq(plan->block_count, 20);
    plan_free(plan);
}

Test(plan, reads_every_key)
{
    struct plan *plan =
        plan_of("# all keys\n"
                "title: \"Über\\u00fc\"\nbaseline: b\ntrials: 6\naa: false\n"
                "settle: 0s\nwarmup: 500ms\nwindow: 1.5s\ncooldown: 250us\n"
                "sample: 10ms\ntimeout: 1m\nready_within: 5s\n"
                "seed: 18446744073709551615\n"
                "machine: { server_cpus: \"2,0,1\", driver_cpus: 3, nofile: 10k,"
                " driver_threads: 2 }\n"
                "engines:\n  - name: a\n    builtin: epoll\n    threads: 4\n    extra_work: 10\n"
                "  - { name: b, builtin: blocking }\n"
                "workloads:\n  - name: w\n    head: /x?y=%20z\n"
                "    expect: { status: 404 }\n    connections: [64, 2]\n"
                "  - { name: v, get: /p, expect: { body: pong }, connections: 1 }\n");

    cr_expect_str_eq(plan->title, "Überü");
    cr_expect_str_eq(plan->baseline, "b");
    cr_expect_eq(plan->block_count, 6);
    cr_expect_not(plan->aa_arm);
    cr_expect_eq(plan->window_ns, INT64_C(1500000000));
    cr_expect_eq(plan->cooldown_ns, 250000);
    cr_expect_eq(plan->timeout_ns, INT64_C(60000000000));
    cr_expect_eq(plan->seed, UINT64_MAX);
    cr_expect_str_eq(plan->machine.server_cpus, "0-2");
    cr_expect_str_eq(plan->machine.driver_cpus, "3");
    cr_expect_eq(plan->machine.nofile, 10000);
    cr_expect_eq(plan->machine.driver_threads, 2);
    cr_expect_eq(plan->engines[0].thread_count, 4);
    cr_expect_eq(plan->engines[0].extra_work_percent, 10);
    cr_expect_eq(plan->engines[1].extra_work_percent, 0);
    cr_expect_str_eq(plan->engines[1].builtin, "blocking");
    cr_expect_str_eq(plan->workloads[0].requests[0].method, "HEAD");
    cr_expect_str_eq(plan->workloads[0].requests[0].path, "/x?y=%20z");
    cr_expect_eq(plan->workloads[0].requests[0].expect.status, 404);
    cr_expect_eq(plan->workloads[0].load_point_count, 2);
    cr_expect_eq(plan->workloads[0].connection_counts[1], 2);
    cr_expect_str_eq(plan->workloads[1].requests[0].expect.body, "pong");
    cr_expect_eq(plan->workloads[1].requests[0].expect.body_bytes, 4);
    /* printf pong | sha256sum */
    cr_expect_str_eq(plan->workloads[1].requests[0].expect.body_sha256,
                     "9795c5ff8937f23526ccb207a5684c1fc94a7854e19c021b39d944e51f5baef2");
    plan_free(plan);
}

/* The flood's times stand in place of warm-up and window, and it needs no calibration. */
Test(plan, a_flood_has_its_own_times_and_is_written_out)
{
    static const char text[] =
        TITLE "trials: 3\naa: false\nsettle: 0s\ncooldown: 0s\nwarmup: 1s\nwindow: 4s\n" ENGINES
              "workloads:\n  - { name: w, get: /, connections: 1 }\n"
              "  - { name: f, get: /, flood: { connections: 2k, for: 1.5s } }\n";
    struct plan *plan = plan_of(text);
    struct buf first, second;

    cr_expect_eq(plan->workloads[0].flood.connection_count, 0);
    cr_expect_eq(plan->workloads[1].flood.connection_count, 2000);
    cr_expect_eq(plan->workloads[1].flood.for_ns, INT64_C(1500000000));
    cr_expect_eq(plan->workloads[1].flood.recover_within_ns, INT64_C(10000000000));
    cr_expect_eq(plan_cell_count(&plan->workloads[1]), 1);
    cr_expect_eq(plan_cell(&plan->workloads[1], 0).connection_count, 2000);
    /* (3 + 2 calibrations) of 1 s + 4 s; 3 of two samples of 500 ms, 1.5 s and 10 s */
    cr_expect_eq(plan_duration_ns(plan), INT64_C(25000000000) + INT64_C(37500000000));
    buf_init(&first, 8192);
    buf_init(&second, 8192);
    plan_format(plan, &first);
    cr_expect(strstr(first.bytes, "    flood:\n      connections: 2000\n      for: 1500ms\n"
                                  "      recover_within: 10s\n"),
              "%s", first.bytes);
    plan_free(plan);
    plan = plan_of(first.bytes);
    plan_format(plan, &second);
    cr_expect_str_eq(first.bytes, second.bytes);
    plan_free(plan);
    buf_release(&first);
    buf_release(&second);
}

struct mistake {
    const char *text;
    const char *want; /* how the message begins */
};

#define E_ROW   "engines: [{ name: a, builtin: epoll }, "
#define W(item) TITLE ENGINES "workloads:\n  - { " item " }\n"

static const struct mistake mistakes[] = {
    /* bytes and YAML */
    {"", "p.yaml:1:1: an empty plan; it needs title"},
    {"# nothing\n", "p.yaml:1:1: an empty plan"},
    {"title: \xff\n", "p.yaml:1:8: a byte that is not UTF-8"},
    {"title: é\xc3\n", "p.yaml:1:9: a byte that is not UTF-8"},
    {"title: t\n\x01", "p.yaml:2:1: a control character"},
    {"title: [a\n", "p.yaml:2:1: not YAML: "},
    {"title: a: b\n", "p.yaml:1:9: not YAML: mapping values are not allowed"},
    {"\ttitle: a\n", "p.yaml:1:1: not YAML: "},
    {MINIMAL "---\ntitle: u\n", "p.yaml:4:1: a second document"},
    {"%YAML 1.1\n---\n" MINIMAL, "p.yaml:1:1: a directive (%)"},
    {"title: &x t\n" ENGINES WORKLOADS, "p.yaml:1:8: an anchor (&)"},
    {"title: *x\n", "p.yaml:1:8: an alias (*)"},
    {"title: !!str t\n", "p.yaml:1:8: a tag (!)"},
    {"engines: &e []\n", "p.yaml:1:10: an anchor (&)"},
    {"engines: !x []\n", "p.yaml:1:10: a tag (!)"},
    {"title: [[[[[[[[[[]]]]]]]]]]\n", "p.yaml:1:15: nested deeper than 8 levels"},
    /* shape */
    {"- a\n", "p.yaml:1:1: the plan: a list; write keys and values like \"title: "},
    {"hello\n", "p.yaml:1:1: the plan: a single value"},
    {"[a]: b\n", "p.yaml:1:1: key: a list"},
    {MINIMAL "titel: u\n",
     "p.yaml:4:1: unknown key \"titel\" in the plan; did you mean \"title\"?"},
    {MINIMAL "warm_up: 1s\n", "p.yaml:4:1: unknown key \"warm_up\" in the plan; did you mean "
                              "\"warmup\"?"},
    {MINIMAL "promises: []\n", "p.yaml:4:1: unknown key \"promises\" in the plan; known: title, "},
    {W("name: w, get: /, connections: 1, pace: 5"),
     "p.yaml:4:40: unknown key \"pace\" in a workload; known: get, "},
    {W("name: w, get: /, connections: 1, rate: 5"),
     "p.yaml:4:46: rate: \"5\" is not a rate from 1/s to 10000000/s (it has no /s); write 2000/s "
     "or, of one that changes, \"1000..5000/s\""},
    {W("name: w, get: /, connections: 1, rate: 1000/s..5000/s"),
     "p.yaml:4:46: rate: \"1000/s..5000/s\" is not a rate from 1/s to 10000000/s ("},
    {W("name: w, get: /, connections: 1, rate: 1..10M..11M/s"),
     "p.yaml:4:46: rate: \"1..10M..11M/s\" is not a rate from 1/s to 10000000/s ("},
    {W("name: w, get: /, connections: 1, rate: [2/s, '3,4/s']"),
     "p.yaml:4:52: rate: one that changes stands alone and not in a list"},
    {W("name: w, get: /, connections: 1, rate: 2..4/s, pipeline: 2"),
     "p.yaml:4:64: pipeline with rate; it is of a closed loop: keep one of the two"},
    {W("name: w, get: /, connections: 1, rate: 0/s"), "p.yaml:4:46: rate: \"0/s\" is not a rate"},
    {W("name: w, get: /, connections: 1, rate: /s"), "p.yaml:4:46: rate: \"/s\" is not a rate"},
    {W("name: w, get: /, connections: 1, rate: []"), "p.yaml:4:46: rate: an empty list"},
    {W("name: w, get: /, connections: 1, rate: [2/s, 2/s]"),
     "p.yaml:4:52: rate: 2/s a second time; keep one"},
    {W("name: w, get: /, connections: [1, 2, 3, 4, 5, 6], rate: [1/s, 2/s, 3/s]"),
     "p.yaml:4:63: rate: 3 rates with each of 6 counts of connections; at most 16 together"},
    {W("name: w, get: /, connections: 1, arrivals: poisson"),
     "p.yaml:4:50: arrivals without rate; add a rate like 2000/s or leave it out"},
    {W("name: w, get: /, connections: 1, rate: 2/s, arrivals: even"),
     "p.yaml:4:61: arrivals: \"even\" is not one of uniform, poisson"},
    {W("name: w, get: /, connections: 1, rate: 2/s, pipeline: 2"),
     "p.yaml:4:61: pipeline with rate; it is of a closed loop: keep one of the two"},
    {W("name: w, get: /, connections: 1, pipeline: 0"),
     "p.yaml:4:50: pipeline: 0 is outside 1 to 1024"},
    {W("name: w, get: /, connections: 1, pipeline: 1025"),
     "p.yaml:4:50: pipeline: 1025 is outside 1 to 1024"},
    {W("name: w, get: /, connections: 1, requests_per_connection: 0"),
     "p.yaml:4:65: requests_per_connection: 0 is outside 1 to 4294967295"},
    {TITLE "engines: [{ name: a, uri: x }]\n", "p.yaml:2:22: unknown key \"uri\" in an engine; "},
    {TITLE TITLE, "p.yaml:2:1: \"title\" a second time in the plan; keep one (line 1)"},
    {ENGINES WORKLOADS, "p.yaml:1:1: the plan has no \"title\"; add it"},
    {TITLE WORKLOADS, "p.yaml:1:1: the plan has no \"engines\""},
    {TITLE ENGINES, "p.yaml:1:1: the plan has no \"workloads\""},
    /* values */
    {"title:\n", "p.yaml:1:7: title: no value"},
    {"title: ~\n", "p.yaml:1:8: title: no value"},
    {"title: ''\n", "p.yaml:1:8: title: 0 bytes long; write 1 to 300 bytes"},
    {"title: \"a\\nb\"\n", "p.yaml:1:8: title: a control character or line break"},
    {"title: \"a\\0b\"\n", "p.yaml:1:8: title: a NUL character"},
    {"title: [t]\n", "p.yaml:1:8: title: a list; write a line of text"},
    {"title: { t: u }\n", "p.yaml:1:8: title: a mapping; write a line of text"},
    {"trials: ten\n", "p.yaml:1:9: trials: \"ten\" is not a whole number; write it like 125"},
    {"trials: 0\n", "p.yaml:1:9: trials: 0 is outside 1 to 1000"},
    {"trials: 1.5\n", "p.yaml:1:9: trials: "},
    {"trials: -1\n", "p.yaml:1:9: trials: \"-1\" is not a whole number"},
    {"aa: yes\n", "p.yaml:1:5: aa: \"yes\" is neither true nor false"},
    {"window: 20\n", "p.yaml:1:9: window: \"20\" has no unit; write the duration like 3s"},
    {"window: 20sec\n", "p.yaml:1:9: window: \"20sec\" has an unknown unit"},
    {"window: 0s\n", "p.yaml:1:9: window: 0s is outside 1ms to 86400s"},
    {"settle: -1s\n", "p.yaml:1:9: settle: \"-1s\" is not a duration"},
    {"sample: 9ms\n", "p.yaml:1:9: sample: 9ms is outside 10ms to 3600s"},
    {"seed: -1\n", "p.yaml:1:7: seed: \"-1\" is not a whole number from 0 to "},
    {"seed: 18446744073709551616\n", "p.yaml:1:7: seed: \"18446744073709551616\" is not"},
    {"machine: { server_cpus: 3-1 }\n", "p.yaml:1:25: server_cpus: \"3-1\" is not a list of CPUs"},
    {"machine: { driver_cpus: \"0,\" }\n", "p.yaml:1:25: driver_cpus: \"0,\" is not a list"},
    {"machine: { driver_cpus: 1024 }\n", "p.yaml:1:25: driver_cpus: \"1024\" is not a list"},
    {"machine: { cpus: 1 }\n", "p.yaml:1:12: unknown key \"cpus\" in machine; known: server_cpus"},
    {"machine: 3\n", "p.yaml:1:10: machine: a single value; write keys and values"},
    /* engines */
    {TITLE "engines: []\n", "p.yaml:2:10: engines: write a list of at least one"},
    {TITLE "engines: epoll\n", "p.yaml:2:10: engines: write a list of at least one"},
    {TITLE "engines: [epoll]\n", "p.yaml:2:11: an engine: a single value"},
    {TITLE "engines:\n  - { name: a, builtin: nginx }\n",
     "p.yaml:3:25: builtin: no engine \"nginx\" is built in; name one of: epoll, blocking"},
    {TITLE "engines:\n  - { name: a, builtin: limit }\n",
     "p.yaml:3:25: builtin: \"limit\" is the calibration engine"},
    {TITLE "engines:\n  - { name: limit, builtin: epoll }\n",
     "p.yaml:3:13: name: \"limit\" is the calibration engine's"},
    {TITLE "engines:\n  - { builtin: epoll }\n", "p.yaml:3:5: an engine has no \"name\""},
    {TITLE E_ROW "\n  { name: a, builtin: blocking }]\n",
     "p.yaml:3:11: name: a second engine \"a\" (the first is on line 2)"},
    {TITLE "baseline: z\n" ENGINES WORKLOADS,
     "p.yaml:2:11: baseline: no engine has the name \"z\"; name one of them, like \"a\""},
    {TITLE E_ROW "{ name: a (A/A), builtin: epoll }]\n" WORKLOADS,
     "p.yaml:2:48: name: this is the A/A arm's"},
    {TITLE "engines: [{ name: a, builtin: epoll, threads: 65 }]\n",
     "p.yaml:2:47: threads: epoll has at most 64"},
    {TITLE "engines: [{ name: a, builtin: pool, threads: 1025 }]\n",
     "p.yaml:2:46: threads: 1025 is outside 0 to 1024"},
    {TITLE E_ROW "{ name: b, builtin: blocking, threads: 2 }]\n",
     "p.yaml:2:79: threads: blocking has one thread a connection; leave it out"},
    /* engines that are not built in */
    {TITLE E_ROW "{ name: b }]\n",
     "p.yaml:2:40: an engine has no \"builtin\", \"command\", \"external\" or \"url\"; write one"},
    {TITLE E_ROW "{ name: b, builtin: epoll, url: \"http://127.0.0.1:1\" }]\n",
     "p.yaml:2:40: an engine has two kinds at once"},
    {TITLE E_ROW "{ name: b, external: node, command: [a, \"{port}\"] }]\n",
     "p.yaml:2:76: command: \"external\" has one of its own"},
    {TITLE E_ROW "{ name: b, external: nodejs }]\n",
     "p.yaml:2:61: external: there is no engine \"nodejs\"; name one of: f"},
    {TITLE E_ROW "{ name: b, external: ../x }]\n", "p.yaml:2:61: external: there is no engine"},
    {TITLE E_ROW "{ name: b, command: node }]\n", "p.yaml:2:60: command: write a list like"},
    {TITLE E_ROW "{ name: b, command: [] }]\n", "p.yaml:2:60: command: write a list like"},
    {TITLE E_ROW "{ name: b, command: [node, 80] }]\n",
     "p.yaml:2:40: command: which port? Write \"{port}\" where"},
    {TITLE E_ROW "{ name: b, command: [x], port: 0 }]\n", "p.yaml:2:71: port: 0 is outside 1 to"},
    {TITLE E_ROW "{ name: b, command: [x], port: 1, folder: /x }]\n",
     "p.yaml:2:82: folder: an absolute path"},
    {TITLE E_ROW "{ name: b, command: [x], port: 1, stdin: tty }]\n",
     "p.yaml:2:81: stdin: \"tty\" is not one of open, null, terminal"},
    {TITLE E_ROW "{ name: b, command: [x], port: 1, threads: 2 }]\n",
     "p.yaml:2:40: threads: this is for a built-in engine"},
    {TITLE E_ROW "{ name: b, builtin: epoll, ready: { status: 200 } }]\n",
     "p.yaml:2:40: ready: this is for a server that is not built in"},
    {TITLE E_ROW "{ name: b, builtin: epoll, allocator: malloc }]\n",
     "p.yaml:2:78: allocator: \"malloc\" is not one of glibc, jemalloc, mimalloc, tcmalloc"},
    {TITLE E_ROW "{ name: b, url: \"http://127.0.0.1:1\", allocator: glibc }]\n",
     "p.yaml:2:40: allocator: this is for a server that is started"},
    {TITLE E_ROW "{ name: b, url: \"http://127.0.0.1:1\", port: 2 }]\n",
     "p.yaml:2:84: port: the url has it"},
    {TITLE E_ROW "{ name: b, url: \"http://10.0.0.1:80\" }]\n",
     "p.yaml:2:56: url: a server on this machine only"},
    {TITLE E_ROW "{ name: b, url: \"http://127.0.0.1:80/x\" }]\n",
     "p.yaml:2:56: url: paths belong to the workloads; write http://127.0.0.1:80"},
    {TITLE E_ROW "{ name: b, url: \"http://127.0.0.1:1\", ready: { path: x } }]\n",
     "p.yaml:2:93: path: write it like /ping"},
    /* workloads */
    {TITLE ENGINES "workloads: {}\n", "p.yaml:3:12: workloads: write a list of at least one"},
    {W("name: w, connections: 1"), "p.yaml:4:5: a workload has no method; add one of get"},
    {W("name: w, get: /"), "p.yaml:4:5: a workload has no \"connections\""},
    {W("name: w, get: /, post: /, connections: 1"),
     "p.yaml:4:30: post beside another method; keep one of get, head, post"},
    {W("name: w, put: /, connections: 1"), "p.yaml:4:16: unknown key \"put\" in a workload; "},
    {W("name: w, get: ping, connections: 1"),
     "p.yaml:4:21: get: \"ping\" does not begin with \"/\"; write it like /ping"},
    {W("name: w, get: \"/a b\", connections: 1"), "p.yaml:4:21: get: \"/a b\" holds a space"},
    {W("name: w, get: /é, connections: 1"), "p.yaml:4:21: get: \"/é\" holds a space"},
    {W("name: w, get: /, connections: 0"), "p.yaml:4:37: connections: 0 is outside 1 to 65535"},
    {W("name: w, get: /, connections: 65536"),
     "p.yaml:4:37: connections: 65536 is outside 1 to 65535"},
    {W("name: w, get: /, connections: []"), "p.yaml:4:37: connections: an empty list"},
    {W("name: w, get: /, connections: [1, 2, 1]"),
     "p.yaml:4:44: connections: 1 a second time; keep one"},
    {W("name: w, get: /, connections: [[1]]"), "p.yaml:4:38: connections: a list"},
    {W("name: w, get: /, connections: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"),
     "p.yaml:4:77: connections: more than 16"},
    {W("name: limit, get: /, connections: 1"),
     "p.yaml:4:13: name: \"limit\" is the calibration workload's"},
    {W("name: w, get: /, connections: 1 }\n  - { name: w, get: /, connections: 1"),
     "p.yaml:5:13: name: a second workload \"w\""},
    {W("name: w, get: /, flood: 5"), "p.yaml:4:31: flood: a single value; write keys and values"},
    {W("name: w, get: /, flood: { for: 2s }"), "p.yaml:4:31: flood has no \"connections\"; add it"},
    {W("name: w, get: /, flood: { connections: 9 }"),
     "p.yaml:4:31: flood: no \"for\"; say how long, like \"for: 2s\""},
    {W("name: w, get: /, flood: { connections: 0, for: 2s }"),
     "p.yaml:4:46: connections: 0 is outside 1 to 65535"},
    {W("name: w, get: /, flood: { connections: 9, for: 99ms }"),
     "p.yaml:4:54: for: 99ms is outside 100ms to 60s"},
    {W("name: w, get: /, flood: { connections: 9, for: 61s }"),
     "p.yaml:4:54: for: 61s is outside 100ms to 60s"},
    {W("name: w, get: /, flood: { connections: 9, for: 2s, recover_within: 601s }"),
     "p.yaml:4:74: recover_within: 601s is outside 100ms to 600s"},
    {W("name: w, get: /, connections: 4, flood: { connections: 9, for: 2s }"),
     "p.yaml:4:37: connections beside flood, whose connections stand in it"},
    {W("name: w, get: /, rate: 4/s, flood: { connections: 9, for: 2s }"),
     "p.yaml:4:30: rate beside flood"},
    {W("name: w, get: /, pipeline: 4, flood: { connections: 9, for: 2s }"),
     "p.yaml:4:34: pipeline beside flood"},
    {W("name: w, get: /, requests_per_connection: 4, flood: { connections: 9, for: 2s }"),
     "p.yaml:4:49: requests_per_connection beside flood"},
    {W("name: w, get: /, connections: 1, expect: { status: 99 }"),
     "p.yaml:4:58: status: 99 is outside 100 to 599"},
    {W("name: w, get: /, connections: 1, expect: { bodyy: x }"),
     "p.yaml:4:50: unknown key \"bodyy\" in expect; did you mean \"body\"?"},
    {W("name: w, get: /, connections: 1, expect: 200"),
     "p.yaml:4:48: expect: a single value; write keys and values like \"status: "},
    {W("name: w, head: /, connections: 1, expect: { body: x }"),
     "p.yaml:4:49: expect: a body with head"},
    {W("name: w, get: /, connections: 1, body: x"), "p.yaml:4:46: body with GET; only post sends"},
    {W("name: w, post: /, connections: 1, body: /etc/hosts"),
     "p.yaml:4:47: body: an absolute path"},
    {W("name: w, post: /, connections: 1, body: no/such.file"),
     "p.yaml:4:47: body: no/such.file: No such file or directory; name a readable file"},
    {W("name: w, post: /, connections: 1, body: \".\""),
     "p.yaml:4:47: body: .: not a regular file but a folder; name a file"},
    {W("name: w, post: /, connections: 1, body_sha256: abc"),
     "p.yaml:4:54: body_sha256: not a SHA-256; write 64 lower-case hex digits"},
    /* the whole */
    {MINIMAL "window: 24h\nsample: 10ms\n", "p.yaml:5:9: sample: 8640500 samples a trial"},
    {MINIMAL "window: 24h\nwarmup: 24h\n", "p.yaml:4:9: sample: 345600 samples a trial"},
    {TITLE ENGINES
     "trials: 1000\nworkloads:\n"
     "  - { name: a, get: /, connections: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }\n"
     "  - { name: b, get: /, connections: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }\n"
     "  - { name: c, get: /, connections: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }\n"
     "  - { name: d, get: /, connections: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }\n",
     "p.yaml:3:9: trials: 128032 trials in all; at most 100000"},
};

Test(plan, tells_line_and_column_of_every_kind_of_mistake)
{
    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        struct plan *plan = NULL;
        struct err e = {0};
        enum err_code code = edge_parse(mistakes[i].text, strlen(mistakes[i].text), &plan, &e);

        cr_expect_eq(code, ERR_USAGE, "row %zu: code %d", i, code);
        cr_expect_eq(strncmp(e.text, mistakes[i].want, strlen(mistakes[i].want)), 0,
                     "row %zu:\n  got  %s\n  want %s", i, e.text, mistakes[i].want);
        cr_expect_null(plan, "row %zu", i);
    }
}

Test(plan, refuses_a_nul_byte_and_more_than_a_mebibyte)
{
    static char large[(1 << 20) + 1];
    struct plan *plan = NULL;
    struct err e = {0};

    cr_expect_eq(edge_parse("title: a\0b", 10, &plan, &e), ERR_USAGE);
    cr_expect_str_eq(e.text,
                     "p.yaml:1:9: a control character; write it as an escape in double quotes");
    memset(large, '#', sizeof(large));
    cr_expect_eq(edge_parse(large, sizeof(large), &plan, &e), ERR_LIMIT);
    cr_expect_eq(edge_parse(large, sizeof(large) - 1, &plan, &e), ERR_USAGE);
}

Test(plan, cut_off_anywhere_is_refused_or_read_and_never_read_past_its_end)
{
    static const char text[] = "\xef\xbb\xbf" MINIMAL "machine: { server_cpus: \"0-1\" }\n"
                               "seed: 7\nsample: 250ms\n";

    for (size_t length = 0; length < sizeof(text); length++) {
        struct plan *plan = NULL;
        struct err e = {0};
        enum err_code code = edge_parse(text, length, &plan, &e);

        cr_expect(code == ERR_OK ? plan != NULL : code == ERR_USAGE && e.text[0] != '\0',
                  "length %zu: %d", length, code);
        plan_free(plan);
    }
}

Test(plan, two_names_that_differ_only_in_letters_no_file_system_keeps_apart_are_two_names)
{
    struct plan *plan = plan_of(TITLE "engines: [{ name: \"a/b\", builtin: epoll }, "
                                      "{ name: \"a b\", builtin: epoll }, "
                                      "{ name: \"A B\", builtin: epoll }]\n" WORKLOADS);

    cr_expect_eq(plan->engine_count, 3);
    plan_free(plan);
}

Test(plan, the_files_that_are_sent_or_played_are_part_of_what_the_digest_names)
{
    char folder[] = "/tmp/test_plan.XXXXXX";
    char path[64];
    char first[65];
    char second[65];
    char stated[512];
    static const char text[] =
        TITLE ENGINES "workloads: [{ name: w, post: /up, body: b.bin, connections: 1 }]\n";
    struct plan *plan = NULL;
    struct buf canonical;
    struct err e = {0};

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/b.bin", folder);
    cr_assert_eq(fs_write_file(path, "abc", 3, &e), ERR_OK);
    cr_assert_eq(plan_parse("p", folder, text, strlen(text), &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(plan->workloads[0].requests[0].body_bytes, 3);
    /* FIPS 180-2, appendix B.1 */
    cr_expect_str_eq(plan->workloads[0].requests[0].body_sha256,
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_assert_eq(plan_digest(plan, first, &e), ERR_OK);
    plan_free(plan);

    cr_assert_eq(fs_write_file(path, "abd", 3, &e), ERR_OK);
    cr_assert_eq(plan_parse("p", folder, text, strlen(text), &plan, &e), ERR_OK);
    cr_assert_eq(plan_digest(plan, second, &e), ERR_OK);
    cr_expect_str_neq(first, second);
    plan_free(plan);

    snprintf(stated, sizeof(stated),
             TITLE ENGINES "workloads:\n  - { name: w, post: /up, body: b.bin, connections: 1,\n"
                           "      body_sha256: %s }\n",
             "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_expect_eq(plan_parse("p", folder, stated, strlen(stated), &plan, &e), ERR_USAGE);
    cr_expect_not_null(strstr(e.text, "p:5:20: body_sha256: the file b.bin has another one: "),
                       "%s", e.text);

    static const char replay[] = TITLE ENGINES
        "workloads: [{ name: w, get: /, connections: 1, driver: replay, replay: b.bin }]\n";
    cr_assert_eq(plan_parse("p", folder, replay, strlen(replay), &plan, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(plan_digest(plan, first, &e), ERR_OK);
    /* printf abd | sha256sum */
    cr_expect_str_eq(plan->workloads[0].replay_sha256,
                     "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9");
    buf_init(&canonical, 1 << 16);
    plan_format(plan, &canonical);
    plan_free(plan);
    cr_assert_eq(plan_parse("p", folder, canonical.bytes, canonical.length, &plan, &e), ERR_OK,
                 "%s", e.text);
    cr_assert_eq(plan_digest(plan, second, &e), ERR_OK);
    cr_expect_str_eq(first, second);
    plan_free(plan);
    cr_assert_eq(fs_write_file(path, "abc", 3, &e), ERR_OK);
    cr_expect_eq(plan_parse("p", folder, canonical.bytes, canonical.length, &plan, &e), ERR_USAGE);
    cr_expect(strstr(e.text, "replay_sha256: the file b.bin has another one"), "%s", e.text);
    buf_release(&canonical);

    cr_assert_eq(truncate(path, PLAN_BODY_BYTES_MAX + 1), 0);
    cr_expect_eq(plan_parse("p", folder, text, strlen(text), &plan, &e), ERR_USAGE);
    cr_expect_not_null(strstr(e.text, "p:3:41: body: "), "%s", e.text);
    cr_expect_not_null(strstr(e.text, "larger than 16 MiB"), "%s", e.text);
    cr_expect_eq(fs_remove_tree(folder, &e), ERR_OK);
}

Test(plan, a_plan_is_loaded_from_its_file_or_is_the_built_in_one)
{
    struct plan *plan = NULL;
    struct err e = {0};

    cr_assert_eq(plan_load(NULL, &plan, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(plan->baseline, "blocking");
    plan_free(plan);
    plan = NULL;
    cr_expect_eq(plan_load("/no/such/plan.yaml", &plan, &e), ERR_USAGE);
    cr_expect_str_eq(e.text, "/no/such/plan.yaml: No such file or directory");
    cr_expect_null(plan);
}

Test(plan, cpu_lists_have_one_spelling)
{
    static const struct {
        const char *text, *want; /* NULL: refused */
    } rows[] = {
        {"0", "0"},      {"0-1,4", "0-1,4"}, {"4,1,0", "0-1,4"}, {"0,1,2,3", "0-3"},
        {"0-0", "0"},    {"1023", "1023"},   {"", NULL},         {"a", NULL},
        {"1,", NULL},    {",1", NULL},       {"1-", NULL},       {"2-1", NULL},
        {"1024", NULL},  {"0 1", NULL},      {"-1", NULL},       {"99999999999999999999", NULL},
        {"0-1-2", NULL},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[PLAN_CPUS_TEXT_BYTES];
        cpu_set_t cpus;
        enum err_code code = plan_cpus_parse(rows[i].text, &cpus, NULL);

        cr_expect_eq(code, rows[i].want ? ERR_OK : ERR_USAGE, "row %zu", i);
        if (code == ERR_OK) {
            plan_cpus_format(&cpus, text);
            cr_expect_str_eq(text, rows[i].want, "row %zu", i);
        }
    }
}

/* Rows from table 3-7 of the Unicode standard and its neighbourhood. */
Test(plan, utf8_is_read_strictly)
{
    static const struct {
        const char *bytes;
        size_t length, want_bytes;
        uint32_t want;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xe2\x82\xac", 3, 3, 0x20ac},
        {"\xf0\x9f\x9a\xb2", 4, 4, 0x1f6b2},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"", 0, 0, 0},
        {"\x80", 1, 0, 0},
        {"\xc0\x80", 2, 0, 0},
        {"\xc1\xbf", 2, 0, 0},
        {"\xe0\x9f\xbf", 3, 0, 0},
        {"\xed\xa0\x80", 3, 0, 0},
        {"\xf0\x8f\xbf\xbf", 4, 0, 0},
        {"\xf4\x90\x80\x80", 4, 0, 0},
        {"\xf5\x80\x80\x80", 4, 0, 0},
        {"\xff", 1, 0, 0},
        {"\xe2\x82", 2, 0, 0},
        {"\xe2\x28\xa1", 3, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;
        uint32_t character = 0;

        edge_buf_init(&edge, rows[i].bytes, rows[i].length);
        cr_expect_eq(plan_utf8_decode(edge.bytes, edge.length, &character), rows[i].want_bytes,
                     "row %zu", i);
        cr_expect_eq(character, rows[i].want, "row %zu", i);
        edge_buf_release(&edge);
    }
}
