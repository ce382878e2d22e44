// SPDX-License-Identifier: Apache-2.0
// The canonical text of a plan.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/rate_course.h"
#include "collector/plan/plan.h"
#include "collector/plan/plan_utf8.h"
#include "engines/base/units.h"

/* Characters that YAML would not read back from double quotes as they are, or that a person could
 * not see. */
static bool is_escaped(uint32_t character)
{
    return plan_utf8_is_control(character) || character == '"' || character == '\\' ||
           character == 0xa0 || character == 0xfeff || character == 0xfffe || character == 0xffff;
}

static void text_add(struct buf *out, const char *text)
{
    size_t length = strlen(text);

    buf_add_text(out, "\"");
    for (size_t i = 0; i < length;) {
        uint32_t character = 0;
        size_t bytes = plan_utf8_decode(text + i, length - i, &character);

        if (bytes == 0) { /* a plan made by a program may hold any bytes */
            bytes = 1;
            character = 0xfffd;
        }
        if (is_escaped(character)) {
            buf_addf(out, "\\u%04" PRIx32, character);
        } else {
            buf_add(out, text + i, bytes);
        }
        i += bytes;
    }
    buf_add_text(out, "\"\n");
}

static void quoted_add(struct buf *out, const char *key, const char *text)
{
    buf_addf(out, "%s: ", key);
    text_add(out, text);
}

static void duration_add(struct buf *out, const char *key, int64_t ns)
{
    char text[UNITS_TEXT_BYTES];

    units_format_duration(ns, text);
    buf_addf(out, "%s: %s\n", key, text);
}

static void machine_format(const struct plan_machine *machine, struct buf *out)
{
    buf_add_text(out, "machine:\n");
    if (machine->server_cpus) {
        quoted_add(out, "  server_cpus", machine->server_cpus);
    }
    if (machine->driver_cpus) {
        quoted_add(out, "  driver_cpus", machine->driver_cpus);
    }
    buf_addf(out, "  nofile: %" PRIu32 "\n  driver_threads: %" PRIu32 "\n", machine->nofile,
             machine->driver_threads);
    if (machine->io != DRIVER_IO_EPOLL) {
        buf_addf(out, "  io: %s\n", driver_io_names[machine->io]);
    }
    for (size_t i = 0; i < machine->source_address_count; i++) {
        buf_addf(out, "%s    - ", i ? "" : "  source_addresses:\n");
        text_add(out, machine->source_addresses[i]);
    }
}

/* Only what differs from the plan: a default that is written out says nothing of its own. */
static void override_add(struct buf *out, const char *key, const struct plan_override *override)
{
    if (override->is_set) {
        duration_add(out, key, override->ns);
    }
}

static void words_format(struct buf *out, const char *key, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_addf(out, "%s%s%s      - ", i ? "" : "    ", i ? "" : key, i ? "" : ":\n");
        text_add(out, words[i]);
    }
}

static void ready_format(const struct plan_ready *ready, struct buf *out)
{
    if (ready->path || ready->status || ready->within_ns) {
        buf_add_text(out, "    ready:\n");
    }
    if (ready->path) {
        quoted_add(out, "      path", ready->path);
    }
    if (ready->status) {
        buf_addf(out, "      status: %d\n", ready->status);
    }
    if (ready->within_ns) {
        duration_add(out, "      within", ready->within_ns);
    }
}

static void tls_format(const struct plan_tls *tls, struct buf *out)
{
    buf_add_text(out, "    tls:\n");
    if (tls->host) {
        quoted_add(out, "      host", tls->host);
    }
    if (tls->ca) {
        quoted_add(out, "      ca", tls->ca);
    }
    buf_addf(out, "      insecure: %s\n      reuse: %s\n", tls->is_insecure ? "true" : "false",
             tls->reuses ? "true" : "false");
}

static void command_format(const struct plan_engine *engine, struct buf *out)
{
    words_format(out, "command", engine->command.items, engine->command.count);
    if (engine->folder) {
        quoted_add(out, "    folder", engine->folder);
    }
    if (engine->port) {
        buf_addf(out, "    port: %" PRIu32 "\n", engine->port);
    }
    buf_addf(out, "    stdin: %s\n    daemon: %s\n", plan_input_names[plan_engine_input(engine)],
             engine->is_daemon ? "true" : "false");
}

static void engine_format(const struct plan_engine *engine, struct buf *out)
{
    quoted_add(out, "  - name", engine->name);
    switch (plan_engine_kind(engine)) {
    case PLAN_ENGINE_BUILTIN:
        buf_addf(out, "    builtin: %s\n    threads: %" PRIu32 "\n", engine->builtin,
                 engine->thread_count);
        break;
    case PLAN_ENGINE_COMMAND:
        command_format(engine, out);
        break;
    case PLAN_ENGINE_EXTERNAL:
        quoted_add(out, "    external", engine->external);
        break;
    case PLAN_ENGINE_URL:
        quoted_add(out, "    url", engine->url);
        break;
    }
    if (engine->pid) {
        buf_addf(out, "    pid: %" PRIu32 "\n", engine->pid);
    }
    ready_format(&engine->ready, out);
    if (engine->tls.is_on) {
        tls_format(&engine->tls, out);
    }
    if (engine->allocator) {
        buf_addf(out, "    allocator: %s\n", engine->allocator);
    }
    if (engine->extra_work_percent) {
        buf_addf(out, "    extra_work: %" PRIu32 "\n", engine->extra_work_percent);
    }
    for (size_t i = 0; i < engine->variable_count; i++) {
        buf_addf(out, "%s      %s: ", i ? "" : "    environment:\n", engine->variables[i].name);
        text_add(out, engine->variables[i].value);
    }
    words_format(out, "arguments", engine->arguments, engine->argument_count);
}

/* `prefix` of each line but the first, which has `first`. */
static void request_format(const struct plan_request *request, const char *first,
                           const char *prefix, struct buf *out)
{
    const char *method = "get";

    if (strcmp(request->method, "HEAD") == 0) {
        method = "head";
    } else if (strcmp(request->method, "POST") == 0) {
        method = "post";
    }
    buf_addf(out, "%s%s: ", first, method);
    text_add(out, request->path);
    if (request->body_path) {
        buf_addf(out, "%sbody: ", prefix);
        text_add(out, request->body_path);
        buf_addf(out, "%sbody_sha256: %s\n", prefix, request->body_sha256);
    }
    buf_addf(out, "%sexpect:\n%s  status: %d\n", prefix, prefix, request->expect.status);
    if (request->expect.body) {
        buf_addf(out, "%s  body: ", prefix);
        text_add(out, request->expect.body);
    }
}

static void requests_format(const struct plan_workload *workload, struct buf *out)
{
    if (workload->request_count == 1) {
        request_format(&workload->requests[0], "    ", "    ", out);
        return;
    }
    buf_add_text(out, "    requests:\n");
    for (size_t i = 0; i < workload->request_count; i++) {
        request_format(&workload->requests[i], "      - ", "        ", out);
        buf_addf(out, "        weight: %" PRIu32 "\n", workload->requests[i].weight);
    }
}

static void rates_format(const struct plan_workload *workload, struct buf *out)
{
    char course[RATE_COURSE_BYTES];

    if (workload->rate_count == 0) {
        return;
    }
    rate_course_write(&workload->course, course);
    if (*course) {
        buf_addf(out, "    rate: \"%s/s\"", course);
    }
    for (size_t i = 0; !*course && i < workload->rate_count; i++) {
        buf_addf(out, "%s%" PRIu32 "/s%s", i ? ", " : "    rate: [", workload->rates_per_s[i],
                 i + 1 == workload->rate_count ? "]" : "");
    }
    buf_addf(out, "\n    arrivals: %s\n", workload->is_poisson ? "poisson" : "uniform");
}

static void workload_format(const struct plan_workload *workload, struct buf *out)
{
    quoted_add(out, "  - name", workload->name);
    requests_format(workload, out);
    override_add(out, "    settle", &workload->settle);
    override_add(out, "    warmup", &workload->warmup);
    override_add(out, "    window", &workload->window);
    override_add(out, "    cooldown", &workload->cooldown);
    override_add(out, "    timeout", &workload->timeout);
    if (workload->flood.connection_count > 0) {
        buf_addf(out, "    flood:\n      connections: %" PRIu32 "\n",
                 workload->flood.connection_count);
        duration_add(out, "      for", workload->flood.for_ns);
        duration_add(out, "      recover_within", workload->flood.recover_within_ns);
        return;
    }
    buf_add_text(out, "    connections: [");
    for (size_t i = 0; i < workload->load_point_count; i++) {
        buf_addf(out, "%s%" PRIu32, i ? ", " : "", workload->connection_counts[i]);
    }
    buf_add_text(out, "]\n");
    rates_format(workload, out);
    if (workload->pipeline_count > 1) {
        buf_addf(out, "    pipeline: %" PRIu32 "\n", workload->pipeline_count);
    }
    if (workload->think_ns > 0) {
        duration_add(out, "    think_time", workload->think_ns);
        buf_addf(out, "    think_kind: %s\n", think_kind_names[workload->think_kind]);
    }
    if (workload->driver != PLAN_DRIVER_TACHO) {
        buf_addf(out, "    driver: %s\n", plan_driver_names[workload->driver]);
    }
    if (workload->replay) {
        buf_add_text(out, "    replay: ");
        text_add(out, workload->replay);
    }
    if (workload->replay_sha256) {
        buf_addf(out, "    replay_sha256: %s\n", workload->replay_sha256);
    }
    if (workload->requests_per_connection > 0) {
        buf_addf(out, "    requests_per_connection: %" PRIu32 "\n",
                 workload->requests_per_connection);
    }
}

/* The shortest decimal that reads back as the same number. */
static void number_add(struct buf *out, const char *key, double number, const char *suffix)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    buf_addf(out, "    %s: %s%s\n", key, text, suffix);
}

/* A limit or value of a claim in its unit; nothing when it is not stated. */
static void quantity_add(struct buf *out, const char *key, const struct plan_claim *claim,
                         double number)
{
    char padded_key[20];

    if (isnan(number)) {
        return;
    }
    if (claim->kind == PLAN_CLAIM_RATIO) {
        number_add(out, key, number, "");
    } else if (claim->metric == PLAN_METRIC_THROUGHPUT && claim->kind != PLAN_CLAIM_RECOVERS) {
        number_add(out, key, number, "/s");
    } else if (claim->metric == PLAN_METRIC_RSS) {
        buf_addf(out, "    %s: %" PRId64 "\n", key, (int64_t)number);
    } else {
        snprintf(padded_key, sizeof(padded_key), "    %s", key);
        duration_add(out, padded_key, (int64_t)number);
    }
}

static void claim_engines_format(const struct plan_claim *claim, struct buf *out)
{
    if (claim->kind == PLAN_CLAIM_ORDER) {
        buf_add_text(out, "    engines:\n");
        for (size_t i = 0; i < claim->engine_count; i++) {
            buf_add_text(out, "      - ");
            text_add(out, claim->engines[i]);
        }
        return;
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        quoted_add(out, "    recovers", claim->engines[0]);
        return;
    }
    if (claim->engine_count > 0) {
        quoted_add(out, "    of", claim->engines[0]);
    }
    if (claim->engine_count > 1) {
        quoted_add(out, "    over", claim->engines[1]);
    }
}

static void claim_format(const struct plan_claim *claim, struct buf *out)
{
    quoted_add(out, "  - id", claim->id);
    if (claim->kind != PLAN_CLAIM_RECOVERS) {
        buf_addf(out, "    %s: %s\n", plan_claim_kind_names[claim->kind],
                 claim->kind == PLAN_CLAIM_NO_ERRORS ? "true"
                                                     : plan_claim_metric_names[claim->metric]);
    }
    claim_engines_format(claim, out);
    if (claim->workload) {
        quoted_add(out, "    workload", claim->workload);
    }
    if (claim->connection_count) {
        buf_addf(out, "    connections: %" PRIu32 "\n", claim->connection_count);
    }
    quantity_add(out, "at_least", claim, claim->at_least);
    quantity_add(out, "at_most", claim, claim->at_most);
    quantity_add(out, "value", claim, claim->value);
    if (!isnan(claim->within) && claim->kind == PLAN_CLAIM_LEVEL) {
        number_add(out, "within", claim->within, "%");
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        buf_addf(out, "    growth: %" PRId64 "\n", (int64_t)claim->growth);
    }
}

void plan_format(const struct plan *plan, struct buf *out)
{
    quoted_add(out, "title", plan->title);
    quoted_add(out, "baseline", plan->baseline);
    buf_addf(out, "trials: %" PRIu32 "\naa: %s\n", plan->block_count,
             plan->aa_arm ? "true" : "false");
    duration_add(out, "settle", plan->settle_ns);
    duration_add(out, "warmup", plan->warmup_ns);
    duration_add(out, "window", plan->window_ns);
    duration_add(out, "cooldown", plan->cooldown_ns);
    duration_add(out, "sample", plan->sample_ns);
    duration_add(out, "timeout", plan->timeout_ns);
    duration_add(out, "ready_within", plan->ready_within_ns);
    buf_addf(out, "seed: %" PRIu64 "\n", plan->seed);
    machine_format(&plan->machine, out);
    buf_add_text(out, "engines:\n");
    for (size_t i = 0; i < plan->engine_count; i++) {
        engine_format(&plan->engines[i], out);
    }
    buf_add_text(out, "workloads:\n");
    for (size_t i = 0; i < plan->workload_count; i++) {
        workload_format(&plan->workloads[i], out);
    }
    if (plan->claim_count > 0) {
        buf_add_text(out, "claims:\n");
    }
    for (size_t i = 0; i < plan->claim_count; i++) {
        claim_format(&plan->claims[i], out);
    }
}
