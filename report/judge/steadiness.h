// SPDX-License-Identifier: Apache-2.0
// Whether a trial's window was on one level, and what that says of a cell. Nothing is cut from a
// window for it: where to begin counting must not depend on the noise of a trial.
#ifndef REPORT_JUDGE_STEADINESS_H
#define REPORT_JUDGE_STEADINESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results.h"
#include "report/stats/series.h"

/* Of the rates of a trial's window samples, in order. */
struct steadiness {
    enum series_class class;
    struct series_drift drift;
    double lag1;            /* autocorrelation of neighbouring samples; NaN */
    double effective_count; /* samples' worth of independent ones; NaN */
    double suggested_cut_s; /* by MSER-5: a hint for a longer warm-up */
};

/* errors   ERR_LIMIT: memory */
enum err_code steadiness_find(const struct results_trial *trial, struct steadiness *steadiness_out,
                              struct err *e) ATTR_MUST_USE;

/* True for a trial of which something can be said. */
bool steadiness_is_known(const struct steadiness *steadiness);
/* Changes of level in the window, or a drift. False when nothing can be said. */
bool steadiness_is_unsteady(const struct steadiness *steadiness);

/* What speaks against a cell as a whole. */
enum remark_kind {
    REMARK_UNSTEADY,   /* value: share of an engine's counted trials that are not steady, limit 0.2;
                          count: those trials; hint_s: a warm-up longer by that may help */
    REMARK_CLUSTERING, /* engines that are as fast as each other and as the limit, within 1 %: the
                          rate is the driver's or the machine's; count: engines, value: the lowest
                          over the limit's rate, limit 0.01 */
    REMARK_KIND_COUNT
};

struct remark {
    enum remark_kind kind;
    size_t cell_index;
    size_t engine_index; /* SIZE_MAX: of the cell */
    size_t count;
    double value, limit, hint_s;
};

struct analysis;

/* Fills analysis->remarks from its rows and trials. errors ERR_LIMIT: memory */
enum err_code remarks_collect(struct analysis *analysis, struct err *e) ATTR_MUST_USE;

extern const char *const remark_names[REMARK_KIND_COUNT];
extern const char *const series_class_names[]; /* "too short", "flat" … */

#endif
