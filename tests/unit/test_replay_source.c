// SPDX-License-Identifier: Apache-2.0
// Recorded trials that are to be played again: found by what they measured, refused by one line.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/store/replay_source.h"
#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "tests/support/results_builder.h"

#define MS INT64_C(1000000)

static char folder[] = "/tmp/test-replay-XXXXXX";
static char path[64];

static void set_up(void)
{
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.db", folder);
}

static void tear_down(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(replay_source, .init = set_up, .fini = tear_down, .timeout = 60);

/* As tests/support/results_builder.h says what it makes. */
static const struct replay_key there = {"epoll", "ping", 125, 0, 1, ""};
static const struct grid grid = {500 * MS, 500 * MS, 3000 * MS};

static const struct {
    struct replay_key key;
    struct grid grid;
    enum err_code code;
    const char *part;
} rows[] = {
    {{"epoll", "ping", 125, 0, 1, ""}, {500 * MS, 500 * MS, 3000 * MS}, ERR_OK, ""},
    {{"blocking (A/A)", "ping", 125, 0, 0, ""}, {500 * MS, 500 * MS, 3000 * MS}, ERR_OK, ""},
    {{"pool", "ping", 125, 0, 1, ""},
     {500 * MS, 500 * MS, 3000 * MS},
     ERR_MISMATCH,
     "its newest session has no finished trial of pool in ping at 125 connections, block 1; "},
    {{"epoll", "pong", 125, 0, 1, ""}, {500 * MS, 500 * MS, 3000 * MS}, ERR_MISMATCH, "in pong at"},
    {{"epoll", "ping", 124, 0, 1, ""},
     {500 * MS, 500 * MS, 3000 * MS},
     ERR_MISMATCH,
     "at 124 connections"},
    {{"epoll", "ping", 125, 9, 1, ""},
     {500 * MS, 500 * MS, 3000 * MS},
     ERR_MISMATCH,
     "connections and that rate"},
    {{"epoll", "ping", 125, 0, 1, "1..2"},
     {500 * MS, 500 * MS, 3000 * MS},
     ERR_MISMATCH,
     "no finished trial of epoll"},
    {{"epoll", "ping", 125, 0, 2, ""}, {500 * MS, 500 * MS, 3000 * MS}, ERR_MISMATCH, "block 2"},
    {{"epoll", "ping", 125, 0, 1, ""},
     {500 * MS, 500 * MS, 2500 * MS},
     ERR_MISMATCH,
     "epoll in ping, block 1, has not the samples of this warmup, window and sample"},
    {{"epoll", "ping", 125, 0, 1, ""},
     {500 * MS, 0, 3500 * MS},
     ERR_MISMATCH,
     "has not the samples"},
    {{"epoll", "ping", 125, 0, 1, ""},
     {250 * MS, 500 * MS, 3000 * MS},
     ERR_MISMATCH,
     "has not the samples"},
};

Test(replay_source, finds_a_trial_by_engine_load_and_block_on_the_same_grid)
{
    struct replay_source *source = NULL;
    struct err e;

    results_builder_make(&(struct results_builder){.block_count = 2}, path);
    cr_assert_eq(replay_source_open(path, RESULTS_DB_WHOLE, &source, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct replay_trial *trial = NULL;

        cr_expect_eq(replay_source_load(source, &rows[i].key, &rows[i].grid, &trial, &e),
                     rows[i].code, "row %zu", i);
        if (rows[i].code != ERR_OK) {
            cr_expect(strstr(e.text, rows[i].part), "row %zu: %s", i, e.text);
            cr_expect_null(trial, "row %zu", i);
            continue;
        }
        cr_assert(trial, "row %zu", i);
        cr_expect_str_eq(trial->engine, rows[i].key.engine);
        cr_expect_eq(trial->sample_count, 1 + 6 + 1);
        cr_expect_gt(trial->samples[1].outcomes[OUTCOME_OK], 0);
        cr_expect_eq((int64_t)trial->samples[1].outcomes[OUTCOME_OK],
                     trial->samples[1].metrics[METRIC_ok_count]);
        cr_expect(trial->samples[1].histogram.bytes);
    }
    replay_source_close(source);
}

/* What was not finished, or was itself no measurement, is no trial to play. */
Test(replay_source, plays_neither_an_unfinished_trial_nor_another_drivers)
{
    static const char *const damage[] = {
        "UPDATE trial SET state = 'crashed', reason = 'x' WHERE block_index = 1",
        "UPDATE workload SET driver = 'replay'", "UPDATE workload SET driver = 'wrk'",
        "DELETE FROM outcome WHERE sample_index = 3; DELETE FROM sample WHERE sample_index = 3"};

    for (size_t i = 0; i < ARRAY_COUNT(damage); i++) {
        const struct replay_trial *trial = NULL;
        struct replay_source *source = NULL;
        struct err e;

        results_builder_make(&(struct results_builder){.block_count = 2}, path);
        results_builder_alter(path, damage[i]);
        cr_assert_eq(replay_source_open(path, RESULTS_DB_WHOLE, &source, &e), ERR_OK, "%s", e.text);
        cr_expect_eq(replay_source_load(source, &there, &grid, &trial, &e), ERR_MISMATCH, "row %zu",
                     i);
        replay_source_close(source);
    }
}

Test(replay_source, refuses_what_is_no_results_file)
{
    static const struct {
        const char *sql, *part;
    } files[] = {{"CREATE TABLE more (a)", "its schema is not that of a results file"},
                 {"PRAGMA application_id = 7", "not a results file"},
                 {NULL, "not a results file: no SQLite database"}};
    struct replay_source *source = NULL;
    struct err e;

    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        results_builder_make(&(struct results_builder){.block_count = 1}, path);
        if (files[i].sql) {
            results_builder_alter(path, files[i].sql);
        } else {
            char text[2048] = "no database";
            cr_assert_eq(fs_write_file(path, text, sizeof(text), &e), ERR_OK);
        }
        cr_expect_neq(replay_source_open(path, RESULTS_DB_WHOLE, &source, &e), ERR_OK);
        cr_expect(strstr(e.text, files[i].part), "%s", e.text);
        cr_expect_null(source);
    }
    unlink(path);
    cr_expect_eq(replay_source_open(path, RESULTS_DB_WHOLE, &source, &e), ERR_SYS);
}
