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

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

enum err_code verify_format_json(const struct verify_config *config,
                                 const struct verify_result *result, struct buf *out, struct err *e)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:o, s:o, s:I, s:o, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?}", "format",
        "tacho-verify-1", "verdict", result->verified ? "VERIFIED" : "REFUSED", "stages",
        stages_make(config, result), "findings", findings_make(result), "findings_left_out",
        (json_int_t)result->finding_left_out_count, "notes", notes_make(result), "archive_sha256",
        text_or_null(result->archive_sha256), "bundle_id", text_or_null(result->id),
        "samples_digest", text_or_null(result->samples_digest), "signature",
        text_or_null(result->signature), "signer", text_or_null(result->signer), "signer_key",
        text_or_null(result->signer_key));
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;

    json_decref(document);
    if (!text) {
        return err_set(e, ERR_LIMIT, "no memory for the outcome");
    }
    buf_addf(out, "%s\n", text);
    free(text);
    return buf_check(out, "the outcome", e);
}
