// SPDX-License-Identifier: Apache-2.0
// The body of a workload's requests: a file beside the plan, or bytes that come with a stored one.
#include "collector/plan/plan_body.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_stored.h"
#include "engines/base/fs.h"

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
            workload->body_bytes = body->length;
            workload->body = NULL;
            if (!body->bytes) {
                return ERR_OK;
            }
            workload->body = plan_keep(reader->plan, body->bytes, body->length);
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
        code = plan_fail_memory(reader);
    } else if (code != ERR_OK) {
        code = plan_fail(reader, node, "body: %.300s%s", problem.text,
                         code == ERR_SYS ? "; name a readable file" : "");
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
enum err_code plan_body_read(struct plan_reader *reader, const yaml_node_t *body,
                             const yaml_node_t *sha256, struct plan_workload *workload)
{
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = ERR_OK;

    if (!workload->body_path) {
        return sha256 ? plan_fail(
                            reader, sha256,
                            "body_sha256 without body; name the file in \"body\" or leave it out")
                      : ERR_OK;
    }
    if (strcmp(workload->method, "POST") != 0) {
        return plan_fail(reader, body, "body with %s; only post sends a body", workload->method);
    }
    code = body_path_resolve(reader, body, workload);
    if (code == ERR_OK) {
        code =
            reader->bodies ? body_find(reader, workload) : body_file_read(reader, body, workload);
    }
    if (code == ERR_OK && !workload->body) {
        return ERR_OK; /* of a stored plan: only its digest is known */
    }
    if (code == ERR_OK) {
        code = digest_bytes(workload->body, workload->body_bytes, hex, reader->e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (workload->body_sha256 && strcmp(workload->body_sha256, hex) != 0) {
        return plan_fail(reader, sha256, "body_sha256: the file %.100s has another one: %s",
                         workload->body_path, hex);
    }
    workload->body_sha256 = plan_keep(reader->plan, hex, strlen(hex));
    return workload->body_sha256 ? ERR_OK : plan_fail_memory(reader);
}
