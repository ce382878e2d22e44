// SPDX-License-Identifier: Apache-2.0
// The search for the highest rate at which a server keeps a bound on its response times. A pure
// function of how each step went: it is told that, and says which rate is next.
#ifndef REPORT_DRIVE_RATE_SEARCH_H
#define REPORT_DRIVE_RATE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/drive/drive_result.h"

#define RATE_STEP_LIMIT  64
#define RATE_HIGHEST     10000000
#define RATE_GOAL_BYTES  64
#define RATE_RESOLUTION  1.05 /* between the highest rate that passed and the lowest that failed */
#define RATE_LAG_DIVISOR 10   /* a lag above such a part of the bound is the driver's doing */

/* "p99<5ms": so large a share of the requests that were due has its right answer within so long. */
struct rate_goal {
    double share;
    int64_t limit_ns;
    char text[RATE_GOAL_BYTES]; /* as it was written */
};

enum rate_verdict {
    RATE_PASSED,
    RATE_FAILED,
    RATE_DRIVER_LIMITED, /* the bound was missed, and the driver was late itself */
};

enum rate_end {
    RATE_SEARCHING,
    RATE_FOUND,         /* between passed_per_s and failed_per_s */
    RATE_NONE,          /* not even one request a second passes */
    RATE_ABOVE_DRIVER,  /* the driver is the limit: the server can do passed_per_s or more */
    RATE_ABOVE_HIGHEST, /* passed at the highest rate that is tried */
    RATE_OUT_OF_STEPS,  /* as RATE_FOUND, but the two are further apart */
    RATE_INTERRUPTED,
};
extern const char *const rate_verdict_names[], *const rate_end_names[];

/* How a rate went. */
struct rate_step {
    uint32_t rate_per_s;
    enum rate_verdict verdict;
    int64_t ok_count, due_count; /* of the window; due: ended, given up or not sent at its end */
    int64_t within_count;        /* right answers within the bound */
    int64_t quantile_ns;         /* of the right answers; METRIC_UNKNOWN: too few */
    int64_t lag_p99_ns;
};

struct rate_search {
    uint32_t next_per_s;                 /* to be tried now */
    uint32_t passed_per_s, failed_per_s; /* 0: none yet */
    bool is_repeat;                      /* next_per_s failed once: a hiccup is no limit */
    enum rate_end end;
    struct rate_step steps[RATE_STEP_LIMIT];
    size_t step_count;
};

/* errors ERR_USAGE: no "pNUMBER<TIME" with 0 < NUMBER < 100 and TIME > 0 */
enum err_code rate_goal_parse(const char *text, struct rate_goal *goal_out,
                              struct err *e) ATTR_MUST_USE;

/* Whether a load kept the goal. */
void rate_step_judge(const struct drive_result *result, const struct rate_goal *goal,
                     struct rate_step *step_out);

void rate_search_begin(struct rate_search *search, uint32_t first_per_s);

/* Adds the step that was made at next_per_s; then next_per_s is the next one, or the search has an
 * end. */
void rate_search_tell(struct rate_search *search, const struct rate_step *step);

#endif
