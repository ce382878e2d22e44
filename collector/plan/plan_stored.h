// SPDX-License-Identifier: Apache-2.0
// A plan out of a results file: its text is canonical, and its bodies come with it.
#ifndef COLLECTOR_PLAN_PLAN_STORED_H
#define COLLECTOR_PLAN_PLAN_STORED_H

#include <stddef.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

/* A body as it was sent; its SHA-256 is what a stored plan names it by. */
struct plan_body {
    const char *sha256;
    const void *bytes; /* NULL: too long to be kept; the workload's body is then NULL */
    size_t length;
};

/*
 * Reads a stored canonical text, with the bodies that it names. Reads no file: the text may be
 * anybody's.
 *
 * errors   as plan_parse; ERR_MISMATCH: a body is not among those given
 */
enum err_code plan_parse_stored(const char *name, const char *text, size_t length,
                                const struct plan_body *bodies, size_t body_count,
                                struct plan **plan_out, struct err *e) ATTR_MUST_USE;

/*
 * Reads what the plan was written as, plan->source, once more: with the bodies and the inherited
 * variables of the plan that came of it. Reads no file and no variable; a plan that a session kept
 * may have been shortened by --quick afterwards.
 *
 * setting_count   how many of its last lines are settings of the command line, at most as many as
 *                 plan_source_setting_count says: lines of the file may look like them
 * errors          as plan_parse; ERR_MISMATCH: a body that another one replaced is not kept
 */
enum err_code plan_parse_source(const char *name, const char *source, size_t setting_count,
                                const struct plan *resolved, struct plan **plan_out,
                                struct err *e) ATTR_MUST_USE;
size_t plan_source_setting_count(const char *source);

#endif
