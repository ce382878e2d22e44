// SPDX-License-Identifier: Apache-2.0
// The keys of a request, which stand in a workload that asks one thing and in the items of a mix.
#ifndef COLLECTOR_PLAN_PLAN_REQUEST_READ_H
#define COLLECTOR_PLAN_PLAN_REQUEST_READ_H

#include "collector/plan/plan_fields.h"

#define PLAN_PATH_BYTES_MAX      4000
#define PLAN_BODY_PATH_BYTES_MAX 1000

/* The first fields of both tables. */
enum plan_request_field {
    PLAN_REQUEST_GET,
    PLAN_REQUEST_HEAD,
    PLAN_REQUEST_POST,
    PLAN_REQUEST_BODY,
    PLAN_REQUEST_BODY_SHA256,
    PLAN_REQUEST_EXPECT,
    PLAN_REQUEST_FIELD_COUNT,
};
/* `base`: where the struct plan_request is in the target, or its member. */
#define PLAN_REQUEST_OTHER(name, base, function)                                                   \
    {                                                                                              \
        .key = (name), .type = PLAN_FIELD_OTHER, .offset = (base), .maximum = PLAN_PATH_BYTES_MAX, \
        .read = (function)                                                                         \
    }
#define PLAN_REQUEST_FIELDS(base)                                                                  \
    [PLAN_REQUEST_GET] = PLAN_REQUEST_OTHER("get", base, plan_read_request_path),                  \
    [PLAN_REQUEST_HEAD] = PLAN_REQUEST_OTHER("head", base, plan_read_request_path),                \
    [PLAN_REQUEST_POST] = PLAN_REQUEST_OTHER("post", base, plan_read_request_path),                \
    [PLAN_REQUEST_BODY] = {.key = "body",                                                          \
                           .type = PLAN_FIELD_NAME,                                                \
                           .offset = (base) + offsetof(struct plan_request, body_path),            \
                           .maximum = PLAN_BODY_PATH_BYTES_MAX},                                   \
    [PLAN_REQUEST_BODY_SHA256] = PLAN_REQUEST_OTHER(                                               \
        "body_sha256", (base) + offsetof(struct plan_request, body_sha256), plan_read_sha256),     \
    [PLAN_REQUEST_EXPECT] = PLAN_REQUEST_OTHER("expect", base, plan_read_expect)

/* `read` functions; offset is that of the struct plan_request, of a digest that of its text. errors
 * ERR_USAGE, ERR_LIMIT */
enum err_code plan_read_request_path(struct plan_reader *reader, const struct plan_field *field,
                                     const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_sha256(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target) ATTR_MUST_USE;
enum err_code plan_read_expect(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target) ATTR_MUST_USE;

/* The `read` function of the field `requests`: the list of a mix into a struct plan_workload. */
enum err_code plan_read_mix(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target) ATTR_MUST_USE;

/* What belongs together in a request; `what` for messages. errors ERR_USAGE */
enum err_code plan_request_check(struct plan_reader *reader, const char *what,
                                 const yaml_node_t *node, const yaml_node_t *expect,
                                 const struct plan_request *request) ATTR_MUST_USE;

/* What a request is before it is read. */
extern const struct plan_request plan_request_default;

#endif
