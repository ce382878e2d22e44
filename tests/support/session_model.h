// SPDX-License-Identifier: Apache-2.0
// Sessions in memory whose truth is known: the real schedule, noise of a stated kind.
#ifndef TESTS_SUPPORT_SESSION_MODEL_H
#define TESTS_SUPPORT_SESSION_MODEL_H

#include <stdint.h>

#include "engines/base/rng.h"
#include "report/query/results.h"

#define SESSION_MODEL_SUBJECTS_MAX 8

/* All spreads are SDs of the logarithm of the rate; 0 leaves a kind of noise out. */
struct session_model {
    uint32_t subject_count, block_count, sample_count;
    double log_ratios[SESSION_MODEL_SUBJECTS_MAX]; /* of each subject to the baseline */
    double trial_sd;                               /* between trials */
    double sample_sd, phi;         /* of the samples of a trial: AR(1) with this coefficient */
    double drift;                  /* of the machine from the first trial to the last, linear */
    double walk_sd;                /* of the machine from trial to trial */
    double slot_bias;              /* of what runs first in its block */
    double outlier_share, outlier; /* share of trials that are off by so much */
    double ramp;                   /* over each trial's window */
};

struct session_made {
    struct results results;
    void *memory;
};

/* A session of the baseline, its A/A arm and the subjects, ordered by collector/plan/schedule with
 * a seed from `rng`. Engine 0 is the baseline, 1 the A/A arm, from 2 on the subjects. */
void session_model_make(const struct session_model *model, struct rng *rng,
                        struct session_made *made_out);
void session_model_release(struct session_made *made);

#endif
