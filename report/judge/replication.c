// SPDX-License-Identifier: Apache-2.0
// Published claims against a session that was run again.
#include "report/judge/replication.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparisons.h"
#include "report/stats/distribution.h"
#include "report/stats/two_samples.h"

const char *const replication_word_names[] = {
    [REPLICATION_REPRODUCED] = "REPRODUCED",     [REPLICATION_NOT_REPRODUCED] = "NOT_REPRODUCED",
    [REPLICATION_INCONCLUSIVE] = "INCONCLUSIVE", [REPLICATION_NOT_COMPARABLE] = "NOT_COMPARABLE",
    [REPLICATION_PARTIAL] = "PARTIAL",           [REPLICATION_INVALID] = "INVALID",
};

static const struct estimate unknown = {(double)NAN, (double)NAN, (double)NAN, 0};

/* --- decision --- */

/* What forbids a decision whatever the numbers; NULL: nothing. */
static const char *obstacle_find(const struct replication_evidence *evidence)
{
    bool needs_counts = evidence->kind != PLAN_CLAIM_NO_ERRORS || evidence->here != CLAIM_REFUTED;

    if (evidence->is_quick) {
        return "a quick run decides nothing";
    }
    if (!evidence->here_is_fit) {
        return "the session here was not fit to measure";
    }
    if (!evidence->published_is_fit) {
        return "the published session was not fit to measure";
    }
    if (needs_counts && evidence->here_count < COMPARISON_PAIRS_MIN) {
        return "fewer than 6 trials were counted here";
    }
    if (needs_counts && evidence->published_count < COMPARISON_PAIRS_MIN) {
        return "fewer than 6 trials were counted in the published session";
    }
    return NULL;
}

static enum replication_word ratio_decide(const struct replication_evidence *evidence,
                                          const char **reason_out)
{
    double least = 1 / (1 + REPLICATION_MARGIN), most = 1 + REPLICATION_MARGIN;

    if (evidence->change_high < least || evidence->change_low > most) {
        *reason_out = evidence->here == CLAIM_SUPPORTED
                          ? "the claim's limit holds here too, but the ratio is another one"
                          : "the ratio is another one";
        return REPLICATION_NOT_REPRODUCED;
    }
    if (evidence->here == CLAIM_SUPPORTED && evidence->change_low >= least &&
        evidence->change_high <= most) {
        *reason_out = NULL;
        return REPLICATION_REPRODUCED;
    }
    *reason_out = evidence->here == CLAIM_INCONCLUSIVE && evidence->here_reason
                      ? evidence->here_reason
                      : "the interval of the change holds a limit of what counts as the same";
    return REPLICATION_INCONCLUSIVE;
}

static enum replication_word word_decide(const struct replication_evidence *evidence,
                                         const char **reason_out)
{
    if (evidence->here == CLAIM_REFUTED) {
        *reason_out = evidence->published == CLAIM_REFUTED
                          ? "refuted here, as by the published session itself"
                          : "refuted here";
        return REPLICATION_NOT_REPRODUCED;
    }
    if (evidence->kind == PLAN_CLAIM_RATIO) {
        return ratio_decide(evidence, reason_out);
    }
    *reason_out = evidence->here == CLAIM_SUPPORTED ? NULL : evidence->here_reason;
    return evidence->here == CLAIM_SUPPORTED ? REPLICATION_REPRODUCED : REPLICATION_INCONCLUSIVE;
}

enum replication_word replication_decide(const struct replication_evidence *evidence,
                                         const char **reason_out)
{
    bool is_absolute = evidence->kind == PLAN_CLAIM_LEVEL || evidence->kind == PLAN_CLAIM_BOUND;

    if (is_absolute && !evidence->same_class) {
        *reason_out = "a value in absolute units, on another class of machine";
        return REPLICATION_NOT_COMPARABLE;
    }
    *reason_out = obstacle_find(evidence);
    if (*reason_out) {
        return REPLICATION_INCONCLUSIVE;
    }
    enum replication_word word = word_decide(evidence, reason_out);

    if (word == REPLICATION_REPRODUCED && evidence->published != CLAIM_SUPPORTED) {
        *reason_out = "the published session did not support it itself";
        return REPLICATION_INCONCLUSIVE;
    }
    return word;
}

enum replication_word replication_summarise(const size_t counts[REPLICATION_WORD_COUNT],
                                            bool is_whole)
{
    size_t reproduced = counts[REPLICATION_REPRODUCED];
    size_t refused = counts[REPLICATION_NOT_REPRODUCED];
    size_t open = counts[REPLICATION_INCONCLUSIVE];

    if (is_whole && reproduced > 0 && refused + open > 0) {
        return REPLICATION_PARTIAL;
    }
    if (refused > 0) {
        return REPLICATION_NOT_REPRODUCED;
    }
    if (open > 0) {
        return REPLICATION_INCONCLUSIVE;
    }
    if (reproduced > 0) {
        return REPLICATION_REPRODUCED;
    }
    return counts[REPLICATION_NOT_COMPARABLE] > 0 ? REPLICATION_NOT_COMPARABLE
                                                  : REPLICATION_INCONCLUSIVE;
}

/* --- the change of a ratio --- */

/* Of the logarithms of the blocks' ratios: the estimate is their mean with its t interval. So a
 * published estimate says all that is needed, also without the session that it is from. */
static struct sample_moments moments_of(const struct estimate *estimate)
{
    struct sample_moments moments = {log(estimate->value), (double)NAN, estimate->count};

    if (estimate->count >= 2) {
        double t =
            distribution_t_quantile(0.5 + COMPARISON_CONFIDENCE / 2, (double)(estimate->count - 1));
        double half = (log(estimate->high) - log(estimate->low)) / 2;

        moments.sd = half / t * sqrt((double)estimate->count);
    }
    return moments;
}

/* Trials here that would bring the interval to one side of the nearer limit; the published ones are
 * as many as they are. */
static double trials_find(const struct sample_moments *here, const struct sample_moments *published)
{
    double gap = fabs(fabs(here->mean - published->mean) - log1p(REPLICATION_MARGIN));
    double t = distribution_t_quantile(0.5 + COMPARISON_CONFIDENCE / 2, (double)(here->count - 1));
    double left = gap * gap - t * t * published->sd * published->sd / (double)published->count;

    return left > 0 ? ceil(t * t * here->sd * here->sd / left) : (double)NAN;
}

static void change_measure(struct replication_part *part)
{
    const struct sample_moments published = moments_of(&part->published->estimate);
    const struct sample_moments here = moments_of(&part->here->estimate);

    if (here.count < 2 || published.count < 2) {
        return;
    }
    struct two_samples_t t = two_samples_welch_moments(&here, &published, COMPARISON_CONFIDENCE);

    part->change = (struct estimate){exp(here.mean - published.mean), exp(t.difference.low),
                                     exp(t.difference.high),
                                     here.count < published.count ? here.count : published.count};
    part->trials_needed = trials_find(&here, &published);
}

/* --- parts and claims --- */

static bool is_fit(const struct analysis *analysis)
{
    return analysis->trust == TRUST_VALID || analysis->trust == TRUST_WARNINGS;
}

static const char *name_of(const struct analysis *analysis, size_t engine_index)
{
    return engine_index == SIZE_MAX ? "" : analysis->results->engines[engine_index].name;
}

/* The same engines at the same load; names, for the two files number their rows by themselves. */
static bool parts_match(const struct replication *replication, const struct claim_part *a,
                        const struct claim_part *b)
{
    const struct results *published = replication->published->results;
    const struct results *here = replication->here->results;
    const struct results_cell *cell = &published->cells[a->cell_index];
    const struct results_cell *other = &here->cells[b->cell_index];

    return strcmp(published->workloads[cell->workload_index].name,
                  here->workloads[other->workload_index].name) == 0 &&
           results_cells_match(cell, other) &&
           strcmp(name_of(replication->published, a->engine_index),
                  name_of(replication->here, b->engine_index)) == 0 &&
           strcmp(name_of(replication->published, a->other_index),
                  name_of(replication->here, b->other_index)) == 0;
}

static const struct claim_part *part_find(const struct replication *replication,
                                          const struct claim_part *part,
                                          const struct claim_result *in)
{
    for (size_t i = 0; i < in->part_count; i++) {
        if (parts_match(replication, part, &in->parts[i])) {
            return &in->parts[i];
        }
    }
    return NULL;
}

static void part_judge(const struct replication *replication,
                       const struct replication_options *options, const struct plan_claim *claim,
                       struct replication_part *part)
{
    if (!part->here) {
        part->word = REPLICATION_INCONCLUSIVE;
        part->reason = "not measured here";
        return;
    }
    if (claim->kind == PLAN_CLAIM_RATIO) {
        change_measure(part);
    }
    const struct replication_evidence evidence = {
        .kind = claim->kind,
        .published = part->published->word,
        .here = part->here->word,
        .here_reason = part->here->reason,
        .published_count = part->published->estimate.count,
        .here_count = part->here->estimate.count,
        .change_low = part->change.low,
        .change_high = part->change.high,
        .same_class = options->same_class,
        .is_quick = options->is_quick,
        .published_is_fit = is_fit(replication->published),
        .here_is_fit = is_fit(replication->here),
    };
    part->word = replication_decide(&evidence, &part->reason);
    if (part->word != REPLICATION_INCONCLUSIVE) {
        part->trials_needed = (double)NAN;
    }
}

static const struct claim_result *claim_find(const struct analysis *analysis, const char *id)
{
    for (size_t i = 0; i < analysis->claim_count; i++) {
        if (strcmp(analysis->claims[i].claim->id, id) == 0) {
            return &analysis->claims[i];
        }
    }
    return NULL;
}

static enum err_code claim_judge(const struct replication *replication,
                                 const struct replication_options *options,
                                 struct replication_claim *claim, struct err *e)
{
    size_t counts[REPLICATION_WORD_COUNT] = {0};

    claim->here =
        replication->here ? claim_find(replication->here, claim->published->claim->id) : NULL;
    claim->parts = calloc(claim->published->part_count + 1, sizeof(*claim->parts));
    if (!claim->parts) {
        return err_set(e, ERR_LIMIT, "no memory for the claims");
    }
    for (size_t i = 0; i < claim->published->part_count; i++) {
        struct replication_part *part = &claim->parts[claim->part_count++];

        *part = (struct replication_part){.published = &claim->published->parts[i],
                                          .change = unknown,
                                          .trials_needed = (double)NAN};
        part->here = claim->here ? part_find(replication, part->published, claim->here) : NULL;
        part_judge(replication, options, claim->published->claim, part);
        counts[part->word]++;
    }
    claim->word = replication_summarise(counts, false);
    claim->reason = claim->part_count ? NULL : "the published session has nothing it is about";
    for (size_t i = 0; i < claim->part_count && !claim->reason; i++) {
        claim->reason = claim->parts[i].word == claim->word ? claim->parts[i].reason : NULL;
    }
    return ERR_OK;
}

static void whole_judge(struct replication *replication, const struct replication_options *options)
{
    size_t counts[REPLICATION_WORD_COUNT] = {0};

    for (size_t i = 0; i < replication->claim_count; i++) {
        counts[replication->claims[i].word]++;
    }
    replication->word = replication_summarise(counts, true);
    if (replication->claim_count == 0) {
        replication->reason = *replication->published->claims_problem
                                  ? "the claims of the plan cannot be read by this version"
                                  : "the plan claims nothing";
    }
    if (replication->here && replication->here->trust == TRUST_NOTHING) {
        replication->word = REPLICATION_INVALID;
        replication->reason = "nothing was measured";
    }
    if (options->open_reason) {
        replication->word = REPLICATION_INCONCLUSIVE;
        replication->reason = options->open_reason;
    }
    if (options->invalid_reason) {
        replication->word = REPLICATION_INVALID;
        replication->reason = options->invalid_reason;
    }
}

enum err_code replication_make(const struct analysis *published, const struct analysis *here,
                               const struct replication_options *options,
                               struct replication *replication_out, struct err *e)
{
    struct replication replication = {.published = published, .here = here};
    enum err_code code = ERR_OK;

    replication.claims = calloc(published->claim_count + 1, sizeof(*replication.claims));
    if (!replication.claims) {
        return err_set(e, ERR_LIMIT, "no memory for the claims");
    }
    for (size_t i = 0; i < published->claim_count && code == ERR_OK; i++) {
        struct replication_claim *claim = &replication.claims[replication.claim_count++];

        claim->published = &published->claims[i];
        code = claim_judge(&replication, options, claim, e);
    }
    if (code != ERR_OK) {
        replication_release(&replication);
        return code;
    }
    whole_judge(&replication, options);
    *replication_out = replication;
    return ERR_OK;
}

void replication_release(struct replication *replication)
{
    for (size_t i = 0; i < replication->claim_count; i++) {
        free(replication->claims[i].parts);
    }
    free(replication->claims);
    replication->claims = NULL;
    replication->claim_count = 0;
}
