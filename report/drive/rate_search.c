// SPDX-License-Identifier: Apache-2.0
// Doubling until the bound is missed, then halving the ratio between what passed and what failed.
#include "report/drive/rate_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/units.h"

const char *const rate_verdict_names[] = {"passed", "failed", "driver_limited"};
const char *const rate_end_names[] = {"searching",     "found",        "none",       "above_driver",
                                      "above_highest", "out_of_steps", "interrupted"};

enum err_code rate_goal_parse(const char *text, struct rate_goal *goal_out, struct err *e)
{
    const char *below = strchr(text, '<');
    char *end = NULL;
    int64_t limit_ns = 0;
    double percent =
        text[0] == 'p' && text[1] >= '0' && text[1] <= '9' ? strtod(text + 1, &end) : 0;

    if (!below || end != below || !(percent > 0 && percent < 100) ||
        strlen(text) >= RATE_GOAL_BYTES) {
        return err_set(e, ERR_USAGE, "\"%.40s\": write it as \"p99<5ms\"", text);
    }
    enum err_code code = units_parse_duration(below + 1, &limit_ns, e);
    if (code != ERR_OK) {
        return code;
    }
    if (limit_ns == 0) {
        return err_set(e, ERR_USAGE, "\"%.40s\": nothing is faster than 0", text);
    }
    goal_out->share = percent / 100;
    goal_out->limit_ns = limit_ns;
    snprintf(goal_out->text, sizeof(goal_out->text), "%s", text);
    return ERR_OK;
}

void rate_step_judge(const struct drive_result *result, const struct rate_goal *goal,
                     struct rate_step *step_out)
{
    const int64_t *window = result->window;
    int64_t backlog = result->backlog_count == METRIC_UNKNOWN ? 0 : result->backlog_count;
    struct rate_step step = {
        .rate_per_s = result->setup->config->arrivals.rate_per_s,
        .ok_count = window[METRIC_ok_count],
        .due_count = window[METRIC_ok_count] + window[METRIC_http_error_count] +
                     window[METRIC_fault_count] + window[METRIC_shed_count] + backlog,
        .within_count = (int64_t)histogram_count_within(&result->latency, goal->limit_ns),
        .quantile_ns = drive_quantile_ns(&result->latency, goal->share),
        .lag_p99_ns = drive_quantile_ns(&result->lag, 0.99),
    };
    bool is_kept =
        step.due_count > 0 && (double)step.within_count >= goal->share * (double)step.due_count;
    bool is_late =
        step.lag_p99_ns != METRIC_UNKNOWN && step.lag_p99_ns > goal->limit_ns / RATE_LAG_DIVISOR;

    step.verdict = is_kept ? RATE_PASSED : is_late ? RATE_DRIVER_LIMITED : RATE_FAILED;
    *step_out = step;
}

void rate_search_begin(struct rate_search *search, uint32_t first_per_s)
{
    memset(search, 0, sizeof(*search));
    search->next_per_s = first_per_s;
}

/* The next rate by what passed and what failed so far. */
static void next_choose(struct rate_search *search)
{
    uint32_t passed = search->passed_per_s;
    uint32_t failed = search->failed_per_s;

    if (failed == 0) {
        search->end = passed >= RATE_HIGHEST ? RATE_ABOVE_HIGHEST : RATE_SEARCHING;
        search->next_per_s = passed > RATE_HIGHEST / 2 ? RATE_HIGHEST : passed * 2;
        return;
    }
    if (passed == 0) {
        search->end = failed == 1 ? RATE_NONE : RATE_SEARCHING;
        search->next_per_s = failed > 1 ? failed / 2 : 1;
        return;
    }
    uint32_t middle = (uint32_t)lround(sqrt((double)passed * (double)failed));
    if ((double)failed <= RATE_RESOLUTION * (double)passed || middle <= passed ||
        middle >= failed) {
        search->end = RATE_FOUND;
        return;
    }
    search->next_per_s = middle;
}

void rate_search_tell(struct rate_search *search, const struct rate_step *step)
{
    search->steps[search->step_count++] = *step;
    if (step->verdict == RATE_PASSED) {
        search->passed_per_s = step->rate_per_s;
        search->is_repeat = false;
        next_choose(search);
    } else if (!search->is_repeat) {
        search->is_repeat = true; /* the same rate again */
    } else if (step->verdict == RATE_DRIVER_LIMITED) {
        search->end = RATE_ABOVE_DRIVER;
    } else {
        search->failed_per_s = step->rate_per_s;
        search->is_repeat = false;
        next_choose(search);
    }
    if (search->end == RATE_SEARCHING && search->step_count == RATE_STEP_LIMIT) {
        search->end = RATE_OUT_OF_STEPS;
    }
}
