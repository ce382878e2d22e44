// SPDX-License-Identifier: Apache-2.0
// Files that a plan names.
#ifndef COLLECTOR_PLAN_PLAN_BODY_H
#define COLLECTOR_PLAN_PLAN_BODY_H

#include "collector/plan/plan_fields.h"

/*
 * Reads the bytes that request->body_path names, and their digest.
 *
 * body, sha256   where the plan says them, NULL where it does not
 * errors         ERR_USAGE: no such file, or it has changed; ERR_MISMATCH: not with a stored plan
 */
enum err_code plan_body_read(struct plan_reader *reader, const yaml_node_t *body,
                             const yaml_node_t *sha256, struct plan_request *request) ATTR_MUST_USE;

/*
 * Sets where the workload's results file is to be opened, and the digest of its bytes; whether it
 * can be played is the session's to see.
 *
 * replay, sha256   as above
 * errors           ERR_USAGE: no such file, or it has changed
 */
enum err_code plan_replay_read(struct plan_reader *reader, const yaml_node_t *replay,
                               const yaml_node_t *sha256,
                               struct plan_workload *workload) ATTR_MUST_USE;

#endif
