// SPDX-License-Identifier: Apache-2.0
// An analysis made while a file is read: samples are there for one trial at a time and not kept.
#ifndef REPORT_JUDGE_ANALYSIS_LOAD_H
#define REPORT_JUDGE_ANALYSIS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/judge/analysis.h"
#include "report/query/results_pass.h"

/* What analysis_make does at once: begin, then each trial in order, then finish. The analysis is
 * the caller's to free at every stage. */
enum err_code analysis_begin(const struct results *results, struct analysis **analysis_out,
                             struct err *e) ATTR_MUST_USE;
enum err_code analysis_add_trial(struct analysis *analysis, size_t trial_index,
                                 struct err *e) ATTR_MUST_USE;
enum err_code analysis_finish(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

/*
 * Loads and judges a file. The results have points, no samples.
 *
 * pass     what else is done; its visit may be NULL. NULL: nothing
 * errors   those of results_load_each, analysis_make and the visit
 */
enum err_code analysis_load(const char *path, bool immutable, const struct results_pass *pass,
                            struct results **results_out, struct analysis **analysis_out,
                            struct err *e) ATTR_MUST_USE;

#endif
