// SPDX-License-Identifier: Apache-2.0
// The checks of times against times.
#include "report/judge/soundness_times.h"

#include <stdio.h>
#include <stdlib.h>

#include "engines/base/clock.h"

/* Labels of a session that reads the wall clock each time follow who corrects it in small steps. */
#define LABEL_SLACK_NS CLOCK_NS_PER_S

/* By how much a time lies before another one; 0: by no more than labels may. */
static int64_t early_ns(int64_t time_ns, int64_t other_ns)
{
    int64_t by_ns = 0;

    if (time_ns >= other_ns) {
        return 0;
    }
    if (__builtin_sub_overflow(other_ns, time_ns, &by_ns)) {
        return INT64_MAX;
    }
    return by_ns > LABEL_SLACK_NS ? by_ns : 0;
}

/* by_ns 0: nothing is told. */
static void tell(const struct results_trial *trial, const char *what, int64_t by_ns,
                 struct soundness *soundness)
{
    char text[SOUNDNESS_TEXT_BYTES];

    if (by_ns) {
        snprintf(text, sizeof(text), "%s, by %.3f s", what, (double)by_ns / CLOCK_NS_PER_S);
        soundness_add(soundness, "trial_time", trial->order_index, text);
    }
}

static int compare_sittings(const void *left, const void *right)
{
    const struct results_trial *a = *(const struct results_trial *const *)left;
    const struct results_trial *b = *(const struct results_trial *const *)right;

    if (a->sitting_index != b->sitting_index) {
        return (a->sitting_index > b->sitting_index) - (a->sitting_index < b->sitting_index);
    }
    return (a > b) - (a < b);
}

enum err_code soundness_check_times(const struct results *results, struct soundness *soundness,
                                    struct err *e)
{
    size_t count = results->trial_count;
    const struct results_trial **trials = calloc(count + 1, sizeof(*trials));

    if (!trials) {
        return err_set(e, ERR_LIMIT, "no memory for the times of trials");
    }
    for (size_t i = 0; i < count; i++) {
        trials[i] = &results->trials[i];
    }
    qsort(trials, count, sizeof(*trials), compare_sittings);
    /* Between two sittings a machine may have lost its time. */
    for (size_t i = 0; i < count && trials[i]->sitting_index == trials[0]->sitting_index; i++) {
        tell(trials[i], "it started before its session did",
             early_ns(trials[i]->started_utc_ns, results->started_utc_ns), soundness);
    }
    for (size_t i = 1; i < count; i++) {
        const struct results_trial *before = trials[i - 1];

        if (before->sitting_index == trials[i]->sitting_index &&
            before->ended_utc_ns != METRIC_UNKNOWN) {
            tell(trials[i], "it started before the one before it had ended",
                 early_ns(trials[i]->started_utc_ns, before->ended_utc_ns), soundness);
        }
    }
    for (size_t i = count; i-- > 0 && results->ended_utc_ns != METRIC_UNKNOWN &&
                           trials[i]->sitting_index == trials[count - 1]->sitting_index;) {
        if (trials[i]->ended_utc_ns != METRIC_UNKNOWN) {
            tell(trials[i], "it ended after its session did",
                 early_ns(results->ended_utc_ns, trials[i]->ended_utc_ns), soundness);
        }
    }
    free(trials);
    return ERR_OK;
}

void soundness_check_span(const struct results_trial *trial, struct soundness *soundness)
{
    int64_t span_ns = 0;

    if (trial->ended_utc_ns == METRIC_UNKNOWN) {
        return;
    }
    if (trial->ended_utc_ns < trial->started_utc_ns ||
        __builtin_sub_overflow(trial->ended_utc_ns, trial->started_utc_ns, &span_ns)) {
        soundness_add(soundness, "trial_time", trial->order_index, "it ended before it started");
        return;
    }
    if (trial->sample_count) {
        tell(trial, "its samples go on after it had ended",
             early_ns(span_ns, trial->samples[trial->sample_count - 1].end_ns), soundness);
    }
}
