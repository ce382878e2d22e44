// SPDX-License-Identifier: Apache-2.0
// A workload of a plan: what is sent, what a right answer is, how hard.
#ifndef COLLECTOR_PLAN_PLAN_WORKLOAD_H
#define COLLECTOR_PLAN_PLAN_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/arrivals.h"
#include "collector/driver/think.h"
#include "collector/plan/plan_request.h"

#define PLAN_LOAD_POINT_COUNT_MAX 16

/* Connections are opened without a pause, each asks once and goes away unread when so many newer
 * ones are open; then the server is watched. */
struct plan_flood {
    uint32_t connection_count; /* open at once, at most; 0: no flood */
    int64_t for_ns, recover_within_ns;
};

/* What a workload has otherwise than its plan. */
struct plan_override {
    bool is_set;
    int64_t ns;
};

enum plan_driver { PLAN_DRIVER_TACHO, PLAN_DRIVER_WRK, PLAN_DRIVER_REPLAY };
extern const char *const plan_driver_names[]; /* as in a plan; NULL at the end */

struct plan_workload {
    const char *name;                                     /* unique in the plan */
    struct plan_request requests[PLAN_REQUEST_COUNT_MAX]; /* several: a mix, by weight */
    size_t request_count;
    uint32_t connection_counts[PLAN_LOAD_POINT_COUNT_MAX]; /* one load point each: `connections:
                                                              125` or `[64, 512]` */
    size_t load_point_count;
    uint32_t rates_per_s[PLAN_LOAD_POINT_COUNT_MAX]; /* open loop, `rate: 2000/s` or a list: a cell
                                                        for each with each count of connections */
    size_t rate_count;                               /* 0: closed loop */
    struct arrivals_course course;    /* `rate: 1000..5000/s`, count > 1: along the window; then
                                         rates_per_s is its mean alone. Its times are not set */
    bool is_poisson;                  /* `arrivals: poisson`; the default is uniform */
    uint32_t requests_per_connection; /* a connection is closed after so many; 0: it is kept */
    uint32_t pipeline_count; /* requests that a connection may have on the way: 1; a closed loop's
                                `pipeline` */
    int64_t
        think_ns; /* closed loop, `think_time`: mean pause between response and request; 0: none */
    enum think_kind think_kind;
    enum plan_driver driver; /* that loads the server */
    const char *replay; /* results file whose trials are played, as the plan has it; else NULL */
    const char *replay_file;   /* the same to be opened; NULL: of a stored plan */
    const char *replay_sha256; /* of its bytes; NULL: no replay */
    struct plan_flood flood;   /* then its connections are the only load point */
    struct plan_override settle, warmup, window, cooldown, timeout;
};

/* One load point of a workload. */
struct plan_cell {
    uint32_t connection_count, rate_per_s; /* rate_per_s 0: closed loop */
};
size_t plan_cell_count(const struct plan_workload *workload);
struct plan_cell plan_cell(const struct plan_workload *workload, size_t index);

/* Whether the limit engine is measured at its connections. A flood has no rate to compare with the
 * limit's, and a replay asks nothing of this machine. */
bool plan_is_calibrated(const struct plan_workload *workload);

struct plan;

/* A trial's times: those of the workload, else of the plan; under load those of a flood are two
 * samples before it, then the flood and the watching. */
struct plan_times {
    int64_t settle_ns, warmup_ns, window_ns, cooldown_ns, timeout_ns;
};
struct plan_times plan_times(const struct plan *plan, const struct plan_workload *workload);

#endif
