// SPDX-License-Identifier: Apache-2.0
// Of stage V10: whether the rows of every session agree with each other and with their plan.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/units.h"
#include "report/bundle/verify_work.h"
#include "report/query/session_list.h"

/* Stable codes of a verification for the words of tacho results --check. */
static const struct {
    const char *word, *code;
} codes[] = {{"plan_digest", "plan-digest"},
             {"plan_text", "plan-text"},
             {"plan_rows", "plan-rows"},
             {"plan_source", "plan-source"},
             {"schedule", "schedule"},
             {"session_end", "session-end"},
             {"trial_state", "trial-state"},
             {"trial_time", "trial-time"},
             {"place", "place"},
             {"samples_missing", "samples-missing"},
             {"sample_grid", "sample-grid"},
             {"phase_missing", "phase-missing"},
             {"requests", "requests"},
             {"outcomes", "outcomes"},
             {"latency", "latency"},
             {"mix", "mix"},
             {"foreign_load", "foreign-load"},
             {"recovery", "recovery"},
             {"build_record", "build-record"},
             {"cpu_time", "cpu-time"}};

static const char *code_of(const char *word)
{
    for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
        if (strcmp(codes[i].word, word) == 0) {
            return codes[i].code;
        }
    }
    return "rows";
}

static bool is_word(const struct soundness_finding *finding, const char *word)
{
    return strcmp(finding->code, word) == 0;
}

/* Whether samples of a trial are missing: its sums cannot be right then. */
static bool has_gap(const struct soundness *soundness, int64_t order_index)
{
    for (size_t i = 0; i < soundness->finding_count; i++) {
        const struct soundness_finding *finding = &soundness->findings[i];

        if (finding->order_index == order_index && is_word(finding, "samples_missing")) {
            return true;
        }
    }
    return false;
}

/* What is judged by V11, where the reader says how much of it to take: what a session lacks. */
static bool is_of_policy(const struct verify_policy *policy, const struct soundness *soundness,
                         const struct soundness_finding *finding)
{
    bool is_asked = !policy->is_off || policy->allow_gaps;

    if (is_word(finding, "trials_missing")) {
        return true;
    }
    if (is_word(finding, "sample_grid")) {
        return policy->allow_gaps;
    }
    return is_asked && (is_word(finding, "samples_missing") ||
                        ((is_word(finding, "requests") || is_word(finding, "outcomes")) &&
                         has_gap(soundness, finding->order_index)));
}

/* of: "session 01234567, " or nothing. */
static void findings_take(struct verify_work *work, const struct soundness *soundness,
                          const char *of)
{
    for (size_t i = 0; i < soundness->finding_count; i++) {
        const struct soundness_finding *finding = &soundness->findings[i];
        char where[40] = "";

        if (is_of_policy(&work->config->policy, soundness, finding)) {
            continue;
        }
        if (finding->order_index != METRIC_UNKNOWN) {
            snprintf(where, sizeof(where), "trial %" PRIu64 ": ",
                     (uint64_t)finding->order_index + 1);
        }
        verify_add_finding(work, code_of(finding->code), "%s%s%s", of, where, finding->text);
    }
    if (soundness->left_out_count) {
        verify_add_finding(work, "rows", "%s%zu more do not agree", of, soundness->left_out_count);
    }
    if (*soundness->not_held) {
        verify_add_note(work, "%snot held against the plan: %s", of, soundness->not_held);
    }
}

static enum err_code session_check(struct verify_work *work, const char *uid, struct err *e)
{
    const struct results_pass how = {.session = uid, .is_checked = true};
    struct soundness_pass *pass = NULL;
    enum err_code code =
        soundness_load(work->results_path, true, work->config->program_version, &how, &pass, e);
    char of[40];

    if (code == ERR_OK) {
        snprintf(of, sizeof(of), "session %.8s, ", uid);
        findings_take(work, soundness_pass_get(pass), of);
        soundness_pass_free(pass);
    }
    return code;
}

/* The report, samples.csv and V11 are about the newest session alone: of the others this is all. */
static enum err_code others_check(struct verify_work *work, struct err *e)
{
    const struct results *results = work->results;
    struct session_list *list = NULL;
    enum err_code code = session_list_load(work->results_path, true, &list, e);

    for (size_t i = 0; code == ERR_OK && i < list->count; i++) {
        if (strcmp(list->entries[i].uid, results->session_uid) != 0) {
            code = session_check(work, list->entries[i].uid, e);
        }
    }
    session_list_free(list);
    verify_add_note(work,
                    "results.db holds %zu sessions; the report, samples.csv and V11 are about the "
                    "newest, %.8s, alone; the rows of the others were held against each other and "
                    "their plans",
                    results->session_count, results->session_uid);
    return code;
}

/* What a session lacks by its own word is no finding, and no part of its plan either. */
static enum err_code selection_tell(struct verify_work *work, struct err *e)
{
    const char *only = results_find_fact(work->results, "start", "session.only");
    size_t count = 0;
    enum err_code code = soundness_count_left_out(work->results, &count, e);

    if (code == ERR_OK && count) {
        verify_add_note(work,
                        "run with --only (%.100s): %zu engine%s of the plan, counted in each cell, "
                        "%s no trial",
                        only ? only : "", count, units_word((int64_t)count, "", "s"),
                        units_word((int64_t)count, "has", "have"));
    }
    return code;
}

enum err_code verify_soundness(struct verify_work *work, struct err *e)
{
    findings_take(work, soundness_pass_get(work->soundness), "");
    enum err_code code = selection_tell(work, e);

    if (code != ERR_OK) {
        return code;
    }
    return work->results->session_count > 1 ? others_check(work, e) : ERR_OK;
}
