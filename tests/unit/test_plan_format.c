// SPDX-License-Identifier: Apache-2.0
// The canonical text of a plan: every default in it, its digest, and that it is a fixed point.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan.h"
#include "tests/support/prop.h"

static const char canonical[] = "title: \"t\"\n"
                                "baseline: \"a\"\n"
                                "trials: 10\n"
                                "aa: true\n"
                                "settle: 3s\n"
                                "warmup: 5s\n"
                                "window: 20s\n"
                                "cooldown: 2s\n"
                                "sample: 500ms\n"
                                "timeout: 2s\n"
                                "ready_within: 30s\n"
                                "seed: 1\n"
                                "machine:\n"
                                "  nofile: 0\n"
                                "  driver_threads: 0\n"
                                "engines:\n"
                                "  - name: \"a\"\n"
                                "    builtin: epoll\n"
                                "    threads: 0\n"
                                "workloads:\n"
                                "  - name: \"w\"\n"
                                "    get: \"/\"\n"
                                "    expect:\n"
                                "      status: 200\n"
                                "    connections: [1]\n";

Test(plan_format, canonical_text_has_every_default_and_the_digest_is_its_sha256)
{
    static const char minimal[] = "title: t\n"
                                  "engines: [{ name: a, builtin: epoll }]\n"
                                  "workloads: [{ name: w, get: /, connections: 1 }]\n";
    struct plan *plan = NULL;
    cr_assert_eq(plan_parse("p.yaml", NULL, minimal, strlen(minimal), &plan, NULL), ERR_OK);
    struct buf text;
    char digest[65];

    buf_init(&text, 4096);
    plan_format(plan, &text);
    cr_expect_str_eq(text.bytes, canonical);
    cr_assert_eq(plan_digest(plan, digest, NULL), ERR_OK);
    /* sha256sum of the text above */
    cr_expect_str_eq(digest, "95fe700a57e201886d504a271ca9c6df54673c8be7b86912d4c95dddb44072b7");
    buf_release(&text);
    plan_free(plan);
}

/* --- parse ∘ format = identity ------------------------------------------------------------- */

#define NAME_BYTES 40

static void name_make(struct rng *rng, char out[NAME_BYTES])
{
    static const char *const pieces[] = {"a",  "B", "\"", "\\", " ",    "é",         "漢",
                                         ": ", "#", "'",  "~",  "null", "\u00a0",    "\ufeff",
                                         "{",  "%", "- ", "&",  "0",    "\U0001f6b2"};
    size_t count = 1 + rng_below(rng, 5);

    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(out, pieces[rng_below(rng, ARRAY_COUNT(pieces))]);
    }
}

struct random_plan {
    struct plan plan;
    char title[NAME_BYTES];
    char engine_names[4][NAME_BYTES + 4], workload_names[4][NAME_BYTES + 4], bodies[4][NAME_BYTES];
};

static int64_t duration_make(struct rng *rng, int64_t minimum_ms)
{
    return (minimum_ms + (int64_t)rng_below(rng, 5000)) * 1000000 + (int64_t)rng_below(rng, 2) * 7;
}

static void workload_make(struct rng *rng, struct random_plan *random, size_t index)
{
    static const char *const methods[] = {"GET", "HEAD", "POST"};
    struct plan_workload *workload = &random->plan.workloads[index];

    name_make(rng, random->workload_names[index]);
    sprintf(random->workload_names[index] + strlen(random->workload_names[index]), "%zu", index);
    *workload = (struct plan_workload){.name = random->workload_names[index]};
    workload->request_count = rng_below(rng, 2) ? 1 : 2 + rng_below(rng, 3);
    for (size_t i = 0; i < workload->request_count; i++) {
        struct plan_request *request = &workload->requests[i];

        *request = (struct plan_request){
            .method = methods[rng_below(rng, 3)],
            .path = "/x?q=\"\\%20",
            .body = "",
            .expect = {.status = 100 + (int)rng_below(rng, 500), .body_bytes = -1},
            .weight = workload->request_count > 1 ? 1 + (uint32_t)rng_below(rng, 1000) : 1};
        if (request->method[0] != 'H' && rng_below(rng, 2)) {
            name_make(rng, random->bodies[index]);
            request->expect.body = rng_below(rng, 4) ? random->bodies[index] : "line\n\ttab\x7f";
        }
    }
    workload->rate_count = rng_below(rng, 5);
    workload->is_poisson = workload->rate_count > 0 && rng_below(rng, 2);
    for (uint32_t i = 0; i < workload->rate_count; i++) {
        workload->rates_per_s[i] = 1 + i * 4000 + (uint32_t)rng_below(rng, 4000);
    }
    workload->course = (struct arrivals_course){0};
    if (workload->rate_count > 1 && rng_below(rng, 2)) {
        workload->course.count = (uint32_t)workload->rate_count;
        workload->course.is_ramp = rng_below(rng, 2);
        memcpy(workload->course.rates_per_s, workload->rates_per_s, sizeof(workload->rates_per_s));
        workload->rates_per_s[0] = rate_course_mean(&workload->course);
        workload->rate_count = 1;
    }
    bool is_open = workload->rate_count > 0;
    workload->think_ns = is_open || rng_below(rng, 2) ? 0 : duration_make(rng, 1);
    workload->think_kind =
        workload->think_ns > 0 && rng_below(rng, 2) ? THINK_EXPONENTIAL : THINK_CONSTANT;
    bool is_shallow = is_open || workload->think_ns > 0 || workload->request_count > 1;
    workload->driver = PLAN_DRIVER_TACHO;
    workload->pipeline_count = is_shallow ? 1 : 1 + (uint32_t)rng_below(rng, 3);
    workload->requests_per_connection = (uint32_t)rng_below(rng, 3);
    workload->load_point_count =
        1 + rng_below(rng, PLAN_LOAD_POINT_COUNT_MAX / (workload->rate_count + 1));
    for (uint32_t i = 0; i < workload->load_point_count; i++) {
        workload->connection_counts[i] = 1 + i * 4000 + (uint32_t)rng_below(rng, 4000);
    }
}

static void plan_make(struct rng *rng, struct random_plan *random)
{
    struct plan *plan = &random->plan;

    memset(random, 0, sizeof(*random));
    name_make(rng, random->title);
    plan->title = random->title;
    plan->block_count = 1 + (uint32_t)rng_below(rng, 100);
    plan->aa_arm = rng_below(rng, 2);
    plan->settle_ns = duration_make(rng, 0);
    plan->warmup_ns = duration_make(rng, 0);
    plan->window_ns = duration_make(rng, 1);
    plan->cooldown_ns = duration_make(rng, 0);
    plan->sample_ns = duration_make(rng, 10);
    plan->timeout_ns = duration_make(rng, 1);
    plan->ready_within_ns = duration_make(rng, 1);
    plan->seed = rng_next(rng);
    plan->machine.server_cpus = rng_below(rng, 2) ? "0-3,7" : NULL;
    plan->machine.driver_cpus = rng_below(rng, 2) ? "1" : NULL;
    plan->machine.nofile = (uint32_t)rng_below(rng, 100000);
    plan->machine.io = rng_below(rng, 2) ? DRIVER_IO_URING : DRIVER_IO_EPOLL;
    plan->machine.source_address_count = rng_below(rng, 3);
    plan->machine.source_addresses[0] = "127.0.0.2";
    plan->machine.source_addresses[1] = "127.255.255.254";
    plan->engine_count = 1 + rng_below(rng, 4);
    for (size_t i = 0; i < plan->engine_count; i++) {
        name_make(rng, random->engine_names[i]);
        sprintf(random->engine_names[i] + strlen(random->engine_names[i]), "%zu", i);
        bool has_loops = rng_below(rng, 2);
        plan->engines[i] =
            (struct plan_engine){.name = random->engine_names[i],
                                 .builtin = has_loops ? "epoll" : "blocking",
                                 .thread_count = has_loops ? (uint32_t)rng_below(rng, 9) : 0};
    }
    plan->baseline = plan->engines[rng_below(rng, plan->engine_count)].name;
    plan->workload_count = 1 + rng_below(rng, 4);
    for (size_t i = 0; i < plan->workload_count; i++) {
        workload_make(rng, random, i);
    }
}

static bool texts_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool engines_equal(const struct plan *a, const struct plan *b)
{
    bool equal = a->engine_count == b->engine_count;

    for (size_t i = 0; equal && i < a->engine_count; i++) {
        equal = texts_equal(a->engines[i].name, b->engines[i].name) &&
                texts_equal(a->engines[i].builtin, b->engines[i].builtin) &&
                a->engines[i].thread_count == b->engines[i].thread_count;
    }
    return equal;
}

static bool requests_equal(const struct plan_workload *a, const struct plan_workload *b)
{
    bool equal = a->request_count == b->request_count;

    for (size_t i = 0; equal && i < a->request_count; i++) {
        const struct plan_request *p = &a->requests[i];
        const struct plan_request *q = &b->requests[i];

        equal = texts_equal(p->method, q->method) && texts_equal(p->path, q->path) &&
                p->expect.status == q->expect.status &&
                texts_equal(p->expect.body, q->expect.body) && p->weight == q->weight;
    }
    return equal;
}

static bool workloads_equal(const struct plan *a, const struct plan *b)
{
    bool equal = a->workload_count == b->workload_count;

    for (size_t i = 0; equal && i < a->workload_count; i++) {
        const struct plan_workload *p = &a->workloads[i];
        const struct plan_workload *q = &b->workloads[i];

        equal =
            texts_equal(p->name, q->name) && requests_equal(p, q) && p->think_ns == q->think_ns &&
            p->think_kind == q->think_kind && p->load_point_count == q->load_point_count &&
            memcmp(p->connection_counts, q->connection_counts,
                   p->load_point_count * sizeof(*p->connection_counts)) == 0 &&
            p->rate_count == q->rate_count && p->is_poisson == q->is_poisson &&
            p->pipeline_count == q->pipeline_count &&
            p->requests_per_connection == q->requests_per_connection &&
            memcmp(p->rates_per_s, q->rates_per_s, p->rate_count * sizeof(*p->rates_per_s)) == 0 &&
            p->course.count == q->course.count && p->course.is_ramp == q->course.is_ramp &&
            memcmp(p->course.rates_per_s, q->course.rates_per_s,
                   p->course.count * sizeof(*p->course.rates_per_s)) == 0;
    }
    return equal;
}

static bool plans_equal(const struct plan *a, const struct plan *b)
{
    return texts_equal(a->title, b->title) && texts_equal(a->baseline, b->baseline) &&
           a->block_count == b->block_count && a->aa_arm == b->aa_arm && a->seed == b->seed &&
           a->settle_ns == b->settle_ns && a->warmup_ns == b->warmup_ns &&
           a->window_ns == b->window_ns && a->cooldown_ns == b->cooldown_ns &&
           a->sample_ns == b->sample_ns && a->timeout_ns == b->timeout_ns &&
           a->ready_within_ns == b->ready_within_ns &&
           texts_equal(a->machine.server_cpus, b->machine.server_cpus) &&
           a->machine.io == b->machine.io &&
           a->machine.source_address_count == b->machine.source_address_count &&
           (a->machine.source_address_count < 2 ||
            texts_equal(a->machine.source_addresses[1], b->machine.source_addresses[1])) &&
           texts_equal(a->machine.driver_cpus, b->machine.driver_cpus) &&
           a->machine.nofile == b->machine.nofile && engines_equal(a, b) && workloads_equal(a, b);
}

Test(plan_format, reading_the_canonical_text_gives_the_same_plan_and_the_same_text)
{
    static struct random_plan random;

    for_each_case(rng, 500, 20261130)
    {
        struct buf text;
        struct buf again;
        struct plan *plan = NULL;
        struct err e = {0};

        plan_make(&rng, &random);
        buf_init(&text, 1 << 20);
        buf_init(&again, 1 << 20);
        plan_format(&random.plan, &text);
        cr_assert_eq(plan_parse("p.yaml", NULL, text.bytes, text.length, &plan, &e), ERR_OK,
                     "seed %llu: %s\n%s", (unsigned long long)prop_case_seed, e.text, text.bytes);
        cr_expect(plans_equal(&random.plan, plan), "seed %llu:\n%s",
                  (unsigned long long)prop_case_seed, text.bytes);
        plan_format(plan, &again);
        cr_expect_str_eq(again.bytes, text.bytes, "seed %llu", (unsigned long long)prop_case_seed);
        buf_release(&text);
        buf_release(&again);
        plan_free(plan);
    }
}

/* Engines that are not built in: what is told and what has a default. */
Test(plan_format, writes_out_servers_that_are_not_built_in)
{
    static const char given[] =
        "title: t\nengines:\n"
        "  - { name: c, command: [node, \"s p.js\", \"{port}\"] }\n"
        "  - { name: d, command: [./x], port: 8080, folder: sub, stdin: null, daemon: true,\n"
        "      ready: { path: /up, status: 404, within: 40s }, allocator: jemalloc,\n"
        "      environment: { P: \"{port}\" } }\n"
        "  - { name: e, external: node, allocator: glibc }\n"
        "  - { name: u, url: \"http://127.0.0.1:9000\", pid: 7 }\n"
        "  - { name: s, url: \"https://localhost:9443\" }\n"
        "  - { name: t, command: [x], port: 1, tls: { host: h.example, ca: a.pem, reuse: false } "
        "}\n"
        "workloads: [{ name: w, get: /, connections: 1 }]\n";
    static const char want[] = "engines:\n"
                               "  - name: \"c\"\n"
                               "    command:\n"
                               "      - \"node\"\n"
                               "      - \"s p.js\"\n"
                               "      - \"{port}\"\n"
                               "    stdin: open\n"
                               "    daemon: false\n"
                               "  - name: \"d\"\n"
                               "    command:\n"
                               "      - \"./x\"\n"
                               "    folder: \"sub\"\n"
                               "    port: 8080\n"
                               "    stdin: null\n"
                               "    daemon: true\n"
                               "    ready:\n"
                               "      path: \"/up\"\n"
                               "      status: 404\n"
                               "      within: 40s\n"
                               "    allocator: jemalloc\n"
                               "    environment:\n"
                               "      P: \"{port}\"\n"
                               "  - name: \"e\"\n"
                               "    external: \"node\"\n"
                               "    allocator: glibc\n"
                               "  - name: \"u\"\n"
                               "    url: \"http://127.0.0.1:9000\"\n"
                               "    pid: 7\n"
                               "  - name: \"s\"\n"
                               "    url: \"https://localhost:9443\"\n"
                               "    tls:\n"
                               "      insecure: false\n"
                               "      reuse: true\n"
                               "  - name: \"t\"\n"
                               "    command:\n"
                               "      - \"x\"\n"
                               "    port: 1\n"
                               "    stdin: open\n"
                               "    daemon: false\n"
                               "    tls:\n"
                               "      host: \"h.example\"\n"
                               "      ca: \"a.pem\"\n"
                               "      insecure: false\n"
                               "      reuse: false\n"
                               "workloads:\n";
    struct plan *plan = NULL, *again = NULL;
    struct buf first, second;
    struct err e = {0};

    cr_assert_eq(plan_parse("p.yaml", "tests/fixtures/tls", given, strlen(given), &plan, &e),
                 ERR_OK, "%s", e.text);
    cr_expect_str_eq(plan->engines[0].plan_folder, "tests/fixtures/tls");
    cr_expect_eq(plan_engine_input(&plan->engines[1]), PLAN_INPUT_NULL);
    cr_expect_eq(plan->engines[3].port, 9000);
    cr_expect_str_eq(plan->engines[2].command.items[0], "node", "of its recipe");
    cr_expect_str_eq(plan_engine_host(&plan->engines[3]), "127.0.0.1");
    cr_expect_str_eq(plan_engine_host(&plan->engines[4]), "localhost");
    cr_expect_str_eq(plan_engine_host(&plan->engines[5]), "h.example");
    buf_init(&first, 4096);
    buf_init(&second, 4096);
    plan_format(plan, &first);
    cr_expect(strstr(first.bytes, want), "%s", first.bytes);
    cr_assert_eq(plan_parse("q", NULL, first.bytes, first.length, &again, &e), ERR_OK, "%s",
                 e.text);
    plan_format(again, &second);
    cr_expect_str_eq(first.bytes, second.bytes);
    buf_release(&first);
    buf_release(&second);
    plan_free(plan);
    plan_free(again);
}
