// SPDX-License-Identifier: Apache-2.0
// Whether anything came of a session that went to its end: by the rules of the report, which knows
// more of a trial than whether it ended.
#ifndef REPORT_RUN_OUTCOME_H
#define REPORT_RUN_OUTCOME_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"

#define RUN_OUTCOME_TEXT_BYTES 400

enum run_outcome {
    RUN_OUTCOME_MEASURED,  /* a trial of an engine under test is counted, or there is none */
    RUN_OUTCOME_DISTURBED, /* none is, and in each of them the machine had a part in it */
    RUN_OUTCOME_NOTHING,   /* none is */
};

/* text_out   why, when it is not MEASURED: what the first of these trials is not counted for */
enum run_outcome run_outcome_of(const struct analysis *analysis,
                                char text_out[RUN_OUTCOME_TEXT_BYTES]);

/* The same of the newest session of the plan in a file. errors as analysis_load, session_list_load
 */
enum err_code run_outcome_load(const char *results_path, const struct plan *plan,
                               enum run_outcome *outcome_out, char text_out[RUN_OUTCOME_TEXT_BYTES],
                               struct err *e) ATTR_MUST_USE;

#endif
