// SPDX-License-Identifier: Apache-2.0
// Whether the rows of a session agree with each other: counts, grid, places, digests. Pure.
#ifndef REPORT_JUDGE_SOUNDNESS_H
#define REPORT_JUDGE_SOUNDNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

#define SOUNDNESS_FINDING_COUNT_MAX 100
#define SOUNDNESS_TEXT_BYTES        200

struct soundness_finding {
    const char *code;    /* stable word: plan_digest, schedule, place, sample_grid, latency, … */
    int64_t order_index; /* of the trial; METRIC_UNKNOWN: of the session */
    char text[SOUNDNESS_TEXT_BYTES];
};

struct soundness {
    struct soundness_finding findings[SOUNDNESS_FINDING_COUNT_MAX];
    size_t finding_count;
    size_t left_out_count;       /* findings beyond those */
    const char *program_version; /* of who checks; NULL: unknown, then of no session */
    /* What of the plan the session could not be held against, and why; "": all of it was. */
    char not_held[SOUNDNESS_TEXT_BYTES];
};

/* An engine in a cell, where it has any trial or should have. */
struct soundness_pair {
    size_t cell_index, engine_index;
    int64_t begun_count, finished_count; /* trials */
    int64_t ordered_count;               /* by the plan: its blocks; of calibration two */
    /* Of these without a trial; 0 of a session that did not finish, or was taken up again for some
     * engines alone. An engine without any trial is missing unless --only, or a session that was
     * taken up again, may have left it out. */
    int64_t missing_count;
};

/*
 * Lists them, in the order of cells and in each of engines.
 *
 * pairs_out   free
 * errors      ERR_LIMIT: memory
 */
enum err_code soundness_list_pairs(const struct results *results, struct soundness_pair **pairs_out,
                                   size_t *count_out, struct err *e) ATTR_MUST_USE;

/*
 * What --only left out: engines in cells, calibration apart, that have no trial at all. 0 of a
 * session that was not run with --only, whose missing trials are findings.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code soundness_count_left_out(const struct results *results, size_t *count_out,
                                       struct err *e) ATTR_MUST_USE;

/*
 * Adds what does not agree in the session, its samples apart. A plan of a session that this version
 * wrote must be readable and spelled as this version spells it; of another's it may be neither.
 *
 * soundness   zeroed before but for program_version
 * errors      ERR_LIMIT: memory
 */
enum err_code soundness_check_session(const struct results *results, struct soundness *soundness,
                                      struct err *e) ATTR_MUST_USE;

/* Whether the session was written by the version that checks it. */
bool soundness_is_own(const struct soundness *soundness, const struct results *results);

/* Adds a finding; one too many is only counted. */
void soundness_add(struct soundness *soundness, const char *code, int64_t order_index,
                   const char *text);

/* Adds what does not agree in a trial, whose samples are there. */
void soundness_check_trial(const struct results_trial *trial, struct soundness *soundness);

#endif
