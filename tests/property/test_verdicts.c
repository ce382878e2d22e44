// SPDX-License-Identifier: Apache-2.0
// Verdicts over simulated sessions: what is claimed when the truth is known.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/judge/analysis.h"
#include "report/stats/distribution.h"
#include "tests/support/prop.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct analysis *analyse(const struct results *results)
{
    struct analysis *analysis = NULL;
    struct err e = {0};

    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    return analysis;
}

/* The row of an engine: 0 baseline, 1 A/A, 2 subject. */
static const struct analysis_row *find_row(const struct analysis *analysis, size_t engine)
{
    size_t i = 0;

    while (i + 1 < analysis->row_count && analysis->rows[i].engine_index != engine) {
        i++;
    }
    return &analysis->rows[i];
}

/* A session in memory, one sample a trial: as much as the verdicts look at. Engines: baseline, aa,
 * subject. */
#define TINY_BLOCKS_MAX 20
struct tiny {
    struct results results;
    struct results_engine engines[3];
    struct results_workload workload;
    struct results_cell cell;
    struct results_trial trials[3 * TINY_BLOCKS_MAX];
    struct sample samples[3 * TINY_BLOCKS_MAX];
};

static double noise(struct rng *rng)
{
    return distribution_normal_quantile(rng_unit(rng) * (1 - 1e-12) + 5e-13);
}

static void tiny_make(struct tiny *tiny, struct rng *rng, size_t block_count, double log_ratio,
                      double trial_sd)
{
    static const char *const roles[] = {"baseline", "aa", "subject"};

    memset(tiny, 0, sizeof(*tiny));
    tiny->results = (struct results){.state = "finished",
                                     .engines = tiny->engines,
                                     .engine_count = 3,
                                     .workloads = &tiny->workload,
                                     .workload_count = 1,
                                     .cells = &tiny->cell,
                                     .cell_count = 1,
                                     .trials = tiny->trials,
                                     .trial_count = 3 * block_count};
    tiny->cell.connection_count = 8;
    for (size_t i = 0; i < 3; i++) {
        tiny->engines[i] = (struct results_engine){.name = roles[i], .role = roles[i]};
    }
    for (size_t block = 0; block < block_count; block++) {
        double block_effect = 0.05 * noise(rng);

        for (size_t engine = 0; engine < 3; engine++) {
            size_t at = 3 * block + engine;
            struct sample *sample = &tiny->samples[at];
            double rate =
                1e6 * exp(block_effect + trial_sd * noise(rng) + (engine == 2) * log_ratio);

            sample->phase = SAMPLE_PHASE_WINDOW;
            sample->end_ns = 1000000000;
            for (int i = 0; i < METRIC_COUNT; i++) {
                sample->metrics[i] = METRIC_UNKNOWN;
            }
            sample->outcomes[OUTCOME_OK] = (uint64_t)rate;
            tiny->trials[at] = (struct results_trial){.engine_index = engine,
                                                      .order_index = (int64_t)at,
                                                      .block_index = (int64_t)block,
                                                      .state = "finished",
                                                      .connections_requested = METRIC_UNKNOWN,
                                                      .connections_established = METRIC_UNKNOWN,
                                                      .connections_served = METRIC_UNKNOWN,
                                                      .server_request_count = METRIC_UNKNOWN,
                                                      .recover_ns = METRIC_UNKNOWN,
                                                      .samples = sample,
                                                      .sample_count = 1};
        }
    }
}

/* The verdict rules of the design's 3.4, by what is true: ratio, noise, blocks. Noise is so small
 * or so large that chance does not decide. */
Test(verdicts, follow_the_ratio_and_the_noise)
{
    static const struct {
        double ratio, trial_sd;
        size_t block_count;
        enum verdict want;
    } rows[] = {
        {1.20, 0.002, 10, VERDICT_DIFFERENT},   {0.80, 0.002, 10, VERDICT_DIFFERENT},
        {1.01, 0.001, 10, VERDICT_SMALL},       {0.99, 0.001, 10, VERDICT_SMALL},
        {1.20, 0.002, 5, VERDICT_TOO_FEW},      {1.20, 0.002, 6, VERDICT_DIFFERENT},
        {1.00, 0.06, 10, VERDICT_INCONCLUSIVE},
    };
    struct tiny *tiny = malloc(sizeof(*tiny));

    cr_assert(tiny);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rng rng;

        rng_init(&rng, 17 + i);
        tiny_make(tiny, &rng, rows[i].block_count, log(rows[i].ratio), rows[i].trial_sd);
        struct analysis *analysis = analyse(&tiny->results);
        const struct analysis_row *row = find_row(analysis, 2);

        cr_expect_eq(row->verdict, rows[i].want, "row %zu: %s, ratio %g [%g, %g] p %g margin %g", i,
                     verdict_names[row->verdict], row->ratio.value, row->ratio.low, row->ratio.high,
                     row->ratio_p, analysis->margin);
        cr_expect_eq(isnan(row->blocks_needed), row->verdict != VERDICT_INCONCLUSIVE, "row %zu", i);
        cr_expect_eq(isnan(row->minimal_effect), row->verdict == VERDICT_TOO_FEW, "row %zu", i);
        analysis_free(analysis);
    }
    free(tiny);
}

/* A/A: the subject is the baseline again. How often is a difference claimed, how often does the
 * interval miss 1, how often does the session call itself unfit? */
Test(verdicts, false_alarms_and_coverage_of_an_a_a_simulation)
{
    enum { SESSIONS = 2000, BLOCKS = 10 };
    struct tiny *tiny = malloc(sizeof(*tiny));
    int alarms = 0;
    int covered = 0;
    int unfit = 0;
    int equivalent = 0;

    cr_assert(tiny);
    for_each_case(rng, SESSIONS, 20261130)
    {
        tiny_make(tiny, &rng, BLOCKS, 0, 0.015);
        struct analysis *analysis = analyse(&tiny->results);
        const struct analysis_row *row = find_row(analysis, 2);

        alarms += row->verdict == VERDICT_DIFFERENT || row->verdict == VERDICT_SMALL;
        equivalent += row->verdict == VERDICT_EQUIVALENT;
        covered += row->ratio.low <= 1 && row->ratio.high >= 1;
        unfit += analysis->trust == TRUST_UNFIT;
        analysis_free(analysis);
    }
    free(tiny);
    printf(
        "A/A simulation, %d sessions of %d blocks: difference claimed %.2f %%, equivalent %.1f %%, "
        "interval covers 1 %.2f %%, unfit %.2f %%\n",
        SESSIONS, BLOCKS, 100.0 * alarms / SESSIONS, 100.0 * equivalent / SESSIONS,
        100.0 * covered / SESSIONS, 100.0 * unfit / SESSIONS);
    cr_expect_leq(alarms, (int)(SESSIONS * (0.05 + 3 * sqrt(0.05 * 0.95 / SESSIONS))));
    cr_expect_gt(alarms, 0); /* a test that never rejects would pass as well */
    cr_expect_geq(covered, SESSIONS * 94 / 100);
    cr_expect_leq(unfit, SESSIONS / 100);
}

/* Baseline and subject change places: the ratio and its interval are inverted, p and verdict stay.
 */
Test(verdicts, do_not_depend_on_which_engine_is_the_baseline)
{
    struct tiny *tiny = malloc(sizeof(*tiny));

    cr_assert(tiny);
    for_each_case(rng, 200, 99)
    {
        tiny_make(tiny, &rng, 8, 0.03 * noise(&rng), 0.01);
        tiny->engines[1].role = "subject"; /* no A/A arm: it would be that of the other one */
        struct analysis *forth = analyse(&tiny->results);

        tiny->engines[0].role = "subject";
        tiny->engines[2].role = "baseline";
        struct analysis *back = analyse(&tiny->results);
        const struct analysis_row *a = find_row(forth, 2);
        const struct analysis_row *b = find_row(back, 0);

        cr_expect_float_eq(a->ratio.value * b->ratio.value, 1, 1e-13);
        cr_expect_float_eq(a->ratio.low * b->ratio.high, 1, 1e-13);
        cr_expect_float_eq(a->ratio.high * b->ratio.low, 1, 1e-13);
        if (a->ratio_p == b->ratio_p) { /* Holm's family is another one */
            cr_expect_eq(a->verdict, b->verdict, "seed %llu", (unsigned long long)prop_case_seed);
        }
        analysis_free(forth);
        analysis_free(back);
    }
    free(tiny);
}
