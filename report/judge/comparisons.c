// SPDX-License-Identifier: Apache-2.0
// Pairs by block, their statistics and the verdict rules.
#include "report/judge/comparisons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/comparison_rows.h"
#include "report/stats/paired.h"

/* δ on the scale of logarithms, the same in both directions: swapping the engines keeps the
 * verdict. */
static double log_margin(const struct analysis *analysis)
{
    return log1p(analysis->margin);
}

/* The 95 % interval lies on one side of the margin. */
static bool is_outside(const struct stats_interval *ratio, double margin)
{
    return log(ratio->low) > margin || log(ratio->high) < -margin;
}

int comparisons_side(double low, double high)
{
    return (low > 1) - (high < 1);
}

static enum verdict decide(const struct analysis_row *row, const struct comparison_pairs *pairs,
                           double margin)
{
    struct stats_interval ratio = paired_ratio(pairs->d, pairs->count, COMPARISON_CONFIDENCE);

    if (pairs->count < COMPARISON_PAIRS_MIN) {
        return VERDICT_TOO_FEW;
    }
    if (row->intervals_disagree) {
        return VERDICT_INCONCLUSIVE;
    }
    if (row->ratio_p < COMPARISON_ALPHA) {
        return is_outside(&ratio, margin) ? VERDICT_DIFFERENT : VERDICT_SMALL;
    }
    if (paired_tost_p(pairs->d, pairs->count, margin) < COMPARISON_ALPHA) {
        return VERDICT_EQUIVALENT;
    }
    return VERDICT_INCONCLUSIVE;
}

/* What a row's pairs say by themselves; the raw p goes into ratio_p. */
static enum err_code measure_pairs(struct analysis_row *row, const struct comparison_pairs *pairs,
                                   struct err *e)
{
    struct stats_interval hl;
    enum err_code code =
        paired_hodges_lehmann(pairs->d, pairs->count, COMPARISON_CONFIDENCE, &hl, e);

    if (code != ERR_OK || pairs->count < COMPARISON_PAIRS_MIN) {
        return code;
    }
    row->intervals_disagree =
        comparisons_side(row->ratio.low, row->ratio.high) != comparisons_side(hl.low, hl.high);
    row->ratio_p = paired_sign_flip_p(pairs->d, pairs->count);
    return ERR_OK;
}

static bool is_arm_of(const struct analysis *analysis, const struct analysis_row *row,
                      const char *role)
{
    return strcmp(analysis->results->engines[row->engine_index].role, role) == 0;
}

/* Holm over the rows whose p is known and that are no A/A arm. */
static enum err_code adjust(struct analysis *analysis, struct err *e)
{
    size_t count = 0;
    double *p = calloc(2 * analysis->row_count + 1, sizeof(*p));
    size_t *order = calloc(analysis->row_count + 1, sizeof(*order));

    if (!p || !order) {
        free(p);
        free(order);
        return err_set(e, ERR_LIMIT, "no memory for %zu comparisons", analysis->row_count);
    }
    double *adjusted = p + analysis->row_count;

    for (size_t i = 0; i < analysis->row_count; i++) {
        if (!isnan(analysis->rows[i].ratio_p) && !is_arm_of(analysis, &analysis->rows[i], "aa")) {
            p[count++] = analysis->rows[i].ratio_p;
        }
    }
    stats_holm(p, count, adjusted, order);
    count = 0;
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (!isnan(analysis->rows[i].ratio_p) && !is_arm_of(analysis, &analysis->rows[i], "aa")) {
            analysis->rows[i].ratio_p = adjusted[count++];
        }
    }
    analysis->comparison_count = count;
    free(p);
    free(order);
    return ERR_OK;
}

size_t comparisons_blocks_least(size_t comparison_count)
{
    size_t least = COMPARISON_PAIRS_MIN;

    while (paired_family_max(least, COMPARISON_ALPHA) < (double)comparison_count) {
        least++;
    }
    return least;
}

bool comparisons_are_undecidable(const struct analysis *analysis)
{
    return analysis->block_count_most > 0 &&
           analysis->block_count_most < comparisons_blocks_least(analysis->comparison_count);
}

/* The comparisons among which a row is judged; an A/A arm stands alone. */
static size_t family_of(const struct analysis *analysis, const struct analysis_row *row)
{
    return is_arm_of(analysis, row, "aa") || analysis->comparison_count == 0
               ? 1
               : analysis->comparison_count;
}

/* The effect in SDs that so many blocks find: the same for nearly all rows, and a long search. */
struct effect {
    size_t block_count, family;
    double in_sds;
};

/* At the strictest level that Holm may ask of this row. */
static double find_minimal_effect(const struct analysis *analysis, const struct analysis_row *row,
                                  const struct comparison_pairs *pairs, struct effect *known)
{
    size_t family = family_of(analysis, row);

    if (pairs->count < comparisons_blocks_least(family)) {
        return (double)NAN;
    }
    if (known->block_count != pairs->count || known->family != family) {
        *known = (struct effect){pairs->count, family,
                                 paired_minimal_effect(1, pairs->count,
                                                       COMPARISON_ALPHA / (double)family,
                                                       COMPARISON_POWER)};
    }
    return expm1(known->in_sds * stats_sd(pairs->d, pairs->count));
}

/*
 * Blocks that would decide an open comparison, if the ratio is what was seen: whether it is beyond
 * the margin, or within it when it is near 1. Never as few as there are, and enough for the
 * smallest p that n blocks can give, 2^(1-n), to stay below alpha after Holm's adjustment.
 */
static double find_blocks_needed(const struct analysis *analysis, const struct analysis_row *row,
                                 const struct comparison_pairs *pairs)
{
    double margin = log_margin(analysis);
    double apart = fmax(fabs(stats_mean(pairs->d, pairs->count)) - margin, margin);
    double by_spread = paired_blocks_needed(stats_sd(pairs->d, pairs->count), pairs->count, apart,
                                            COMPARISON_ALPHA, COMPARISON_POWER);
    double by_count = (double)comparisons_blocks_least(family_of(analysis, row));

    return fmax(fmax(by_spread, by_count), (double)pairs->count + 1);
}

/* Calls `measure_pairs` or, in the second pass, `decide` for every comparison. */
static enum err_code visit_rows(struct analysis *analysis, bool decides, struct err *e)
{
    enum err_code code = ERR_OK;
    struct effect effect = {0};

    for (size_t i = 0; i < analysis->row_count && code == ERR_OK; i++) {
        struct analysis_row *row = &analysis->rows[i];
        struct comparison_pairs pairs = {0};

        if (!comparison_is_made(analysis, row)) {
            continue;
        }
        const struct comparison_sides sides = comparison_sides_of(analysis, row);

        code = comparison_pairs_make(analysis, &sides, &pairs, e);
        if (code == ERR_OK && !decides) {
            code = measure_pairs(row, &pairs, e);
            if (!is_arm_of(analysis, row, "aa") && pairs.count > analysis->block_count_most) {
                analysis->block_count_most = pairs.count;
            }
        } else if (code == ERR_OK) {
            row->verdict = decide(row, &pairs, log_margin(analysis));
            row->minimal_effect = find_minimal_effect(analysis, row, &pairs, &effect);
        }
        if (row->verdict == VERDICT_INCONCLUSIVE) {
            row->blocks_needed = find_blocks_needed(analysis, row, &pairs);
        }
        free(pairs.d);
    }
    return code;
}

enum err_code comparisons_judge(struct analysis *analysis, struct err *e)
{
    enum err_code code = visit_rows(analysis, false, e);

    if (code == ERR_OK) {
        code = adjust(analysis, e);
    }
    if (code == ERR_OK) {
        code = visit_rows(analysis, true, e);
    }
    return code;
}

double comparisons_half_width(const struct analysis_row *row)
{
    return sqrt(row->ratio.high / row->ratio.low) - 1;
}

void comparisons_withdraw(struct analysis *analysis, enum verdict verdict)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (analysis->rows[i].verdict != VERDICT_NONE) {
            analysis->rows[i].verdict = verdict;
        }
        analysis->rows[i].ratio_p = (double)NAN;
        analysis->rows[i].minimal_effect = (double)NAN;
        analysis->rows[i].blocks_needed = (double)NAN;
        analysis->rows[i].letters[0] = '\0';
    }
    for (size_t i = 0; i < analysis->secondary_count; i++) {
        analysis->secondaries[i].is_found = false;
        analysis->secondaries[i].q = (double)NAN;
    }
}
