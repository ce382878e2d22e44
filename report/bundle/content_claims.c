// SPDX-License-Identifier: Apache-2.0
// The plan's claims with the numbers to expect.
#include "report/bundle/content_claims.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/units.h"
#include "report/compose/compose_metrics.h"
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

/* --- in words --- */

/* What a claim is about, as a stranger says it. */
static const char *const metric_words[PLAN_METRIC_COUNT] = {
    [PLAN_METRIC_THROUGHPUT] = "throughput",
    [PLAN_METRIC_P50] = "median latency",
    [PLAN_METRIC_P90] = "p90 latency",
    [PLAN_METRIC_P99] = "p99 latency",
    [PLAN_METRIC_P999] = "p99.9 latency",
    [PLAN_METRIC_SERVER_CPU] = "server CPU time per request",
    [PLAN_METRIC_RSS] = "peak memory",
};

static bool is_pair(const struct plan_claim *claim)
{
    return claim->kind == PLAN_CLAIM_RATIO || claim->kind == PLAN_CLAIM_ORDER;
}

/* How a number of the claim is shown: ratios as they are, values in the unit of pages. */
struct claim_unit {
    double scale;
    const char *name; /* " ms"; "" */
};

static struct claim_unit unit_of(const struct plan_claim *claim)
{
    static const char *const names[PLAN_METRIC_COUNT] = {" requests/s", " ms", " ms", " ms",
                                                         " ms",         " µs", " MiB"};

    if (claim->kind == PLAN_CLAIM_NO_ERRORS || claim->kind == PLAN_CLAIM_RECOVERS) {
        return (struct claim_unit){100, " %"};
    }
    return is_pair(claim)
               ? (struct claim_unit){1, ""}
               : (struct claim_unit){compose_metric_scale(claim->metric), names[claim->metric]};
}

/* A limit as it was stated. */
static void limit_add(const struct plan_claim *claim, double value, struct buf *out)
{
    const struct claim_unit unit = unit_of(claim);
    char text[NUMBER_TEXT_BYTES];

    buf_addf(out, "%s%s", number_format_given(value * unit.scale, 12, text), unit.name);
}

/* "at least 1.2", "between 4 ms and 6 ms" */
static void limits_add(const struct plan_claim *claim, double at_least, double at_most,
                       struct buf *out)
{
    if (isnan(at_most)) {
        buf_add_text(out, "at least ");
        limit_add(claim, at_least, out);
    } else if (isnan(at_least)) {
        buf_add_text(out, "at most ");
        limit_add(claim, at_most, out);
    } else {
        buf_add_text(out, "between ");
        limit_add(claim, at_least, out);
        buf_add_text(out, " and ");
        limit_add(claim, at_most, out);
    }
}

/* The numbers of a claim in one cell, or as they stand in the plan. */
struct bounds {
    const char *engine, *other; /* "": of any engine */
    double at_least, at_most;
};

static void metric_add(const struct plan_claim *claim, const struct bounds *bounds, struct buf *out)
{
    buf_addf(out, "the %s of ", metric_words[claim->metric]);
    cell_add(out, bounds->engine);
}

static void recovery_add(const struct plan_claim *claim, const struct bounds *bounds,
                         struct buf *out)
{
    char text[NUMBER_TEXT_BYTES];

    buf_add_text(out, "after the flood ");
    cell_add(out, bounds->engine);
    buf_add_text(out, " gives the right answer again");
    if (isfinite(bounds->at_most)) {
        buf_addf(out, " within %s s", number_format_plain(bounds->at_most / 1e9, text));
    }
    buf_addf(out, ", keeping at most %s MiB more memory and no more threads and descriptors",
             number_format_plain(claim->growth / (1 << 20), text));
}

/* What is claimed, as a clause. */
static void statement_add(const struct plan_claim *claim, const struct bounds *bounds,
                          struct buf *out)
{
    switch (claim->kind) {
    case PLAN_CLAIM_ORDER:
        metric_add(claim, bounds, out);
        buf_addf(out, " is %s than that of ",
                 claim->metric == PLAN_METRIC_THROUGHPUT ? "higher" : "lower");
        cell_add(out, bounds->other);
        break;
    case PLAN_CLAIM_RATIO:
        metric_add(claim, bounds, out);
        buf_add_text(out, " over that of ");
        cell_add(out, bounds->other);
        buf_add_text(out, " is ");
        limits_add(claim, bounds->at_least, bounds->at_most, out);
        break;
    case PLAN_CLAIM_LEVEL:
        metric_add(claim, bounds, out);
        buf_add_text(out, " is ");
        limit_add(claim, claim->value, out);
        buf_addf(out, " within %g %%, that is ", claim->within);
        limits_add(claim, claim->value * (1 - claim->within / 100),
                   claim->value * (1 + claim->within / 100), out);
        break;
    case PLAN_CLAIM_NO_ERRORS:
        buf_add_text(out, "every request to ");
        cell_add(out, *bounds->engine ? bounds->engine : "each engine");
        buf_add_text(out, " gets the right answer, and the server keeps running");
        break;
    case PLAN_CLAIM_RECOVERS:
        recovery_add(claim, bounds, out);
        break;
    case PLAN_CLAIM_BOUND:
    case PLAN_CLAIM_KIND_COUNT:
        metric_add(claim, bounds, out);
        buf_add_text(out, " is ");
        limits_add(claim, bounds->at_least, bounds->at_most, out);
        break;
    }
}

/* What would refute it. */
static void refutation_add(const struct plan_claim *claim, const struct claim_part *part,
                           struct buf *out)
{
    if (claim->kind == PLAN_CLAIM_NO_ERRORS) {
        buf_add_text(out, "one failed request, or a server that stops");
        return;
    }
    if (claim->kind == PLAN_CLAIM_RECOVERS) {
        buf_add_text(out, "one trial in which it does not");
        return;
    }
    buf_add_text(out, "an interval wholly");
    if (!isnan(part->at_least)) {
        buf_add_text(out, " below ");
        limit_add(claim, part->at_least, out);
    }
    if (!isnan(part->at_most)) {
        buf_addf(out, "%s above ", isnan(part->at_least) ? "" : " or wholly");
        limit_add(claim, part->at_most, out);
    }
}

static void estimate_add(const struct plan_claim *claim, const struct estimate *estimate,
                         struct buf *out)
{
    const struct claim_unit unit = unit_of(claim);
    char value[NUMBER_TEXT_BYTES], low[NUMBER_TEXT_BYTES], high[NUMBER_TEXT_BYTES];
    bool is_share = claim->kind == PLAN_CLAIM_NO_ERRORS || claim->kind == PLAN_CLAIM_RECOVERS;
    int digits = is_share ? 3 : 4;

    if (!isfinite(estimate->value)) {
        buf_add_text(out, "not known");
        return;
    }
    buf_addf(out, "%s%s%s%s", is_pair(claim) ? "ratio " : "",
             number_format_significant(estimate->value * unit.scale, digits, value), unit.name,
             claim->kind == PLAN_CLAIM_NO_ERRORS  ? " of requests failed"
             : claim->kind == PLAN_CLAIM_RECOVERS ? " of trials recovered"
                                                  : "");
    if (isfinite(estimate->low) && isfinite(estimate->high)) {
        buf_addf(out, " [%s, %s]",
                 number_format_significant(estimate->low * unit.scale, digits, low),
                 number_format_significant(estimate->high * unit.scale, digits, high));
    }
    const char *counted = is_pair(claim) ? "block" : "trial";
    buf_addf(out, ", %zu %s%s", estimate->count, counted,
             units_word((int64_t)estimate->count, "", "s"));
}

/* "ping, 125 connections, 2000 requests/s due" */
static void place_add(const struct results *results, const struct results_cell *cell,
                      struct buf *out)
{
    const struct results_workload *workload = &results->workloads[cell->workload_index];

    cell_add(out, workload->name);
    if (workload->flood_ns != METRIC_UNKNOWN) {
        buf_add_text(out, ", a flood of connections");
        return;
    }
    buf_addf(out, ", %" PRId64 " connection%s", cell->connection_count,
             units_word(cell->connection_count, "", "s"));
    if (cell->rate_per_s != METRIC_UNKNOWN) {
        buf_addf(out, ", %" PRId64 " requests/s due", cell->rate_per_s);
    }
}

static void verdict_add(enum claim_word word, const char *reason, struct buf *out)
{
    buf_addf(out, " | %s", claim_word_names[word]);
    if (reason) {
        buf_add_text(out, ": ");
        cell_add(out, reason);
    }
    buf_add_text(out, " |\n");
}

static void part_add(const struct analysis *analysis, const struct claim_result *result,
                     const struct claim_part *part, struct buf *out)
{
    const struct results *results = analysis->results;
    const struct bounds bounds = {
        .engine = results->engines[part->engine_index].name,
        .other = part->other_index == SIZE_MAX ? "" : results->engines[part->other_index].name,
        .at_least = part->at_least,
        .at_most = part->at_most};

    buf_add_text(out, "| ");
    cell_add(out, result->claim->id);
    buf_add_text(out, " | ");
    statement_add(result->claim, &bounds, out);
    buf_add_text(out, " | ");
    place_add(results, &results->cells[part->cell_index], out);
    buf_add_text(out, " | ");
    estimate_add(result->claim, &part->estimate, out);
    buf_add_text(out, " | ");
    refutation_add(result->claim, part, out);
    verdict_add(part->word, part->reason, out);
}

/* A claim that the session has nothing for. */
static void nothing_add(const struct claim_result *result, struct buf *out)
{
    const struct plan_claim *claim = result->claim;
    const struct bounds bounds = {.engine = claim->engine_count > 0 ? claim->engines[0] : "",
                                  .other = claim->engine_count > 1 ? claim->engines[1] : "",
                                  .at_least = claim->at_least,
                                  .at_most = claim->at_most};

    buf_add_text(out, "| ");
    cell_add(out, claim->id);
    buf_add_text(out, " | ");
    statement_add(claim, &bounds, out);
    buf_add_text(out, " | ");
    cell_add(out, claim->workload ? claim->workload : "everywhere");
    buf_add_text(out, " | not measured in this session | ");
    verdict_add(result->word, NULL, out);
}

/* Of a claim in several places: it must hold in each. */
static bool whole_add(const struct claim_result *result, bool is_first, struct buf *out)
{
    if (result->part_count > 1) {
        buf_add_text(out, is_first ? "\n- " : "- ");
        cell_add(out, result->claim->id);
        buf_addf(out, " as a whole, which must hold in all of its %zu rows: %s\n",
                 result->part_count, claim_word_names[result->word]);
    }
    return result->part_count > 1;
}

void content_claims_format(const struct analysis *analysis, struct buf *out)
{
    if (*analysis->claims_problem) {
        buf_add_text(out,
                     "\n## Claims\n\nThis version cannot read the claims of the plan:\n\n    ");
        for (const char *at = analysis->claims_problem; *at; at++) {
            buf_add_char(out, (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at);
        }
        buf_add_char(out, '\n');
        return;
    }
    if (analysis->claim_count == 0) {
        buf_add_text(out, "\n## Claims\n\nThe plan makes none.\n");
        return;
    }
    buf_add_text(
        out,
        "\n## Claims, what was found, what would refute them\n\n"
        "Each was stated in the plan, before the measurement. A trial is one fresh server process "
        "under load; a block is one\ntrial of each engine, and a ratio is taken within blocks. In "
        "brackets: the 95 % interval. A claim is SUPPORTED when\nthe whole interval lies on the "
        "claimed side of each limit, REFUTED when it lies wholly beyond one, else INCONCLUSIVE; "
        "so\nit is with fewer than 6 blocks or trials, in a quick session and in one that was not "
        "fit. Numbers to calculate with, in\nns and bytes, are in `plan/claims.json`.\n\n"
        "| claim | what is claimed | where | found here | what would refute it | verdict |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < analysis->claim_count; i++) {
        const struct claim_result *result = &analysis->claims[i];

        for (size_t j = 0; j < result->part_count; j++) {
            part_add(analysis, result, &result->parts[j], out);
        }
        if (result->part_count == 0) {
            nothing_add(result, out);
        }
    }
    bool is_first = true;
    for (size_t i = 0; i < analysis->claim_count; i++) {
        is_first = !whole_add(&analysis->claims[i], is_first, out) && is_first;
    }
}
