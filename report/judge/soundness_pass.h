// SPDX-License-Identifier: Apache-2.0
// All checks of a session's rows in one reading of its file.
#ifndef REPORT_JUDGE_SOUNDNESS_PASS_H
#define REPORT_JUDGE_SOUNDNESS_PASS_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/soundness.h"
#include "report/query/results_pass.h"

/* One session as its trials pass by. */
struct soundness_pass;

/* program_version: of who checks, kept by the caller. errors ERR_LIMIT: memory */
enum err_code soundness_pass_new(const char *program_version, struct soundness_pass **pass_out,
                                 struct err *e) ATTR_MUST_USE;
void soundness_pass_free(struct soundness_pass *pass); /* NULL is accepted */

/* For results_load_each; `self` is the pass. */
results_visit soundness_pass_visit;

/* After the last trial: a session without trials is looked at here. errors ERR_LIMIT: memory */
enum err_code soundness_pass_end(struct soundness_pass *pass, const struct results *results,
                                 struct err *e) ATTR_MUST_USE;

/* What was found; belongs to the pass. */
const struct soundness *soundness_pass_get(const struct soundness_pass *pass);

/*
 * Reads one session and checks it.
 *
 * program_version   as above
 * how        which session, and whether its pages were checked; visit and self are ours
 * pass_out   soundness_pass_free
 * errors     as results_load_each
 */
enum err_code soundness_load(const char *path, bool immutable, const char *program_version,
                             const struct results_pass *how, struct soundness_pass **pass_out,
                             struct err *e) ATTR_MUST_USE;

#endif
