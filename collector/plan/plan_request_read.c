// SPDX-License-Identifier: Apache-2.0
// Requests of a plan.
#include "collector/plan/plan_request_read.h"

#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_body.h"
#include "collector/plan/plan_read.h"

const struct plan_request plan_request_default = {
    .body = "", .expect = {.status = 200, .body_bytes = -1}, .weight = 1};

static struct plan_request *request_of(const struct plan_field *field, void *target)
{
    return (struct plan_request *)(void *)((char *)target + field->offset);
}

/* The path goes into the request line as it is. */
enum err_code plan_read_request_path(struct plan_reader *reader, const struct plan_field *field,
                                     const yaml_node_t *node, void *target)
{
    struct plan_request *request = request_of(field, target);
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
    if (request->path) {
        return plan_fail(reader, node, "%s beside another method; keep one of get, head, post",
                         field->key);
    }
    request->path = path;
    request->method = field->key[0] == 'g' ? "GET" : field->key[0] == 'h' ? "HEAD" : "POST";
    return ERR_OK;
}

enum err_code plan_read_sha256(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    const char **hex_out = (const char **)((char *)target + field->offset);
    const char *text = "";
    enum err_code code = plan_read_name(reader, field, node, &text);

    if (code != ERR_OK) {
        return code;
    }
    if (strlen(text) != DIGEST_HEX_BYTES - 1 || text[strspn(text, "0123456789abcdef")] != '\0') {
        return plan_fail(reader, node, "%s: not a SHA-256; write 64 lower-case hex digits",
                         field->key);
    }
    *hex_out = text;
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

enum err_code plan_read_expect(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    const yaml_node_t *found[ARRAY_COUNT(expect_fields)];

    return plan_fields_read(reader, &plan_expect_table, node, &request_of(field, target)->expect,
                            found);
}

enum err_code plan_request_check(struct plan_reader *reader, const char *what,
                                 const yaml_node_t *node, const yaml_node_t *expect,
                                 const struct plan_request *request)
{
    if (!request->path) {
        return plan_fail(reader, node, "%s has no method; add one of get, head, post", what);
    }
    if (request->expect.body && *request->expect.body && strcmp(request->method, "HEAD") == 0) {
        return plan_fail(reader, expect ? expect : node,
                         "expect: a body with head, whose answers have none; use get");
    }
    return ERR_OK;
}

static const struct plan_field request_fields[] = {
    PLAN_REQUEST_FIELDS(0),
    [PLAN_REQUEST_FIELD_COUNT] = {.key = "weight",
                                  .type = PLAN_FIELD_COUNT,
                                  .offset = offsetof(struct plan_request, weight),
                                  .minimum = 1,
                                  .maximum = MIX_WEIGHT_MAX},
};
const struct plan_table plan_request_table = {
    .what = "a request", .fields = request_fields, .field_count = ARRAY_COUNT(request_fields)};

static enum err_code request_read(struct plan_reader *reader, const yaml_node_t *node,
                                  struct plan_request *request)
{
    const yaml_node_t *found[ARRAY_COUNT(request_fields)];

    *request = plan_request_default;
    enum err_code code = plan_fields_read(reader, &plan_request_table, node, request, found);
    if (code == ERR_OK) {
        code = plan_request_check(reader, "a request", node, found[PLAN_REQUEST_EXPECT], request);
    }
    return code == ERR_OK ? plan_body_read(reader, found[PLAN_REQUEST_BODY],
                                           found[PLAN_REQUEST_BODY_SHA256], request)
                          : code;
}

enum err_code plan_read_mix(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target)
{
    struct plan_workload *workload = target;
    enum err_code code = ERR_OK;

    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top - node->data.sequence.items.start < 2) {
        return plan_fail(reader, node,
                         "%s: write a list of at least two, like \"[{ get: /ping, weight: 9 }, "
                         "{ post: /upload, body: a.bin, weight: 1 }]\"",
                         field->key);
    }
    workload->request_count = 0;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         code == ERR_OK && item < node->data.sequence.items.top; item++) {
        const yaml_node_t *item_node = plan_yaml_node(reader, *item);

        if (workload->request_count == PLAN_REQUEST_COUNT_MAX) {
            return plan_fail(reader, item_node, "%s: more than %d; make two workloads of it",
                             field->key, PLAN_REQUEST_COUNT_MAX);
        }
        code = request_read(reader, item_node, &workload->requests[workload->request_count++]);
    }
    return code;
}
