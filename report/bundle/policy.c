// SPDX-License-Identifier: Apache-2.0
// Whether what was recorded is what a measurement of this plan records.
#include "report/bundle/policy.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/clock.h"
#include "engines/base/units.h"
#include "report/judge/soundness.h"

#define VALUE_BYTES 32

static ATTR_PRINTF(3, 4) void finding_add(const struct policy_look *look, const char *code,
                                          const char *format, ...)
{
    char text[2 * VERIFY_TEXT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    look->tell(look->self, code, text);
}

/* The duration of a key at the left margin of the canonical plan; 0: there is none. */
static int64_t plan_get_duration(const struct results *results, const char *key)
{
    char value[VALUE_BYTES];
    const char *at = strstr(results->plan_text, key);
    int64_t ns = 0;

    if (!at) {
        return 0;
    }
    at += strlen(key);
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\n"), at);
    return units_parse_duration(value, &ns, NULL) == ERR_OK ? ns : 0;
}

/* Fewer finished trials of an engine in a cell than there must be, and of a finished session fewer
 * than its plan orders: some were left out afterwards. */
static void pair_check(const struct policy_look *look, const struct results *results,
                       const struct soundness_pair *pair)
{
    const struct results_cell *cell = &results->cells[pair->cell_index];
    const char *engine = results->engines[pair->engine_index].name;
    bool is_calibration = results->workloads[cell->workload_index].is_calibration;
    int64_t least = is_calibration ? 1 : look->policy->trials_min;

    if (pair->finished_count < least) {
        finding_add(look, "policy-trials",
                    "%s, cell %" PRId64 ": %" PRId64 " finished trial%s, at least %" PRId64
                    " are wanted (--min-trials)",
                    engine, cell->cell_id, pair->finished_count,
                    units_word(pair->finished_count, "", "s"), least);
    }
    if (pair->missing_count) {
        finding_add(look, "policy-blocks",
                    "%s, cell %" PRId64 ": %" PRId64 " trial%s that the plan orders %s not "
                    "there, though the session finished (--no-policy)",
                    engine, cell->cell_id, pair->missing_count,
                    units_word(pair->missing_count, "", "s"),
                    units_word(pair->missing_count, "is", "are"));
    }
}

static enum err_code pairs_check(const struct policy_look *look, const struct results *results,
                                 struct err *e)
{
    struct soundness_pair *pairs = NULL;
    size_t count = 0;
    enum err_code code = soundness_list_pairs(results, &pairs, &count, e);

    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        pair_check(look, results, &pairs[i]);
    }
    free(pairs);
    return code;
}

/* The window of a trial's workload, which may have one of its own; a flood's lasts until the server
 * answers again. */
static int64_t window_find(const struct policy_look *look, const struct results *results,
                           const struct results_trial *trial)
{
    const char *name = results->workloads[results->cells[trial->cell_index].workload_index].name;
    const struct plan *plan = look->plan;

    for (size_t i = 0; plan && i < plan->workload_count; i++) {
        const struct plan_workload *workload = &plan->workloads[i];

        if (strcmp(workload->name, name) == 0) {
            return workload->flood.connection_count > 0 ? workload->flood.for_ns
                                                        : plan_times(plan, workload).window_ns;
        }
    }
    return plan_get_duration(results, "\nwindow: ");
}

static void window_check(const struct policy_look *look, const struct results *results,
                         const struct results_trial *trial)
{
    const struct verify_policy *policy = look->policy;
    int64_t least_ns =
        policy->window_min_ns ? policy->window_min_ns : window_find(look, results, trial);
    int64_t window_ns = 0;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];
        window_ns += sample->phase == SAMPLE_PHASE_WINDOW ? sample->end_ns - sample->start_ns : 0;
    }
    if (window_ns < least_ns) {
        finding_add(look, "policy-window",
                    "trial %" PRId64 ": %.3f s in the window, at least %.3f s are wanted "
                    "(--min-window)",
                    trial->trial_id, (double)window_ns / CLOCK_NS_PER_S,
                    (double)least_ns / CLOCK_NS_PER_S);
    }
}

/* Whether a sample of warm-up or window is as long as the plan says. The last one of a phase may be
 * shorter: a phase need not be a multiple of it. */
static bool spacing_fits(const struct results_trial *trial, size_t index, int64_t step_ns,
                         int64_t tolerance_percent)
{
    const struct sample *sample = &trial->samples[index];
    int64_t length_ns = sample->end_ns - sample->start_ns;
    int64_t slack_ns = step_ns / 100 * tolerance_percent;
    bool is_last =
        index + 1 == trial->sample_count || trial->samples[index + 1].phase != sample->phase;

    return length_ns <= step_ns + slack_ns && (is_last || length_ns >= step_ns - slack_ns);
}

/* The first sample that has another length, and the first that does not begin where the one before
 * it ended. */
static void samples_check(const struct policy_look *look, const struct results *results,
                          const struct results_trial *trial)
{
    const struct verify_policy *policy = look->policy;
    int64_t step_ns = plan_get_duration(results, "\nsample: ");
    bool has_spacing = false, has_gap = policy->allow_gaps;

    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct sample *sample = &trial->samples[i];

        if (!has_spacing && step_ns && sample->phase != SAMPLE_PHASE_DRAIN &&
            !spacing_fits(trial, i, step_ns, policy->spacing_percent)) {
            has_spacing = true;
            finding_add(look, "policy-spacing",
                        "trial %" PRId64 ", sample %" PRIu32 ": %.3f s long, the plan says "
                        "%.3f s (--spacing)",
                        trial->trial_id, sample->index,
                        (double)(sample->end_ns - sample->start_ns) / CLOCK_NS_PER_S,
                        (double)step_ns / CLOCK_NS_PER_S);
        }
        if (!has_gap &&
            (sample->index != i || (i && sample->start_ns != trial->samples[i - 1].end_ns))) {
            has_gap = true;
            finding_add(look, "policy-gap",
                        "trial %" PRId64 ": something is missing before sample %" PRIu32
                        " (--allow-gaps)",
                        trial->trial_id, sample->index);
        }
    }
    if (!has_gap && trial->sample_count == 0) {
        finding_add(look, "policy-gap", "trial %" PRId64 ": no sample (--allow-gaps)",
                    trial->trial_id);
    }
}

static void gate_check(const struct policy_look *look, const struct results_trial *trial)
{
    if (!look->policy->allow_failed && strcmp(trial->state, "failed") == 0) {
        finding_add(look, "policy-gate", "trial %" PRId64 ": failed: %s (--allow-failed)",
                    trial->trial_id, trial->reason ? trial->reason : "no reason is stored");
    }
}

/* Without processor, kernel and memory nobody can tell what a figure is worth. */
static void environment_check(const struct policy_look *look, const struct results *results)
{
    static const char *const wanted[] = {"cpu.", "kernel.", "memory."};

    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        bool is_known = false;

        for (size_t j = 0; j < results->fact_count && !is_known; j++) {
            const struct results_fact *fact = &results->facts[j];
            is_known = strcmp(fact->moment, "start") == 0 && fact->value && *fact->value &&
                       strncmp(fact->name, wanted[i], strlen(wanted[i])) == 0;
        }
        if (!is_known) {
            finding_add(look, "policy-environment",
                        "the machine's facts know nothing of %s* (--no-policy)", wanted[i]);
        }
    }
}

void policy_check_trial(const struct policy_look *look, const struct results *results,
                        size_t trial_index)
{
    const struct results_trial *trial = &results->trials[trial_index];

    if (strcmp(trial->state, "finished") == 0) {
        window_check(look, results, trial);
        samples_check(look, results, trial);
    }
}

enum err_code policy_check_session(const struct policy_look *look, const struct results *results,
                                   struct err *e)
{
    enum err_code code = pairs_check(look, results, e);

    for (size_t i = 0; i < results->trial_count; i++) {
        gate_check(look, &results->trials[i]);
    }
    environment_check(look, results);
    return code;
}
