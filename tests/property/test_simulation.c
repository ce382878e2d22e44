// SPDX-License-Identifier: Apache-2.0
// The short form of ci/run simulate: the same table over few sessions, and the model behind it.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "report/stats/series.h"
#include "report/stats/summary.h"
#include "tests/support/simulation.h"

#define SESSIONS 60
#define SEED     20261130

Test(simulation, every_row_of_the_table_holds)
{
    for (int i = 0; i < simulation_row_count; i++) {
        const struct simulation_row *row = &simulation_rows[i];
        struct simulation_counts counts = simulation_run(&row->model, SESSIONS, SEED);
        int hits = simulation_hits(&counts, row->quantity);

        /* A floor needs thousands of sessions: here it has its sampling error as the others do. */
        enum simulation_bound bound =
            row->bound == SIMULATION_FLOOR ? SIMULATION_AT_LEAST : row->bound;

        cr_expect(simulation_holds(hits, SESSIONS, bound, row->share), "%s: %d of %d", row->name,
                  hits, SESSIONS);
    }
}

/* A pipeline that never claims anything would hold all upper bounds. */
Test(simulation, a_clear_difference_is_claimed_and_a_biased_order_would_be_seen)
{
    struct session_model model = {.subject_count = 1,
                                  .block_count = 10,
                                  .sample_count = 10,
                                  .trial_sd = 0.01,
                                  .log_ratios = {0.0953}};
    struct simulation_counts counts = simulation_run(&model, SESSIONS, SEED);
    struct simulation_counts again = simulation_run(&model, SESSIONS, SEED);

    cr_expect_eq(counts.different, SESSIONS);
    cr_expect_eq(counts.equivalent, 0);
    cr_expect_eq(memcmp(&counts, &again, sizeof(counts)), 0);
    cr_expect_not(simulation_holds(30, 100, SIMULATION_AT_MOST, 0.05));
    cr_expect_not(simulation_holds(80, 100, SIMULATION_AT_LEAST, 0.945));
    cr_expect_not(simulation_holds(80, 100, SIMULATION_NEAR, 0.5));
    cr_expect(simulation_holds(5, 100, SIMULATION_NEAR, 0.05));
}

/* The samples have the spread and the dependence that were asked for. */
Test(simulation, the_model_makes_the_noise_that_it_states)
{
    const struct session_model model = {.subject_count = 1,
                                        .block_count = 6,
                                        .sample_count = 2000,
                                        .sample_sd = 0.03,
                                        .phi = 0.5,
                                        .log_ratios = {0.2}};
    struct session_made made;
    struct rng rng;
    static double logs[2000];

    rng_init(&rng, 5);
    session_model_make(&model, &rng, &made);
    cr_assert_eq(made.results.trial_count, 18);
    for (size_t i = 0; i < made.results.trial_count; i++) {
        const struct results_trial *trial = &made.results.trials[i];

        for (size_t k = 0; k < 2000; k++) {
            logs[k] = log((double)trial->samples[k].outcomes[OUTCOME_OK]);
        }
        cr_expect_float_eq(stats_sd(logs, 2000), 0.03, 0.003);
        cr_expect_float_eq(series_autocorrelation(logs, 2000, 1), 0.5, 0.08);
        cr_expect_float_eq(stats_mean(logs, 2000), log(25000) + 0.2 * (trial->engine_index == 2),
                           0.005);
    }
    session_model_release(&made);
}
