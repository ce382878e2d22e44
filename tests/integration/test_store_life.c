// SPDX-License-Identifier: Apache-2.0
// The results file under a hard life: killed writers, slow disks, readers that stay.
#include <criterion/criterion.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "engines/base/rng.h"
#include "tests/support/store_fixture.h"

#define KILL_COUNT 24

static void sleep_ns(int64_t ns)
{
    const struct clock *clock = clock_system();

    clock->sleep_until_ns(clock->self, clock_now_ns(clock) + ns);
}

/* Writes trials of 20 samples as fast as it can until it is killed. */
static _Noreturn void writer_child(struct store_fixture *fixture)
{
    struct err e = {0};
    static const struct store_trial_end end = {.state = "finished", .ended_utc_ns = 1};
    enum err_code code = store_fixture_begin(fixture, &e);

    for (int64_t trial = 1; code == ERR_OK; trial++) {
        for (uint32_t index = 0; index < 20 && code == ERR_OK; index++) {
            struct sample sample;

            store_fixture_sample(index, 2000, &sample);
            code = store_queue_sample(fixture->store, fixture->trial_id, &sample, &e);
        }
        if (code == ERR_OK) {
            code = store_end_trial(fixture->store, fixture->trial_id, &end, &e);
        }
        if (code == ERR_OK) {
            code = store_fixture_add_trial(fixture, trial, &e);
        }
    }
    _exit(1);
}

static void writer_kill(struct store_fixture *fixture, int64_t after_ns)
{
    int status = 0;
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        writer_child(fixture);
    }
    sleep_ns(after_ns);
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_expect(WIFSIGNALED(status), "it wrote until it was killed");
}

static const char *query(const struct store_fixture *fixture, const char *sql)
{
    return store_fixture_query(fixture->path, sql);
}

/* D06: the moments lie from before the first byte is written to some hundred trials later. */
Test(store_life, a_writer_killed_at_any_moment_leaves_a_sound_file, .timeout = 120)
{
    struct store_fixture fixture;
    struct rng rng;
    size_t made_count = 0;

    store_fixture_init(&fixture);
    rng_init(&rng, 6);
    for (size_t i = 0; i < KILL_COUNT; i++) {
        struct store *store = NULL;
        struct err e = {0};

        /* Half of them within 20 ms, where files are made, checked and put right. */
        writer_kill(&fixture, (int64_t)rng_below(&rng, i % 2 ? 20000000 : 150000000));
        if (!fs_exists(fixture.path)) {
            continue;
        }
        made_count++;
        cr_expect_str_eq(query(&fixture, "PRAGMA integrity_check"), "ok\n", "kill %zu: %s", i,
                         store_fixture_query(fixture.path, "PRAGMA integrity_check"));
        cr_assert_eq(store_open(fixture.path, &store, &e), ERR_OK, "kill %zu: %s", i, e.text);
        cr_expect_eq(store_close(store, &e), ERR_OK);
        cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM session WHERE state != 'aborted'"),
                         "0\n");
        cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM trial WHERE state = 'running'"),
                         "0\n");
        /* A finished trial has all its samples, every other one the first of them. */
        cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM trial WHERE state = 'finished' AND "
                                         "(SELECT count(*) FROM sample WHERE sample.trial_id = "
                                         "trial.trial_id) != 20"),
                         "0\n");
        cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM (SELECT max(sample_index) + 1 - "
                                         "count(*) AS missing FROM sample GROUP BY trial_id) "
                                         "WHERE missing != 0"),
                         "0\n");
    }
    cr_expect_geq(made_count, KILL_COUNT / 2);
    cr_expect_str_neq(query(&fixture, "SELECT count(*) FROM trial WHERE state = 'finished'"),
                      "0\n");
    store_fixture_release(&fixture);
}

static sqlite3 *other_open(const struct store_fixture *fixture, const char *sql)
{
    sqlite3 *db = NULL;

    cr_assert_eq(sqlite3_open(fixture->path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    return db;
}

/* Queues samples for duration_ns, one every 20 ms; returns the longest call. */
static int64_t samples_queue(struct store_fixture *fixture, int64_t duration_ns,
                             uint32_t *count_out)
{
    int64_t start_ns = clock_monotonic_ns();
    int64_t longest_ns = 0;
    uint32_t count = 0;

    while (clock_monotonic_ns() - start_ns < duration_ns) {
        struct sample sample;
        struct err e = {0};

        store_fixture_sample(count++, 2000, &sample);
        int64_t before_wall_ns = clock_monotonic_ns();
        cr_assert_eq(store_queue_sample(fixture->store, fixture->trial_id, &sample, &e), ERR_OK,
                     "%s", e.text);
        int64_t wall_ns = clock_monotonic_ns() - before_wall_ns;
        longest_ns = wall_ns > longest_ns ? wall_ns : longest_ns;
        sleep_ns(20 * CLOCK_NS_PER_MS);
    }
    *count_out = count;
    return longest_ns;
}

/* A disk that stands still for 2 s: here another connection that holds the write lock. */
Test(store_life, a_slow_disk_delays_no_sample_and_loses_none, .timeout = 60)
{
    struct store_fixture fixture;
    struct err e = {0};
    static const struct store_trial_end end = {.state = "finished", .ended_utc_ns = 1};
    uint32_t count = 0;
    char want[32];

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    sqlite3 *other = other_open(&fixture, "BEGIN IMMEDIATE");
    int64_t longest_ns = samples_queue(&fixture, 2 * CLOCK_NS_PER_S, &count);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "0\n", "it did stand still");
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    cr_expect_lt(longest_ns, 5 * CLOCK_NS_PER_MS, "%lld ns", (long long)longest_ns);
    cr_expect_eq(store_end_trial(fixture.store, fixture.trial_id, &end, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    snprintf(want, sizeof(want), "%u\n", count);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), want);
    cr_expect_gt(count, 20);
    store_fixture_release(&fixture);
}

/* D01: a report that is being made meanwhile. */
Test(store_life, a_reader_inside_a_transaction_does_not_stall_the_writer, .timeout = 60)
{
    struct store_fixture fixture;
    struct err e = {0};
    char path[128];
    struct store *store = NULL;

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    sqlite3 *reader = other_open(&fixture, "BEGIN; SELECT count(*) FROM sample");
    for (uint32_t index = 0; index < 2000; index++) {
        struct sample sample;

        store_fixture_sample(index, 4000, &sample);
        cr_assert_eq(store_queue_sample(fixture.store, fixture.trial_id, &sample, &e), ERR_OK);
    }
    int64_t before_ns = clock_monotonic_ns();
    cr_expect_eq(store_add_fact(fixture.store, fixture.session_id, "end", "a", "b", &e), ERR_OK);
    cr_expect_lt(clock_monotonic_ns() - before_ns, 20 * CLOCK_NS_PER_S);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "2000\n");

    /* The log is the reader's as long as it reads; with its end the file is one again. */
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "2000\n");
    sqlite3_close(reader);
    cr_assert_eq(store_open(fixture.path, &store, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_close(store, &e), ERR_OK);
    snprintf(path, sizeof(path), "%s-wal", fixture.path);
    cr_expect_not(fs_exists(path));
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM sample"), "2000\n");
    store_fixture_release(&fixture);
}

/* One of four writers of a file: comes until it is let in, and leaves a session of 25 samples. */
static _Noreturn void turn_take(struct store_fixture *fixture)
{
    static const struct store_trial_end end = {.state = "finished", .ended_utc_ns = 1};
    const int64_t start_ns = clock_monotonic_ns();
    struct err e = {0};

    while (store_fixture_begin(fixture, &e) != ERR_OK) {
        if (!strstr(e.text, "in use by another writer") ||
            clock_monotonic_ns() - start_ns > 20 * CLOCK_NS_PER_S) {
            fprintf(stderr, "%s\n", e.text);
            _exit(1);
        }
        sleep_ns(5 * CLOCK_NS_PER_MS);
    }
    for (uint32_t index = 0; index < 25; index++) {
        struct sample sample;

        store_fixture_sample(index, 2000, &sample);
        if (store_queue_sample(fixture->store, fixture->trial_id, &sample, &e) != ERR_OK) {
            _exit(2);
        }
        sleep_ns(4 * CLOCK_NS_PER_MS);
    }
    _exit(store_end_trial(fixture->store, fixture->trial_id, &end, &e) == ERR_OK &&
                  store_close(fixture->store, &e) == ERR_OK
              ? 0
              : 3);
}

/* D01: four at once, and a report in a loop. No BUSY reaches a writer that was let in. */
Test(store_life, four_writers_take_turns_and_lose_nothing, .timeout = 60)
{
    struct store_fixture fixture;
    struct err e = {0};
    int status = 0;
    int ended_count = 0;
    int read_count = 0;

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();

        cr_assert_geq(pid, 0);
        if (pid == 0) {
            turn_take(&fixture);
        }
    }
    while (ended_count < 4) {
        sqlite3_close(other_open(&fixture, "SELECT count(*) FROM sample"));
        read_count++;
        if (waitpid(-1, &status, WNOHANG) > 0) {
            cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
            ended_count++;
        }
        sleep_ns(2 * CLOCK_NS_PER_MS);
    }
    cr_expect_gt(read_count, 20);
    cr_expect_str_eq(query(&fixture, "PRAGMA integrity_check"), "ok\n");
    cr_expect_str_eq(query(&fixture, "SELECT count(*), count(DISTINCT trial_id) FROM sample"),
                     "100|4\n");
    cr_expect_str_eq(query(&fixture, "SELECT count(*) FROM trial WHERE state = 'finished'"), "4\n");
    store_fixture_release(&fixture);
}
