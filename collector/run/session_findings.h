// SPDX-License-Identifier: Apache-2.0
// What the preflight found and a session keeps: notices, refusals that were overruled, events.
#ifndef COLLECTOR_RUN_SESSION_FINDINGS_H
#define COLLECTOR_RUN_SESSION_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/probe/preflight.h"
#include "collector/run/session.h"
#include "collector/store/store.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct session_findings {
    struct preflight_finding items[PREFLIGHT_FINDING_COUNT_MAX]; /* those that refuse first */
    size_t count;
    char forced_rules[256]; /* names of refusals that were overruled, "a b"; "": none */
};

void session_findings_judge(struct session_findings *findings, const struct preflight_input *input);

/* Whether one of them refuses, so that no waiting helps. */
bool session_findings_refuse(const struct session_findings *findings);

/* A notice each. */
void session_findings_tell(const struct session_findings *findings,
                           const struct progress *progress);

/* Sets forced_rules, and tells them. errors ERR_LIMIT: a refusal that stands */
enum err_code session_findings_overrule(struct session_findings *findings, bool is_forced,
                                        const struct progress *progress,
                                        struct err *e) ATTR_MUST_USE;

/* An event each, and one of what was overruled. */
enum err_code session_findings_store(const struct session_findings *findings, struct store *store,
                                     int64_t session_id, int64_t wall_ns,
                                     struct err *e) ATTR_MUST_USE;

#endif
