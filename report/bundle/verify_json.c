// SPDX-License-Identifier: Apache-2.0
// The outcome of a verification for programs.
#include "report/bundle/verify_json.h"

#include <jansson.h>
#include <stdlib.h>

/* NULL when memory is out, as all below. */
static json_t *stages_make(const struct verify_config *config, const struct verify_result *result)
{
    json_t *stages = json_array();

    for (size_t i = 0; verify_stages[i].code; i++) {
        json_array_append_new(stages, json_pack("{s:s, s:s, s:s}", "code", verify_stages[i].code,
                                                "name", verify_stages[i].name, "state",
                                                verify_get_state(config, result, i)));
    }
    return stages;
}

static json_t *findings_make(const struct verify_result *result)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < result->finding_count; i++) {
        const struct verify_finding *finding = &result->findings[i];
        json_array_append_new(findings, json_pack("{s:s, s:s, s:s}", "stage", finding->stage,
                                                  "code", finding->code, "text", finding->text));
    }
    return findings;
}

static json_t *notes_make(const struct verify_result *result)
{
    json_t *notes = json_array();

    for (size_t i = 0; i < result->note_count; i++) {
        json_array_append_new(notes, json_string(result->notes[i]));
    }
    return notes;
}

static json_t *policy_make(const struct verify_policy *policy)
{
    return policy->is_off
               ? json_null()
               : json_pack("{s:I, s:o, s:I, s:b, s:b}", "min_trials",
                           (json_int_t)policy->trials_min, "min_window_ns",
                           policy->window_min_ns ? json_integer(policy->window_min_ns)
                                                 : json_null(),
                           "spacing_percent", (json_int_t)policy->spacing_percent, "allow_gaps",
                           policy->allow_gaps, "allow_failed", policy->allow_failed);
}

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

enum err_code verify_format_json(const struct verify_config *config,
                                 const struct verify_result *result, struct buf *out, struct err *e)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:o, s:o, s:I, s:o, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:o}", "format",
        "tacho-verify-1", "verdict", result->verified ? "VERIFIED" : "REFUSED", "stages",
        stages_make(config, result), "findings", findings_make(result), "findings_left_out",
        (json_int_t)result->finding_left_out_count, "notes", notes_make(result), "archive_sha256",
        text_or_null(result->archive_sha256), "bundle_id", text_or_null(result->id),
        "samples_digest", text_or_null(result->samples_digest), "signature",
        text_or_null(result->signature), "signer", text_or_null(result->signer), "signer_key",
        text_or_null(result->signer_key), "report_level", text_or_null(result->report_level),
        "policy", policy_make(&config->policy));
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;

    json_decref(document);
    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for the outcome");
    }
    buf_addf(out, "%s\n", text);
    free(text);
    return buf_check(out, "the outcome", e);
}
