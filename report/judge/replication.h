// SPDX-License-Identifier: Apache-2.0
// Published claims against a session that was run again somewhere else: reproduced or not, by
// intervals over trials, never over samples. Pure.
#ifndef REPORT_JUDGE_REPLICATION_H
#define REPORT_JUDGE_REPLICATION_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

/* A ratio is the same when it moved by less than this. */
#define REPLICATION_MARGIN 0.10

enum replication_word {
    REPLICATION_REPRODUCED,
    REPLICATION_NOT_REPRODUCED,
    REPLICATION_INCONCLUSIVE,
    REPLICATION_NOT_COMPARABLE, /* a value in absolute units, and another class of machine */
    REPLICATION_PARTIAL, /* of the whole alone: some claims are, some are not or not certain */
    REPLICATION_INVALID, /* of the whole alone: nothing was measured that could be compared */
    REPLICATION_WORD_COUNT
};
extern const char *const replication_word_names[]; /* "REPRODUCED" … */

/* What a part of a claim is judged by. */
struct replication_evidence {
    enum plan_claim_kind kind;
    enum claim_word published, here;    /* what each session says of it */
    const char *here_reason;            /* why it is INCONCLUSIVE here */
    size_t published_count, here_count; /* trials or pairs */
    double change_low, change_high;     /* of a ratio: here over published, 95 %; NaN: unknown */
    bool same_class;                    /* of machine */
    bool is_quick;                      /* fewer trials than published: nothing is decided */
    bool published_is_fit, here_is_fit; /* to measure */
};

/*
 * RATIO: REPRODUCED when the interval of its change lies within 1/(1 + margin) … 1 + margin and the
 * claim holds here; NOT_REPRODUCED when it lies outside or the claim is refuted here. ORDER,
 * NO_ERRORS, and on the same class of machine LEVEL and BOUND: as the claim is judged here. What
 * the published session did not support cannot be reproduced: INCONCLUSIVE.
 *
 * reason_out   static; NULL with REPRODUCED
 */
enum replication_word replication_decide(const struct replication_evidence *evidence,
                                         const char **reason_out);

struct replication_part {
    const struct claim_part *published, *here;
    struct estimate change; /* here over published, Welch's t on logarithms; NaN: of no ratio */
    double trials_needed;   /* here, with INCONCLUSIVE about a ratio; NaN: not known, or never */
    enum replication_word word;
    const char *reason;
};

struct replication_claim {
    const struct claim_result *published, *here; /* here NULL: the session has no such claim */
    struct replication_part *parts;
    size_t part_count;
    enum replication_word word;
    const char *reason; /* of the part that decided; NULL */
};

struct replication_options {
    bool same_class, is_quick;
    const char *invalid_reason; /* the measurement is void whatever its numbers; NULL */
    const char *open_reason;    /* it could not be made: INCONCLUSIVE; NULL */
};

struct replication {
    const struct analysis *published, *here;
    struct replication_claim *claims; /* in the order of the plan */
    size_t claim_count;
    enum replication_word word;
    const char *reason; /* of the whole; NULL when the claims say all */
};

/* here   NULL: nothing was measured, as options say. errors ERR_LIMIT: memory */
enum err_code replication_make(const struct analysis *published, const struct analysis *here,
                               const struct replication_options *options,
                               struct replication *replication_out, struct err *e) ATTR_MUST_USE;
void replication_release(struct replication *replication);

/* Of a claim by its parts, or with `is_whole` of all by the claims: what cannot be compared counts
 * only when there is nothing else. */
enum replication_word replication_summarise(const size_t counts[REPLICATION_WORD_COUNT],
                                            bool is_whole);

#endif
