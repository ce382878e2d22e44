// SPDX-License-Identifier: Apache-2.0
// Published claims against a session that was run again: every word, and what decides it.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/fs.h"
#include "report/judge/replication.h"
#include "tests/support/results_builder.h"

#define S CLAIM_SUPPORTED
#define R CLAIM_REFUTED
#define I CLAIM_INCONCLUSIVE

/* The margin is 10 %: 1/1.1 = 0.9091 … 1.1. */
Test(replication, decides_by_intervals)
{
    static const struct {
        enum plan_claim_kind kind;
        enum claim_word published, here;
        size_t published_count, here_count;
        double low, high;
        bool other_class, is_quick, unfit_there, unfit_here;
        enum replication_word word;
        const char *reason; /* part of it; NULL: none */
    } rows[] = {
        {PLAN_CLAIM_RATIO, S, S, 10, 10, 0.95, 1.05, .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.9092, 1.0999, .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.9090, 1.05, .word = REPLICATION_INCONCLUSIVE,
         .reason = "holds a limit"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.95, 1.1001, .word = REPLICATION_INCONCLUSIVE,
         .reason = "holds a limit"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.5, 2, .word = REPLICATION_INCONCLUSIVE,
         .reason = "holds a limit"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.75, 0.79, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "limit holds here too"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 1.11, 1.2, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "limit holds here too"},
        {PLAN_CLAIM_RATIO, S, I, 6, 6, 0.75, 0.79, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "another one"},
        {PLAN_CLAIM_RATIO, S, R, 6, 6, 0.95, 1.05, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "refuted here"},
        {PLAN_CLAIM_RATIO, S, I, 6, 6, 0.95, 1.05, .word = REPLICATION_INCONCLUSIVE,
         .reason = "why"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, NAN, NAN, .word = REPLICATION_INCONCLUSIVE,
         .reason = "holds a limit"},
        {PLAN_CLAIM_RATIO, S, S, 10, 5, 0.95, 1.05, .word = REPLICATION_INCONCLUSIVE,
         .reason = "fewer than 6 trials were counted here"},
        {PLAN_CLAIM_RATIO, S, S, 2, 10, 0.95, 1.05, .word = REPLICATION_INCONCLUSIVE,
         .reason = "in the published session"},
        {PLAN_CLAIM_RATIO, I, S, 6, 6, 0.95, 1.05, .word = REPLICATION_INCONCLUSIVE,
         .reason = "did not support it itself"},
        {PLAN_CLAIM_RATIO, R, R, 6, 6, 0.95, 1.05, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "as by the published session"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.95, 1.05, .other_class = true,
         .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.75, 0.79, .is_quick = true,
         .word = REPLICATION_INCONCLUSIVE, .reason = "quick"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.75, 0.79, .unfit_here = true,
         .word = REPLICATION_INCONCLUSIVE, .reason = "here was not fit"},
        {PLAN_CLAIM_RATIO, S, S, 6, 6, 0.75, 0.79, .unfit_there = true,
         .word = REPLICATION_INCONCLUSIVE, .reason = "published session was not fit"},
        {PLAN_CLAIM_ORDER, S, S, 6, 6, NAN, NAN, .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_ORDER, S, R, 6, 6, NAN, NAN, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "refuted here"},
        {PLAN_CLAIM_ORDER, S, I, 6, 6, NAN, NAN, .word = REPLICATION_INCONCLUSIVE, .reason = "why"},
        {PLAN_CLAIM_ORDER, S, S, 6, 6, NAN, NAN, .other_class = true,
         .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_LEVEL, S, S, 6, 6, NAN, NAN, .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_LEVEL, S, R, 6, 6, NAN, NAN, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "refuted here"},
        {PLAN_CLAIM_LEVEL, S, R, 6, 6, NAN, NAN, .other_class = true,
         .word = REPLICATION_NOT_COMPARABLE, .reason = "another class"},
        {PLAN_CLAIM_BOUND, S, S, 6, 6, NAN, NAN, .other_class = true,
         .word = REPLICATION_NOT_COMPARABLE, .reason = "another class"},
        {PLAN_CLAIM_BOUND, S, S, 6, 6, NAN, NAN, .word = REPLICATION_REPRODUCED},
        {PLAN_CLAIM_NO_ERRORS, S, S, 6, 6, NAN, NAN, .other_class = true,
         .word = REPLICATION_REPRODUCED},
        /* One failure is enough, however few the trials. */
        {PLAN_CLAIM_NO_ERRORS, S, R, 2, 2, NAN, NAN, .word = REPLICATION_NOT_REPRODUCED,
         .reason = "refuted here"},
        {PLAN_CLAIM_NO_ERRORS, S, S, 6, 2, NAN, NAN, .word = REPLICATION_INCONCLUSIVE,
         .reason = "fewer than 6"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct replication_evidence evidence = {.kind = rows[i].kind,
                                                      .published = rows[i].published,
                                                      .here = rows[i].here,
                                                      .here_reason = "why",
                                                      .published_count = rows[i].published_count,
                                                      .here_count = rows[i].here_count,
                                                      .change_low = rows[i].low,
                                                      .change_high = rows[i].high,
                                                      .same_class = !rows[i].other_class,
                                                      .is_quick = rows[i].is_quick,
                                                      .published_is_fit = !rows[i].unfit_there,
                                                      .here_is_fit = !rows[i].unfit_here};
        const char *reason = "untouched";
        enum replication_word word = replication_decide(&evidence, &reason);

        cr_expect_eq(word, rows[i].word, "row %zu: %s", i, replication_word_names[word]);
        cr_expect(rows[i].reason ? reason && strstr(reason, rows[i].reason) : !reason,
                  "row %zu: %s", i, reason ? reason : "no reason");
    }
}

Test(replication, of_all_claims_is_one_word)
{
    static const struct {
        size_t reproduced, refused, open, incomparable;
        enum replication_word of_parts, of_claims;
    } rows[] = {
        {3, 0, 0, 0, REPLICATION_REPRODUCED, REPLICATION_REPRODUCED},
        {3, 0, 0, 2, REPLICATION_REPRODUCED, REPLICATION_REPRODUCED},
        {2, 1, 0, 0, REPLICATION_NOT_REPRODUCED, REPLICATION_PARTIAL},
        {2, 0, 1, 0, REPLICATION_INCONCLUSIVE, REPLICATION_PARTIAL},
        {0, 1, 1, 1, REPLICATION_NOT_REPRODUCED, REPLICATION_NOT_REPRODUCED},
        {0, 0, 1, 1, REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE},
        {0, 0, 0, 1, REPLICATION_NOT_COMPARABLE, REPLICATION_NOT_COMPARABLE},
        {0, 0, 0, 0, REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const size_t counts[REPLICATION_WORD_COUNT] = {
            [REPLICATION_REPRODUCED] = rows[i].reproduced,
            [REPLICATION_NOT_REPRODUCED] = rows[i].refused,
            [REPLICATION_INCONCLUSIVE] = rows[i].open,
            [REPLICATION_NOT_COMPARABLE] = rows[i].incomparable};

        cr_expect_eq(replication_summarise(counts, false), rows[i].of_parts, "row %zu", i);
        cr_expect_eq(replication_summarise(counts, true), rows[i].of_claims, "row %zu", i);
    }
}

/* --- sessions of known truth --- */

static char folder[] = "/tmp/tacho-replication-XXXXXX";

struct sitting {
    char path[96];
    struct results *results;
    struct analysis *analysis;
};

static void sitting_make(const char *name, const struct results_builder *builder,
                         struct sitting *sitting)
{
    struct err e = {0};

    snprintf(sitting->path, sizeof(sitting->path), "%s/%s.db", folder, name);
    results_builder_make(builder, sitting->path);
    results_builder_alter(
        sitting->path,
        "UPDATE session SET plan_text = 'claims: [{ id: C1, ratio: throughput, of: epoll, over: "
        "blocking, at_least: 1.1 }, { id: C2, order: throughput, engines: [epoll, blocking] }, "
        "{ id: C3, level: throughput, of: blocking, value: 31000/s, within: 20% }]'");
    cr_assert_eq(results_load(sitting->path, true, &sitting->results, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(analysis_make(sitting->results, &sitting->analysis, &e), ERR_OK, "%s", e.text);
}

static void sitting_release(struct sitting *sitting)
{
    analysis_free(sitting->analysis);
    results_free(sitting->results);
}

Test(replication, of_sessions_whose_truth_is_known)
{
    static const struct {
        struct results_builder here;
        struct replication_options options;
        enum replication_word claims[3], whole;
        double change; /* of C1's ratio; 0: not looked at */
    } rows[] = {
        {{.block_count = 8, .seed = 7},
         {.same_class = true},
         {REPLICATION_REPRODUCED, REPLICATION_REPRODUCED, REPLICATION_REPRODUCED},
         REPLICATION_REPRODUCED,
         1},
        /* A work 30 % longer: 52000/1.3 */
        {{.block_count = 8, .seed = 7, .epoll_per_s = 40000},
         {.same_class = true},
         {REPLICATION_NOT_REPRODUCED, REPLICATION_REPRODUCED, REPLICATION_REPRODUCED},
         REPLICATION_PARTIAL,
         40.0 / 52},
        {{.block_count = 8, .seed = 7, .epoll_per_s = 28000},
         {.same_class = true},
         {REPLICATION_NOT_REPRODUCED, REPLICATION_NOT_REPRODUCED, REPLICATION_REPRODUCED},
         REPLICATION_PARTIAL,
         28.0 / 52},
        /* Half as fast a machine: the ratio stays. */
        {{.block_count = 8, .seed = 7, .epoll_per_s = 26000, .blocking_per_s = 15500},
         {.same_class = false},
         {REPLICATION_REPRODUCED, REPLICATION_REPRODUCED, REPLICATION_NOT_COMPARABLE},
         REPLICATION_REPRODUCED,
         1},
        {{.block_count = 2, .seed = 7},
         {.same_class = true},
         {REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE},
         REPLICATION_INCONCLUSIVE,
         1},
        {{.block_count = 8, .seed = 7},
         {.same_class = true, .is_quick = true},
         {REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE},
         REPLICATION_INCONCLUSIVE,
         1},
        {{.block_count = 8, .seed = 7, .faults = RESULTS_BUILDER_NOTHING},
         {.same_class = true},
         {REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE, REPLICATION_INCONCLUSIVE},
         REPLICATION_INVALID,
         0},
        {{.block_count = 8, .seed = 7},
         {.same_class = true, .invalid_reason = "a wrong answer"},
         {REPLICATION_REPRODUCED, REPLICATION_REPRODUCED, REPLICATION_REPRODUCED},
         REPLICATION_INVALID,
         1},
    };
    struct sitting published;

    cr_assert(mkdtemp(folder));
    sitting_make("published", &(struct results_builder){.block_count = 8}, &published);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct replication replication;
        struct sitting here;
        struct err e;

        sitting_make("here", &rows[i].here, &here);
        cr_assert_eq(
            replication_make(published.analysis, here.analysis, &rows[i].options, &replication, &e),
            ERR_OK, "%s", e.text);
        cr_expect_eq(replication.word, rows[i].whole, "row %zu: %s", i,
                     replication_word_names[replication.word]);
        cr_assert_eq(replication.claim_count, 3);
        for (size_t j = 0; j < 3; j++) {
            cr_expect_eq(replication.claims[j].word, rows[i].claims[j], "row %zu, claim %zu: %s", i,
                         j, replication_word_names[replication.claims[j].word]);
        }
        const struct estimate *change = &replication.claims[0].parts[0].change;
        cr_expect(rows[i].change == 0 || fabs(change->value / rows[i].change - 1) < 0.03,
                  "row %zu: %g", i, change->value);
        cr_expect(rows[i].change == 0 ||
                  (change->low < change->value && change->value < change->high));
        replication_release(&replication);
        sitting_release(&here);
    }
    sitting_release(&published);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* A noise of 8 % leaves the interval on the limit; what is said then to be needed is more. */
Test(replication, that_is_open_says_how_many_trials_would_do)
{
    const struct replication_options options = {.same_class = true};
    struct replication replication;
    struct sitting published, here;
    struct err e;

    cr_assert(mkdtemp(folder));
    sitting_make("published", &(struct results_builder){.block_count = 20}, &published);
    sitting_make("here", &(struct results_builder){.block_count = 6, .trial_noise = 0.08}, &here);
    cr_assert_eq(replication_make(published.analysis, here.analysis, &options, &replication, &e),
                 ERR_OK);
    const struct replication_part *part = &replication.claims[0].parts[0];

    cr_expect_eq(part->word, REPLICATION_INCONCLUSIVE, "%s", replication_word_names[part->word]);
    cr_expect(part->trials_needed > 6 && part->trials_needed < 1000, "%g", part->trials_needed);
    replication_release(&replication);
    sitting_release(&here);
    sitting_release(&published);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}
