// SPDX-License-Identifier: Apache-2.0
// What is made of the samples around a flood, and the claim that a server recovers.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/judge/recovery.h"
#include "tests/support/session_fixture.h"

TestSuite(recovery, .init = session_folder_make, .fini = session_folder_remove);

/* The builder's second load point becomes a flood of 1 s; of its 3 s of window 2 s are watched. The
 * trials have one sample of warm-up, from 0 to 0.5 s, so the flood ends at 1.5 s: the samples 3 to
 * 6 come after it. */
#define FLOOD                                                                                      \
    "CREATE TEMP TABLE w AS SELECT * FROM workload WHERE workload_id = 2;"                         \
    "UPDATE w SET workload_id = 3, name = 'flood', flood_ns = 1000000000, "                        \
    "recover_within_ns = 2000000000; INSERT INTO workload SELECT * FROM w;"                        \
    "UPDATE cell SET workload_id = 3 WHERE connection_count = 2000 AND workload_id = 2;"           \
    "UPDATE trial SET recover_ns = 50000000 WHERE cell_id IN (SELECT cell_id FROM cell WHERE "     \
    "workload_id = 3);"
#define OF(engine)                                                                                 \
    "(SELECT trial_id FROM trial JOIN cell USING (cell_id) JOIN engine USING (engine_id) WHERE "   \
    "workload_id = 3 AND engine.name = '" engine "')"
#define SAMPLES(change, where)                                                                     \
    "UPDATE sample SET " change " WHERE " where " AND trial_id IN " OF("epoll") ";"
#define RESET                                                                                      \
    SAMPLES("server_rss_kib = 2000, server_thread_count = 3, server_fd_count = 9", "true")         \
    "UPDATE trial SET recover_ns = 40000000, state = 'finished' WHERE trial_id IN " OF("epoll") ";"
#define CLAIM "{ id: C, recovers: epoll"

/* The session of a row: that of so many blocks, made once, then changed. */
static void session_make(uint32_t block_count, const char *claim, const char *sql)
{
    static uint32_t made_count;
    char text[512];

    if (made_count != block_count) {
        made_count = block_count;
        results_builder_make(&(struct results_builder){.block_count = block_count,
                                                       .connection_counts = {125, 2000},
                                                       .faults = RESULTS_BUILDER_NO_HISTOGRAM},
                             session_path);
        results_builder_alter(session_path, FLOOD);
    }
    results_builder_alter(session_path, RESET);
    snprintf(text, sizeof(text), "UPDATE session SET plan_text = 'claims: [%s }]'", claim);
    results_builder_alter(session_path, text);
    results_builder_alter(session_path, sql);
}

Test(recovery, is_judged_by_answer_memory_threads_and_descriptors)
{
    static const struct {
        const char *claim;
        uint32_t block_count;
        const char *sql;
        enum claim_word word;
        const char *reason;
        size_t recovered_count; /* by the limits of the workload */
    } rows[] = {
        {CLAIM, 6, "", CLAIM_SUPPORTED, NULL, 6},
        {CLAIM ", workload: flood", 6, "", CLAIM_SUPPORTED, NULL, 6},
        {CLAIM, 5, "", CLAIM_INCONCLUSIVE, "fewer than 6", 5},
        /* the answer: one trial never gave it, one gave it too late for the claim */
        {CLAIM, 6,
         "UPDATE trial SET recover_ns = NULL WHERE trial_id = (SELECT min(trial_id) "
         "FROM trial WHERE trial_id IN " OF("epoll") ")",
         CLAIM_REFUTED, NULL, 5},
        {CLAIM ", at_most: 500ms", 6, "", CLAIM_SUPPORTED, NULL, 6},
        {CLAIM ", at_most: 499ms", 6, "", CLAIM_REFUTED, NULL, 6}, /* known to a sample: 500 ms */
        {CLAIM ", at_most: 600ms", 6,
         "UPDATE trial SET recover_ns = 600000000 WHERE trial_id IN " OF("epoll"), CLAIM_SUPPORTED,
         NULL, 6},
        {CLAIM ", at_most: 600ms", 6,
         "UPDATE trial SET recover_ns = 600000001 WHERE trial_id IN " OF("epoll"), CLAIM_REFUTED,
         NULL, 6},
        /* memory: 32 MiB, or what the claim says, may remain */
        {CLAIM, 6, SAMPLES("server_rss_kib = server_rss_kib + 32768", "sample_index >= 3"),
         CLAIM_SUPPORTED, NULL, 6},
        {CLAIM, 6, SAMPLES("server_rss_kib = server_rss_kib + 32769", "sample_index >= 3"),
         CLAIM_REFUTED, NULL, 0},
        {CLAIM ", growth: 1MiB", 6,
         SAMPLES("server_rss_kib = server_rss_kib + 1025", "sample_index >= 3"), CLAIM_REFUTED,
         NULL, 6},
        /* as much as it likes while the flood lasts, and again only for good */
        {CLAIM, 6, SAMPLES("server_rss_kib = server_rss_kib + 99999", "sample_index IN (1, 2)"),
         CLAIM_SUPPORTED, NULL, 6},
        {CLAIM ", at_most: 1500ms", 6,
         SAMPLES("server_thread_count = server_thread_count + 99", "sample_index IN (3, 4)"),
         CLAIM_SUPPORTED, NULL, 6},
        {CLAIM ", at_most: 1499ms", 6,
         SAMPLES("server_thread_count = server_thread_count + 99", "sample_index IN (3, 4)"),
         CLAIM_REFUTED, NULL, 6},
        {CLAIM, 6, SAMPLES("server_thread_count = server_thread_count + 99", "sample_index = 6"),
         CLAIM_REFUTED, NULL, 0},
        {CLAIM, 6, SAMPLES("server_thread_count = server_thread_count + 4", "sample_index >= 3"),
         CLAIM_SUPPORTED, NULL, 6},
        {CLAIM, 6, SAMPLES("server_thread_count = server_thread_count + 5", "sample_index >= 3"),
         CLAIM_REFUTED, NULL, 0},
        {CLAIM, 6, SAMPLES("server_fd_count = server_fd_count + 4", "sample_index >= 3"),
         CLAIM_SUPPORTED, NULL, 6},
        {CLAIM, 6, SAMPLES("server_fd_count = server_fd_count + 5", "sample_index >= 3"),
         CLAIM_REFUTED, NULL, 0},
        /* what is not known is not claimed */
        {CLAIM, 6, SAMPLES("server_fd_count = NULL", "sample_index >= 3"), CLAIM_INCONCLUSIVE,
         "could not be read", 0},
        {CLAIM, 6, SAMPLES("server_rss_kib = NULL", "sample_index = 0"), CLAIM_INCONCLUSIVE,
         "could not be read", 0},
        {CLAIM, 6,
         "UPDATE trial SET state = 'crashed' WHERE trial_id = (SELECT min(trial_id) FROM trial "
         "WHERE trial_id IN " OF("epoll") ")",
         CLAIM_REFUTED, "the server ended", 5},
        {"{ id: C, recovers: nobody", 6, "", CLAIM_INCONCLUSIVE, NULL, 6},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results = NULL;
        struct err e = {0};

        session_make(rows[i].block_count, rows[i].claim, rows[i].sql);
        cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
        struct analysis *analysis = session_analyse(results);

        cr_assert_eq(analysis->claim_count, 1, "row %zu: %s", i, analysis->claims_problem);
        const struct claim_result *claim = &analysis->claims[0];
        const char *reason = claim->part_count ? claim->parts[0].reason : NULL;

        cr_expect_eq(claim->word, rows[i].word, "row %zu: %s", i, claim_word_names[claim->word]);
        cr_expect(rows[i].reason ? reason && strstr(reason, rows[i].reason) : !reason,
                  "row %zu: %s", i, reason);
        cr_assert_eq(analysis->recovery_count, 3, "row %zu: %zu", i, analysis->recovery_count);
        cr_expect_str_eq(results->engines[analysis->recoveries[0].engine_index].name, "epoll");
        cr_expect_eq(analysis->recoveries[0].recovered_count, rows[i].recovered_count,
                     "row %zu: %zu", i, analysis->recoveries[0].recovered_count);
        cr_expect_eq(analysis->recoveries[1].recovered_count, rows[i].block_count, "row %zu", i);
        session_discard(analysis, results);
    }
}

/* Nothing of a flood is throughput: no row, no comparison, no errors, no Little's law. */
Test(recovery, has_no_part_in_what_is_compared)
{
    struct results *results = NULL;
    struct err e = {0};

    session_make(
        6, CLAIM,
        SAMPLES("fault_count = 5000", "sample_index = 2") "INSERT INTO outcome SELECT trial_id, 2, "
                                                          "'timeout', 5000 FROM trial WHERE "
                                                          "trial_id IN " OF("epoll"));
    cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
    struct analysis *analysis = session_analyse(results);

    for (size_t i = 0; i < analysis->row_count; i++) {
        cr_expect_not(recovery_is_flood(results, analysis->rows[i].cell_index));
    }
    for (size_t i = 0; i < results->trial_count; i++) {
        cr_expect(!recovery_is_flood(results, results->trials[i].cell_index) ||
                      analysis->trials[i].finding_count == 0,
                  "trial %zu", i);
    }
    session_discard(analysis, results);
}
