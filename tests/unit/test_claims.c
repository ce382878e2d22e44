// SPDX-License-Identifier: Apache-2.0
// Claims against sessions whose truth is known: every kind, every word, every reason.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/judge/analysis.h"
#include "tests/support/session_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

TestSuite(claims, .init = session_folder_make, .fini = session_folder_remove);

/* The analysis of the file with these claims as its plan. */
static struct analysis *analyse(const char *claims, struct results **results_out)
{
    char sql[1024];
    struct analysis *analysis = NULL;
    struct err e = {0};

    snprintf(sql, sizeof(sql), "UPDATE session SET plan_text = 'claims: [%s]'", claims);
    results_builder_alter(session_path, sql);
    cr_assert_eq(results_load(session_path, true, results_out, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(*results_out, &analysis, &e), ERR_OK, "%s", e.text);
    return analysis;
}

/* One claim with its part, as it must be judged. */
static void check_claim(const struct analysis *analysis, enum claim_word word, const char *reason,
                        size_t part_count, size_t row)
{
    cr_assert_eq(analysis->claim_count, 1, "row %zu: %s", row, analysis->claims_problem);
    const struct claim_result *result = &analysis->claims[0];
    const char *have = result->part_count ? result->parts[0].reason : NULL;

    cr_expect_eq(result->word, word, "row %zu: %s", row, claim_word_names[result->word]);
    cr_expect_eq(result->part_count, part_count, "row %zu: %zu parts", row, result->part_count);
    cr_expect(reason ? have && strstr(have, reason) : !have, "row %zu: %s", row,
              have ? have : "no reason");
}

#define RATIO(metric) "{ id: C, ratio: " metric ", of: epoll, over: blocking, "
#define BOUND(metric) "{ id: C, bound: " metric ", of: epoll, "
#define LEVEL(value)  "{ id: C, level: throughput, of: epoll, value: " value

/* The builder's truth: epoll 52000/s, blocking 31000/s, noise 1 %; 1.8 MiB against 5.1 MiB. */
Test(claims, of_every_kind_get_the_right_word)
{
    static const struct {
        const char *claim;
        enum claim_word word;
        const char *reason; /* part of it; NULL: none */
        size_t parts;
    } rows[] = {
        {RATIO("throughput") "at_least: 1.5 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("throughput") "at_least: 1.9 }", CLAIM_REFUTED, NULL, 1},
        {RATIO("throughput") "at_least: 1.68 }", CLAIM_INCONCLUSIVE, "holds a limit", 1},
        {RATIO("throughput") "at_most: 1.9 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("throughput") "at_least: 1.5, at_most: 1.9 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("throughput") "at_least: 1.8, at_most: 1.9 }", CLAIM_REFUTED, NULL, 1},
        {RATIO("server_cpu") "at_most: 0.7 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("rss") "at_most: 0.5 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("p50") "at_most: 1 }", CLAIM_SUPPORTED, NULL, 1},
        {RATIO("p999") "at_most: 1 }", CLAIM_INCONCLUSIVE, "not known", 1},
        {"{ id: C, order: throughput, engines: [epoll, blocking] }", CLAIM_SUPPORTED, NULL, 1},
        {"{ id: C, order: throughput, engines: [blocking, epoll] }", CLAIM_REFUTED, NULL, 1},
        {"{ id: C, order: server_cpu, engines: [epoll, blocking] }", CLAIM_SUPPORTED, NULL, 1},
        {"{ id: C, order: rss, engines: [blocking, epoll] }", CLAIM_REFUTED, NULL, 1},
        {BOUND("throughput") "at_least: 45000/s }", CLAIM_SUPPORTED, NULL, 1},
        {BOUND("throughput") "at_most: 45000/s }", CLAIM_REFUTED, NULL, 1},
        {BOUND("p99") "at_most: 1s }", CLAIM_SUPPORTED, NULL, 1},
        {BOUND("rss") "at_most: 2MiB }", CLAIM_SUPPORTED, NULL, 1},
        {BOUND("rss") "at_most: 1MiB }", CLAIM_REFUTED, NULL, 1},
        {LEVEL("52000/s, within: 10% }"), CLAIM_SUPPORTED, NULL, 1},
        {LEVEL("40000/s, within: 10% }"), CLAIM_REFUTED, NULL, 1},
        {LEVEL("52000/s, within: 0.01% }"), CLAIM_INCONCLUSIVE, "holds a limit", 1},
        {"{ id: C, no_errors: true, of: epoll }", CLAIM_SUPPORTED, NULL, 1},
        {"{ id: C, no_errors: true }", CLAIM_SUPPORTED, NULL, 3},
        {"{ id: C, no_errors: true, workload: ping, connections: 125 }", CLAIM_SUPPORTED, NULL, 3},
        /* What the session does not have. */
        {"{ id: C, no_errors: true, workload: other }", CLAIM_INCONCLUSIVE, NULL, 0},
        {"{ id: C, no_errors: true, connections: 7 }", CLAIM_INCONCLUSIVE, NULL, 0},
        {"{ id: C, order: rss, engines: [epoll, blocking, other] }", CLAIM_INCONCLUSIVE, NULL, 1},
        {"{ id: C, order: rss, engines: [blocking, epoll, other] }", CLAIM_REFUTED, NULL, 1},
    };

    results_builder_make(&(struct results_builder){.block_count = 8}, session_path);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct results *results = NULL;
        struct analysis *analysis = analyse(rows[i].claim, &results);

        check_claim(analysis, rows[i].word, rows[i].reason, rows[i].parts, i);
        cr_expect_str_eq(analysis_word(analysis), claim_word_names[rows[i].word]);
        analysis_free(analysis);
        results_free(results);
    }
}

#define NO_ERRORS(of) "{ id: C, no_errors: true, of: " of " }"

/* One answer of blocking's first trial is another one. */
#define ONE_5XX                                                                                    \
    "CREATE TEMP TABLE one AS SELECT min(trial_id) AS id FROM trial JOIN engine USING "            \
    "(engine_id) WHERE name = 'blocking';"                                                         \
    "INSERT INTO outcome SELECT id, 2, 'http_5xx', 1 FROM one;"                                    \
    "UPDATE sample SET http_error_count = 1 WHERE sample_index = 2 AND trial_id = (SELECT id "     \
    "FROM "                                                                                        \
    "one);"

/* Requests of blocking's first trial that the client could not even try: no fault of the server. */
#define NO_PORTS                                                                                   \
    "CREATE TEMP TABLE one AS SELECT min(trial_id) AS id FROM trial JOIN engine USING "            \
    "(engine_id) WHERE name = 'blocking';"                                                         \
    "INSERT INTO outcome SELECT id, 2, 'connect_no_port', 9 FROM one;"                             \
    "UPDATE sample SET fault_count = 9 WHERE sample_index = 2 AND trial_id = (SELECT id FROM "     \
    "one);"

Test(claims, depend_on_the_session)
{
    static const char good[] = RATIO("throughput") "at_least: 1.5 }";
    static const struct {
        const char *claim;
        uint32_t block_count;
        unsigned faults;
        const char *sql; /* done to the file; NULL: nothing */
        enum claim_word word;
        const char *reason, *last_word;
    } rows[] = {
        {good, 6, 0, NULL, CLAIM_SUPPORTED, NULL, "SUPPORTED"},
        {good, 6, 0, "INSERT INTO fact VALUES (1, 'start', 'session.mode', 'quick')",
         CLAIM_INCONCLUSIVE, "descriptive only", "INCONCLUSIVE"},
        {good, 5, 0, NULL, CLAIM_INCONCLUSIVE, "fewer than 6", "INCONCLUSIVE"},
        {good, 8, RESULTS_BUILDER_FOREIGN_CPU, NULL, CLAIM_INCONCLUSIVE, "not fit", "UNFIT"},
        {good, 8, RESULTS_BUILDER_NOTHING, NULL, CLAIM_INCONCLUSIVE, "nothing was measured",
         "NOTHING MEASURED"},
        {NO_ERRORS("epoll"), 8, RESULTS_BUILDER_CRASHED, NULL, CLAIM_REFUTED, "the server ended",
         "REFUTED"},
        {NO_ERRORS("blocking"), 8, 0, ONE_5XX, CLAIM_REFUTED, NULL, "REFUTED"},
        {NO_ERRORS("blocking"), 8, 0, NO_PORTS, CLAIM_INCONCLUSIVE, "the client had no",
         "INCONCLUSIVE"},
        /* Equal to the last digit is not better: every trial of both has the same peak. */
        {"{ id: C, order: rss, engines: [epoll, blocking] }", 8, 0,
         "UPDATE sample SET server_rss_kib = 4096", CLAIM_INCONCLUSIVE, "holds a limit",
         "INCONCLUSIVE"},
        {RATIO("rss") "at_most: 1 }", 8, 0, "UPDATE sample SET server_rss_kib = 4096",
         CLAIM_SUPPORTED, NULL, "SUPPORTED"},
        {NO_ERRORS("epoll"), 5, 0, NULL, CLAIM_INCONCLUSIVE, "fewer than 6", "INCONCLUSIVE"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct results *results = NULL;

        results_builder_make(
            &(struct results_builder){.block_count = rows[i].block_count, .faults = rows[i].faults},
            session_path);
        if (rows[i].sql) {
            results_builder_alter(session_path, rows[i].sql);
        }
        struct analysis *analysis = analyse(rows[i].claim, &results);

        check_claim(analysis, rows[i].word, rows[i].reason, 1, i);
        cr_expect_str_eq(analysis_word(analysis), rows[i].last_word, "row %zu: %s", i,
                         analysis_word(analysis));
        analysis_free(analysis);
        results_free(results);
    }
}

/* No failure in N requests is compatible with a share of 1 − 0.025^(1/N). */
Test(claims, no_errors_tells_what_the_count_can_carry)
{
    struct results *results = NULL;

    results_builder_make(&(struct results_builder){.block_count = 6}, session_path);
    struct analysis *analysis = analyse(NO_ERRORS("epoll"), &results);
    const struct estimate *share = &analysis->claims[0].parts[0].estimate;
    uint64_t requests = 0;

    for (size_t i = 0; i < results->trial_count; i++) {
        if (strcmp(results->engines[results->trials[i].engine_index].name, "epoll") == 0) {
            requests += analysis->trials[i].outcomes[OUTCOME_OK];
        }
    }
    cr_expect_eq(share->value, 0);
    cr_expect_eq(share->low, 0);
    cr_expect_float_eq(share->high, 1 - pow(0.025, 1 / (double)requests), 1e-12);
    cr_expect_eq(share->count, 6);
    analysis_free(analysis);
    results_free(results);
}

/* Refuted before open, open before supported. A text that is no plan has no claims, and says so. */
Test(claims, together_have_the_worst_word)
{
    static const struct {
        const char *claims, *word;
    } rows[] = {
        {"{ id: A, no_errors: true }, { id: B, bound: rss, of: epoll, at_most: 2MiB }",
         "SUPPORTED"},
        {"{ id: A, no_errors: true }, { id: B, no_errors: true, workload: x }", "INCONCLUSIVE"},
        {"{ id: A, no_errors: true, workload: x }, { id: B, bound: rss, of: epoll, at_most: 1MiB }",
         "REFUTED"},
        {"{ id: A }", "VALID WITH WARNINGS"},
        {"", "VALID WITH WARNINGS"},
    };

    results_builder_make(&(struct results_builder){.block_count = 6}, session_path);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct results *results = NULL;
        struct analysis *analysis = analyse(rows[i].claims, &results);

        cr_expect_str_eq(analysis_word(analysis), rows[i].word, "row %zu: %s", i,
                         analysis_word(analysis));
        cr_expect_eq(*analysis->claims_problem != 0, i == 3, "row %zu: %s", i,
                     analysis->claims_problem);
        analysis_free(analysis);
        results_free(results);
    }
}
