// SPDX-License-Identifier: Apache-2.0
// A claim of a plan: a statement that the session judges.
#ifndef COLLECTOR_PLAN_PLAN_CLAIM_H
#define COLLECTOR_PLAN_PLAN_CLAIM_H

#include <stddef.h>
#include <stdint.h>

#define PLAN_CLAIM_COUNT_MAX        64
#define PLAN_CLAIM_ENGINE_COUNT_MAX 16
#define PLAN_CLAIM_GROWTH_DEFAULT   (32 << 20) /* bytes */

enum plan_claim_kind {
    PLAN_CLAIM_RATIO,     /* metric of engines[0] over that of engines[1], within the bounds */
    PLAN_CLAIM_ORDER,     /* engines from best to worst: the highest throughput, the lowest of all
                             other metrics */
    PLAN_CLAIM_BOUND,     /* metric of engines[0] within the bounds */
    PLAN_CLAIM_LEVEL,     /* metric of engines[0] within a share of a value */
    PLAN_CLAIM_NO_ERRORS, /* of engines[0], or of any engine when there is none */
    PLAN_CLAIM_RECOVERS,  /* engines[0] answers again after a flood, and is as it was before */
    PLAN_CLAIM_KIND_COUNT
};

enum plan_claim_metric {
    PLAN_METRIC_THROUGHPUT, /* requests/s */
    PLAN_METRIC_P50,        /* ns, as the other quantiles */
    PLAN_METRIC_P90,
    PLAN_METRIC_P99,
    PLAN_METRIC_P999,
    PLAN_METRIC_SERVER_CPU, /* ns of CPU time per request */
    PLAN_METRIC_RSS,        /* bytes, the highest of a trial's window */
    PLAN_METRIC_COUNT
};

struct plan_claim {
    const char *id; /* unique in the plan */
    enum plan_claim_kind kind;
    enum plan_claim_metric metric;
    const char *engines[PLAN_CLAIM_ENGINE_COUNT_MAX]; /* names */
    size_t engine_count;
    const char *workload;      /* NULL: every one */
    uint32_t connection_count; /* 0: every load point */
    double at_least, at_most;  /* ratio, or in the metric's unit; NaN: not stated */
    double value, within;      /* of a level: the value, and how many percent of it */
    double growth; /* of recovers: bytes of memory that may remain; its at_most is the time in ns,
                      NaN: the workload's recover_within */
};

/* Words of the plan: "ratio" …, "throughput" …. */
extern const char *const plan_claim_kind_names[PLAN_CLAIM_KIND_COUNT];
extern const char *const plan_claim_metric_names[PLAN_METRIC_COUNT];

#endif
