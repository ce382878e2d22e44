// SPDX-License-Identifier: Apache-2.0
// One sample: what one interval of a trial (500 ms by default) recorded. Made from metrics.def and
// outcomes.def.
#ifndef COLLECTOR_SAMPLE_H
#define COLLECTOR_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define METRIC_UNKNOWN INT64_MIN

enum outcome {
#define OUTCOME(id, name, class, help) OUTCOME_##id,
#include "collector/outcomes.def"
#undef OUTCOME
    OUTCOME_COUNT
};

enum outcome_class {
    OUTCOME_CLASS_OK,
    OUTCOME_CLASS_HTTP,
    OUTCOME_CLASS_FAULT,
    OUTCOME_CLASS_OPEN
};

struct outcome_info {
    const char *name; /* in SQL, CSV and reports */
    enum outcome_class class;
    const char *help;
};
extern const struct outcome_info outcome_infos[OUTCOME_COUNT];

enum metric {
#define METRIC(name, unit, kind, scope, help) METRIC_##name,
#include "collector/metrics.def"
#undef METRIC
    METRIC_COUNT
};

enum metric_kind { METRIC_KIND_DELTA, METRIC_KIND_GAUGE, METRIC_KIND_MAXIMUM };
enum metric_scope {
    METRIC_SCOPE_DRIVER,
    METRIC_SCOPE_SERVER,
    METRIC_SCOPE_MACHINE,
    METRIC_SCOPE_SAMPLER
};

struct metric_info {
    const char *name; /* SQL column and CSV heading */
    const char *unit;
    enum metric_kind kind;
    enum metric_scope scope;
    const char *help;
};
extern const struct metric_info metric_infos[METRIC_COUNT];

enum sample_phase {
    SAMPLE_PHASE_WARMUP, /* load runs, nothing of it is counted in results */
    SAMPLE_PHASE_WINDOW, /* the measured part */
    SAMPLE_PHASE_DRAIN,  /* after the window: no request is started, those in flight may end */
};
extern const char *const sample_phase_names[3]; /* "warmup", "window", "drain" */

struct sample {
    uint32_t index; /* 0 … in the trial, without gaps */
    enum sample_phase phase;
    int64_t start_ns,
        end_ns; /* from the trial's grid zero (the first request), on the absolute grid */
    int64_t metrics[METRIC_COUNT]; /* METRIC_UNKNOWN where not known */
    uint64_t outcomes[OUTCOME_COUNT];
    /* V2 compressed HdrHistograms; `bytes` NULL when there is none. */
    struct sample_blob {
        const uint8_t *bytes;
        size_t length;
    } histogram,           /* latencies of ok requests in ns */
        service_histogram, /* open loop: their service times */
        lag_histogram;     /* open loop: how late the driver sent each request */
};

#endif
