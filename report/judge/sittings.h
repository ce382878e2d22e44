// SPDX-License-Identifier: Apache-2.0
// Two results files side by side: two sittings, never one. What is comparable is compared as
// independent samples; what is not is listed.
#ifndef REPORT_JUDGE_SITTINGS_H
#define REPORT_JUDGE_SITTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/* Why something is not compared. */
enum sitting_obstacle_kind {
    SITTING_SAME,    /* one session twice: a and b its uid. Nothing is compared. */
    SITTING_PLAN,    /* another plan: name is NULL, a and b the digests. Nothing is compared. */
    SITTING_FACT,    /* another machine: name is the fact's. Nothing is compared. */
    SITTING_UNFIT,   /* a session is UNFIT or measured nothing: a or b says which. Nothing is. */
    SITTING_PROGRAM, /* another program: a remark, it may be what is under study */
    SITTING_MISSING, /* the engine is in one file only */
    SITTING_TOO_FEW, /* fewer than 6 counted trials in one of them, and it is not the limit: an
                        estimate without a verdict */
};
struct sitting_obstacle {
    enum sitting_obstacle_kind kind;
    const char *name;  /* foreign; NULL */
    const char *a, *b; /* of the two files; foreign; NULL: not known */
};

/* One metric of one engine in one cell. */
struct sitting_row {
    const struct analysis_row *a, *b;
    enum plan_claim_metric metric;
    struct estimate a_value, b_value; /* in the metric's unit */
    struct estimate ratio;            /* b over a, Welch's t on logarithms; n: the smaller count */
    double p; /* adjusted: throughput by Holm, all others together by Benjamini and Hochberg */
    enum verdict verdict; /* of throughput; VERDICT_NONE for the others, which are exploratory */
};

struct sittings {
    const struct analysis *a, *b;
    char a_fingerprint[65], b_fingerprint[65]; /* of the machine: fingerprint.h */
    bool is_comparable;
    double margin; /* the larger of the two sessions' */
    struct sitting_row *rows;
    size_t row_count;
    struct sitting_obstacle *obstacles;
    size_t obstacle_count;
};

/* errors   ERR_LIMIT: memory */
enum err_code sittings_make(const struct analysis *a, const struct analysis *b,
                            struct sittings *sittings_out, struct err *e) ATTR_MUST_USE;
void sittings_release(struct sittings *sittings);

/* Of the machine, by what the file tells, not by what it says its fingerprint is. errors ERR_LIMIT
 */
enum err_code sittings_find_fingerprint(const struct results *results, char hex_out[65],
                                        struct err *e) ATTR_MUST_USE;

/* True for a fact that belongs to the machine and not to the moment. */
bool sittings_is_stable_fact(const char *name);

extern const char *const sitting_obstacle_names[];

#endif
