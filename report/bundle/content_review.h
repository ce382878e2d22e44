// SPDX-License-Identifier: Apache-2.0
// A reviewer's path in the README of a bundle: the commands that work with this very bundle, what
// each tells, and what it needs.
#ifndef REPORT_BUNDLE_CONTENT_REVIEW_H
#define REPORT_BUNDLE_CONTENT_REVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/buf.h"
#include "report/bundle/content.h"
#include "report/bundle/policy.h"
#include "report/judge/analysis.h"

/* What is found out before anything is promised. */
struct content_review {
    const struct content_config *config;
    struct plan *plan; /* as tacho reproduce reads it; NULL: it cannot */
    char plan_problem[ERR_TEXT_BYTES];
    char obstacle[ERR_TEXT_BYTES]; /* why tacho reproduce will not run; "": it will */
    struct policy_look look;       /* the samples of each trial are for policy_check_trial */
    size_t refusal_count;          /* of stage V11 */
    char refusal[VERIFY_TEXT_BYTES];
    bool is_excusable; /* --allow-failed is enough */
    uint64_t results_bytes;
};

void content_review_begin(struct content_review *review, const struct content_config *config);

/* When the trials were looked at. errors ERR_LIMIT: memory; ERR_SYS: the results file is gone */
enum err_code content_review_finish(struct content_review *review, struct err *e) ATTR_MUST_USE;
void content_review_release(struct content_review *review);

void content_review_format(const struct content_review *review, const struct analysis *analysis,
                           struct buf *out);

/* Foreign text on one line of an indented block: control characters would leave it. */
void content_review_add_literal(struct buf *out, const char *text);

#endif
