// SPDX-License-Identifier: Apache-2.0
// What was published beside what was reproduced.
#include "report/compose/compose_reproduction.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "engines/base/clock.h"
#include "report/compose/compose_metrics.h"
#include "report/render/document_language.h"

enum claim_column {
    CLAIM,
    VERDICT,
    WHAT,
    WORKLOAD,
    CONNECTIONS,
    ENGINE,
    OTHER,
    UNIT,
    PUBLISHED,
    HERE,
    CHANGE,
    NEEDED,
    REASON,
    CLAIM_COLUMN_COUNT
};
static const struct document_column claim_columns[CLAIM_COLUMN_COUNT] = {
    [CLAIM] = {"claim", NULL, "claim", .views = 1, .precision = 24},
    [VERDICT] = {"verdict", NULL, "verdict", .views = 1},
    [WHAT] = {"kind", NULL, "what", .views = 1},
    [WORKLOAD] = {"workload", NULL, "workload", .views = 1, .precision = 24},
    [CONNECTIONS] = {"connection_count", "1", "connections", .number = DOCUMENT_INTEGER,
                     .views = 1},
    [ENGINE] = {"engine", NULL, "engine", .views = 1, .precision = 24},
    [OTHER] = {"other", NULL, "over that of", .views = 1, .precision = 24},
    [UNIT] = {"unit", NULL, "unit", .views = 1},
    [PUBLISHED] = {"published", NULL, "published", .number = DOCUMENT_SIGNIFICANT, .views = 1,
                   .has_interval = true},
    [HERE] = {"here", NULL, "here", .number = DOCUMENT_SIGNIFICANT, .views = 1,
              .has_interval = true},
    [CHANGE] = {"change", "1", "here/published", .number = DOCUMENT_SIGNIFICANT, .views = 1,
                .has_interval = true},
    [NEEDED] = {"trials_needed", "1", "trials needed", .number = DOCUMENT_INTEGER, .views = 1},
    [REASON] = {"reason", NULL, "why", .views = 1},
};

enum difference_column { FACT, THERE, AT_HERE, MATTERS, DIFFERENCE_COLUMN_COUNT };
static const struct document_column difference_columns[DIFFERENCE_COLUMN_COUNT] = {
    [FACT] = {"name", NULL, "what differs", .views = 1, .precision = 40},
    [THERE] = {"published", NULL, "published", .views = 1, .precision = 80},
    [AT_HERE] = {"here", NULL, "here", .views = 1, .precision = 80},
    [MATTERS] = {"matters", NULL, "expected to matter", .views = 1},
};

static const char notes[] =
    "In brackets: 95 % intervals over trials, never over samples. A ratio is REPRODUCED when the "
    "interval of its change (Welch's t on the logarithms of two sessions' blocks) lies within "
    "1/1.1 \xe2\x80\xa6 1.1 and the claim holds here, NOT_REPRODUCED when it lies outside or the "
    "claim is refuted here. An order, the absence of errors, and on the same class of machine a "
    "level or a bound are judged as the claim is. What the published session did not support "
    "itself cannot be reproduced.";

static enum document_tone word_tone(enum replication_word word)
{
    switch (word) {
    case REPLICATION_REPRODUCED:
        return DOCUMENT_GOOD;
    case REPLICATION_NOT_REPRODUCED:
    case REPLICATION_INVALID:
        return DOCUMENT_BAD;
    default:
        return DOCUMENT_CAUTION;
    }
}

static bool is_ratio(const struct plan_claim *claim)
{
    return claim->kind == PLAN_CLAIM_RATIO || claim->kind == PLAN_CLAIM_ORDER;
}

static bool has_metric(const struct plan_claim *claim)
{
    return is_ratio(claim) || claim->kind == PLAN_CLAIM_LEVEL || claim->kind == PLAN_CLAIM_BOUND;
}

/* Of the published value and the one here. */
static const char *unit_of(const struct plan_claim *claim)
{
    if (is_ratio(claim)) {
        return "\xc3\x97";
    }
    if (claim->kind == PLAN_CLAIM_NO_ERRORS) {
        return "failed requests, share";
    }
    return has_metric(claim) ? compose_metric_unit(claim->metric) : "";
}

static void estimate_set(struct document_cell *cells, size_t column,
                         const struct estimate *estimate, double scale)
{
    document_set_estimate(
        cells, column,
        (const double[3]){estimate->value * scale, estimate->low * scale, estimate->high * scale},
        estimate->count);
}

static const char *tr(const struct document_table *table, const char *text)
{
    return document_tr(table->document, text);
}

static void part_add(const struct reproduce_state *state, const struct replication_claim *claim,
                     const struct replication_part *part, struct document_table *table)
{
    const struct results *results = state->published->results;
    const struct results_cell *cell = &results->cells[part->published->cell_index];
    const struct plan_claim *plan = claim->published->claim;
    double scale = has_metric(plan) && !is_ratio(plan) ? compose_metric_scale(plan->metric) : 1;
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, CLAIM, plan->id);
    document_set_sentence(cells, VERDICT, replication_word_names[part->word]);
    document_set_sentence(cells, WHAT,
                          has_metric(plan)
                              ? document_format(table->document, "%s of %s",
                                                tr(table, plan_claim_kind_names[plan->kind]),
                                                tr(table, compose_metric_name(plan->metric)))
                              : plan_claim_kind_names[plan->kind]);
    document_set_text(cells, WORKLOAD, results->workloads[cell->workload_index].name);
    document_set_integer(cells, CONNECTIONS, cell->connection_count);
    if (part->published->engine_index != SIZE_MAX) {
        document_set_text(cells, ENGINE, results->engines[part->published->engine_index].name);
    }
    if (part->published->other_index != SIZE_MAX) {
        document_set_text(cells, OTHER, results->engines[part->published->other_index].name);
    }
    document_set_sentence(cells, UNIT, unit_of(plan));
    estimate_set(cells, PUBLISHED, &part->published->estimate, scale);
    if (part->here) {
        estimate_set(cells, HERE, &part->here->estimate, scale);
    }
    if (!isnan(part->change.value)) {
        estimate_set(cells, CHANGE, &part->change, 1);
    }
    if (!isnan(part->trials_needed)) {
        document_set_integer(cells, NEEDED, (int64_t)part->trials_needed);
    }
    document_set_sentence(cells, REASON, part->reason ? part->reason : "");
}

static void claims_add(const struct reproduce_state *state, struct document *document)
{
    struct document_section *section =
        document_add_section(document, "claims", "Published beside reproduced");
    struct document_table *table =
        document_new_table(document, "claims", NULL, claim_columns, CLAIM_COLUMN_COUNT);

    for (size_t i = 0; i < state->replication.claim_count; i++) {
        const struct replication_claim *claim = &state->replication.claims[i];

        document_add(document, section, DOCUMENT_ITEM,
                     document_format(document, "Claim %s: %s%s%s.",
                                     document_name(document, claim->published->claim->id),
                                     document_tr(document, replication_word_names[claim->word]),
                                     claim->reason ? ": " : "",
                                     claim->reason ? document_tr(document, claim->reason) : ""))
            ->tone = word_tone(claim->word);
        for (size_t j = 0; j < claim->part_count; j++) {
            part_add(state, claim, &claim->parts[j], table);
        }
    }
    table->note = notes;
    if (table->row_count) {
        document_show_table(section, table, DOCUMENT_VIEW_ALL);
    } else {
        document_add(document, section, DOCUMENT_PARAGRAPH, "There is no claim to be judged.");
    }
}

static void difference_add(struct document_table *table, const char *name, const char *published,
                           const char *here, const char *matters)
{
    struct document_cell *cells = document_add_row(table);

    document_set_text(cells, FACT, name);
    document_set_text(cells, THERE, published ? published : tr(table, "not known"));
    document_set_text(cells, AT_HERE, here ? here : tr(table, "not known"));
    document_set_sentence(cells, MATTERS, matters);
}

static void machines_add(const struct reproduce_state *state, struct document *document)
{
    struct document_section *section =
        document_add_section(document, "machines", "What differs between the machines");
    struct document_table *table = document_new_table(document, "differences", NULL,
                                                      difference_columns, DIFFERENCE_COLUMN_COUNT);

    for (size_t i = 0; i < state->surroundings.count; i++) {
        const struct surrounding *row = &state->surroundings.rows[i];

        difference_add(table, row->name, row->published, row->here,
                       !row->is_known ? "cannot be said"
                       : row->matters ? "yes"
                                      : "no");
    }
    if (table->row_count) {
        document_show_table(section, table, DOCUMENT_VIEW_ALL);
    } else {
        document_add(document, section, DOCUMENT_PARAGRAPH,
                     state->here ? "Nothing that is known of them." : "Nothing was measured here.");
    }
}

static const char *outcome_meaning(enum rebuild_outcome outcome)
{
    switch (outcome) {
    case REBUILD_IDENTICAL:
        return "what came out is, byte for byte, the program that was measured";
    case REBUILD_DIFFERS_SAME_TOOLCHAIN:
        return "the same tools made another program of these sources than was measured, which is "
               "suspicious: the sources may be others";
    case REBUILD_DIFFERS_OTHER_TOOLCHAIN:
        return "other tools made another program, which is to be expected";
    case REBUILD_FAILED:
        return "the commands of the bundle made no program";
    case REBUILD_NO_TOOL:
        return "the compiler is not on this machine";
    case REBUILD_STOPPED:
        break;
    }
    return "stopped";
}

static void program_add(const struct reproduce_state *state, struct document *document)
{
    struct document_section *section =
        document_add_section(document, "program", "The program that was built again");
    struct document_table *table = document_new_table(document, "toolchain", NULL,
                                                      difference_columns, DIFFERENCE_COLUMN_COUNT);

    document_add(document, section, DOCUMENT_PARAGRAPH,
                 document_format(document, "tacho-engine: %s: %s.",
                                 rebuild_outcome_names[state->rebuilt.outcome],
                                 document_tr(document, outcome_meaning(state->rebuilt.outcome))));
    for (size_t i = 0; i < state->record->tool_count; i++) {
        const struct build_tool *tool = &state->record->tools[i];
        const char *here = *state->rebuilt.tools[i] ? state->rebuilt.tools[i] : NULL;

        if (!here || strcmp(tool->says, here) != 0) {
            difference_add(table, tool->name, tool->says, here, "yes");
        }
    }
    if (table->row_count) {
        document_show_table(section, table, DOCUMENT_VIEW_ALL);
    } else {
        document_add(document, section, DOCUMENT_PARAGRAPH,
                     "Compiler, assembler, linker and C library are those of the bundle.");
    }
}

void compose_badges(const struct reproduce_state *state, const char *out[COMPOSE_BADGE_COUNT])
{
    bool is_built = state->rebuilt.outcome <= REBUILD_DIFFERS_OTHER_TOOLCHAIN;

    out[0] = "Artifacts Available: not judged here; it asks for an archive with a DOI.";
    out[1] = is_built && state->gate_passed
                 ? "Artifacts Evaluated, Functional: verified, built from its sources, exercised."
                 : "Artifacts Evaluated, Functional: no; it did not build or did not answer right.";
    switch (state->replication.word) {
    case REPLICATION_REPRODUCED:
        out[2] = "Results Reproduced: yes, with the authors' artifacts.";
        break;
    case REPLICATION_PARTIAL:
        out[2] = "Results Reproduced: in part; see the claims.";
        break;
    case REPLICATION_NOT_REPRODUCED:
        out[2] = "Results Reproduced: no.";
        break;
    default:
        out[2] = "Results Reproduced: undecided.";
        break;
    }
}

static void session_add(struct document *document, const char *where,
                        const struct analysis *analysis)
{
    char started[CLOCK_TEXT_BYTES];

    clock_format_utc(analysis->results->started_utc_ns, started);
    document_add(document, &document->lead, DOCUMENT_ITEM,
                 document_format(document, "%s: session %s of %s, %zu trials, %s.",
                                 document_tr(document, where),
                                 document_name(document, analysis->results->session_uid), started,
                                 analysis->results->trial_count,
                                 document_tr(document, trust_names[analysis->trust])));
}

static void lead_add(const struct reproduce_state *state, struct document *document)
{
    const char *badges[COMPOSE_BADGE_COUNT];

    document_add(
        document, &document->lead, DOCUMENT_NOTICE,
        document_format(document, "%s%s%s.",
                        document_tr(document, replication_word_names[state->replication.word]),
                        state->replication.reason ? ": " : "",
                        state->replication.reason ? document_tr(document, state->replication.reason)
                                                  : ""))
        ->tone = word_tone(state->replication.word);
    document_add(document, &document->lead, DOCUMENT_ITEM,
                 document_format(document, "Of the bundle %s.", state->config->verified->id));
    session_add(document, "Published", state->published);
    if (state->here) {
        session_add(document, "Here", state->here);
        if (state->here->trust == TRUST_UNFIT) {
            document_add(document, &document->lead, DOCUMENT_ITEM,
                         "Why the session here was not fit stands in report/report.html; make the "
                         "machine idle and try again.")
                ->tone = DOCUMENT_CAUTION;
        }
    }
    if (state->gate_was_asked) {
        document_add(document, &document->lead, DOCUMENT_ITEM,
                     state->gate_passed ? "Every engine gave every recorded answer before the load."
                                        : "An engine did not give the recorded answer.")
            ->tone = state->gate_passed ? DOCUMENT_PLAIN : DOCUMENT_BAD;
    }
    if (state->rebuilt.outcome == REBUILD_DIFFERS_SAME_TOOLCHAIN) {
        document_add(
            document, &document->lead, DOCUMENT_NOTICE,
            document_format(document, "Suspicious: %s.",
                            document_tr(document, outcome_meaning(state->rebuilt.outcome))))
            ->tone = DOCUMENT_BAD;
    }
    compose_badges(state, badges);
    for (size_t i = 0; i < COMPOSE_BADGE_COUNT; i++) {
        document_add(document, &document->lead, DOCUMENT_ITEM, badges[i]);
    }
}

enum err_code compose_reproduction(const struct reproduce_state *state,
                                   struct document **document_out, struct err *e)
{
    struct document *document = document_new();

    if (!document) {
        return err_set(e, ERR_LIMIT, "no memory for the reproduction's report");
    }
    if (document_set_language(document,
                              state->config->language ? state->config->language : CATALOGUE_ENGLISH,
                              e) != ERR_OK) {
        document_free(document);
        return e->code;
    }
    document->title = document_format(document, "%s", state->published->results->title);
    document->program = document_format(document, "%s", state->config->program_version);
    document->word = replication_word_names[state->replication.word];
    document->tone = word_tone(state->replication.word);
    lead_add(state, document);
    claims_add(state, document);
    program_add(state, document);
    machines_add(state, document);
    document_finish(document);
    if (document_check(document, e) != ERR_OK) {
        document_free(document);
        return ERR_LIMIT;
    }
    *document_out = document;
    return ERR_OK;
}
