// SPDX-License-Identifier: Apache-2.0
// Bundles that are what they say, of measurements that are not what a plan asks for.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/bundle/bundle.h"
#include "report/bundle/verify.h"
#include "tests/support/results_builder.h"

#define VERSION "0.2.0+test" /* another one than measured: the plan of that one cannot be read */
#define MS      INT64_C(1000000)

static char folder[64], results_path[128];

static void folder_make(void)
{
    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(results_path, sizeof(results_path), "%s/r.db", folder);
}

static void folder_remove(void)
{
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* Sealing told what stage V11 finds, in the same words, unless an earlier one found something. */
static void sealing_told(const struct bundle_result *sealed, const struct verify_result *result)
{
    if (result->finding_count && strcmp(result->findings[0].stage, "V11") != 0) {
        return;
    }
    cr_expect_eq(sealed->refusal_count, result->finding_count);
    for (size_t i = 0; i < sealed->refusal_count && i < BUNDLE_REFUSAL_COUNT_MAX; i++) {
        cr_expect_str_eq(sealed->refusals[i].code, result->findings[i].code);
        cr_expect_str_eq(sealed->refusals[i].text, result->findings[i].text);
    }
}

/* Seals the demo session with a change and verifies it; "V11 policy-gap (2)": the first finding and
 * how many there are. Static. */
static const char *session_judge(const char *sql, const struct verify_policy *policy)
{
    static const struct results_builder demo = {.block_count = 2};
    static char text[100];
    const struct bundle_config config = {
        .results_path = results_path, .folder = folder, .program_version = VERSION};
    struct verify_result *result = NULL;
    struct bundle_result sealed;
    struct err e = {0};
    char path[300];

    results_builder_make(&demo, results_path);
    if (sql) {
        results_builder_alter(results_path, sql);
    }
    cr_assert_eq(bundle_write(&config, &sealed, &e), ERR_OK, "%s: %s", sql, e.text);
    snprintf(path, sizeof(path), "%s/%s.tar", folder, sealed.name);
    const struct verify_config verify = {
        .path = path, .policy = *policy, .program_version = VERSION, .temporary_folder = folder};
    cr_assert_eq(verify_run(&verify, &result, &e), ERR_OK, "%s", e.text);
    if (policy->trials_min == 1 && policy->spacing_percent == 10 && !policy->window_min_ns &&
        !policy->is_off && !policy->allow_gaps && !policy->allow_failed) {
        sealing_told(&sealed, result);
    }
    snprintf(text, sizeof(text), "verified");
    if (!result->verified) {
        snprintf(text, sizeof(text), "%s %s (%zu)", result->findings[0].stage,
                 result->findings[0].code, result->finding_count);
    } else {
        cr_expect_str_eq(verify_get_state(&verify, result, 11),
                         policy->is_off ? "not-asked" : "ok");
    }
    free(result);
    return text;
}

/* Of the builder: two blocks of three arms, two trials of limit; 1 warm-up, 6 window and 1 drain
 * samples of 500 ms; the plan says window: 3s, sample: 500ms. Trial 2 is of the first block. */
Test(verify_policy, asks_for_what_the_plan_and_the_reader_want, .init = folder_make,
     .fini = folder_remove, .timeout = 240)
{
    static const char shorter[] = "UPDATE sample SET end_ns = end_ns - 60000000 WHERE trial_id = 2 "
                                  "AND sample_index = 3";
    static const char gap[] = "DELETE FROM outcome WHERE trial_id = 2 AND sample_index = 0;"
                              "DELETE FROM sample WHERE trial_id = 2 AND sample_index = 0";
    static const char failed[] =
        "UPDATE trial SET state = 'failed', reason = 'wrong body' WHERE trial_id = 2";
    static const char picked[] =
        "DELETE FROM outcome WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM sample WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM log WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM event WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM trial WHERE block_index = 1";
    static const char picked_and_said[] =
        "DELETE FROM outcome WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM sample WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM log WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM event WHERE trial_id IN (SELECT trial_id FROM trial WHERE block_index = 1); "
        "DELETE FROM trial WHERE block_index = 1; UPDATE session SET state = 'interrupted'";
    static const char unknown[] = "UPDATE fact SET value = NULL WHERE name LIKE 'kernel.%'";
    static const struct {
        const char *sql;
        struct verify_policy policy;
        const char *verdict;
    } rows[] = {
        {NULL, VERIFY_POLICY_USUAL, "verified"},
        {NULL, {.trials_min = 2, .spacing_percent = 0, .window_min_ns = 3000 * MS}, "verified"},
        {NULL, {.trials_min = 3, .spacing_percent = 10}, "V11 policy-trials (3)"},
        {NULL, {.trials_min = 3, .is_off = true}, "verified"},
        {NULL, {.window_min_ns = 3001 * MS}, "V11 policy-window (8)"},
        {shorter, VERIFY_POLICY_USUAL, "V10 sample-grid (1)"},
        {shorter,
         {.spacing_percent = 10, .allow_gaps = true},
         "V11 policy-window (2)"}, /* and spacing */
        {shorter,
         {.window_min_ns = 2940 * MS, .spacing_percent = 10, .allow_gaps = true},
         "V11 policy-spacing (1)"},
        {shorter,
         {.window_min_ns = 2940 * MS, .spacing_percent = 12, .allow_gaps = true},
         "verified"},
        {gap, VERIFY_POLICY_USUAL, "V11 policy-gap (1)"},
        {gap, {.spacing_percent = 10, .allow_gaps = true}, "verified"},
        {gap, {.is_off = true}, "V10 samples-missing (3)"}, /* requests, outcomes */
        {failed, VERIFY_POLICY_USUAL, "V11 policy-gate (1)"},
        {failed, {.spacing_percent = 10, .allow_failed = true}, "verified"},
        {unknown, VERIFY_POLICY_USUAL, "V11 policy-environment (1)"},
        {picked, VERIFY_POLICY_USUAL, "V11 policy-blocks (3)"},
        {picked_and_said, VERIFY_POLICY_USUAL, "verified"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *verdict = session_judge(rows[i].sql, &rows[i].policy);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}
