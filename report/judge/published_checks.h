// SPDX-License-Identifier: Apache-2.0
// What a careful reader notices in published numbers: rules over the numbers themselves, and their
// claims held against them. Nothing here is measured, so there is no interval and no verdict.
#ifndef REPORT_JUDGE_PUBLISHED_CHECKS_H
#define REPORT_JUDGE_PUBLISHED_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/published/published.h"

#define PUBLISHED_TOTALS_MAX   0.01  /* what is computed twice may differ by this */
#define PUBLISHED_THREADS_MAX  0.05  /* driver threads × the mean of one, from the rate */
#define PUBLISHED_DURATION_MAX 0.2   /* measured from asked for */
#define PUBLISHED_SIZE_MAX     0.02  /* largest response over the smallest, less 1 */
#define PUBLISHED_CLUSTER_MAX  0.015 /* from the best engine */
#define PUBLISHED_CLUSTER_MIN  10    /* engines */

/* Limits allow for the digits that were published as well. */
enum published_check_kind {
    PUBLISHED_CHECK_LITTLE,   /* value: requests on the way by Little's law; want: connections ×
                                 pipeline */
    PUBLISHED_CHECK_LOADED,   /* no mean: value: C / X, ns; want: the largest mean that p99 and
                                 maximum leave, ns */
    PUBLISHED_CHECK_PEAK,     /* value: peak over mean; want: PLAUSIBLE_PEAK_MAX */
    PUBLISHED_CHECK_TOTAL,    /* value: requests / duration; want: the rate */
    PUBLISHED_CHECK_TRANSFER, /* value: bytes / duration; want: bytes/s */
    PUBLISHED_CHECK_THREADS,  /* value: driver threads × the mean of one; want: the rate */
    PUBLISHED_CHECK_DURATION, /* value: measured, s; want: asked for, s */
    PUBLISHED_CHECK_ORDER,    /* value: of `metric`, which must not be above `other`: want */
    PUBLISHED_CHECK_SPREAD,   /* value: standard deviation; want: the largest that mean and maximum
                                 allow */
    PUBLISHED_CHECK_WITHIN,   /* value: percent within one standard deviation; want: 100 */
    PUBLISHED_CHECK_TAIL,     /* value: mean; want: the limit that quantile `metric` sets; above or
                                 below */
    PUBLISHED_CHECK_NOTHING,  /* no request was answered: value: the rate, or the requests */
    PUBLISHED_CHECK_ERRORS,   /* value: share of failed requests; want: PLAUSIBLE_ERRORS_MAX */
    PUBLISHED_CHECK_CONNECTS, /* value: connections that failed to open; want: those asked for, NaN:
                                 not said */
    PUBLISHED_CHECK_SIZE,     /* of a workload: value, want: smallest and largest response, bytes */
    PUBLISHED_CHECK_CLUSTER,  /* of a workload: value: engines so near to the best; want:
                                 PUBLISHED_CLUSTER_MIN */
    PUBLISHED_CHECK_REPEATED, /* of a workload: value: runs, 0 when the source does not say */
    PUBLISHED_CHECK_KIND_COUNT
};
extern const char *const published_check_names[PUBLISHED_CHECK_KIND_COUNT]; /* "little" … */

enum published_outcome {
    PUBLISHED_CONSISTENT, /* the numbers fit together */
    PUBLISHED_NOTED,      /* to be known when reading them */
    PUBLISHED_SUSPECT,    /* they do not mean what they seem to */
    PUBLISHED_IMPOSSIBLE, /* they cannot all be right */
};
extern const char *const published_outcome_names[]; /* "CONSISTENT" … */

struct published_check {
    enum published_check_kind kind;
    enum published_outcome outcome;
    size_t figure_index; /* SIZE_MAX: of a workload */
    size_t workload_index;
    double value, want;
    enum published_metric metric, other; /* of ORDER and TAIL */
};

enum published_claim_word {
    PUBLISHED_CLAIM_AGREES,
    PUBLISHED_CLAIM_MORE,       /* its own numbers give more than it says */
    PUBLISHED_CLAIM_LESS,       /* less */
    PUBLISHED_CLAIM_DISAGREES,  /* of an order: another one */
    PUBLISHED_CLAIM_NO_NUMBERS, /* the numbers that it needs are not published, or do not decide it
                                 */
};
extern const char *const published_claim_words[]; /* "AGREES" … */

struct published_claim_result {
    enum published_claim_word word;
    double own; /* ratio or level by the source's own numbers; NaN: an order, or not known */
};

struct published_analysis {
    const struct published *published;
    struct published_check *checks; /* workload by workload, its own first, then engine by engine */
    size_t check_count;
    struct published_claim_result *claims; /* one for each */
    enum published_outcome worst;
    bool has_checked; /* anything but how often it was repeated */
};

/* errors   ERR_LIMIT: memory */
enum err_code published_analyse(const struct published *published,
                                struct published_analysis *analysis_out,
                                struct err *e) ATTR_MUST_USE;
void published_analysis_release(struct published_analysis *analysis);

/* A number that the claim rests on is itself SUSPECT or worse: a peak that is an artefact, a
 * quantile out of order. */
bool published_claim_is_doubtful(const struct published_analysis *analysis, size_t claim_index);

/* CONTRADICTORY, QUESTIONABLE, PLAUSIBLE; NOT CHECKABLE when there was nothing to hold together. */
const char *published_word(const struct published_analysis *analysis);

/* Bytes of a response by the totals, or by the rates; NaN. */
double published_response_bytes(const struct published_figure *figure);

/* True when more of it is better. */
bool published_is_gain(enum published_metric metric);

#endif
