// SPDX-License-Identifier: Apache-2.0
// The plan's claims and what became of them: a line on the first screen, a section with a sentence
// for each, a table in files.
#include <math.h>

#include "report/compose/compose_metrics.h"
#include "report/compose/compose_parts.h"
#include "report/render/number.h"

#define SHORT_COUNT_MAX 2 /* so few stand on the first screen, with no section of their own */
#define OPEN_COUNT_MAX  12
#define LIMIT_DIGITS    9 /* of a limit: what is beyond is of its computation */
#define ID_COUNT_MAX    6 /* claims that the first screen's line names for each word */

enum column {
    CLAIM_ID,
    KIND,
    METRIC,
    ENGINE,
    OTHER,
    WORKLOAD,
    CONNECTIONS,
    AT_LEAST,
    AT_MOST,
    UNIT,
    VALUE,
    PART_WORD,
    REASON,
    CLAIM_VERDICT,
    COLUMN_COUNT
};

static const struct document_column columns[COLUMN_COUNT] = {
    [CLAIM_ID] = {.name = "claim", .heading = "claim"},
    [KIND] = {.name = "kind", .heading = "kind"},
    [METRIC] = {.name = "metric", .heading = "metric"},
    [ENGINE] = {.name = "engine", .heading = "engine"},
    [OTHER] = {.name = "over", .heading = "over"},
    [WORKLOAD] = {.name = "workload", .heading = "workload"},
    [CONNECTIONS] = {.name = "connection_count",
                     .unit = "1",
                     .heading = "connections",
                     .number = DOCUMENT_INTEGER},
    [AT_LEAST] = {.name = "at_least", .heading = "at least", .number = DOCUMENT_SIGNIFICANT},
    [AT_MOST] = {.name = "at_most", .heading = "at most", .number = DOCUMENT_SIGNIFICANT},
    [UNIT] = {.name = "unit", .heading = "unit"},
    [VALUE] = {.name = "value",
               .heading = "value",
               .number = DOCUMENT_SIGNIFICANT,
               .has_interval = true},
    [PART_WORD] = {.name = "part_verdict", .heading = "of this part"},
    [REASON] = {.name = "reason", .heading = "reason"},
    [CLAIM_VERDICT] = {.name = "claim_verdict", .heading = "verdict"},
};

static bool is_ratio(const struct plan_claim *claim)
{
    return claim->kind == PLAN_CLAIM_RATIO || claim->kind == PLAN_CLAIM_ORDER;
}

static const char *engine_name(struct compose *compose, size_t engine_index)
{
    return document_name(compose->document, compose_engine(compose, engine_index)->name);
}

/* "at least 1.2", "between 0.9 and 1.1" in the unit of pages. */
static const char *limits(struct compose *compose, const struct plan_claim *claim,
                          const struct claim_part *part)
{
    double scale = is_ratio(claim) ? 1 : compose_metric_scale(claim->metric);
    struct document *document = compose->document;
    const char *unit =
        is_ratio(claim) ? "" : document_tr(document, compose_metric_unit(claim->metric));
    char low[NUMBER_TEXT_BYTES], high[NUMBER_TEXT_BYTES];

    if (claim->kind == PLAN_CLAIM_NO_ERRORS) {
        return document_tr(document, "none");
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        number_format_significant(claim->growth / (1 << 20), 3, low);
        return document_format(document, "within %s s, with at most %s MiB kept",
                               compose_seconds(compose, part->at_most / 1e9), low);
    }
    number_format_given(part->at_least * scale, LIMIT_DIGITS, low);
    number_format_given(part->at_most * scale, LIMIT_DIGITS, high);
    if (isnan(part->at_most)) {
        return document_format(document, "at least %s%s%s", low, *unit ? " " : "", unit);
    }
    if (isnan(part->at_least)) {
        return document_format(document, "at most %s%s%s", high, *unit ? " " : "", unit);
    }
    return document_format(document, "between %s and %s%s%s", low, high, *unit ? " " : "", unit);
}

/* What was found, as the beginning of a sentence. */
static const char *finding(struct compose *compose, const struct plan_claim *claim,
                           const struct claim_part *part)
{
    struct document *document = compose->document;
    const struct estimate *estimate = &part->estimate;
    double scale = compose_metric_scale(claim->metric);
    char text[NUMBER_TEXT_BYTES];

    if (claim->kind == PLAN_CLAIM_NO_ERRORS) {
        number_format_significant(estimate->high * 100, 2, text);
        return document_format(document,
                               "the share of failed requests of %s is %s (95 %%: at most %s %%)",
                               engine_name(compose, part->engine_index),
                               compose_percent(compose, estimate->value), text);
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        number_format_significant(estimate->low * 100, 2, text);
        return document_format(document, "%s recovered in %s of the trials (95 %%: at least %s %%)",
                               engine_name(compose, part->engine_index),
                               compose_percent(compose, estimate->value), text);
    }
    if (is_ratio(claim)) {
        return document_format(document, "the %s of %s over that of %s is %s",
                               document_tr(document, compose_metric_name(claim->metric)),
                               engine_name(compose, part->engine_index),
                               engine_name(compose, part->other_index),
                               compose_ratio(compose, estimate));
    }
    if (isnan(estimate->value)) {
        return document_format(document, "the %s of %s is not known",
                               document_tr(document, compose_metric_name(claim->metric)),
                               engine_name(compose, part->engine_index));
    }
    number_format_estimate(estimate->value * scale, estimate->low * scale, estimate->high * scale,
                           "", text);
    return document_format(document, "the %s of %s is %s %s",
                           document_tr(document, compose_metric_name(claim->metric)),
                           engine_name(compose, part->engine_index), text,
                           document_tr(document, compose_metric_unit(claim->metric)));
}

static enum document_tone word_tone(enum claim_word word)
{
    switch (word) {
    case CLAIM_SUPPORTED:
        return DOCUMENT_GOOD;
    case CLAIM_REFUTED:
        return DOCUMENT_BAD;
    case CLAIM_INCONCLUSIVE:
        break;
    }
    return DOCUMENT_CAUTION;
}

const char *compose_claim_title(struct compose *compose, const struct plan_claim *claim,
                                const struct claim_part *part)
{
    struct document *document = compose->document;
    const char *engine = engine_name(compose, part->engine_index), *what;

    if (claim->kind == PLAN_CLAIM_NO_ERRORS) {
        what = document_format(document, "failed requests of %s", engine);
    } else if (claim->kind == PLAN_CLAIM_RECOVERS) {
        what = document_format(document, "recovery of %s", engine);
    } else {
        what = document_format(document, "%s of %s%s%s",
                               document_tr(document, compose_metric_name(claim->metric)), engine,
                               is_ratio(claim) ? " / " : "",
                               is_ratio(claim) ? engine_name(compose, part->other_index) : "");
    }
    return document_format(document, "%s: %s %s: %s", document_name(document, claim->id), what,
                           compose_place(compose, part->cell_index), limits(compose, claim, part));
}

const char *compose_claim_sentence(struct compose *compose, const struct plan_claim *claim,
                                   const struct claim_part *part)
{
    struct document *document = compose->document;
    bool is_one = part->estimate.count == 1;
    const char *unit =
        is_ratio(claim) ? (is_one ? "block" : "blocks") : (is_one ? "trial" : "trials");

    return document_format(
        document, "Claim %s: %s %s, n\xc2\xa0=\xc2\xa0%zu %s; claimed: %s: %s%s%s%s.",
        document_name(document, claim->id), finding(compose, claim, part),
        compose_place(compose, part->cell_index), part->estimate.count, document_tr(document, unit),
        limits(compose, claim, part), document_tr(document, claim_word_names[part->word]),
        part->reason ? " (" : "", part->reason ? document_tr(document, part->reason) : "",
        part->reason ? ")" : "");
}

static void add_sentence(struct compose *compose, struct document_section *section,
                         const struct plan_claim *claim, const struct claim_part *part,
                         const char *folded)
{
    struct document_block *block = document_add(compose->document, section, DOCUMENT_ITEM,
                                                compose_claim_sentence(compose, claim, part));

    block->tone = word_tone(part->word);
    block->folded = folded;
}

static void add_row(struct compose *compose, struct document_table *table,
                    const struct claim_result *result, const struct claim_part *part)
{
    const struct plan_claim *claim = result->claim;
    bool has_metric = claim->kind != PLAN_CLAIM_NO_ERRORS && claim->kind != PLAN_CLAIM_RECOVERS;
    struct document_cell *row = document_add_row(table);

    document_set_text(row, CLAIM_ID, claim->id);
    document_set_sentence(row, KIND, plan_claim_kind_names[claim->kind]);
    document_set_sentence(row, CLAIM_VERDICT, claim_word_names[result->word]);
    if (has_metric) {
        document_set_sentence(row, METRIC, plan_claim_metric_names[claim->metric]);
    }
    if (!part) {
        return;
    }
    document_set_text(row, ENGINE, compose_engine(compose, part->engine_index)->name);
    if (part->other_index != SIZE_MAX) {
        document_set_text(row, OTHER, compose_engine(compose, part->other_index)->name);
    }
    document_set_text(row, WORKLOAD, compose_load_name(compose, part->cell_index));
    document_set_integer(row, CONNECTIONS,
                         compose_cell(compose, part->cell_index)->connection_count);
    document_set_number(row, AT_LEAST, part->at_least);
    document_set_number(row, AT_MOST, part->at_most);
    document_set_sentence(row, UNIT,
                          claim->kind == PLAN_CLAIM_RECOVERS ? "ns; value: 1"
                          : is_ratio(claim) || !has_metric
                              ? "1"
                              : compose_metric_stored_unit(claim->metric));
    compose_set_estimate(row, VALUE, &part->estimate);
    document_set_sentence(row, PART_WORD, claim_word_names[part->word]);
    if (part->reason) {
        document_set_sentence(row, REASON, part->reason);
    }
}

/* The sentence of a claim that the session has nothing for. */
static void add_nothing(struct compose *compose, struct document_section *section,
                        const struct claim_result *result)
{
    struct document *document = compose->document;

    document_add(document, section, DOCUMENT_ITEM,
                 document_format(document,
                                 "Claim %s: the session has nothing that it is about: %s.",
                                 document_name(document, result->claim->id),
                                 document_tr(document, claim_word_names[result->word])))
        ->tone = DOCUMENT_CAUTION;
}

static size_t count_word(const struct compose *compose, enum claim_word word)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->analysis->claim_count; i++) {
        count += compose->analysis->claims[i].word == word;
    }
    return count;
}

/* "4 SUPPORTED": other languages have a plural. */
static const char *count_text(struct document *document, enum claim_word word, size_t count)
{
    if (count == 1) {
        return document_format(document, "%zu %s", count,
                               document_tr(document, claim_word_names[word]));
    }
    return document_format(document,
                           word == CLAIM_SUPPORTED ? "%zu SUPPORTED"
                           : word == CLAIM_REFUTED ? "%zu REFUTED"
                                                   : "%zu INCONCLUSIVE",
                           count);
}

/* "C1, C2": the claims that have the word, the first of them. */
static const char *list_ids(struct compose *compose, enum claim_word word)
{
    struct document *document = compose->document;
    const char *text = "";
    size_t count = 0;

    for (size_t i = 0; i < compose->analysis->claim_count; i++) {
        const struct claim_result *result = &compose->analysis->claims[i];

        if (result->word == word && ++count <= ID_COUNT_MAX) {
            text = document_format(document, "%s%s%s", text, *text ? ", " : "",
                                   document_name(document, result->claim->id));
        }
    }
    return count > ID_COUNT_MAX ? document_format(document, "%s, \xe2\x80\xa6", text) : text;
}

/* "6 claims of the plan: 1 REFUTED (C5), 5 SUPPORTED (C1, C2, C3, C4, C6)." */
static void add_counts(struct compose *compose)
{
    static const enum claim_word words[] = {CLAIM_REFUTED, CLAIM_INCONCLUSIVE, CLAIM_SUPPORTED};
    struct document *document = compose->document;
    enum claim_word worst = CLAIM_SUPPORTED;
    const char *text = "";

    for (size_t i = ARRAY_COUNT(words); i-- > 0;) {
        size_t count = count_word(compose, words[i]);

        if (count > 0) {
            worst = words[i];
            text =
                document_format(document, "%s%s%s (%s)", text, *text ? ", " : "",
                                count_text(document, words[i], count), list_ids(compose, words[i]));
        }
    }
    document_add(document, &document->lead, DOCUMENT_ITEM,
                 compose->analysis->claim_count == 1
                     ? document_format(document, "The claim of the plan: %s.", text)
                     : document_format(document, "%zu claims of the plan: %s.",
                                       compose->analysis->claim_count, text))
        ->tone = word_tone(worst);
}

/* Parts in the order of the plan: those with the word; of all that are added the first stand open,
 * `room` of them. Returns how much room is left. */
static size_t add_parts(struct compose *compose, struct document_section *section,
                        enum claim_word word, size_t room, const char *folded)
{
    const struct analysis *analysis = compose->analysis;

    for (size_t i = 0; i < analysis->claim_count; i++) {
        const struct claim_result *result = &analysis->claims[i];

        for (size_t k = 0; k < result->part_count; k++) {
            if (result->parts[k].word == word) {
                add_sentence(compose, section, result->claim, &result->parts[k],
                             room > 0 ? NULL : folded);
                room -= room > 0;
            }
        }
    }
    return room;
}

/* What a claim is judged on, and claims that there is nothing for. */
static size_t count_sentences(const struct compose *compose)
{
    size_t count = 0;

    for (size_t i = 0; i < compose->analysis->claim_count; i++) {
        size_t part_count = compose->analysis->claims[i].part_count;

        count += part_count > 0 ? part_count : 1;
    }
    return count;
}

/* First what is refuted, then what is not decided. */
static void add_sentences(struct compose *compose, struct document_section *section)
{
    static const enum claim_word words[] = {CLAIM_REFUTED, CLAIM_INCONCLUSIVE, CLAIM_SUPPORTED};
    size_t count = count_sentences(compose), room = OPEN_COUNT_MAX;
    const char *folded = document_format(compose->document, "The other results of claims (%zu)",
                                         count > OPEN_COUNT_MAX ? count - OPEN_COUNT_MAX : 0);

    for (size_t i = 0; i < compose->analysis->claim_count; i++) {
        if (compose->analysis->claims[i].part_count == 0) {
            add_nothing(compose, section, &compose->analysis->claims[i]);
            room -= room > 0;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        room = add_parts(compose, section, words[i], room, folded);
    }
}

static void add_rows(struct compose *compose, struct document_table *table,
                     const struct claim_result *result)
{
    for (size_t i = 0; i < result->part_count; i++) {
        add_row(compose, table, result, &result->parts[i]);
    }
    if (result->part_count == 0) {
        add_row(compose, table, result, NULL);
    }
}

static void add_table(struct compose *compose)
{
    struct document *document = compose->document;
    struct document_table *table =
        document_new_table(document, "claims", "Claims of the plan", columns, COLUMN_COUNT);

    for (size_t i = 0; i < compose->analysis->claim_count; i++) {
        add_rows(compose, table, &compose->analysis->claims[i]);
    }
    compose->claims = table;
    table->is_files = true;
    document_show_table(&document->lead, table, DOCUMENT_VIEW_ALL);
}

void compose_claims(struct compose *compose)
{
    const struct analysis *analysis = compose->analysis;
    struct document *document = compose->document;

    if (*analysis->claims_problem) {
        document_add(document, &document->lead, DOCUMENT_NOTICE,
                     document_format(document, "The claims of the plan cannot be read: %s.",
                                     document_long_name(document, analysis->claims_problem)))
            ->tone = DOCUMENT_CAUTION;
    }
    if (analysis->claim_count == 0) {
        return;
    }
    if (count_sentences(compose) > SHORT_COUNT_MAX) {
        add_counts(compose);
    } else {
        add_sentences(compose, &document->lead);
    }
    add_table(compose);
}

void compose_claim_results(struct compose *compose)
{
    if (count_sentences(compose) > SHORT_COUNT_MAX) {
        add_sentences(compose,
                      document_add_section(compose->document, "claims", "Claims of the plan"));
    }
}
