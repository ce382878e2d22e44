// SPDX-License-Identifier: Apache-2.0
// Whether what each sample says of latencies and CPU time agrees with itself.
#ifndef REPORT_JUDGE_SOUNDNESS_SAMPLES_H
#define REPORT_JUDGE_SOUNDNESS_SAMPLES_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

/* What the trials of one session share. */
struct soundness_samples;

/* NULL: no memory. */
struct soundness_samples *soundness_samples_new(void) ATTR_MUST_USE;
void soundness_samples_free(struct soundness_samples *shared); /* NULL is accepted */

/*
 * Adds what does not agree in the samples of a trial, whose samples are there; of each kind the
 * first one. This version stores the latencies of all right answers; a session of another may be
 * without any histogram, and one that has some lacks none.
 *
 * errors   ERR_LIMIT: memory
 */
enum err_code soundness_check_samples(struct soundness_samples *shared,
                                      const struct results *results, size_t trial_index,
                                      struct soundness *soundness, struct err *e) ATTR_MUST_USE;

#endif
