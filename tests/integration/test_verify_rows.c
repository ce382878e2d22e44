// SPDX-License-Identifier: Apache-2.0
// Rows that do not agree, in bundles whose every digest is made anew.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/bundle.h"
#include "report/bundle/content.h"
#include "report/bundle/export.h"
#include "report/bundle/verify.h"
#include "report/query/results.h"
#include "tests/support/results_builder.h"
#include "tests/support/sealed_bundle.h"

/* The same session with one of its trials once more, under a number before it. */
#define OLDER(more)                                                                                \
    "UPDATE session SET session_id = 2; UPDATE engine SET session_id = 2; "                        \
    "UPDATE workload SET session_id = 2; UPDATE trial SET session_id = 2; "                        \
    "UPDATE fact SET session_id = 2; UPDATE event SET session_id = 2; "                            \
    "CREATE TEMP TABLE n AS SELECT * FROM session; UPDATE n SET session_id = 1, session_uid = "    \
    "'f' || substr(session_uid, 2); INSERT INTO session SELECT * FROM n; "                         \
    "CREATE TEMP TABLE g AS SELECT * FROM engine; UPDATE g SET engine_id = engine_id + 10, "       \
    "session_id = 1; INSERT INTO engine SELECT * FROM g; "                                         \
    "CREATE TEMP TABLE w AS SELECT * FROM workload; UPDATE w SET workload_id = workload_id + 10, " \
    "session_id = 1; INSERT INTO workload SELECT * FROM w; "                                       \
    "INSERT INTO cell SELECT cell_id + 10, workload_id + 10, connection_count, rate_per_s, "       \
    "arrivals, rate_course FROM cell; "                                                            \
    "CREATE TEMP TABLE t AS SELECT * FROM trial WHERE trial_id = 1; UPDATE t SET trial_id = 101, " \
    "session_id = 1, cell_id = cell_id + 10, engine_id = engine_id + 10, started_count = "         \
    "started_count + " #more "; INSERT INTO trial SELECT * FROM t; "                               \
    "CREATE TEMP TABLE s AS SELECT * FROM sample WHERE trial_id = 1; UPDATE s SET trial_id = "     \
    "101; "                                                                                        \
    "INSERT INTO sample SELECT * FROM s; CREATE TEMP TABLE o AS SELECT * FROM outcome WHERE "      \
    "trial_id = 1; UPDATE o SET trial_id = 101; INSERT INTO outcome SELECT * FROM o"

/* Changes results.db and writes it as the program would; without `keeps_digest` bag-info.txt tells
 * the digest of its rows. */
static void rows_forge(struct file_tree *tree, const char *sql, bool keeps_digest)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, CONTENT_RESULTS);
    char path[128], other[128], hex[DIGEST_HEX_BYTES];
    struct buf bytes;
    struct err e = {0};

    snprintf(path, sizeof(path), "%s/alter.db", sealed_bundle.folder);
    snprintf(other, sizeof(other), "%s/export.db", sealed_bundle.folder);
    cr_assert_eq(fs_write_file(path, entry->bytes, entry->length, NULL), ERR_OK);
    results_builder_alter(path, sql);
    unlink(other);
    cr_assert_eq(export_write(path, false, other, &e), ERR_OK, "%s", e.text);
    buf_init(&bytes, (size_t)64 << 20);
    cr_assert_eq(fs_read_file(other, &bytes, &e), ERR_OK);
    sealed_entry_set(tree, CONTENT_RESULTS, bytes.bytes, bytes.length);
    buf_release(&bytes);
    if (!keeps_digest) {
        cr_assert_eq(results_digest(other, true, hex, &e), ERR_OK, "%s", e.text);
        sealed_entry_edit(tree, BAG_INFO, sealed_bundle.result.samples_digest, hex);
    }
}

/* Trials 2 and 3 are the first two of a block, 4 is another one. */
Test(verify_rows, that_do_not_agree_are_refused, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 60)
{
    static const struct {
        const char *sql;
        bool keeps_digest;
        const char *verdict;
    } rows[] = {
        {"UPDATE sample SET latency_sum_ns = latency_sum_ns / 2", true, "V9 samples-digest"},
        {"UPDATE sample SET ok_count = ok_count + 1000", true, "V9 db-rows"},
        {"UPDATE sample SET histogram = substr(histogram, 1, 30) WHERE trial_id = 4 AND "
         "sample_index = 3",
         false, "V10 latency"},
        {"UPDATE sample SET latency_sum_ns = latency_sum_ns / 2", false, "V10 latency"},
        {"UPDATE sample SET machine_busy_ns = 1 WHERE trial_id = 4", false, "V10 cpu-time"},
        {"UPDATE trial SET started_count = started_count + 1 WHERE trial_id = 4", false,
         "V10 requests"},
        {"UPDATE sample SET end_ns = end_ns - 1000 WHERE trial_id = 4 AND sample_index = 3; UPDATE "
         "sample SET start_ns = start_ns - 1000 WHERE trial_id = 4 AND sample_index = 4",
         false, "V10 sample-grid"},
        {"DELETE FROM outcome WHERE trial_id = 4 AND sample_index = 7; DELETE FROM sample WHERE "
         "trial_id = 4 AND sample_index = 7",
         false, "V10 phase-missing"},
        {"CREATE TEMP TABLE old AS SELECT trial_id, engine_id FROM trial; UPDATE trial SET "
         "engine_id = (SELECT old.engine_id FROM old WHERE old.trial_id = 5 - trial.trial_id) "
         "WHERE "
         "trial_id IN (2, 3)",
         false, "V10 schedule"},
        {"UPDATE trial SET block_index = 1 - block_index", false, "V10 schedule"},
        {"UPDATE fact SET value = 'mt19937' WHERE name = 'order.generator'", false, "V10 schedule"},
        {"UPDATE engine SET command = '[\"other\"]' WHERE engine_id = 1", false, "V10 plan-rows"},
        {"UPDATE session SET plan_source = replace(plan_source, 'window: 3s', 'window: 9s')", false,
         "V10 plan-source"},
        {OLDER(1), false, "V10 requests"}, /* nothing else is about that session */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct file_tree tree;
        int64_t time_s = 0;

        sealed_bundle_unpack(&tree, &time_s);
        rows_forge(&tree, rows[i].sql, rows[i].keeps_digest);
        sealed_bundle_reseal(&tree);
        const char *verdict = sealed_bundle_verify_tree(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* What is beyond a stage is said, not passed over. */
Test(verify_rows, that_were_not_looked_at_are_told, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 60)
{
    static const struct {
        unsigned faults;
        const char *sql, *note;
    } rows[] = {
        {RESULTS_BUILDER_WHOLE_PLAN, OLDER(0), "results.db holds 2 sessions; the report"},
        {0, "UPDATE session SET program_version = '0.0.9'",
         "not held against the plan: engines, workloads, cells and the order"},
        {RESULTS_BUILDER_WHOLE_PLAN,
         "UPDATE session SET program_version = '0.0.9'; UPDATE fact SET value = 'mt19937' WHERE "
         "name = "
         "'order.generator'",
         "not held against the plan: the order of the trials: it is by the generator mt19937"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct results_builder builder = {.faults = rows[i].faults, .block_count = 2};
        const struct bundle_config config = {.results_path = sealed_bundle.results_path,
                                             .folder = sealed_bundle.folder,
                                             .program_version = SEALED_BUNDLE_VERSION};
        struct bundle_result sealed;
        struct err e = {0};
        char path[300];

        results_builder_make(&builder, sealed_bundle.results_path);
        results_builder_alter(sealed_bundle.results_path, rows[i].sql);
        cr_assert_eq(bundle_write(&config, &sealed, &e), ERR_OK, "row %zu: %s", i, e.text);
        snprintf(path, sizeof(path), "%s/%s.tar", sealed_bundle.folder, sealed.name);
        struct verify_result *result = sealed_bundle_verify(path, NULL);
        cr_expect_str_eq(sealed_bundle_verdict(result), "verified", "row %zu: %s", i,
                         result->findings[0].text);
        cr_expect_eq(result->note_count, 1, "row %zu", i);
        cr_expect(strstr(result->notes[0], rows[i].note), "row %zu: %s", i, result->notes[0]);
        free(result);
    }
}
