// SPDX-License-Identifier: Apache-2.0
// Groups of ties in a session, and the exploratory comparisons.
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/session_fixture.h"

TestSuite(groups, .init = session_folder_make, .fini = session_folder_remove);

/* epoll is another one than the two of one speed, which are not told apart: 3 pairs, 8 blocks, 3 ·
 * 2/2^8 = 0.023. In 6 blocks 3 · 2/2^6 = 0.094 could tell
 * nobody apart: no letters. */
Test(groups, of_ties_share_a_letter)
{
    static const struct {
        uint32_t block_count;
        unsigned faults;
        const char *sql, *epoll, *blocking;
    } rows[] = {
        {8, 0, "", "a", "b"},
        {6, 0, "", "", ""},
        {5, 0, "", "", ""},
        {8, RESULTS_BUILDER_FOREIGN_CPU, "", "", ""},
        {8, 0, "INSERT INTO fact VALUES (1, 'start', 'session.mode', 'quick')", "", ""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct results *results = NULL;
        struct err e;

        results_builder_make(&(struct results_builder){.block_count = rows[i].block_count,
                                                       .trial_noise = 0.002,
                                                       .faults = rows[i].faults},
                             session_path);
        results_builder_alter(session_path, "UPDATE engine SET role = 'subject' WHERE role = 'aa'");
        results_builder_alter(session_path, rows[i].sql);
        cr_assert_eq(results_load(session_path, true, &results, &e), ERR_OK, "%s", e.text);
        struct analysis *analysis = session_analyse(results);
        cr_expect_str_eq(analysis_find_row(analysis, "epoll")->letters, rows[i].epoll, "row %zu",
                         i);
        cr_expect_str_eq(analysis_find_row(analysis, "blocking")->letters, rows[i].blocking,
                         "row %zu", i);
        cr_expect_str_eq(analysis_find_row(analysis, "blocking (A/A)")->letters, rows[i].blocking,
                         "row %zu", i);
        cr_expect_str_eq(analysis_find_row(analysis, "limit")->letters, "", "row %zu", i);
        /* Two subjects' p50, p99, CPU and memory; the raw p is 2/2^n for all that clearly differ.
         */
        for (size_t k = 0; k < analysis->secondary_count; k++) {
            const struct secondary *secondary = &analysis->secondaries[k];
            bool is_epoll = strcmp(results->engines[secondary->engine_index].name, "epoll") == 0;

            cr_expect_eq(secondary->is_found, i == 0 && is_epoll, "row %zu: %zu", i, k);
            cr_expect(i != 0 || !is_epoll || secondary->q == 0.015625);
        }
        cr_expect_eq(analysis->secondary_count, rows[i].block_count > 5 && !rows[i].faults ? 8 : 0,
                     "row %zu: %zu", i, analysis->secondary_count);
        session_discard(analysis, results);
    }
}
