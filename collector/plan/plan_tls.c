// SPDX-License-Identifier: Apache-2.0
// Reads how a plan wants an engine to be spoken to over TLS.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/driver/target.h"
#include "collector/driver/tls.h"
#include "collector/plan/plan_foreign.h"
#include "collector/plan/plan_read.h"

#define HOST_BYTES_MAX (TARGET_HOST_BYTES - 1)

/* A name or an address, as it stands in a certificate. */
static enum err_code host_read(struct plan_reader *reader, const struct plan_field *field,
                               const yaml_node_t *node, void *target)
{
    struct plan_tls *tls = target;
    enum err_code code = plan_read_name(reader, field, node, &tls->host);

    for (const char *at = code == ERR_OK ? tls->host : ""; *at; at++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *at)) {
            return plan_fail(reader, node,
                             "host: the name or IPv4 address in the server's certificate, like "
                             "www.example.org, without scheme and port");
        }
    }
    return code;
}

static const struct plan_field tls_fields[] = {
    {.key = "host", .type = PLAN_FIELD_OTHER, .maximum = HOST_BYTES_MAX, .read = host_read},
    {.key = "ca",
     .type = PLAN_FIELD_OTHER,
     .offset = offsetof(struct plan_tls, ca),
     .maximum = PLAN_WORD_BYTES_MAX,
     .read = plan_read_file_path},
    {.key = "insecure", .type = PLAN_FIELD_BOOL, .offset = offsetof(struct plan_tls, is_insecure)},
    {.key = "reuse", .type = PLAN_FIELD_BOOL, .offset = offsetof(struct plan_tls, reuses)},
};
const struct plan_table plan_tls_table = {
    .what = "tls", .fields = tls_fields, .field_count = ARRAY_COUNT(tls_fields)};

/* A mapping, or "true" for one without keys. */
enum err_code plan_read_tls(struct plan_reader *reader, const struct plan_field *field,
                            const yaml_node_t *node, void *target)
{
    struct plan_tls *tls = (void *)((char *)target + field->offset);
    const yaml_node_t *found[ARRAY_COUNT(tls_fields)];

    *tls = (struct plan_tls){.is_on = true, .reuses = true};
    if (node->type == YAML_SCALAR_NODE &&
        strcmp((const char *)node->data.scalar.value, "true") == 0) {
        return ERR_OK;
    }
    if (node->type != YAML_MAPPING_NODE) {
        return plan_fail(reader, node, "%s: write \"true\" or a mapping like { ca: cert.pem }",
                         field->key);
    }
    enum err_code code = plan_fields_read(reader, &plan_tls_table, node, tls, found);
    if (code == ERR_OK && tls->ca && tls->is_insecure) {
        return plan_fail(reader, node,
                         "ca: nobody looks at a certificate where \"insecure\" is true; leave one "
                         "out");
    }
    return code;
}

/* What the URL says of it: https is TLS with everything as usual, http is none. */
enum err_code plan_check_tls(struct plan_reader *reader, const yaml_node_t *node,
                             struct plan_engine *engine)
{
    static const char scheme[] = "https:";
    bool is_https = engine->url && strncasecmp(engine->url, scheme, strlen(scheme)) == 0;

    if (engine->url && engine->tls.is_on && !is_https) {
        return plan_fail(reader, node, "tls: the url says http; write https");
    }
    if (is_https && !engine->tls.is_on) {
        engine->tls = (struct plan_tls){.is_on = true, .reuses = true};
    }
    return ERR_OK;
}

enum err_code plan_check_ca(struct plan_reader *reader, const yaml_node_t *node,
                            const struct plan_engine *engine)
{
    char path[PATH_MAX];
    struct err why;

    if (!engine->tls.ca || !engine->plan_folder) {
        return ERR_OK;
    }
    snprintf(path, sizeof(path), "%s/%s", engine->plan_folder, engine->tls.ca);
    return tls_check_ca(path, &why) == ERR_OK ? ERR_OK
                                              : plan_fail(reader, node, "ca: %s", why.text);
}

const char *plan_engine_host(const struct plan_engine *engine)
{
    struct target url;

    if (!engine->tls.is_on) {
        return PLAN_ENGINE_ADDRESS;
    }
    if (engine->tls.host) {
        return engine->tls.host;
    }
    /* A URL of a plan is of one of two. */
    return engine->url && target_parse(engine->url, &url, NULL) == ERR_OK &&
                   strcmp(url.node, PLAN_ENGINE_LOCALHOST) == 0
               ? PLAN_ENGINE_LOCALHOST
               : PLAN_ENGINE_ADDRESS;
}
