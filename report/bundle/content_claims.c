// SPDX-License-Identifier: Apache-2.0
// The plan's claims with the numbers to expect.
#include "report/bundle/content_claims.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/number.h"

#define NUMBER_BYTES 40

/* A number as text, so that no reader rounds it; JSON's null where there is none. */
static json_t *number_make(double value)
{
    char text[NUMBER_BYTES];

    if (!isfinite(value)) {
        return json_null();
    }
    snprintf(text, sizeof(text), "%.9g", value);
    return json_string(text);
}

static json_t *part_make(const struct analysis *analysis, const struct claim_part *part)
{
    const struct results *results = analysis->results;
    const struct results_cell *cell = &results->cells[part->cell_index];

    return json_pack(
        "{s:I, s:s, s:I, s:o, s:s, s:o, s:{s:o, s:o, s:o, s:I}, s:s, s:s?}", "cell_id",
        (json_int_t)cell->cell_id, "workload", results->workloads[cell->workload_index].name,
        "connections", (json_int_t)cell->connection_count, "rate_per_s",
        cell->rate_per_s == METRIC_UNKNOWN ? json_null() : json_integer(cell->rate_per_s), "engine",
        results->engines[part->engine_index].name, "other",
        part->other_index == SIZE_MAX ? json_null()
                                      : json_string(results->engines[part->other_index].name),
        "expected", "value", number_make(part->estimate.value), "low",
        number_make(part->estimate.low), "high", number_make(part->estimate.high), "count",
        (json_int_t)part->estimate.count, "verdict", claim_word_names[part->word], "reason",
        part->reason);
}

static json_t *claim_make(const struct analysis *analysis, const struct claim_result *result)
{
    const struct plan_claim *claim = result->claim;
    json_t *engines = json_array(), *experiments = json_array();

    for (size_t i = 0; i < claim->engine_count; i++) {
        json_array_append_new(engines, json_string(claim->engines[i]));
    }
    for (size_t i = 0; i < result->part_count; i++) {
        json_array_append_new(experiments, part_make(analysis, &result->parts[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:o, s:{s:o, s:o, s:o, s:o}, s:s, s:o}", "id",
                     claim->id, "kind", plan_claim_kind_names[claim->kind], "metric",
                     plan_claim_metric_names[claim->metric], "engines", engines, "workload",
                     claim->workload, "connections",
                     claim->connection_count ? json_integer(claim->connection_count) : json_null(),
                     "stated", "at_least", number_make(claim->at_least), "at_most",
                     number_make(claim->at_most), "value", number_make(claim->value),
                     "within_percent", number_make(claim->within), "verdict",
                     claim_word_names[result->word], "experiments", experiments);
}

enum err_code content_claims_add(const struct analysis *analysis, struct file_tree *tree,
                                 struct err *e)
{
    json_t *claims = json_array();

    for (size_t i = 0; i < analysis->claim_count; i++) {
        json_array_append_new(claims, claim_make(analysis, &analysis->claims[i]));
    }
    bool is_whole = json_array_size(claims) == analysis->claim_count;
    json_t *document =
        json_pack("{s:s, s:s, s:s?, s:o}", "format", "tacho-claims-1", "session",
                  analysis->results->session_uid, "problem",
                  *analysis->claims_problem ? analysis->claims_problem : NULL, "claims", claims);
    char *text = document && is_whole ? json_dumps(document, JSON_INDENT(2)) : NULL;

    json_decref(document);
    if (!text) {
        return err_set(e, ERR_FORMAT, "%s: a text that is not UTF-8, or no memory", CONTENT_CLAIMS);
    }
    size_t length = strlen(text);
    text[length] = '\n'; /* the NUL's place: the tree takes a length */
    enum err_code code = file_tree_add_file(tree, CONTENT_CLAIMS, text, length + 1, e);
    free(text);
    return code;
}

/* Foreign text in a cell of a table: what is not a letter, digit or blank is an entity, so that it
 * is no markup. */
static void cell_add(struct buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte >= 0x80 || isalnum(byte) || byte == ' ') {
            buf_add_char(out, *text);
        } else if (byte >= 0x20 && byte != 0x7f) {
            buf_addf(out, "&#%u;", byte);
        }
    }
}

static void number_add(struct buf *out, double value)
{
    char text[NUMBER_TEXT_BYTES];

    if (isfinite(value)) {
        buf_addf(out, " %s |", number_format_significant(value, 4, text));
    } else {
        buf_add_text(out, " |");
    }
}

static void part_add(const struct analysis *analysis, const struct claim_result *result,
                     const struct claim_part *part, struct buf *out)
{
    const struct results *results = analysis->results;
    const struct results_cell *cell = &results->cells[part->cell_index];

    buf_add_text(out, "| ");
    cell_add(out, result->claim->id);
    buf_addf(out, " | %s of %s | ", plan_claim_kind_names[result->claim->kind],
             plan_claim_metric_names[result->claim->metric]);
    cell_add(out, results->engines[part->engine_index].name);
    if (part->other_index != SIZE_MAX) {
        buf_add_text(out, " over ");
        cell_add(out, results->engines[part->other_index].name);
    }
    buf_add_text(out, " | ");
    cell_add(out, results->workloads[cell->workload_index].name);
    buf_addf(out, ", %lld connections |", (long long)cell->connection_count);
    number_add(out, part->estimate.value);
    number_add(out, part->estimate.low);
    number_add(out, part->estimate.high);
    buf_addf(out, " %s |\n", claim_word_names[part->word]);
}

void content_claims_format(const struct analysis *analysis, struct buf *out)
{
    if (analysis->claim_count == 0) {
        return;
    }
    buf_add_text(out, "\n## Claims, experiments and numbers to expect\n\n"
                      "Ratios are plain numbers, times in ns, sizes in bytes; low and high are the "
                      "95 % interval.\n`plan/claims.json` has the same for programs.\n\n"
                      "| claim | what | engine | experiment | expected | low | high | verdict |\n"
                      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < analysis->claim_count; i++) {
        for (size_t j = 0; j < analysis->claims[i].part_count; j++) {
            part_add(analysis, &analysis->claims[i], &analysis->claims[i].parts[j], out);
        }
    }
}
