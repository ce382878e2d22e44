// SPDX-License-Identifier: Apache-2.0
// Measures what this machine can tell apart: the calibration engine against itself.
#ifndef REPORT_DOCTOR_H
#define REPORT_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/run/session.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"

#define DOCTOR_ROUND_COUNT 6

/* Differences of one engine with itself, each the logarithm of a ratio of rates. */
struct doctor_noise {
    size_t round_count;       /* rounds of which both trials have a rate */
    double sd;                /* of the differences; NaN with fewer than two */
    double foreign_share_max; /* CPU time that others took in a trial, of the machine's; NaN: not
                                 known */
    bool is_disturbed;        /* the report would call such a session UNFIT for foreign CPU */
};

/* What a plan with so many rounds can expect of such noise. Both are relative: 0.01 is 1 %. */
struct doctor_outlook {
    double half_width; /* of the 95 % interval of a ratio */
    double detectable; /* the difference that 4 of 5 sessions would show as one */
};

/* Pure; NaN where it cannot be told (a round_count below 2, no noise known). */
struct doctor_outlook doctor_make_outlook(const struct doctor_noise *noise, uint32_t round_count);

/* From the rounds (blocks) of a session that has an A/A arm; of other programs it says nothing. */
struct doctor_noise doctor_read_noise(const struct results *results);

/*
 * Runs DOCTOR_ROUND_COUNT short rounds of `limit` against itself on the CPUs of the session's plan,
 * with the connections of its first workload; about half a minute.
 *
 * session    its plan, programs, clock and stop; results_path is not touched
 * folder     where a folder for the measurement is made and removed
 * errors     why there is no noise: ERR_SYS, ERR_MISMATCH (trials were not valid), those of
 * session_run
 */
enum err_code doctor_measure_noise(const struct session_config *session, const char *folder,
                                   struct doctor_noise *noise_out, struct err *e) ATTR_MUST_USE;

#endif
