// SPDX-License-Identifier: Apache-2.0
// Two sittings: what is comparable, what moved, and how often noise is taken for a move.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "report/judge/sittings.h"
#include "tests/support/session_model.h"

struct sitting {
    struct session_made made;
    struct analysis *analysis;
};

/* The A/A arm is one unless its role is another: with it the margin is as wide as the noise. */
static void sitting_make(const struct session_model *model, uint64_t seed, double shift,
                         const char *aa_role, struct sitting *sitting)
{
    struct session_model shifted = *model;
    struct rng rng;
    struct err e;

    rng_init(&rng, seed);
    for (size_t i = 0; i < SESSION_MODEL_SUBJECTS_MAX; i++) {
        shifted.log_ratios[i] += shift;
    }
    session_model_make(&shifted, &rng, &sitting->made);
    sitting->made.results.engines[1].role = aa_role;
    sitting->made.results.plan_digest = "p";
    sitting->made.results.session_uid = seed % 2 ? "one" : "two";
    cr_assert_eq(analysis_make(&sitting->made.results, &sitting->analysis, &e), ERR_OK);
}

static void sitting_release(struct sitting *sitting)
{
    analysis_free(sitting->analysis);
    session_model_release(&sitting->made);
}

static const struct sitting_row *throughput_of(const struct sittings *sittings, const char *engine)
{
    for (size_t i = 0; i < sittings->row_count; i++) {
        const struct results *results = sittings->a->results;

        if (sittings->rows[i].metric == PLAN_METRIC_THROUGHPUT &&
            strcmp(results->engines[sittings->rows[i].a->engine_index].name, engine) == 0) {
            return &sittings->rows[i];
        }
    }
    cr_assert_fail("no row for %s", engine);
    return NULL;
}

static const struct session_model quiet = {
    .subject_count = 1, .block_count = 10, .sample_count = 10, .trial_sd = 0.005};

Test(sittings, verdicts_follow_what_moved)
{
    static const struct {
        double shift, trial_sd;
        uint32_t block_count;
        enum verdict want;
    } rows[] = {
        {0, 0.005, 10, VERDICT_EQUIVALENT},     {0.1, 0.005, 10, VERDICT_DIFFERENT},
        {-0.1, 0.005, 10, VERDICT_DIFFERENT},   {0.012, 0.003, 20, VERDICT_SMALL},
        {0.02, 0.06, 10, VERDICT_INCONCLUSIVE}, {0.1, 0.005, 5, VERDICT_TOO_FEW},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct session_model model = quiet;
        const char *role = rows[i].want == VERDICT_INCONCLUSIVE ? "subject" : "aa";
        struct sitting a, b;
        struct sittings sittings, back;
        struct err e;

        model.trial_sd = rows[i].trial_sd;
        model.block_count = rows[i].block_count;
        sitting_make(&model, 11, 0, role, &a);
        sitting_make(&model, 12, rows[i].shift, role, &b);
        cr_assert_eq(sittings_make(a.analysis, b.analysis, &sittings, &e), ERR_OK);
        cr_assert_eq(sittings_make(b.analysis, a.analysis, &back, &e), ERR_OK);
        cr_expect(sittings.is_comparable);
        const struct sitting_row *row = throughput_of(&sittings, "s0");
        const struct sitting_row *mirrored = throughput_of(&back, "s0");

        cr_expect_eq(row->verdict, rows[i].want, "row %zu: %s, %g [%g, %g] p %g", i,
                     verdict_names[row->verdict], row->ratio.value, row->ratio.low, row->ratio.high,
                     row->p);
        cr_expect_eq(mirrored->verdict, row->verdict);
        cr_expect_float_eq(row->ratio.value * mirrored->ratio.value, 1, 1e-12);
        cr_expect_float_eq(row->ratio.low * mirrored->ratio.high, 1, 1e-12);
        cr_expect_eq(row->ratio.count, rows[i].block_count);
        cr_expect(isnan(row->p) == (rows[i].want == VERDICT_TOO_FEW));
        sittings_release(&sittings);
        sittings_release(&back);
        sitting_release(&a);
        sitting_release(&b);
    }
}

/* What each difference does: it is listed, and where it is of the session nothing is compared. */
Test(sittings, differences_are_listed)
{
    static struct results_fact of_a[] = {{"start", "cpu.count", "2"}, {"end", "cpu.count", "2"}};
    static struct results_fact other_cpu[] = {{"start", "cpu.count", "4"}};
    static struct results_fact load[] = {{"start", "cpu.count", "2"},
                                         {"start", "state.load", "9"},
                                         {"start", "kernel.boot_id", "x"}};
    static struct results_fact more[] = {{"start", "cpu.count", "2"}, {"start", "net.x", "1"}};
    static struct results_fact program[] = {{"start", "cpu.count", "2"},
                                            {"start", "program.version", "9"}};
    static const struct {
        struct results_fact *facts;
        size_t fact_count;
        const char *plan, *engine, *uid;
        int unfit;
        bool comparable;
        enum sitting_obstacle_kind kind;
        size_t obstacle_count;
    } rows[] = {
        {of_a, 2, "p", "s0", "two", 0, true, SITTING_SAME, 0},
        {load, 3, "p", "s0", "two", 0, true, SITTING_SAME, 0},
        {of_a, 2, "p", "s0", "one", 0, false, SITTING_SAME, 1},
        {of_a, 2, "q", "s0", "two", 0, false, SITTING_PLAN, 1},
        {other_cpu, 1, "p", "s0", "two", 0, false, SITTING_FACT, 1},
        {more, 2, "p", "s0", "two", 0, false, SITTING_FACT, 1},
        {of_a, 2, "p", "s0", "two", 1, false, SITTING_UNFIT, 1},
        {program, 2, "p", "s0", "two", 0, true, SITTING_PROGRAM, 1},
        {of_a, 2, "p", "new", "two", 0, true, SITTING_MISSING, 2},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sitting a, b;
        struct sittings sittings;
        struct err e;

        sitting_make(&quiet, 11, 0, "aa", &a);
        sitting_make(&quiet, 12, 0, "aa", &b);
        a.made.results.facts = of_a;
        a.made.results.fact_count = 2;
        b.made.results.facts = rows[i].facts;
        b.made.results.fact_count = rows[i].fact_count;
        b.made.results.plan_digest = rows[i].plan;
        b.made.results.session_uid = rows[i].uid;
        b.made.results.engines[2].name = rows[i].engine;
        b.analysis->trust = rows[i].unfit ? TRUST_UNFIT : TRUST_VALID;
        cr_assert_eq(sittings_make(a.analysis, b.analysis, &sittings, &e), ERR_OK);
        cr_expect_eq(sittings.is_comparable, rows[i].comparable, "row %zu", i);
        cr_expect_eq(sittings.row_count > 0, rows[i].comparable, "row %zu", i);
        cr_assert_eq(sittings.obstacle_count, rows[i].obstacle_count, "row %zu: %zu", i,
                     sittings.obstacle_count);
        if (rows[i].obstacle_count > 0) {
            cr_expect_eq(sittings.obstacles[0].kind, rows[i].kind, "row %zu", i);
        }
        cr_expect_eq(strcmp(sittings.a_fingerprint, sittings.b_fingerprint) == 0,
                     rows[i].kind != SITTING_FACT, "row %zu", i);
        sittings_release(&sittings);
        sitting_release(&a);
        sitting_release(&b);
    }
}

/* Nothing moved: how often is a move claimed? Holm's family is baseline, A/A and subject. */
Test(sittings, false_alarms)
{
    enum { PAIRS = 400 };
    struct session_model model = quiet;
    int claimed = 0;

    model.trial_sd = 0.02;
    for (int i = 0; i < PAIRS; i++) {
        struct sitting a, b;
        struct sittings sittings;
        struct err e;
        bool any = false;

        sitting_make(&model, 1001 + 2 * (uint64_t)i, 0, "aa", &a);
        sitting_make(&model, 1002 + 2 * (uint64_t)i, 0, "aa", &b);
        cr_assert_eq(sittings_make(a.analysis, b.analysis, &sittings, &e), ERR_OK);
        for (size_t k = 0; k < sittings.row_count; k++) {
            any = any || sittings.rows[k].verdict == VERDICT_DIFFERENT ||
                  sittings.rows[k].verdict == VERDICT_SMALL;
        }
        claimed += any;
        sittings_release(&sittings);
        sitting_release(&a);
        sitting_release(&b);
    }
    cr_expect_gt(claimed, 0);
    cr_expect_leq(claimed, (int)(PAIRS * (0.05 + 3 * sqrt(0.05 * 0.95 / PAIRS))), "%d", claimed);
}
