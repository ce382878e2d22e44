// SPDX-License-Identifier: Apache-2.0
// Sessions that cannot carry a verdict: nothing counted, or too many comparisons for the blocks;
// and what tacho run says of them.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "report/judge/comparisons.h"
#include "report/run_outcome.h"
#include "tests/support/results_builder.h"

static char folder[] = "/tmp/tacho-trust-XXXXXX";
static char path[128];
static struct results *results;
static struct analysis *analysis;

static void setup(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/results.db", folder);
}

static void discard(void)
{
    analysis_free(analysis);
    results_free(results);
    analysis = NULL;
    results = NULL;
}

static void teardown(void)
{
    discard();
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

TestSuite(trust, .init = setup, .fini = teardown);

/* The demo session with a change. */
static void analyse(double trial_noise, const char *change)
{
    struct results_builder builder = {.trial_noise = trial_noise};
    struct err e = {0};

    results_builder_make(&builder, path);
    results_builder_alter(path, change);
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
}

/*
 * 6 blocks give no p below 2/2^6, which two comparisons make 0.0625: 7 give 2 * 2/2^7 = 0.03125.
 * More noise asks for no more: with SD 0.04 * 2^0.5 of a difference of ln(52/31) = 0.517, that less
 * a margin of some 0.02, (2.571 + 0.920) * 0.057 / 0.497 squared is far below 1; by the margin
 * alone it would be 99.
 */
Test(trust, many_comparisons_need_more_blocks)
{
    static const double noises[] = {0.0001, 0.04};

    for (size_t k = 0; k < ARRAY_COUNT(noises); k++) {
        size_t seen = 0;

        analyse(noises[k], "UPDATE engine SET role = 'subject' WHERE role = 'aa'");
        for (size_t i = 0; i < analysis->row_count; i++) {
            const struct analysis_row *row = &analysis->rows[i];

            if (strcmp(results->engines[row->engine_index].name, "epoll") == 0) {
                cr_expect_eq(row->ratio_p, 0.0625);
                cr_expect_eq(row->verdict, VERDICT_INCONCLUSIVE);
                cr_expect_eq(row->blocks_needed, 7, "%g: %g", noises[k], row->blocks_needed);
                cr_expect(isnan(row->minimal_effect), "nothing is detectable");
                seen++;
            }
        }
        cr_expect_eq(seen, 1);
        cr_expect_eq(analysis->comparison_count, 2);
        cr_expect(comparisons_are_undecidable(analysis));
        discard();
    }
}

/* m · 2^(1-n) < 0.05: 152 · 2/2^12 = 0.074, 152 · 2/2^13 = 0.037. */
Test(trust, the_least_blocks_for_so_many_comparisons)
{
    static const size_t rows[][2] = {{0, 6}, {1, 6}, {2, 7}, {25, 10}, {26, 11}, {152, 13}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_expect_eq(comparisons_blocks_least(rows[i][0]), rows[i][1], "row %zu", i);
    }
}

/* Of 5 blocks, and where no trial counts, nothing is said. */
Test(trust, nothing_is_detectable_where_no_verdict_can_be)
{
    static const struct {
        uint32_t block_count;
        unsigned faults;
        bool is_known;
    } rows[] = {{5, 0, false}, {6, 0, true}, {6, RESULTS_BUILDER_FOREIGN_CPU, false}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results_builder builder = {.block_count = rows[i].block_count,
                                          .faults = rows[i].faults};
        struct err e = {0};

        results_builder_make(&builder, path);
        cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
        for (size_t k = 0; k < analysis->row_count; k++) {
            if (strcmp(results->engines[analysis->rows[k].engine_index].role, "subject") == 0) {
                cr_expect_eq(!isnan(analysis->rows[k].minimal_effect), rows[i].is_known, "row %zu",
                             i);
            }
        }
        discard();
    }
}

/* Nothing of the engines counts: that must not read as valid. */
Test(trust, a_session_of_which_nothing_counts_is_unfit)
{
    static const char *const changes[] = {
        "UPDATE trial SET state = 'crashed'",
        "UPDATE trial SET state = 'interrupted' WHERE block_index IS NOT NULL",
        "UPDATE sample SET end_ns = start_ns", /* no length, no rate */
    };

    for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
        analyse(0, changes[i]);
        cr_expect_eq(analysis->trust, TRUST_UNFIT, "row %zu", i);
        cr_expect_eq(analysis->unfit_causes, (unsigned)UNFIT_NONE_COUNTED, "row %zu", i);
        discard();
    }
}

/* What a run ends with: one counted trial of an engine is enough, calibration alone is not. */
Test(trust, a_run_of_which_no_trial_is_counted_says_why)
{
    static const struct {
        const char *change;
        unsigned faults;
        enum run_outcome want;
        const char *text;
    } rows[] = {
        {"", 0, RUN_OUTCOME_MEASURED, ""},
        {"UPDATE trial SET state = 'crashed' WHERE trial_id <> (SELECT max(trial_id) FROM trial "
         "WHERE block_index IS NOT NULL)",
         0, RUN_OUTCOME_MEASURED, ""},
        {"UPDATE trial SET state = 'crashed' WHERE block_index IS NOT NULL", 0, RUN_OUTCOME_NOTHING,
         "none of 18 trials is counted, the first of them ("},
        {"", RESULTS_BUILDER_FOREIGN_CPU, RUN_OUTCOME_DISTURBED,
         "none of 18 trials is counted, the first of them ("},
        {"UPDATE trial SET state = 'crashed' WHERE trial_id = (SELECT max(trial_id) FROM trial "
         "WHERE block_index IS NOT NULL); UPDATE sample SET machine_busy_ns = NULL WHERE trial_id "
         "= (SELECT max(trial_id) FROM trial WHERE block_index IS NOT NULL)",
         RESULTS_BUILDER_FOREIGN_CPU, RUN_OUTCOME_NOTHING, "none of 18 trials is counted"},
        {"UPDATE engine SET role = 'limit'", RESULTS_BUILDER_FOREIGN_CPU, RUN_OUTCOME_MEASURED,
         ""}, /* nothing else was to be measured */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results_builder builder = {.faults = rows[i].faults};
        char text[RUN_OUTCOME_TEXT_BYTES] = "";
        struct err e = {0};

        results_builder_make(&builder, path);
        results_builder_alter(path, rows[i].change);
        cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
        cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(run_outcome_of(analysis, text), rows[i].want, "row %zu: %s", i, text);
        cr_expect_eq(strncmp(text, rows[i].text, strlen(rows[i].text)), 0, "row %zu: %s", i, text);
        discard();
    }
}

/* The rate of some trials; their latencies, which would not fit it, are taken out. */
#define SCALE(trials, factor)                                                                      \
    "UPDATE sample SET ok_count = ok_count * " factor ", histogram = NULL WHERE trial_id IN "      \
    "(" trials "); UPDATE outcome SET count = count * " factor " WHERE trial_id IN (" trials       \
    "); UPDATE trial SET started_count = NULL, server_request_count = NULL; UPDATE sample SET "    \
    "started_count = NULL, server_request_count = NULL;"

/* Two load points; the A/A arm is made 10 % faster at the second, which is then what is told. */
Test(trust, the_worst_arm_of_all_load_points_is_kept)
{
    struct results_builder builder = {.connection_counts = {125, 250}};
    struct err e = {0};

    results_builder_make(&builder, path);
    results_builder_alter(path, SCALE("SELECT trial_id FROM trial JOIN engine USING (engine_id) "
                                      "JOIN cell USING (cell_id) WHERE engine.role = 'aa' AND "
                                      "cell.connection_count = 250",
                                      "11 / 10"));
    cr_assert_eq(results_load(path, true, &results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(results, &analysis, &e), ERR_OK, "%s", e.text);
    cr_assert_lt(analysis->aa_row_index, analysis->row_count);
    const struct analysis_row *row = &analysis->rows[analysis->aa_row_index];

    cr_expect_eq(results->cells[row->cell_index].connection_count, 250);
    cr_expect(row->ratio.value > 1.07 && row->ratio.value < 1.13, "%g", row->ratio.value);
}

/* Not a word of the machine but that: the limit engine's last trial had a quarter of the rate. */
Test(trust, a_limit_engine_that_drifted_is_a_warning)
{
    analyse(0, "DELETE FROM event");
    cr_expect_eq(analysis->trust, TRUST_VALID);
    cr_expect_not(analysis_has_drifted(analysis));
    discard();
    analyse(0, "DELETE FROM event;" SCALE("SELECT max(trial_id) FROM trial JOIN engine USING "
                                          "(engine_id) WHERE engine.role = 'limit'",
                                          "1 / 4"));
    cr_expect(analysis_has_drifted(analysis));
    cr_expect_float_eq(analysis->limit_drift, -0.75, 0.02);
    cr_expect_eq(analysis->trust, TRUST_WARNINGS);
}
