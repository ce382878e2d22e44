// SPDX-License-Identifier: Apache-2.0
// Files that a plan names: the body of a request, which may come with a stored plan, and a results
// file to replay.
#include "collector/plan/plan_body.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "collector/plan/plan_stored.h"
#include "engines/base/fs.h"

/* A path is written relative to the file that it stands in; the plan's text has it relative to the
 * plan's own folder. */
static enum err_code path_resolve(struct plan_reader *reader, const yaml_node_t *node,
                                  const char *key, const char **path_inout)
{
    char path[PATH_MAX];

    if (reader->bodies && !reader->resolved) {
        return ERR_OK; /* nothing is opened */
    }
    if (**path_inout == '/') {
        return plan_fail(reader, node,
                         "%s: an absolute path; write it relative to the plan's folder, so that "
                         "other machines find it",
                         key);
    }
    if (!reader->prefix || !*reader->prefix) {
        return ERR_OK;
    }
    if (snprintf(path, sizeof(path), "%s%s", reader->prefix, *path_inout) >= (int)sizeof(path)) {
        return plan_fail(reader, node, "%s: the path with its folder is too long", key);
    }
    *path_inout = plan_keep(reader->plan, path, strlen(path));
    return *path_inout ? ERR_OK : plan_fail_memory(reader);
}

/* Where a file of the plan lies for this process. */
static enum err_code path_locate(struct plan_reader *reader, const yaml_node_t *node,
                                 const char *key, const char *path, char out[PATH_MAX])
{
    if (snprintf(out, PATH_MAX, "%s%s%s", reader->folder ? reader->folder : "",
                 reader->folder ? "/" : "", path) >= PATH_MAX) {
        return plan_fail(reader, node, "%s: the path with its folder is too long", key);
    }
    return ERR_OK;
}

/* A plan that states a digest is refused when the file has another; else it states it from now on,
 * so that the plan's own digest names the bytes that are sent or played. */
static enum err_code digest_keep(struct plan_reader *reader, const yaml_node_t *node,
                                 const char *key, const char *path, const char *hex,
                                 const char **stated_inout)
{
    if (*stated_inout && strcmp(*stated_inout, hex) != 0) {
        return plan_fail(reader, node, "%s: the file %.100s has another one: %s", key, path, hex);
    }
    *stated_inout = plan_keep(reader->plan, hex, strlen(hex));
    return *stated_inout ? ERR_OK : plan_fail_memory(reader);
}

static enum err_code replay_digest(struct plan_reader *reader, const yaml_node_t *replay,
                                   const yaml_node_t *sha256, struct plan_workload *workload)
{
    const yaml_node_t *node = replay ? replay : sha256;
    char hex[DIGEST_HEX_BYTES];
    struct err problem;
    enum err_code code = digest_file(workload->replay_file, hex, &problem);

    if (code == ERR_LIMIT) {
        return plan_fail_memory(reader);
    }
    if (code != ERR_OK) {
        return plan_fail(reader, node, "replay: %.300s; name a results file", problem.text);
    }
    return digest_keep(reader, sha256 ? sha256 : node, "replay_sha256", workload->replay, hex,
                       &workload->replay_sha256);
}

/* Of a plan that is read once more: the digest that its path had. */
static enum err_code replay_find_again(struct plan_reader *reader, const yaml_node_t *node,
                                       struct plan_workload *workload)
{
    const struct plan *resolved = reader->resolved;

    for (size_t i = 0; i < resolved->workload_count; i++) {
        const struct plan_workload *had = &resolved->workloads[i];

        if (had->replay_sha256 && strcmp(had->replay, workload->replay) == 0) {
            return digest_keep(reader, node, "replay_sha256", had->replay, had->replay_sha256,
                               &workload->replay_sha256);
        }
    }
    return plan_fail(reader, node, "replay: no workload of the plan that was run has %.100s",
                     workload->replay);
}

enum err_code plan_replay_read(struct plan_reader *reader, const yaml_node_t *replay,
                               const yaml_node_t *sha256, struct plan_workload *workload)
{
    char path[PATH_MAX];
    enum err_code code =
        replay ? path_resolve(reader, replay, "replay", &workload->replay) : ERR_OK;

    if (code == ERR_OK && reader->resolved) {
        return replay_find_again(reader, replay ? replay : sha256, workload);
    }
    if (code != ERR_OK || reader->bodies) {
        return code;
    }
    code = replay ? path_locate(reader, replay, "replay", workload->replay, path) : ERR_OK;
    if (code == ERR_OK && replay) {
        workload->replay_file = plan_keep(reader->plan, path, strlen(path));
        code = workload->replay_file ? ERR_OK : plan_fail_memory(reader);
    }
    return code == ERR_OK ? replay_digest(reader, replay, sha256, workload) : code;
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

/* Of a plan that is read once more: the body that its path had. */
static enum err_code body_find_again(struct plan_reader *reader, const yaml_node_t *node,
                                     struct plan_request *request)
{
    const struct plan *resolved = reader->resolved;

    for (size_t i = 0; i < resolved->workload_count; i++) {
        const struct plan_workload *workload = &resolved->workloads[i];

        for (size_t j = 0; j < workload->request_count; j++) {
            const struct plan_request *had = &workload->requests[j];

            if (had->body_path && strcmp(had->body_path, request->body_path) == 0 &&
                (!request->body_sha256 || strcmp(had->body_sha256, request->body_sha256) == 0)) {
                request->body_bytes = had->body_bytes;
                request->body_sha256 =
                    plan_keep(reader->plan, had->body_sha256, strlen(had->body_sha256));
                return request->body_sha256 ? ERR_OK : plan_fail_memory(reader);
            }
        }
    }
    return plan_fail(reader, node, "body: no request of the plan that was run has %.100s",
                     request->body_path);
}

static enum err_code body_file_read(struct plan_reader *reader, const yaml_node_t *node,
                                    struct plan_request *request)
{
    char path[PATH_MAX];
    struct err problem;
    struct buf body;

    enum err_code code = path_locate(reader, node, "body", request->body_path, path);

    if (code != ERR_OK) {
        return code;
    }
    buf_init(&body, PLAN_BODY_BYTES_MAX);
    code = fs_read_file(path, &body, &problem);
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
    code = path_resolve(reader, body, "body", &request->body_path);
    if (code == ERR_OK && reader->resolved) {
        return body_find_again(reader, body, request);
    }
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
    return digest_keep(reader, sha256 ? sha256 : body, "body_sha256", request->body_path, hex,
                       &request->body_sha256);
}
