// SPDX-License-Identifier: Apache-2.0
// The newest session of a results file as trials that can be played again. The file is foreign: it
// is opened read only and checked like one that is reported.
#ifndef COLLECTOR_STORE_REPLAY_SOURCE_H
#define COLLECTOR_STORE_REPLAY_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/grid.h"
#include "collector/driver/rate_course.h"
#include "collector/sample.h"
#include "collector/store/results_db.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct replay_source;

/* What must be the same for a recorded trial to stand for one of the plan. */
struct replay_key {
    const char *engine, *workload;
    uint32_t connection_count, rate_per_s; /* rate_per_s 0: closed loop */
    uint32_t block_index;
    char rate_course[RATE_COURSE_BYTES]; /* "": the rate does not change */
};

struct replay_trial {
    int64_t trial_id;
    const char *session_uid, *engine, *workload;
    const char *rate_course; /* NULL: the rate does not change */
    int64_t connection_count, rate_per_s,
        block_index; /* METRIC_UNKNOWN where not known, as below */
    int64_t ready_ns, connections_requested, connections_established, connections_served;
    int64_t started_count, server_request_count;
    bool is_playable;       /* it finished, and tacho's own driver loaded it */
    struct sample *samples; /* those of the grid, then the drain's; NULL before it is loaded */
    size_t sample_count;
};

/*
 * path        outlives the source
 * source_out  replay_source_close
 * errors      those of results_db_open; ERR_LIMIT: memory
 */
enum err_code replay_source_open(const char *path, enum results_db_check check,
                                 struct replay_source **source_out, struct err *e) ATTR_MUST_USE;

/*
 * Finds the trial of that key and reads its samples.
 *
 * grid       on which they must lie
 * trial_out  valid until the next load
 * errors     ERR_MISMATCH: there is none, or its samples lie on another grid; ERR_FORMAT; ERR_LIMIT
 */
enum err_code replay_source_load(struct replay_source *source, const struct replay_key *key,
                                 const struct grid *grid, const struct replay_trial **trial_out,
                                 struct err *e) ATTR_MUST_USE;

/* NULL is accepted. */
void replay_source_close(struct replay_source *source);

#endif
