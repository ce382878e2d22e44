// SPDX-License-Identifier: Apache-2.0
// Whether the rows of a session agree with each other: counts, grid, places, digests. Pure.
#ifndef REPORT_JUDGE_SOUNDNESS_H
#define REPORT_JUDGE_SOUNDNESS_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

#define SOUNDNESS_FINDING_COUNT_MAX 100
#define SOUNDNESS_TEXT_BYTES        200

struct soundness_finding {
    const char *code; /* stable word: plan_digest, plan_rows, session_end, place, sample_grid, … */
    int64_t order_index; /* of the trial; METRIC_UNKNOWN: of the session */
    char text[SOUNDNESS_TEXT_BYTES];
};

struct soundness {
    struct soundness_finding findings[SOUNDNESS_FINDING_COUNT_MAX];
    size_t finding_count;
    size_t left_out_count; /* findings beyond those */
};

/*
 * How many of the blocks that the plan orders have no trial of the engine in the cell, where it has
 * any. 0 of a session that did not finish, and for calibration.
 *
 * missing_out   untouched on failure
 * errors        ERR_LIMIT: memory
 */
enum err_code soundness_count_missing_blocks(const struct results *results, size_t cell_index,
                                             size_t engine_index, int64_t *missing_out,
                                             struct err *e) ATTR_MUST_USE;

/*
 * Adds what does not agree in the session, its samples apart.
 *
 * soundness   zeroed before
 * errors      ERR_LIMIT: memory
 */
enum err_code soundness_check_session(const struct results *results, struct soundness *soundness,
                                      struct err *e) ATTR_MUST_USE;

/* Adds a finding; one too many is only counted. */
void soundness_add(struct soundness *soundness, const char *code, int64_t order_index,
                   const char *text);

/* Adds what does not agree in a trial, whose samples are there. */
void soundness_check_trial(const struct results_trial *trial, struct soundness *soundness);

#endif
