// SPDX-License-Identifier: Apache-2.0
// Steadiness of trials and the remarks on cells.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "report/judge/analysis.h"
#include "tests/support/session_model.h"

static struct analysis *analyse(const struct session_model *model, struct session_made *made)
{
    struct analysis *analysis = NULL;
    struct err e;
    struct rng rng;

    rng_init(&rng, 3);
    session_model_make(model, &rng, made);
    cr_assert_eq(analysis_make(&made->results, &analysis, &e), ERR_OK);
    return analysis;
}

/* Lowers the first `count` samples of some trials of the subject to 80 %. */
static void spoil(struct session_made *made, size_t trials, size_t count)
{
    for (size_t i = 0; i < made->results.trial_count && trials > 0; i++) {
        struct results_trial *trial = &made->results.trials[i];

        if (trial->engine_index != 2) {
            continue;
        }
        trials--;
        for (size_t k = 0; k < count; k++) {
            trial->samples[k].outcomes[OUTCOME_OK] -= trial->samples[k].outcomes[OUTCOME_OK] / 5;
        }
    }
}

Test(steadiness, more_than_a_fifth_of_the_trials_makes_a_remark)
{
    const struct session_model model = {.subject_count = 1,
                                        .block_count = 10,
                                        .sample_count = 40,
                                        .sample_sd = 0.004,
                                        .trial_sd = 0.002};

    for (size_t spoiled = 0; spoiled <= 4; spoiled++) {
        struct session_made made;
        struct analysis *analysis = analyse(&model, &made);

        cr_expect_eq(analysis->remark_count, 0);
        cr_expect_eq(analysis->trust, TRUST_VALID);
        analysis_free(analysis);
        spoil(&made, spoiled, 10);
        struct err e;

        cr_assert_eq(analysis_make(&made.results, &analysis, &e), ERR_OK);
        cr_assert_eq(analysis->remark_count, spoiled > 2 ? 1 : 0, "%zu", spoiled);
        cr_expect_eq(analysis->trust, spoiled > 2 ? TRUST_WARNINGS : TRUST_VALID);
        if (spoiled > 2) {
            const struct remark *remark = &analysis->remarks[0];

            cr_expect_eq(remark->kind, REMARK_UNSTEADY);
            cr_expect_eq(remark->engine_index, 2);
            cr_expect_eq(remark->count, spoiled);
            cr_expect_float_eq(remark->value, (double)spoiled / 10, 1e-15);
            cr_expect_float_eq(remark->hint_s, 5, 1e-9); /* 10 samples of 0.5 s */
        }
        analysis_free(analysis);
        session_model_release(&made);
    }
}

Test(steadiness, of_a_short_window_is_not_known)
{
    const struct session_model model = {
        .subject_count = 1, .block_count = 6, .sample_count = 6, .sample_sd = 0.01};
    struct session_made made;
    struct analysis *analysis = analyse(&model, &made);

    for (size_t i = 0; i < analysis->row_count; i++) {
        cr_expect(isnan(analysis->rows[i].unsteady_share));
    }
    cr_expect_eq(analysis->trials[0].steadiness.class, SERIES_TOO_SHORT);
    cr_expect_not(steadiness_is_unsteady(&analysis->trials[0].steadiness));
    analysis_free(analysis);
    session_model_release(&made);
}

/* The last subject plays the limit engine: those that reach it within 1 % and are as fast as each
 * other are no comparison of servers. */
Test(steadiness, engines_that_meet_at_the_limit_make_a_remark)
{
    static const struct {
        double log_ratios[4]; /* of three subjects and the limit to the baseline */
        size_t want;          /* engines in the cluster; 0: no remark */
    } rows[] = {
        {{0, 0.001, 0.002, 0.003}, 4},
        {{-0.3, 0.001, 0.002, 0.003}, 3},
        {{-0.3, -0.2, 0.002, 0.003}, 0},
        {{0, 0.001, 0.002, 0.3}, 0},
        {{0, 0, 0, 0.02}, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct session_model model = {
            .subject_count = 4, .block_count = 6, .sample_count = 6, .trial_sd = 1e-5};
        struct session_made made;
        struct rng rng;
        struct analysis *analysis = NULL;
        struct err e;

        memcpy(model.log_ratios, rows[i].log_ratios, sizeof(rows[i].log_ratios));
        rng_init(&rng, 3);
        session_model_make(&model, &rng, &made);
        made.results.engines[5].role = "limit";
        cr_assert_eq(analysis_make(&made.results, &analysis, &e), ERR_OK);
        cr_assert_eq(analysis->remark_count, rows[i].want ? 1 : 0, "row %zu", i);
        if (rows[i].want) {
            cr_expect_eq(analysis->remarks[0].kind, REMARK_CLUSTERING);
            cr_expect_eq(analysis->remarks[0].count, rows[i].want, "row %zu: %zu", i,
                         analysis->remarks[0].count);
        }
        analysis_free(analysis);
        session_model_release(&made);
    }
}
