// SPDX-License-Identifier: Apache-2.0
// Whether the rows of sessions agree with each other and with their plans, in a verification's
// words.
#include "report/bundle/rows_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/judge/soundness_pass.h"
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

void rows_check_tell(const struct rows_check *check, const struct soundness *soundness,
                     const char *of)
{
    char text[SOUNDNESS_TEXT_BYTES + 80];

    for (size_t i = 0; i < soundness->finding_count; i++) {
        const struct soundness_finding *finding = &soundness->findings[i];
        char where[40] = "";

        if (is_of_policy(check->policy, soundness, finding)) {
            continue;
        }
        if (finding->order_index != METRIC_UNKNOWN) {
            snprintf(where, sizeof(where), "trial %" PRIu64 ": ",
                     (uint64_t)finding->order_index + 1);
        }
        snprintf(text, sizeof(text), "%s%s%s", of, where, finding->text);
        check->tell(check->self, code_of(finding->code), text);
    }
    if (soundness->left_out_count) {
        snprintf(text, sizeof(text), "%s%zu more do not agree", of, soundness->left_out_count);
        check->tell(check->self, "rows", text);
    }
    if (*soundness->not_held && check->note) {
        snprintf(text, sizeof(text), "%snot held against the plan: %s", of, soundness->not_held);
        check->note(check->self, text);
    }
}

static enum err_code session_check(const struct rows_check *check, const char *uid, struct err *e)
{
    const struct results_pass how = {.session = uid, .is_checked = true};
    struct soundness_pass *pass = NULL;
    enum err_code code =
        soundness_load(check->results_path, true, check->program_version, &how, &pass, e);
    char of[40];

    if (code == ERR_OK) {
        snprintf(of, sizeof(of), "session %.8s, ", uid);
        rows_check_tell(check, soundness_pass_get(pass), of);
        soundness_pass_free(pass);
    }
    return code;
}

enum err_code rows_check_others(const struct rows_check *check, const struct results *results,
                                struct err *e)
{
    struct session_list *list = NULL;

    if (results->session_count <= 1) {
        return ERR_OK;
    }
    enum err_code code = session_list_load(check->results_path, true, &list, e);
    for (size_t i = 0; code == ERR_OK && i < list->count; i++) {
        if (strcmp(list->entries[i].uid, results->session_uid) != 0) {
            code = session_check(check, list->entries[i].uid, e);
        }
    }
    session_list_free(list);
    return code;
}
