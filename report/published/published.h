// SPDX-License-Identifier: Apache-2.0
// A published benchmark's numbers, its conditions and claims, from a JSON file
// (datasets/published/schema.json says what it holds).
#ifndef REPORT_PUBLISHED_PUBLISHED_H
#define REPORT_PUBLISHED_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define PUBLISHED_TEXT_BYTES_MAX ((size_t)1 << 20)
#define PUBLISHED_NAME_BYTES_MAX 300
#define PUBLISHED_NOTE_BYTES_MAX 4000
#define PUBLISHED_COUNT_MAX      256 /* of any list of the file but figures */
#define PUBLISHED_FIGURES_MAX    4096

enum published_metric {
#define METRIC(id, ...) PUBLISHED_##id,
#include "report/published/published_metrics.def"
#undef METRIC
    PUBLISHED_METRIC_COUNT
};

/* Rows of published_metrics.def, in its order. */
struct published_metric_info {
    const char *key, *column, *unit, *heading;
    double page_scale;
};
extern const struct published_metric_info published_metrics[PUBLISHED_METRIC_COUNT];

/* How a number stands in the source: as it is, "over 3.6 s", "under 34 MiB", "about 4.7 GiB". */
enum published_bound { PUBLISHED_IS, PUBLISHED_OVER, PUBLISHED_UNDER, PUBLISHED_ABOUT };
extern const char *const published_bound_words[]; /* "", "over", "under", "about" */

/* In the metric's stored unit. */
struct published_value {
    double value;     /* NaN: not published */
    double half_unit; /* half a unit of the last digit that was published: 0.005 of "2.11" */
    enum published_bound bound;
};

struct published_engine {
    const char *name, *about; /* about: NULL when nothing is said */
    const char
        *stand_in; /* the engine of a session that it is put beside; its own name when not stated */
    const char *stand_in_why; /* what the two have in common and what not; NULL */
};

/* 0, NaN, NULL where the source does not say. */
struct published_workload {
    const char *name, *request, *note;
    const char *stand_in; /* as of an engine */
    int64_t connection_count, thread_count, run_count, pipeline_count, requests_per_connection;
    double duration_s;
    double rate_per_s; /* open loop; NaN: a closed one */
};

struct published_figure {
    size_t engine_index, workload_index;
    struct published_value values[PUBLISHED_METRIC_COUNT];
    const char *note;
};

struct published_claim {
    const char *id, *text;
    enum published_metric metric; /* PUBLISHED_METRIC_COUNT: a statement without figures */
    size_t *engines; /* 1: its level; with `over` 2: the ratio of the first to the second; else an
                        order, the best first */
    size_t engine_count;
    bool is_ratio;
    size_t workload_index;       /* SIZE_MAX: without figures */
    struct published_value says; /* NaN: an order */
};

enum published_condition {
    PUBLISHED_MACHINE,
    PUBLISHED_OS,
    PUBLISHED_TOOL,
    PUBLISHED_NETWORK,
    PUBLISHED_PROTOCOL,
    PUBLISHED_CONDITION_COUNT
};
extern const char *const published_condition_names[PUBLISHED_CONDITION_COUNT];

struct published {
    const char *title, *source;
    const char *conditions[PUBLISHED_CONDITION_COUNT]; /* NULL: the source does not say */
    int64_t nofile;                                    /* 0: not said */
    double settle_s, warmup_s, cooldown_s;             /* NaN: not said */
    const char **notes;
    size_t note_count;
    struct published_engine *engines;
    size_t engine_count;
    struct published_workload *workloads;
    size_t workload_count;
    struct published_figure *figures; /* at most one of an engine in a workload */
    size_t figure_count;
    struct published_claim *claims;
    size_t claim_count;
    void *memory; /* what the texts point into */
};

/*
 * Reads a file's text. Strict: an unknown or repeated key, a wrong unit, a negative number (a
 * sentinel is no figure), a name that is not in the file's own lists.
 *
 * name            for messages: "dext.json: figures[2].latency_mean_ms: …"
 * published_out   published_free
 * errors          ERR_USAGE: what is wrong and where; ERR_LIMIT: memory
 */
enum err_code published_parse(const char *name, const char *text, size_t length,
                              struct published **published_out, struct err *e) ATTR_MUST_USE;

/* From a file. errors as published_parse; ERR_SYS */
enum err_code published_load(const char *path, struct published **published_out,
                             struct err *e) ATTR_MUST_USE;
void published_free(struct published *published);

/* The figure of an engine in a workload, NULL when there is none. */
const struct published_figure *published_find(const struct published *published,
                                              size_t engine_index, size_t workload_index);

#endif
