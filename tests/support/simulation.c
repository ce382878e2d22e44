// SPDX-License-Identifier: Apache-2.0
// Sessions by the thousand through the analysis; the table of what must hold.
#include "tests/support/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis.h"
#include "report/judge/comparison_rows.h"
#include "report/stats/paired.h"

static const struct analysis_row *find_row(const struct analysis *analysis, size_t engine)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        if (analysis->rows[i].engine_index == engine) {
            return &analysis->rows[i];
        }
    }
    abort();
}

static bool is_claimed(const struct analysis_row *row)
{
    return row->verdict == VERDICT_DIFFERENT || row->verdict == VERDICT_SMALL;
}

static bool holds_hl(const struct analysis *analysis, const struct analysis_row *row, double truth)
{
    const struct comparison_sides sides = comparison_sides_of(analysis, row);
    struct comparison_pairs pairs;
    struct stats_interval hl;
    struct err e;

    if (comparison_pairs_make(analysis, &sides, &pairs, &e) != ERR_OK ||
        paired_hodges_lehmann(pairs.d, pairs.count, 0.95, &hl, &e) != ERR_OK) {
        abort();
    }
    free(pairs.d);
    return hl.low <= truth && truth <= hl.high;
}

/* Groups of ties say that two engines differ. */
static bool has_told_apart(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->row_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *left = analysis->rows[i].letters;
            const char *right = analysis->rows[k].letters;

            if (*left && *right && !strpbrk(left, right)) {
                return true;
            }
        }
    }
    return false;
}

static void count(const struct session_model *model, const struct analysis *analysis,
                  struct simulation_counts *counts)
{
    const struct analysis_row *row = find_row(analysis, 2);
    double truth = exp(model->log_ratios[0]);
    bool any = false;

    for (size_t i = 0; i < model->subject_count; i++) {
        any = any || is_claimed(find_row(analysis, 2 + i));
    }
    counts->sessions++;
    counts->claimed += is_claimed(row);
    counts->any_claimed += any;
    counts->different += row->verdict == VERDICT_DIFFERENT;
    counts->equivalent += row->verdict == VERDICT_EQUIVALENT;
    counts->inconclusive += row->verdict == VERDICT_INCONCLUSIVE;
    counts->covered += row->ratio.low <= truth && truth <= row->ratio.high;
    counts->holds_hl += holds_hl(analysis, row, truth);
    counts->unfit += analysis->trust == TRUST_UNFIT;
    counts->unsteady += analysis->remark_count > 0;
    counts->told_apart += has_told_apart(analysis);
}

struct simulation_counts simulation_run(const struct session_model *model, int sessions,
                                        uint64_t seed)
{
    struct simulation_counts counts = {0};

    for (int i = 0; i < sessions; i++) {
        struct session_made made;
        struct analysis *analysis = NULL;
        struct err e;
        struct rng rng;

        rng_init(&rng, seed + (uint64_t)i);
        session_model_make(model, &rng, &made);
        if (analysis_make(&made.results, &analysis, &e) != ERR_OK) {
            abort();
        }
        count(model, analysis, &counts);
        analysis_free(analysis);
        session_model_release(&made);
    }
    return counts;
}

int simulation_sessions(enum simulation_bound bound, int sessions)
{
    return bound == SIMULATION_FLOOR ? 4 * sessions : sessions;
}

bool simulation_holds(int hits, int sessions, enum simulation_bound bound, double share)
{
    double slack = 3 * sqrt(share * (1 - share) / sessions);
    double have = (double)hits / sessions;

    switch (bound) {
    case SIMULATION_AT_MOST:
        return have <= share + slack;
    case SIMULATION_AT_LEAST:
        return have >= share - slack;
    case SIMULATION_FLOOR:
        return have >= share;
    case SIMULATION_NEAR:
        break;
    }
    return fabs(have - share) <= slack;
}

int simulation_hits(const struct simulation_counts *counts, enum simulation_quantity quantity)
{
    switch (quantity) {
    case SIMULATION_CLAIMED:
        return counts->claimed;
    case SIMULATION_FAMILY:
        return counts->any_claimed;
    case SIMULATION_COVERED:
        return counts->covered;
    case SIMULATION_COVERED_HL:
        return counts->holds_hl;
    case SIMULATION_EQUIVALENT:
        return counts->equivalent;
    case SIMULATION_UNSTEADY:
        return counts->unsteady;
    case SIMULATION_TOLD_APART:
        break;
    }
    return counts->told_apart;
}

#define SHAPE(subjects, blocks) .subject_count = (subjects), .block_count = (blocks)
#define TYPICAL                 .trial_sd = 0.01, .sample_sd = 0.03, .phi = 0.5, .sample_count = 40
/* One SD of the paired log ratio: √2 of a trial's, whose samples are quiet. */
#define PAIR_SD(sd) .trial_sd = (sd) / 1.41421356237309505, .sample_count = 10

const struct simulation_row simulation_rows[] = {
    /* A/A: any claim is false. Design, 3.5. 10 blocks have 50 of 1024 signs below 0.05. A balanced
     * order turns the bias of a slot into noise of the pairs, so fewer are claimed. */
    {"A/A, independent samples",
     {SHAPE(1, 10), .sample_sd = 0.03, .sample_count = 40},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, AR(1) 0.8, no trial effect",
     {SHAPE(1, 10), .sample_sd = 0.03, .phi = 0.8, .sample_count = 40},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, AR(1) 0.5 and trial effect 1 %",
     {SHAPE(1, 10), TYPICAL},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, the same with a drift of 3 %",
     {SHAPE(1, 10), TYPICAL, .drift = 0.03},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, the same with a random walk",
     {SHAPE(1, 10), TYPICAL, .drift = 0.03, .walk_sd = 0.007},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, first slot 5 % faster",
     {SHAPE(1, 10), TYPICAL, .slot_bias = 0.05},
     SIMULATION_CLAIMED,
     SIMULATION_AT_MOST,
     0.05},
    {"A/A, 10 % of the trials 8 % slower",
     {SHAPE(1, 10), TYPICAL, .outlier_share = 0.1, .outlier = -0.08},
     SIMULATION_CLAIMED,
     SIMULATION_AT_MOST,
     0.05},
    {"A/A, 20 blocks",
     {SHAPE(1, 20), TYPICAL, .drift = 0.03},
     SIMULATION_CLAIMED,
     SIMULATION_NEAR,
     0.05},
    {"A/A, family of 5 engines (Holm)",
     {SHAPE(5, 10), TYPICAL},
     SIMULATION_FAMILY,
     SIMULATION_AT_MOST,
     0.05},
    {"A/A, family of 8 engines, drift, slot",
     {SHAPE(8, 12), TYPICAL, .drift = 0.03, .slot_bias = 0.02},
     SIMULATION_FAMILY,
     SIMULATION_AT_MOST,
     0.05},
    {"A/A, all pairs of 5 engines (letters)",
     {SHAPE(4, 12), TYPICAL},
     SIMULATION_TOLD_APART,
     SIMULATION_AT_MOST,
     0.05},
    /* Engines a margin apart are called EQUIVALENT in one of twenty sessions at most. */
    {"2 % apart called EQUIVALENT",
     {SHAPE(1, 10), PAIR_SD(0.01), .log_ratios = {0.0198026273}},
     SIMULATION_EQUIVALENT,
     SIMULATION_AT_MOST,
     0.05},
    /* Equal engines are found equal when the noise allows it. */
    {"equal engines, pairs 1 % apart",
     {SHAPE(1, 10), PAIR_SD(0.01)},
     SIMULATION_EQUIVALENT,
     SIMULATION_AT_LEAST,
     0.9},
    /* The interval holds the truth. Design, 3.3: at least 94 %. */
    {"coverage of t, ratio 1.10",
     {SHAPE(1, 10), TYPICAL, .log_ratios = {0.0953}},
     SIMULATION_COVERED,
     SIMULATION_FLOOR,
     0.94},
    {"coverage of t, drift and outliers",
     {SHAPE(1, 10), TYPICAL, .log_ratios = {0.0953}, .drift = 0.03, .outlier_share = 0.1,
      .outlier = -0.08},
     SIMULATION_COVERED,
     SIMULATION_FLOOR,
     0.94},
    {"coverage of Hodges-Lehmann, ratio 1.10",
     {SHAPE(1, 10), TYPICAL, .log_ratios = {0.0953}},
     SIMULATION_COVERED_HL,
     SIMULATION_FLOOR,
     0.94},
    /* Power at the printed minimal effect: 80 %. Design, 3.4. */
    {"power, s_d 1 %, n 10, 1.0 %",
     {SHAPE(1, 10), PAIR_SD(0.01), .log_ratios = {0.00996511851}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 2 %, n 10, 2.0 %",
     {SHAPE(1, 10), PAIR_SD(0.02), .log_ratios = {0.0199302370984}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 5 %, n 10, 5.0 %",
     {SHAPE(1, 10), PAIR_SD(0.05), .log_ratios = {0.04982559275}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 0.5 %, n 10, 0.50 %",
     {SHAPE(1, 10), PAIR_SD(0.005), .log_ratios = {0.00498256}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 10 %, n 10, 10.5 %",
     {SHAPE(1, 10), PAIR_SD(0.1), .log_ratios = {0.0996511851}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 2 %, n 15, 1.6 %",
     {SHAPE(1, 15), PAIR_SD(0.02), .log_ratios = {0.0156}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 2 %, n 20, 1.3 %",
     {SHAPE(1, 20), PAIR_SD(0.02), .log_ratios = {0.0132}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.78},
    {"power, s_d 2 %, n 8, 2.3 %",
     {SHAPE(1, 8), PAIR_SD(0.02), .log_ratios = {0.0230}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.70},
    {"power, s_d 2 %, n 6, 2.9 %",
     {SHAPE(1, 6), PAIR_SD(0.02), .log_ratios = {0.0287}},
     SIMULATION_CLAIMED,
     SIMULATION_AT_LEAST,
     0.55},
    /* Steadiness. */
    {"flat trials called UNSTEADY",
     {SHAPE(1, 10), TYPICAL},
     SIMULATION_UNSTEADY,
     SIMULATION_AT_MOST,
     0.03},
    {"ramps of 10 % called UNSTEADY",
     {SHAPE(1, 10), TYPICAL, .ramp = 0.1},
     SIMULATION_UNSTEADY,
     SIMULATION_AT_LEAST,
     0.95},
};
const int simulation_row_count = sizeof(simulation_rows) / sizeof(simulation_rows[0]);
