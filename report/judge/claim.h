// SPDX-License-Identifier: Apache-2.0
// What became of the claims of a plan.
#ifndef REPORT_JUDGE_CLAIM_H
#define REPORT_JUDGE_CLAIM_H

#include <stddef.h>

#include "collector/plan/plan_claim.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

/* An estimate with its 95 % interval. NaN where it cannot be given (count 0; one value has no
 * interval). */
struct estimate {
    double value, low, high;
    size_t count; /* values that it rests on */
};

enum claim_word { CLAIM_SUPPORTED, CLAIM_REFUTED, CLAIM_INCONCLUSIVE };

/* A claim in one cell, about one engine or one pair of neighbours of an order. */
struct claim_part {
    size_t cell_index, engine_index;
    size_t other_index;       /* SIZE_MAX: about one engine */
    struct estimate estimate; /* ratio, or in the metric's unit; of no_errors the share of requests
                                 that failed, of recovers the share of trials that did, both with
                                 Clopper and Pearson's interval, n trials */
    double at_least, at_most; /* what was claimed of it; NaN: no limit on this side */
    enum claim_word word;
    const char *reason; /* why it is INCONCLUSIVE, or refuted by no number; NULL. Static. */
};

/*
 * SUPPORTED: every part is. REFUTED: a part is. A part is decided when its whole 95 % interval lies
 * on one side of each limit; never with fewer than 6 pairs or trials, nor in an unfit session, nor
 * when the t and the Hodges–Lehmann interval of a ratio decide differently.
 */
struct claim_result {
    const struct plan_claim *claim;
    struct claim_part *parts;
    size_t part_count; /* 0: the session has nothing that the claim is about */
    enum claim_word word;
};

struct analysis;

/* Reads the stored plan into analysis->claim_plan, or why it cannot be read into claims_problem.
 * errors ERR_LIMIT: memory */
enum err_code claims_load(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

/* Judges the claims; the last step of an analysis. errors ERR_LIMIT: memory */
enum err_code claims_judge(struct analysis *analysis, struct err *e) ATTR_MUST_USE;
void claims_free(struct analysis *analysis);

/* REFUTED when one is, INCONCLUSIVE when one is, else SUPPORTED; without claims SUPPORTED. */
enum claim_word claims_word(const struct analysis *analysis);

extern const char *const claim_word_names[]; /* "SUPPORTED" … */

#endif
