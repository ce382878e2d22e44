// SPDX-License-Identifier: Apache-2.0
// Claims of the plan against the session's numbers.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan.h"
#include "report/judge/analysis.h"
#include "report/judge/comparison_rows.h"
#include "report/judge/comparisons.h"
#include "report/stats/paired.h"
#include "report/stats/shares.h"

struct judging {
    const struct analysis *analysis;
    const struct plan_claim *claim;
    struct claim_result *result;
    size_t capacity;
    double *values; /* scratch: one a trial */
};

static const char *role_of(const struct analysis *analysis, size_t engine_index)
{
    return analysis->results->engines[engine_index].role;
}

/* SIZE_MAX when the session has none of the name. */
static size_t find_engine(const struct analysis *analysis, const char *name)
{
    const struct results *results = analysis->results;

    for (size_t i = 0; i < results->engine_count; i++) {
        if (strcmp(results->engines[i].name, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool is_about_cell(const struct analysis *analysis, const struct plan_claim *claim,
                          size_t cell_index)
{
    const struct results_cell *cell = &analysis->results->cells[cell_index];
    const struct results_workload *workload = &analysis->results->workloads[cell->workload_index];

    return !workload->is_calibration && !workload->is_foreign &&
           recovery_is_flood(analysis->results, cell_index) ==
               (claim->kind == PLAN_CLAIM_RECOVERS) &&
           (!claim->workload || strcmp(claim->workload, workload->name) == 0) &&
           (!claim->connection_count || (int64_t)claim->connection_count == cell->connection_count);
}

/* Where an interval lies: within the limits for certain, beyond one for certain, or neither. */
static enum claim_word place_interval(double low, double high, double at_least, double at_most)
{
    if (high < at_least || low > at_most) {
        return CLAIM_REFUTED;
    }
    bool is_above = isnan(at_least) || low >= at_least;
    bool is_below = isnan(at_most) || high <= at_most;

    return is_above && is_below && !isnan(low) && !isnan(high) ? CLAIM_SUPPORTED
                                                               : CLAIM_INCONCLUSIVE;
}

/* True when something was measured by which a claim may be refuted. */
static bool is_fit(const struct analysis *analysis)
{
    return analysis->trust != TRUST_UNFIT && analysis->trust != TRUST_NOTHING &&
           !analysis->is_quick;
}

/* What forbids a decision whatever the interval; NULL: nothing. */
static const char *find_obstacle(const struct analysis *analysis, const struct claim_part *part)
{
    if (analysis->trust == TRUST_NOTHING) {
        return "nothing was measured";
    }
    if (analysis->trust == TRUST_UNFIT) {
        return "the session was not fit to measure";
    }
    if (analysis->is_quick) {
        return "a quick session is descriptive only";
    }
    if (part->estimate.count == 0) {
        return "the value is not known";
    }
    return part->estimate.count < COMPARISON_PAIRS_MIN ? "fewer than 6 were counted" : NULL;
}

static void decide(const struct analysis *analysis, struct claim_part *part)
{
    part->reason = find_obstacle(analysis, part);
    part->word = CLAIM_INCONCLUSIVE;
    if (part->reason) {
        return;
    }
    part->word =
        place_interval(part->estimate.low, part->estimate.high, part->at_least, part->at_most);
    if (part->word == CLAIM_INCONCLUSIVE) {
        part->reason = "the interval holds a limit of the claim";
    }
}

static enum err_code judge_pair(struct judging *judging, struct claim_part *part)
{
    const struct comparison_sides sides = {.cell_index = part->cell_index,
                                           .engine_index = part->engine_index,
                                           .other_index = part->other_index,
                                           .metric = judging->claim->metric};
    struct comparison_pairs pairs;
    struct stats_interval hl;
    struct err e;
    enum err_code code = comparison_pairs_make(judging->analysis, &sides, &pairs, &e);

    if (code != ERR_OK) {
        return code;
    }
    struct stats_interval ratio = paired_ratio(pairs.d, pairs.count, COMPARISON_CONFIDENCE);

    part->estimate = (struct estimate){ratio.value, ratio.low, ratio.high, pairs.count};
    code = paired_hodges_lehmann(pairs.d, pairs.count, COMPARISON_CONFIDENCE, &hl, &e);
    free(pairs.d);
    if (code != ERR_OK) {
        return code;
    }
    decide(judging->analysis, part);
    if (!part->reason &&
        part->word != place_interval(hl.low, hl.high, part->at_least, part->at_most)) {
        part->word = CLAIM_INCONCLUSIVE;
        part->reason = "the t and the Hodges–Lehmann interval decide differently";
    }
    if (judging->claim->kind == PLAN_CLAIM_ORDER && part->word == CLAIM_SUPPORTED &&
        (comparisons_side(ratio.low, ratio.high) == 0 || comparisons_side(hl.low, hl.high) == 0)) {
        part->word = CLAIM_INCONCLUSIVE; /* equal is not better */
        part->reason = "the interval holds a limit of the claim";
    }
    return ERR_OK;
}

static void judge_value(struct judging *judging, struct claim_part *part)
{
    const struct comparison_sides sides = {.cell_index = part->cell_index,
                                           .engine_index = part->engine_index,
                                           .other_index = SIZE_MAX,
                                           .metric = judging->claim->metric};
    size_t count = comparison_list_values(judging->analysis, &sides, judging->values);
    struct stats_interval mean =
        stats_geometric_mean(judging->values, count, COMPARISON_CONFIDENCE);

    part->estimate = (struct estimate){mean.value, mean.low, mean.high, count};
    decide(judging->analysis, part);
}

struct request_counts {
    uint64_t failed, ended,
        client; /* client: what it could not even try, in neither of the others */
};

static void count_requests(const struct trial_summary *summary, struct request_counts *counts)
{
    for (int kind = 0; kind < OUTCOME_COUNT; kind++) {
        enum outcome_class class = outcome_infos[kind].class;
        uint64_t count = summary->outcomes[kind];

        if (kind == OUTCOME_CONNECT_NO_PORT || kind == OUTCOME_CONNECT_NO_FD) {
            counts->client += count;
            continue;
        }
        if (class == OUTCOME_CLASS_HTTP || class == OUTCOME_CLASS_FAULT) {
            counts->failed += count;
        }
        counts->ended += class == OUTCOME_CLASS_OPEN ? 0 : count;
    }
}

/* Every trial's window, counted or not: a server that died is an error too. */
static void judge_errors(const struct judging *judging, struct claim_part *part)
{
    const struct results *results = judging->analysis->results;
    const struct analysis_trials trials =
        analysis_trials_of(judging->analysis, part->cell_index, part->engine_index);
    struct request_counts requests = {0};
    bool crashed = false;

    for (size_t i = 0; i < trials.count; i++) {
        size_t index = trials.indices[i];

        crashed = crashed || strcmp(results->trials[index].state, "crashed") == 0;
        count_requests(&judging->analysis->trials[index], &requests);
    }
    struct stats_interval share =
        shares_interval(requests.failed, requests.ended, COMPARISON_CONFIDENCE);

    part->estimate = (struct estimate){share.value, share.low, share.high,
                                       requests.ended > 0 ? trials.count : 0};
    part->reason = find_obstacle(judging->analysis, part);
    if (!part->reason && requests.client > 0) {
        part->reason = "the client had no local ports or descriptors left";
    }
    part->word = part->reason ? CLAIM_INCONCLUSIVE : CLAIM_SUPPORTED;
    /* One failure is enough, however few trials: only an unfit session excuses it. */
    if ((requests.failed > 0 || crashed) && is_fit(judging->analysis)) {
        part->word = CLAIM_REFUTED;
        part->reason = crashed ? "the server ended during a trial, which is a failure" : NULL;
    }
}

/* Trials of a flood that went to their end, and what became of them within the claim's limits. */
struct recovery_counts {
    size_t trials, recovered, unknown, crashed;
};

static struct recovery_counts count_recovered(const struct judging *judging,
                                              const struct claim_part *part)
{
    const struct results *results = judging->analysis->results;
    const struct analysis_trials trials =
        analysis_trials_of(judging->analysis, part->cell_index, part->engine_index);
    struct recovery_counts counts = {0};

    for (size_t i = 0; i < trials.count; i++) {
        size_t index = trials.indices[i];
        const struct recovery found =
            recovery_find(&results->trials[index], judging->analysis->trials[index].watch,
                          judging->claim->growth);

        counts.trials += found.is_over;
        counts.crashed += found.has_crashed;
        counts.recovered += found.is_over && recovery_time_ns(&found) <= part->at_most;
        counts.unknown +=
            found.is_over && !found.is_known && !isnan(found.answered_ns) && !found.has_crashed;
    }
    return counts;
}

/* One trial that did not recover is enough against it. */
static void judge_recovery(const struct judging *judging, struct claim_part *part)
{
    const struct results *results = judging->analysis->results;
    const struct results_cell *cell = &results->cells[part->cell_index];

    if (isnan(part->at_most)) {
        part->at_most = (double)results->workloads[cell->workload_index].recover_within_ns;
    }
    const struct recovery_counts counts = count_recovered(judging, part);
    struct stats_interval share =
        shares_interval(counts.recovered, counts.trials, COMPARISON_CONFIDENCE);

    part->estimate = (struct estimate){share.value, share.low, share.high, counts.trials};
    part->reason = find_obstacle(judging->analysis, part);
    if (!part->reason && counts.unknown > 0) {
        part->reason = "memory, threads or descriptors could not be read";
    }
    part->word = part->reason ? CLAIM_INCONCLUSIVE : CLAIM_SUPPORTED;
    if (counts.recovered + counts.unknown < counts.trials && is_fit(judging->analysis)) {
        part->word = CLAIM_REFUTED;
        part->reason =
            counts.crashed > 0 ? "the server ended during a trial, which is a failure" : NULL;
    }
}

static enum err_code add_part(struct judging *judging, size_t cell_index, size_t engine_index,
                              size_t other_index)
{
    const struct plan_claim *claim = judging->claim;
    struct claim_result *result = judging->result;

    assert(result->part_count < judging->capacity);
    struct claim_part *part = &result->parts[result->part_count++];

    *part = (struct claim_part){.cell_index = cell_index,
                                .engine_index = engine_index,
                                .other_index = other_index,
                                .at_least = claim->at_least,
                                .at_most = claim->at_most};
    switch (claim->kind) {
    case PLAN_CLAIM_ORDER: /* the better one first */
        part->at_least = claim->metric == PLAN_METRIC_THROUGHPUT ? 1 : (double)NAN;
        part->at_most = claim->metric == PLAN_METRIC_THROUGHPUT ? (double)NAN : 1;
        return judge_pair(judging, part);
    case PLAN_CLAIM_RATIO:
        return judge_pair(judging, part);
    case PLAN_CLAIM_LEVEL:
        part->at_least = claim->value * (1 - claim->within / 100);
        part->at_most = claim->value * (1 + claim->within / 100);
        break;
    case PLAN_CLAIM_NO_ERRORS:
        judge_errors(judging, part);
        return ERR_OK;
    case PLAN_CLAIM_RECOVERS:
        judge_recovery(judging, part);
        return ERR_OK;
    case PLAN_CLAIM_BOUND:
    case PLAN_CLAIM_KIND_COUNT:
        break;
    }
    judge_value(judging, part);
    return ERR_OK;
}

/* The parts of one cell. */
static enum err_code judge_cell(struct judging *judging, size_t cell_index)
{
    const struct analysis *analysis = judging->analysis;
    const struct plan_claim *claim = judging->claim;
    enum err_code code = ERR_OK;

    if (claim->engine_count == 0) { /* no_errors of all */
        for (size_t i = 0; i < analysis->results->engine_count && code == ERR_OK; i++) {
            if (strcmp(role_of(analysis, i), "limit") != 0) {
                code = add_part(judging, cell_index, i, SIZE_MAX);
            }
        }
        return code;
    }
    if (claim->engine_count == 1) {
        size_t engine = find_engine(analysis, claim->engines[0]);

        return engine == SIZE_MAX ? ERR_OK : add_part(judging, cell_index, engine, SIZE_MAX);
    }
    for (size_t i = 0; i + 1 < claim->engine_count && code == ERR_OK; i++) {
        size_t engine = find_engine(analysis, claim->engines[i]);
        size_t other = find_engine(analysis, claim->engines[i + 1]);

        if (engine != SIZE_MAX && other != SIZE_MAX) {
            code = add_part(judging, cell_index, engine, other);
        }
    }
    return code;
}

/* An engine that the session does not have leaves a claim open. */
static bool names_are_known(const struct analysis *analysis, const struct plan_claim *claim)
{
    for (size_t i = 0; i < claim->engine_count; i++) {
        if (find_engine(analysis, claim->engines[i]) == SIZE_MAX) {
            return false;
        }
    }
    return true;
}

static enum claim_word summarise(const struct analysis *analysis, const struct claim_result *result)
{
    bool is_open = result->part_count == 0 || !names_are_known(analysis, result->claim);

    for (size_t i = 0; i < result->part_count; i++) {
        if (result->parts[i].word == CLAIM_REFUTED) {
            return CLAIM_REFUTED;
        }
        is_open = is_open || result->parts[i].word == CLAIM_INCONCLUSIVE;
    }
    return is_open ? CLAIM_INCONCLUSIVE : CLAIM_SUPPORTED;
}

static enum err_code judge_claim(struct analysis *analysis, const struct plan_claim *claim,
                                 double *values, struct claim_result *result, struct err *e)
{
    size_t engines = analysis->results->engine_count + PLAN_CLAIM_ENGINE_COUNT_MAX;
    struct judging judging = {.analysis = analysis,
                              .claim = claim,
                              .result = result,
                              .capacity = analysis->results->cell_count * engines,
                              .values = values};
    enum err_code code = ERR_OK;

    result->claim = claim;
    result->parts = calloc(judging.capacity + 1, sizeof(*result->parts));
    if (!result->parts) {
        return err_set(e, ERR_LIMIT, "no memory for the claims");
    }
    for (size_t i = 0; i < analysis->results->cell_count && code == ERR_OK; i++) {
        if (is_about_cell(analysis, claim, i)) {
            code = judge_cell(&judging, i);
        }
    }
    if (code != ERR_OK) {
        return err_set(e, code, "no memory for the claims");
    }
    result->word = summarise(analysis, result);
    return ERR_OK;
}

enum err_code claims_load(struct analysis *analysis, struct err *e)
{
    const char *text = analysis->results->plan_text;
    struct err problem;
    enum err_code code =
        text ? plan_parse_claims("plan", text, strlen(text), &analysis->claim_plan, &problem)
             : ERR_OK;

    if (code == ERR_USAGE) { /* somebody else's file: the numbers stand without its claims */
        memcpy(analysis->claims_problem, problem.text, sizeof(analysis->claims_problem));
        return ERR_OK;
    }
    return code == ERR_OK ? code : err_set(e, code, "the claims of the plan: %s", problem.text);
}

enum err_code claims_judge(struct analysis *analysis, struct err *e)
{
    const struct plan *plan = analysis->claim_plan;
    enum err_code code = ERR_OK;

    if (!plan || plan->claim_count == 0) {
        return ERR_OK;
    }
    analysis->claims = calloc(plan->claim_count, sizeof(*analysis->claims));
    double *values = calloc(analysis->results->trial_count + 1, sizeof(*values));

    if (!analysis->claims || !values) {
        code = err_set(e, ERR_LIMIT, "no memory for the claims");
    }
    for (size_t i = 0; i < plan->claim_count && code == ERR_OK; i++) {
        analysis->claim_count++;
        code = judge_claim(analysis, &plan->claims[i], values, &analysis->claims[i], e);
    }
    free(values);
    return code;
}

void claims_free(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->claim_count; i++) {
        free(analysis->claims[i].parts);
    }
    free(analysis->claims);
    plan_free(analysis->claim_plan);
}

enum claim_word claims_word(const struct analysis *analysis)
{
    enum claim_word word = CLAIM_SUPPORTED;

    for (size_t i = 0; i < analysis->claim_count; i++) {
        if (analysis->claims[i].word == CLAIM_REFUTED) {
            return CLAIM_REFUTED;
        }
        word = analysis->claims[i].word == CLAIM_INCONCLUSIVE ? CLAIM_INCONCLUSIVE : word;
    }
    return word;
}
