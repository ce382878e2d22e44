// SPDX-License-Identifier: Apache-2.0
// The body of a request: a file beside the plan, or bytes that come with a stored one.
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
                                       struct plan_request *request)
{
    char path[PATH_MAX];

    if (reader->bodies) {
        return ERR_OK; /* nothing is opened */
    }
    if (request->body_path[0] == '/') {
        return plan_fail(reader, node,
                         "body: an absolute path; write it relative to the plan's folder, so that "
                         "other machines find it");
    }
    if (!reader->prefix || !*reader->prefix) {
        return ERR_OK;
    }
    if (snprintf(path, sizeof(path), "%s%s", reader->prefix, request->body_path) >=
        (int)sizeof(path)) {
        return plan_fail(reader, node, "body: the path with its folder is too long");
    }
    request->body_path = plan_keep(reader->plan, path, strlen(path));
    return request->body_path ? ERR_OK : plan_fail_memory(reader);
}

/* Of a stored plan: the bytes whose digest it states. */
static enum err_code body_find(struct plan_reader *reader, struct plan_request *request)
{
    for (size_t i = 0; i < reader->body_count; i++) {
        const struct plan_body *body = &reader->bodies[i];

        if (request->body_sha256 && strcmp(body->sha256, request->body_sha256) == 0) {
            request->body_bytes = body->length;
            request->body = NULL;
            if (!body->bytes) {
                return ERR_OK;
            }
            request->body = plan_keep(reader->plan, body->bytes, body->length);
            return request->body ? ERR_OK : plan_fail_memory(reader);
        }
    }
    return err_set(reader->e, ERR_MISMATCH, "%s: the body %.100s is not with it", reader->name,
                   request->body_path);
}

static enum err_code body_file_read(struct plan_reader *reader, const yaml_node_t *node,
                                    struct plan_request *request)
{
    char path[PATH_MAX];
    struct err problem;
    struct buf body;

    if (snprintf(path, sizeof(path), "%s%s%s", reader->folder ? reader->folder : "",
                 reader->folder ? "/" : "", request->body_path) >= (int)sizeof(path)) {
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
        request->body = plan_keep(reader->plan, body.bytes, body.length);
        request->body_bytes = body.length;
        code = request->body ? ERR_OK : plan_fail_memory(reader);
    }
    buf_release(&body);
    return code;
}

/* The digest of the file is part of the canonical text, so that the plan's digest names the bytes
 * that are sent; a plan that states it is refused when the file has changed. */
enum err_code plan_body_read(struct plan_reader *reader, const yaml_node_t *body,
                             const yaml_node_t *sha256, struct plan_request *request)
{
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = ERR_OK;

    if (!request->body_path) {
        return sha256 ? plan_fail(
                            reader, sha256,
                            "body_sha256 without body; name the file in \"body\" or leave it out")
                      : ERR_OK;
    }
    if (strcmp(request->method, "POST") != 0) {
        return plan_fail(reader, body, "body with %s; only post sends a body", request->method);
    }
    code = body_path_resolve(reader, body, request);
    if (code == ERR_OK) {
        code = reader->bodies ? body_find(reader, request) : body_file_read(reader, body, request);
    }
    if (code == ERR_OK && !request->body) {
        return ERR_OK; /* of a stored plan: only its digest is known */
    }
    if (code == ERR_OK) {
        code = digest_bytes(request->body, request->body_bytes, hex, reader->e);
    }
    if (code != ERR_OK) {
        return code;
    }
    if (request->body_sha256 && strcmp(request->body_sha256, hex) != 0) {
        return plan_fail(reader, sha256, "body_sha256: the file %.100s has another one: %s",
                         request->body_path, hex);
    }
    request->body_sha256 = plan_keep(reader->plan, hex, strlen(hex));
    return request->body_sha256 ? ERR_OK : plan_fail_memory(reader);
}
