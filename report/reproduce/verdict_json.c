// SPDX-License-Identifier: Apache-2.0
// The outcome of a reproduction for programs.
#include "report/reproduce/verdict_json.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/compose/compose_metrics.h"
#include "report/compose/compose_reproduction.h"

static json_t *number_make(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_make(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *estimate_make(const struct estimate *estimate, const char *word)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:s?}", "value", number_make(estimate->value), "low",
                     number_make(estimate->low), "high", number_make(estimate->high), "n",
                     (json_int_t)estimate->count, "word", word);
}

static json_t *engine_make(const struct reproduce_state *state, size_t index)
{
    return index == SIZE_MAX ? json_null()
                             : json_string(state->published->results->engines[index].name);
}

static json_t *part_make(const struct reproduce_state *state, const struct replication_part *part)
{
    const struct results *results = state->published->results;
    const struct results_cell *cell = &results->cells[part->published->cell_index];

    return json_pack(
        "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s?}", "workload",
        results->workloads[cell->workload_index].name, "connections",
        (json_int_t)cell->connection_count, "rate_per_s",
        cell->rate_per_s == METRIC_UNKNOWN ? json_null() : json_integer(cell->rate_per_s), "engine",
        engine_make(state, part->published->engine_index), "over",
        engine_make(state, part->published->other_index), "published",
        estimate_make(&part->published->estimate, claim_word_names[part->published->word]), "here",
        part->here ? estimate_make(&part->here->estimate, claim_word_names[part->here->word])
                   : json_null(),
        "change", isnan(part->change.value) ? json_null() : estimate_make(&part->change, NULL),
        "trials_needed", number_make(part->trials_needed), "verdict",
        replication_word_names[part->word], "reason", part->reason);
}

static json_t *claims_make(const struct reproduce_state *state)
{
    json_t *claims = json_array();

    for (size_t i = 0; i < state->replication.claim_count; i++) {
        const struct replication_claim *claim = &state->replication.claims[i];
        json_t *parts = json_array();

        for (size_t j = 0; j < claim->part_count; j++) {
            json_array_append_new(parts, part_make(state, &claim->parts[j]));
        }
        json_array_append_new(
            claims, json_pack("{s:s, s:s, s:s, s:s?, s:o}", "id", claim->published->claim->id,
                              "kind", plan_claim_kind_names[claim->published->claim->kind],
                              "verdict", replication_word_names[claim->word], "reason",
                              claim->reason, "parts", parts));
    }
    return claims;
}

static json_t *toolchain_make(const struct reproduce_state *state)
{
    json_t *tools = json_array();

    for (size_t i = 0; i < state->record->tool_count; i++) {
        const struct build_tool *tool = &state->record->tools[i];

        json_array_append_new(tools,
                              json_pack("{s:s, s:s, s:o}", "name", tool->name, "published",
                                        tool->says, "here", text_make(state->rebuilt.tools[i])));
    }
    return tools;
}

static json_t *program_make(const struct reproduce_state *state)
{
    const struct results *results = state->published->results;

    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", "tacho-engine", "outcome",
                     rebuild_outcome_names[state->rebuilt.outcome], "reason",
                     text_make(state->rebuilt.reason), "published_sha256",
                     text_make(results->engine_count ? results->engines[0].binary_sha256 : NULL),
                     "here_sha256", text_make(state->rebuilt.sha256), "toolchain",
                     toolchain_make(state));
}

static json_t *gate_make(const struct reproduce_state *state)
{
    return state->gate_was_asked
               ? json_pack("{s:b, s:o}", "passed", state->gate_passed, "text",
                           text_make(state->gate_text.length ? state->gate_text.bytes : NULL))
               : json_null();
}

static json_t *surroundings_list(const struct reproduce_state *state)
{
    json_t *list = json_array();

    for (size_t i = 0; i < state->surroundings.count; i++) {
        const struct surrounding *row = &state->surroundings.rows[i];

        json_array_append_new(list,
                              json_pack("{s:s, s:s?, s:s?, s:o}", "name", row->name, "published",
                                        row->published, "here", row->here, "matters",
                                        row->is_known ? json_boolean(row->matters) : json_null()));
    }
    return list;
}

static json_t *badges_make(const struct reproduce_state *state)
{
    const char *badges[COMPOSE_BADGE_COUNT];
    json_t *list = json_array();

    compose_badges(state, badges);
    for (size_t i = 0; i < COMPOSE_BADGE_COUNT; i++) {
        json_array_append_new(list, json_string(badges[i]));
    }
    return list;
}

static json_t *original_make(const struct reproduce_state *state)
{
    const struct results *results = state->published->results;
    const struct verify_result *verified = state->config->verified;

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:I, s:I, s:s, s:o}", "bundle_id",
                     verified->id, "archive_sha256", verified->archive_sha256, "samples_digest",
                     verified->samples_digest, "plan_digest", results->plan_digest, "session_uid",
                     results->session_uid, "program_version", results->program_version,
                     "started_utc_ns", (json_int_t)results->started_utc_ns, "trial_count",
                     (json_int_t)results->trial_count, "trust",
                     trust_names[state->published->trust], "claims_problem",
                     text_make(state->published->claims_problem));
}

static json_t *here_make(const struct reproduce_state *state)
{
    return state->here ? json_pack("{s:s, s:s, s:s}", "samples_digest", state->here_samples_digest,
                                   "session_uid", state->here->results->session_uid,
                                   "program_version", state->config->program_version)
                       : json_null();
}

enum err_code verdict_json_format(const struct reproduce_state *state, struct buf *out,
                                  struct err *e)
{
    json_t *verdict = json_pack(
        "{s:s, s:s, s:s?, s:s, s:f, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "format",
        VERDICT_JSON_FORMAT, "verdict", replication_word_names[state->replication.word], "reason",
        state->replication.reason, "mode", state->config->is_quick ? "quick" : "full", "margin",
        REPLICATION_MARGIN, "original", original_make(state), "here", here_make(state), "program",
        program_make(state), "gate", gate_make(state), "same_machine_class",
        state->surroundings.same_class, "environment", surroundings_list(state), "claims",
        claims_make(state), "acm", badges_make(state));
    char *text = verdict ? json_dumps(verdict, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;

    json_decref(verdict);
    if (!text) {
        return err_set(e, ERR_FORMAT, "verdict.json: a text that is not UTF-8, or no memory");
    }
    buf_addf(out, "%s\n", text);
    free(text);
    return buf_check(out, "verdict.json", e);
}
