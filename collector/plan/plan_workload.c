// SPDX-License-Identifier: Apache-2.0
// Workloads of a plan: what is sent, what a right answer is, how many connections.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_engines.h"
#include "collector/plan/plan_flood.h"
#include "collector/plan/plan_read.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/units.h"

#define PATH_BYTES_MAX     4000
#define BODY_PATH_MAX      1000
#define PIPELINE_COUNT_MAX 1024

/* The path goes into the request line as it is. */
static enum err_code path_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    const char *path = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_name(reader, field, node, &path);

    if (code != ERR_OK) {
        return code;
    }
    plan_quote(path, strlen(path), quote);
    if (*path != '/') {
        return plan_fail(reader, node, "%s: %s does not begin with \"/\"; write it like /ping",
                         field->key, quote);
    }
    for (const char *p = path; *p; p++) {
        if (*p <= ' ' || *p > '~' || *p == '#') {
            return plan_fail(
                reader, node,
                "%s: %s holds a space, a '#' or a byte beyond ASCII; write it as %%20, "
                "%%23 or %%XX",
                field->key, quote);
        }
    }
    if (workload->path) {
        return plan_fail(reader, node, "%s beside another method; keep one of get, head, post",
                         field->key);
    }
    workload->path = path;
    workload->method = field->key[0] == 'g' ? "GET" : field->key[0] == 'h' ? "HEAD" : "POST";
    return ERR_OK;
}

static enum err_code sha256_read(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    const char *text = "";
    enum err_code code = plan_read_name(reader, field, node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (strlen(text) != DIGEST_HEX_BYTES - 1 || text[strspn(text, "0123456789abcdef")] != '\0') {
        return plan_fail(reader, node, "%s: not a SHA-256; write 64 lower-case hex digits",
                         field->key);
    }
    workload->body_sha256 = text;
    return ERR_OK;
}

static enum err_code expect_body_read(struct plan_reader *reader, const struct plan_field *field,
                                      const yaml_node_t *node, void *target)
{
    struct plan_expect *expect = target;
    const char *text = "";
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = ERR_OK;

    /* An empty body is a thing to expect, so it may be written "". */
    code = plan_read_scalar(reader, field->key, "the text of the body", node, &text);
    if (code == ERR_OK) {
        code = digest_bytes(text, strlen(text), hex, reader->e);
    }
    if (code != ERR_OK) {
        return code;
    }
    expect->body_bytes = (int64_t)strlen(text);
    expect->body = plan_keep(reader->plan, text, strlen(text));
    expect->body_sha256 = plan_keep(reader->plan, hex, strlen(hex));
    return expect->body && expect->body_sha256 ? ERR_OK : plan_fail_memory(reader);
}

static const struct plan_field expect_fields[] = {
    {.key = "status",
     .type = PLAN_FIELD_INT,
     .offset = offsetof(struct plan_expect, status),
     .minimum = 100,
     .maximum = 599},
    {.key = "body", .type = PLAN_FIELD_OTHER, .read = expect_body_read},
};
const struct plan_table plan_expect_table = {
    .what = "expect", .fields = expect_fields, .field_count = ARRAY_COUNT(expect_fields)};

static enum err_code expect_read(struct plan_reader *reader, const struct plan_field *field,
                                 const yaml_node_t *node, void *target)
{
    const yaml_node_t *found[ARRAY_COUNT(expect_fields)];

    return plan_fields_read(reader, &plan_expect_table, node, (char *)target + field->offset,
                            found);
}

static enum err_code load_point_add(struct plan_reader *reader, const struct plan_field *field,
                                    const yaml_node_t *node, struct plan_workload *workload)
{
    int64_t count = 0;
    enum err_code code = ERR_OK;

    if (workload->load_point_count == PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, node, "%s: more than %d; make two workloads of it", field->key,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    code = plan_read_count(reader, field, node, &count);
    if (code != ERR_OK) {
        return code;
    }
    for (size_t i = 0; i < workload->load_point_count; i++) {
        if (workload->connection_counts[i] == count) {
            return plan_fail(reader, node, "%s: %u a second time; keep one", field->key,
                             workload->connection_counts[i]);
        }
    }
    workload->connection_counts[workload->load_point_count++] = (uint32_t)count;
    return ERR_OK;
}

static enum err_code connections_read(struct plan_reader *reader, const struct plan_field *field,
                                      const yaml_node_t *node, void *target)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return load_point_add(reader, field, node, target);
    }
    if (node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node, "%s: an empty list; write a count like 125 or [64, 512]",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        enum err_code code = load_point_add(reader, field, plan_yaml_node(reader, *item), target);
        if (code != ERR_OK) {
            return code;
        }
    }
    return ERR_OK;
}

/* "2000/s": the unit says that it is no number of connections. */
static enum err_code rate_add(struct plan_reader *reader, const struct plan_field *field,
                              const yaml_node_t *node, struct plan_workload *workload)
{
    char number[UNITS_TEXT_BYTES] = "";
    const char *text = "";
    int64_t rate = 0;
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_scalar(reader, field->key, "a rate like 2000/s", node, &text);

    if (code != ERR_OK) {
        return code;
    }
    size_t length = strlen(text);
    bool has_unit = length > 2 && length < sizeof(number) && strcmp(text + length - 2, "/s") == 0;
    if (has_unit) {
        snprintf(number, sizeof(number), "%.*s", (int)length - 2, text);
    }
    if (!has_unit ||
        units_parse_count(number, field->minimum, field->maximum, &rate, NULL) != ERR_OK) {
        return plan_fail(reader, node, "%s: %s is not a rate from 1/s to %lld/s; write 2000/s",
                         field->key, plan_quote(text, length, quote), (long long)field->maximum);
    }
    if (workload->rate_count == PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, node, "%s: more than %d; make two workloads of it", field->key,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    for (size_t i = 0; i < workload->rate_count; i++) {
        if (workload->rates_per_s[i] == rate) {
            return plan_fail(reader, node, "%s: %lld/s a second time; keep one", field->key,
                             (long long)rate);
        }
    }
    workload->rates_per_s[workload->rate_count++] = (uint32_t)rate;
    return ERR_OK;
}

static enum err_code rate_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE) {
        return rate_add(reader, field, node, target);
    }
    if (node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: an empty list; write a rate like 2000/s or [2000/s, 4000/s]",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        code = rate_add(reader, field, plan_yaml_node(reader, *item), target);
    }
    return code;
}

static enum err_code arrivals_read(struct plan_reader *reader, const struct plan_field *field,
                                   const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    const char *text = "";
    char quote[PLAN_QUOTE_BYTES];
    enum err_code code = plan_read_scalar(reader, field->key, "uniform or poisson", node, &text);

    if (code == ERR_OK && strcmp(text, "uniform") != 0 && strcmp(text, "poisson") != 0) {
        return plan_fail(reader, node, "%s: %s is not one of uniform, poisson", field->key,
                         plan_quote(text, strlen(text), quote));
    }
    workload->is_poisson = *text == 'p';
    return code;
}

static enum err_code override_read(struct plan_reader *reader, const struct plan_field *field,
                                   const yaml_node_t *node, void *target)
{
    struct plan_override *override =
        (struct plan_override *)(void *)((char *)target + field->offset);
    int64_t ns = 0;
    enum err_code code = plan_read_duration(reader, field, node, &ns);

    if (code == ERR_OK) {
        *override = (struct plan_override){true, ns};
    }
    return code;
}

#define OVERRIDE_FIELD(name, minimum_ns, maximum_ns)                                               \
    {                                                                                              \
        .key = #name, .type = PLAN_FIELD_OTHER, .offset = offsetof(struct plan_workload, name),    \
        .minimum = (minimum_ns), .maximum = (maximum_ns), .read = override_read                    \
    }

enum workload_field {
    WORKLOAD_NAME,
    WORKLOAD_BODY,
    WORKLOAD_BODY_SHA256,
    WORKLOAD_EXPECT,
    WORKLOAD_RATE,
    WORKLOAD_ARRIVALS,
    WORKLOAD_CONNECTIONS,
    WORKLOAD_FLOOD,
    WORKLOAD_PIPELINE,
    WORKLOAD_REQUESTS,
    WORKLOAD_WARMUP,
    WORKLOAD_WINDOW,
};

static const struct plan_field workload_fields[] = {
    [WORKLOAD_NAME] = {.key = "name",
                       .type = PLAN_FIELD_NAME,
                       .offset = offsetof(struct plan_workload, name),
                       .maximum = PLAN_NAME_BYTES_MAX,
                       .required = true},
    [WORKLOAD_BODY] = {.key = "body",
                       .type = PLAN_FIELD_NAME,
                       .offset = offsetof(struct plan_workload, body_path),
                       .maximum = BODY_PATH_MAX},
    [WORKLOAD_BODY_SHA256] = {.key = "body_sha256",
                              .type = PLAN_FIELD_OTHER,
                              .maximum = PATH_BYTES_MAX,
                              .read = sha256_read},
    [WORKLOAD_EXPECT] = {.key = "expect",
                         .type = PLAN_FIELD_OTHER,
                         .offset = offsetof(struct plan_workload, expect),
                         .read = expect_read},
    [WORKLOAD_RATE] = {.key = "rate",
                       .type = PLAN_FIELD_OTHER,
                       .minimum = 1,
                       .maximum = 10000000,
                       .read = rate_read},
    [WORKLOAD_ARRIVALS] = {.key = "arrivals", .type = PLAN_FIELD_OTHER, .read = arrivals_read},
    [WORKLOAD_CONNECTIONS] = {.key = "connections",
                              .type = PLAN_FIELD_OTHER,
                              .minimum = 1,
                              .maximum = 65535,
                              .read = connections_read},
    [WORKLOAD_FLOOD] = {.key = "flood", .type = PLAN_FIELD_OTHER, .read = plan_flood_read},
    [WORKLOAD_PIPELINE] = {.key = "pipeline",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_workload, pipeline_count),
                           .minimum = 1,
                           .maximum = PIPELINE_COUNT_MAX},
    [WORKLOAD_REQUESTS] = {.key = "requests_per_connection",
                           .type = PLAN_FIELD_COUNT,
                           .offset = offsetof(struct plan_workload, requests_per_connection),
                           .minimum = 1,
                           .maximum = UINT32_MAX},
    [WORKLOAD_WARMUP] = OVERRIDE_FIELD(warmup, 0, PLAN_DAY_NS),
    [WORKLOAD_WINDOW] = OVERRIDE_FIELD(window, CLOCK_NS_PER_MS, PLAN_DAY_NS),
    OVERRIDE_FIELD(settle, 0, PLAN_HOUR_NS),
    OVERRIDE_FIELD(cooldown, 0, PLAN_HOUR_NS),
    OVERRIDE_FIELD(timeout, CLOCK_NS_PER_MS, PLAN_HOUR_NS),
    {.key = "get", .type = PLAN_FIELD_OTHER, .maximum = PATH_BYTES_MAX, .read = path_read},
    {.key = "head", .type = PLAN_FIELD_OTHER, .maximum = PATH_BYTES_MAX, .read = path_read},
    {.key = "post", .type = PLAN_FIELD_OTHER, .maximum = PATH_BYTES_MAX, .read = path_read},
};
const struct plan_table plan_workload_table = {
    .what = "a workload", .fields = workload_fields, .field_count = ARRAY_COUNT(workload_fields)};

/* A path is written relative to the file that it stands in; the plan's text has it relative to the
 * plan's own folder. */
static enum err_code body_path_resolve(struct plan_reader *reader, const yaml_node_t *node,
                                       struct plan_workload *workload)
{
    char path[PATH_MAX];

    if (reader->bodies) {
        return ERR_OK; /* nothing is opened */
    }
    if (workload->body_path[0] == '/') {
        return plan_fail(reader, node,
                         "body: an absolute path; write it relative to the plan's folder, so that "
                         "other machines find it");
    }
    if (!reader->prefix || !*reader->prefix) {
        return ERR_OK;
    }
    if (snprintf(path, sizeof(path), "%s%s", reader->prefix, workload->body_path) >=
        (int)sizeof(path)) {
        return plan_fail(reader, node, "body: the path with its folder is too long");
    }
    workload->body_path = plan_keep(reader->plan, path, strlen(path));
    return workload->body_path ? ERR_OK : plan_fail_memory(reader);
}

/* Of a stored plan: the bytes whose digest it states. */
static enum err_code body_find(struct plan_reader *reader, struct plan_workload *workload)
{
    for (size_t i = 0; i < reader->body_count; i++) {
        const struct plan_body *body = &reader->bodies[i];

        if (workload->body_sha256 && strcmp(body->sha256, workload->body_sha256) == 0) {
            workload->body = plan_keep(reader->plan, body->bytes, body->length);
            workload->body_bytes = body->length;
            return workload->body ? ERR_OK : plan_fail_memory(reader);
        }
    }
    return err_set(reader->e, ERR_MISMATCH, "%s: the body %.100s is not with it", reader->name,
                   workload->body_path);
}

static enum err_code body_file_read(struct plan_reader *reader, const yaml_node_t *node,
                                    struct plan_workload *workload)
{
    char path[PATH_MAX];
    struct err problem;
    struct buf body;

    if (snprintf(path, sizeof(path), "%s%s%s", reader->folder ? reader->folder : "",
                 reader->folder ? "/" : "", workload->body_path) >= (int)sizeof(path)) {
        return plan_fail(reader, node, "body: the path with its folder is too long");
    }
    buf_init(&body, PLAN_BODY_BYTES_MAX);
    enum err_code code = fs_read_file(path, &body, &problem);
    if (code == ERR_LIMIT) {
        code = plan_fail(reader, node, "body: %.200s is larger than 16 MiB; take a smaller file",
                         path);
    } else if (code != ERR_OK) {
        code = plan_fail(reader, node, "body: %.300s; name a readable file", problem.text);
    } else {
        workload->body = plan_keep(reader->plan, body.bytes, body.length);
        workload->body_bytes = body.length;
        code = workload->body ? ERR_OK : plan_fail_memory(reader);
    }
    buf_release(&body);
    return code;
}

/* The digest of the file is part of the canonical text, so that the plan's digest names the bytes
 * that are sent; a plan that states it is refused when the file has changed. */
static enum err_code body_read(struct plan_reader *reader, const yaml_node_t **found,
                               struct plan_workload *workload)
{
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = ERR_OK;

    if (!workload->body_path) {
        return found[WORKLOAD_BODY_SHA256]
                   ? plan_fail(
                         reader, found[WORKLOAD_BODY_SHA256],
                         "body_sha256 without body; name the file in \"body\" or leave it out")
                   : ERR_OK;
    }
    if (strcmp(workload->method, "POST") != 0) {
        return plan_fail(reader, found[WORKLOAD_BODY], "body with %s; only post sends a body",
                         workload->method);
    }
    code = body_path_resolve(reader, found[WORKLOAD_BODY], workload);
    if (code == ERR_OK) {
        code = reader->bodies ? body_find(reader, workload)
                              : body_file_read(reader, found[WORKLOAD_BODY], workload);
    }
    if (code == ERR_OK) {
        code = digest_bytes(workload->body, workload->body_bytes, hex, reader->e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (workload->body_sha256 && strcmp(workload->body_sha256, hex) != 0) {
        return plan_fail(reader, found[WORKLOAD_BODY_SHA256],
                         "body_sha256: the file %.100s has another one: %s", workload->body_path,
                         hex);
    }
    workload->body_sha256 = plan_keep(reader->plan, hex, strlen(hex));
    return workload->body_sha256 ? ERR_OK : plan_fail_memory(reader);
}

/* What belongs together: a rate, its arrivals, and not too many cells of both kinds of list. */
static enum err_code load_check(struct plan_reader *reader, const yaml_node_t **found,
                                const struct plan_workload *workload)
{
    const yaml_node_t *rate = found[WORKLOAD_RATE];
    const yaml_node_t *arrivals = found[WORKLOAD_ARRIVALS];
    const yaml_node_t *pipeline = found[WORKLOAD_PIPELINE];

    if (arrivals && workload->rate_count == 0) {
        return plan_fail(reader, arrivals,
                         "arrivals without rate; add a rate like 2000/s or leave it out");
    }
    if (workload->rate_count > 0 && workload->pipeline_count > 1) {
        return plan_fail(reader, pipeline ? pipeline : rate,
                         "pipeline with rate; it is of a closed loop: keep one of the two");
    }
    if (plan_cell_count(workload) > PLAN_LOAD_POINT_COUNT_MAX) {
        return plan_fail(reader, rate ? rate : found[WORKLOAD_CONNECTIONS],
                         "rate: %zu rates with each of %zu counts of connections; at "
                         "most %d together: make two workloads of it",
                         workload->rate_count, workload->load_point_count,
                         PLAN_LOAD_POINT_COUNT_MAX);
    }
    for (int i = WORKLOAD_WARMUP; i <= WORKLOAD_WINDOW; i++) {
        if (found[i] && workload->flood.connection_count > 0) {
            return plan_fail(reader, found[i], "%s beside flood, which says how long it takes",
                             workload_fields[i].key);
        }
    }
    return ERR_OK;
}

static enum err_code workload_name_check(struct plan_reader *reader, const yaml_node_t *node,
                                         const struct plan_workload *workload)
{
    const struct plan *plan = reader->plan;
    char quote[PLAN_QUOTE_BYTES];

    if (strcmp(workload->name, PLAN_LIMIT_NAME) == 0) {
        return plan_fail(reader, node,
                         "name: \"limit\" is the calibration workload's; choose another");
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (&plan->workloads[i] != workload &&
            strcmp(plan->workloads[i].name, workload->name) == 0) {
            return plan_fail(reader, node, "name: a second workload %s; choose another",
                             plan_quote(workload->name, strlen(workload->name), quote));
        }
    }
    return ERR_OK;
}

static enum err_code workload_check(struct plan_reader *reader, const yaml_node_t *node,
                                    const yaml_node_t **found, struct plan_workload *workload)
{
    if (!workload->path) {
        return plan_fail(reader, node, "a workload has no method; add one of get, head, post");
    }
    if (workload->expect.body && *workload->expect.body && strcmp(workload->method, "HEAD") == 0) {
        return plan_fail(reader, found[WORKLOAD_EXPECT] ? found[WORKLOAD_EXPECT] : node,
                         "expect: a body with head, whose answers have none; use get");
    }
    return load_check(reader, found, workload);
}

static enum err_code workload_read(struct plan_reader *reader, const yaml_node_t *node,
                                   struct plan_workload *workload)
{
    const yaml_node_t *found[ARRAY_COUNT(workload_fields)];
    enum err_code code = plan_fields_read(reader, &plan_workload_table, node, workload, found);

    if (code == ERR_OK) {
        code = workload_name_check(reader, found[WORKLOAD_NAME], workload);
    }
    if (code == ERR_OK) {
        code = workload_check(reader, node, found, workload);
    }
    if (code == ERR_OK) {
        const struct plan_load_nodes nodes = {node,
                                              found[WORKLOAD_FLOOD],
                                              found[WORKLOAD_CONNECTIONS],
                                              found[WORKLOAD_RATE],
                                              found[WORKLOAD_PIPELINE],
                                              found[WORKLOAD_REQUESTS]};
        code = plan_flood_check(reader, &nodes, workload);
    }
    return code == ERR_OK ? body_read(reader, found, workload) : code;
}

/* A key that is set anew does not add to what was said before. */
static enum err_code before_set(struct plan_reader *reader, const char *key,
                                struct plan_workload *workload)
{
    static const char *const of_load[] = {"connections", "rate", "pipeline",
                                          "requests_per_connection"};
    bool is_flood = workload->flood.connection_count > 0;

    for (size_t i = 0; is_flood && i < ARRAY_COUNT(of_load); i++) {
        if (strcmp(key, of_load[i]) == 0) {
            return plan_fail(reader, plan_yaml_root(reader), "%s of a flood; set \"flood\" instead",
                             key);
        }
    }
    if (!is_flood && strcmp(key, "flood") == 0) {
        return plan_fail(reader, plan_yaml_root(reader),
                         "the workload is no flood; make it one in the plan");
    }
    if (strcmp(key, "connections") == 0) {
        workload->load_point_count = 0;
    } else if (strcmp(key, "rate") == 0) {
        workload->rate_count = 0;
    } else if (strcmp(key, "body") == 0) {
        workload->body_sha256 = NULL;
    } else if (strcmp(key, "get") == 0 || strcmp(key, "head") == 0 || strcmp(key, "post") == 0) {
        workload->path = NULL;
    }
    return ERR_OK;
}

enum err_code plan_set_workload(struct plan_reader *reader, const char *key,
                                struct plan_workload *workload)
{
    const yaml_node_t *found[ARRAY_COUNT(workload_fields)];
    const yaml_node_t *root = plan_yaml_root(reader);
    enum err_code code = before_set(reader, key, workload);

    if (code == ERR_OK) {
        code = plan_fields_read(reader, &plan_workload_table, root, workload, found);
    }
    if (code == ERR_OK && found[WORKLOAD_NAME]) {
        return plan_fail(reader, root, "a name is what claims and baseline call it by; leave it");
    }
    if (code == ERR_OK) {
        code = workload_check(reader, root, found, workload);
    }
    if (code == ERR_OK && found[WORKLOAD_FLOOD]) {
        workload->connection_counts[0] = workload->flood.connection_count;
    }
    if (code != ERR_OK || !(found[WORKLOAD_BODY] || found[WORKLOAD_BODY_SHA256])) {
        return code == ERR_OK && workload->body_path && strcmp(workload->method, "POST") != 0
                   ? plan_fail(reader, root, "the workload has a body; only post sends one")
                   : code;
    }
    return body_read(reader, found, workload);
}

enum err_code plan_read_workloads(struct plan_reader *reader, const struct plan_field *field,
                                  const yaml_node_t *node, void *target)
{
    struct plan *plan = target;

    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start) {
        return plan_fail(reader, node,
                         "%s: write a list of at least one, like \"- { name: ping, get: /ping, "
                         "connections: 125 }\"",
                         field->key);
    }
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (plan->workload_count == PLAN_WORKLOAD_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d; make two plans of it",
                             field->key, PLAN_WORKLOAD_COUNT_MAX);
        }
        struct plan_workload *workload = &plan->workloads[plan->workload_count];
        *workload = (struct plan_workload){
            .body = "", .expect = {.status = 200, .body_bytes = -1}, .pipeline_count = 1};
        enum err_code code = workload_read(reader, item_node, workload);
        if (code != ERR_OK) {
            return code;
        }
        plan->workload_count++;
    }
    return ERR_OK;
}
