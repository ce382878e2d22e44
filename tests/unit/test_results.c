// SPDX-License-Identifier: Apache-2.0
// Loading of results files: whole ones, living ones, and what is refused.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/digest.h"
#include "collector/store/results_db.h"
#include "engines/base/fs.h"
#include "report/query/results.h"
#include "tests/support/session_fixture.h"

TestSuite(results, .init = session_folder_make, .fini = session_folder_remove);

static struct results *load(bool immutable)
{
    struct results *results = NULL;
    struct err e = {0};

    cr_assert_eq(results_load(session_path, immutable, &results, &e), ERR_OK, "%s", e.text);
    return results;
}

Test(results, loads_every_row_of_a_session)
{
    results_builder_make(&(struct results_builder){0}, session_path);
    struct results *results = load(false);

    cr_expect_str_eq(results->state, "finished");
    cr_expect_str_eq(results->title, "epoll against one thread per connection");
    cr_expect_eq(results->engine_count, 4);
    cr_expect_str_eq(results->engines[2].name, "blocking (A/A)");
    cr_expect_eq(results->workload_count, 2);
    cr_expect(results->workloads[0].is_calibration);
    cr_expect_eq(results->cell_count, 2);
    cr_expect_eq(results->cells[1].workload_index, 1);
    cr_expect_eq(results->cells[1].connection_count, 125);
    cr_expect_eq(results->trial_count, 20); /* 6 blocks of 3, limit twice */
    cr_expect_eq(results->trials[0].block_index, METRIC_UNKNOWN);
    cr_expect_eq(results->trials[1].block_index, 0);
    cr_expect_eq(results->event_count, 1);
    cr_expect_eq(results->events[0].trial_id, METRIC_UNKNOWN);
    cr_expect_str_eq(results_find_fact(results, "start", "cpu.count"), "2");
    cr_expect_null(results_find_fact(results, "start", "cpu.governor"));
    cr_expect_null(results_find_fact(results, "start", "no such fact"));
    for (size_t i = 0; i < results->trial_count; i++) {
        const struct results_trial *trial = &results->trials[i];
        int64_t started = 0;

        cr_expect_eq(trial->order_index, (int64_t)i);
        cr_expect_eq(trial->sample_count, 8);
        for (size_t k = 0; k < trial->sample_count; k++) {
            started += trial->samples[k].metrics[METRIC_started_count];
            cr_expect_eq(trial->samples[k].index, k);
            cr_expect_eq((int64_t)trial->samples[k].outcomes[OUTCOME_OK],
                         trial->samples[k].metrics[METRIC_ok_count]);
        }
        cr_expect_eq(started, trial->started_count, "trial %zu", i);
    }
    results_free(results);
}

/* The position of each metric's column is that of metrics.def: SELECT * relies on it. */
Test(results, the_columns_of_a_sample_are_the_metrics_in_order)
{
    sqlite3 *db;
    sqlite3_stmt *statement;

    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_EMPTY}, session_path);
    cr_assert_eq(sqlite3_open(session_path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(db, "SELECT * FROM sample", -1, &statement, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_column_count(statement), 5 + METRIC_COUNT + 3);
    for (int i = 0; i < METRIC_COUNT; i++) {
        cr_expect_str_eq(sqlite3_column_name(statement, 5 + i), metric_infos[i].name);
    }
    cr_expect_str_eq(sqlite3_column_name(statement, 5 + METRIC_COUNT), "histogram");
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

Test(results, loads_the_last_session_only)
{
    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM},
                         session_path);
    results_builder_alter(
        session_path,
        "INSERT INTO session SELECT 2, 'ffffffffffffffffffffffffffffffff', 'running', NULL, "
        "'second', plan_text, plan_digest, program_version, started_utc_ns, NULL, NULL FROM "
        "session");
    struct results *results = load(false);

    cr_expect_str_eq(results->title, "second");
    cr_expect_eq(results->ended_utc_ns, METRIC_UNKNOWN);
    cr_expect_eq(results->trial_count, 0);
    cr_expect_null(results->trials);
    results_free(results);
}

/* What may lie in a file that somebody else made. The text must name the check. */
Test(results, refuses_what_is_not_a_whole_results_file)
{
    static const struct {
        const char *sql, *text;
        enum err_code code;
    } rows[] = {
        {"PRAGMA application_id = 7", "not a results file", ERR_FORMAT},
        {"PRAGMA user_version = 2", "newer tacho", ERR_FORMAT},
        {"PRAGMA user_version = 0", "version 0", ERR_FORMAT},
        {"PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = "
         "'cell'",
         "schema", ERR_FORMAT},
        {"CREATE TABLE more (x INTEGER)", "schema", ERR_FORMAT},
        {"CREATE INDEX more ON sample (ok_count)", "schema", ERR_FORMAT},
        {"CREATE TRIGGER more AFTER INSERT ON fact BEGIN SELECT 1; END", "schema", ERR_FORMAT},
        /* A view in place of a table: the classic of SQLite's security page. */
        {"DROP TABLE event; CREATE VIEW event AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL "
         "SELECT i + 1 FROM n) SELECT i AS event_id, 1 AS session_id, NULL AS trial_id, 1 AS "
         "at_utc_ns, 'info' AS severity, 'x' AS kind, 'x' AS text FROM n",
         "schema", ERR_FORMAT},
        {"PRAGMA ignore_check_constraints = 1; UPDATE sample SET phase = 'later' WHERE trial_id = "
         "1",
         "table sample, row 1: phase", ERR_FORMAT},
        {"PRAGMA ignore_check_constraints = 1; UPDATE trial SET state = 'x' WHERE trial_id = 1",
         "table trial, row 1: state", ERR_FORMAT},
        {"PRAGMA ignore_check_constraints = 1; UPDATE engine SET role = 'x' WHERE engine_id = 2",
         "table engine, row 2: role", ERR_FORMAT},
        {"UPDATE trial SET engine_id = 99 WHERE trial_id = 3", "foreign_key_check: trial",
         ERR_FORMAT},
        {"UPDATE sample SET trial_id = 99 WHERE trial_id = 2", "foreign_key_check: sample",
         ERR_FORMAT},
        {"UPDATE outcome SET trial_id = 99 WHERE trial_id = 2 AND sample_index = 7",
         "foreign_key_check: outcome", ERR_FORMAT},
        {"DELETE FROM session; DELETE FROM fact; DELETE FROM engine; DELETE FROM event; DELETE "
         "FROM "
         "outcome; DELETE FROM sample; DELETE FROM trial; DELETE FROM cell; DELETE FROM workload",
         "no session", ERR_FORMAT},
        {"UPDATE sample SET ok_count = -1 WHERE trial_id = 2 AND sample_index = 2",
         "table sample, row 3: ok_count", ERR_FORMAT},
        {"UPDATE sample SET start_ns = 0, end_ns = 1 WHERE trial_id = 2 AND sample_index = 2",
         "does not follow", ERR_FORMAT},
        {"UPDATE sample SET phase = 'warmup' WHERE trial_id = 2 AND sample_index = 7",
         "does not follow", ERR_FORMAT},
        {"UPDATE sample SET ok_count = ok_count + 1 WHERE trial_id = 2 AND sample_index = 2",
         "sums of its outcomes", ERR_FORMAT},
        {"UPDATE outcome SET kind = 'fine' WHERE trial_id = 2 AND sample_index = 2",
         "table outcome, row 3: kind", ERR_FORMAT},
        {"INSERT INTO outcome VALUES (2, 70, 'reset', 1)", "its sample is missing", ERR_FORMAT},
        {"UPDATE engine SET name = CAST(x'ff41' AS TEXT) WHERE engine_id = 1", "no UTF-8",
         ERR_FORMAT},
        {"UPDATE engine SET name = CAST(x'410041' AS TEXT) WHERE engine_id = 1", "no UTF-8",
         ERR_FORMAT},
        {"UPDATE engine SET name = hex(zeroblob(4000)) WHERE engine_id = 1", "longer", ERR_FORMAT},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct results *results = NULL;
        struct err e = {0};

        results_builder_make(
            &(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM, .block_count = 1},
            session_path);
        results_builder_alter(session_path, rows[i].sql);
        cr_expect_eq(results_load(session_path, true, &results, &e), rows[i].code, "row %zu", i);
        cr_expect_null(results, "row %zu", i);
        cr_expect(strstr(e.text, rows[i].text), "row %zu: %s", i, e.text);
        cr_expect(strstr(e.text, session_path), "row %zu: %s", i, e.text);
        cr_expect_null(strchr(e.text, '\n'), "row %zu", i);
    }
}

Test(results, tells_a_locked_file_from_a_damaged_one)
{
    struct results_db db = {.path = session_path};
    sqlite3 *other = NULL;
    struct err e = {0};

    cr_assert_eq(sqlite3_open(session_path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_open(session_path, &db.handle), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db.handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_BUSY);
    cr_expect_eq(results_db_fail(&db, "opening", &e), ERR_USAGE);
    cr_expect(strstr(e.text, "locked by another program"), "%s", e.text);
    sqlite3_close(db.handle);
    sqlite3_close(other);
}

Test(results, refuses_files_that_are_no_database)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum err_code code;
    } rows[] = {
        {"", 0, ERR_FORMAT},
        {"not a database, but long enough to be looked at as if it were one", 64, ERR_FORMAT},
        {"SQLite format 3\0\x10\0\1\1\0\100  ", 24, ERR_FORMAT},
    };
    struct results *results = NULL;
    struct err e = {0};

    cr_expect_eq(results_load(session_path, false, &results, &e), ERR_SYS);
    cr_expect_eq(results_load("/tmp", false, &results, &e), ERR_FORMAT);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_assert_eq(fs_write_file(session_path, rows[i].bytes, rows[i].length, &e), ERR_OK);
        cr_expect_eq(results_load(session_path, i % 2, &results, &e), rows[i].code, "row %zu: %s",
                     i, e.text);
        cr_expect_null(results, "row %zu", i);
    }
    unlink(session_path);
    cr_assert_eq(mkfifo(session_path, 0600), 0);
    cr_expect_eq(results_load(session_path, false, &results, &e), ERR_FORMAT);
}

/* A page in the middle is overwritten: found before any row is used. */
Test(results, finds_damaged_pages)
{
    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM},
                         session_path);
    struct stat status;

    cr_assert_eq(stat(session_path, &status), 0);
    for (off_t page = 1; page < status.st_size / 4096; page++) {
        struct results *results = NULL;
        struct err e = {0};

        results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM},
                             session_path);
        int fd = open(session_path, O_WRONLY);
        char garbage[64];

        memset(garbage, 0xa5, sizeof(garbage));
        cr_assert_eq(pwrite(fd, garbage, sizeof(garbage), page * 4096), (ssize_t)sizeof(garbage));
        close(fd);
        cr_expect_eq(results_load(session_path, true, &results, &e), ERR_FORMAT, "page %d",
                     (int)page);
        cr_expect(strstr(e.text, "damaged"), "page %d: %s", (int)page, e.text);
    }
}

/* Reading while tacho run writes sees what is committed; reading as a sealed file ignores a planted
 * journal (evidence.md 3.3: a -wal beside an unchanged file changes what SQLite answers). */
Test(results, reads_a_file_that_is_being_written_and_ignores_a_planted_journal)
{
    sqlite3 *writer;
    char before[65], after[65], live[65];
    struct err e = {0};

    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM},
                         session_path);
    cr_assert_eq(sqlite3_open(session_path, &writer), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(writer, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(results_digest(session_path, true, before, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(sqlite3_exec(writer, "UPDATE session SET title = 'planted'", NULL, NULL, NULL),
                 SQLITE_OK);
    cr_assert_eq(results_digest(session_path, true, after, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(before, after);
    cr_assert_eq(results_digest(session_path, false, live, &e), ERR_OK, "%s", e.text);
    cr_expect_str_neq(before, live);
    struct results *results = load(false);

    cr_expect_str_eq(results->title, "planted");
    results_free(results);
    results = load(true);
    cr_expect_str_eq(results->title, "epoll against one thread per connection");
    results_free(results);
    sqlite3_close(writer);
}

/* A writer in journal mode DELETE that dies once pages of its transaction are in the file: only a
 * writing program can take them back, and the reader says so. */
Test(results, says_how_a_file_with_a_hot_journal_is_recovered)
{
    struct results *results = NULL;
    struct err e = {0};

    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_NO_HISTOGRAM},
                         session_path);
    pid_t pid = fork();
    if (pid == 0) {
        sqlite3 *writer = NULL;
        sqlite3_open(session_path, &writer);
        /* Each row is 100,000 bytes: the cache of one page spills. */
        sqlite3_exec(writer,
                     "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE;"
                     "INSERT INTO event (session_id, at_utc_ns, severity, kind, text)"
                     "  SELECT session_id, 1, 'info', 'x', hex(zeroblob(50000))"
                     "  FROM session, json_each('[1,2,3,4,5,6,7,8,9]')",
                     NULL, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    cr_assert_gt(pid, 0);
    waitpid(pid, NULL, 0);
    cr_expect_eq(results_load(session_path, false, &results, &e), ERR_FORMAT);
    cr_expect(strstr(e.text, "-journal: `sqlite3 FILE .schema` recovers it"), "%s", e.text);
    results_builder_alter(session_path, "SELECT count(*) FROM sqlite_schema"); /* as that does */
    results = load(false);
    cr_expect_gt(results->trial_count, 0);
    results_free(results);
}

Test(results, reading_leaves_the_file_and_its_folder_as_they_were)
{
    char before[DIGEST_HEX_BYTES], after[DIGEST_HEX_BYTES], companion[160];
    struct err e = {0};

    results_builder_make(&(struct results_builder){0}, session_path);
    results_builder_alter(session_path, "PRAGMA journal_mode = WAL"); /* as the store leaves it */
    cr_assert_eq(digest_file(session_path, before, &e), ERR_OK);
    results_free(load(false));
    results_free(load(true));
    cr_assert_eq(digest_file(session_path, after, &e), ERR_OK);
    cr_expect_str_eq(before, after);
    snprintf(companion, sizeof(companion), "%s-wal", session_path);
    cr_expect(access(companion, F_OK) < 0);
    snprintf(companion, sizeof(companion), "%s-shm", session_path);
    cr_expect(access(companion, F_OK) < 0);
}

/* The digest is of rows, not of pages: another page size, VACUUM and another journal mode keep it;
 * a changed value, a type or a boundary between two texts does not. */
Test(results, the_digest_depends_on_the_rows_alone)
{
    static const struct {
        const char *sql;
        bool same;
    } rows[] = {
        {"PRAGMA page_size = 1024; VACUUM", true},
        {"PRAGMA journal_mode = WAL", true},
        {"UPDATE sample SET lateness_ns = lateness_ns + 1 WHERE trial_id = 1 AND sample_index = 0",
         false},
        {"UPDATE sample SET histogram = x'00' WHERE trial_id = 1 AND sample_index = 7", false},
        {"UPDATE event SET kind = kind || 'x', text = substr(text, 2)", false},
        {"UPDATE fact SET value = 'NULL' WHERE value IS NULL", false},
    };
    char want[65], have[65];
    struct err e = {0};

    results_builder_make(&(struct results_builder){.block_count = 1}, session_path);
    cr_assert_eq(results_digest(session_path, true, want, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(strlen(want), 64);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        results_builder_make(&(struct results_builder){.block_count = 1}, session_path);
        results_builder_alter(session_path, rows[i].sql);
        cr_assert_eq(results_digest(session_path, true, have, &e), ERR_OK, "row %zu: %s", i,
                     e.text);
        cr_expect_eq(strcmp(want, have) == 0, rows[i].same, "row %zu", i);
    }
}

/* An empty file: the names of the tables alone, as sha256sum hashes them. */
Test(results, the_digest_is_what_its_description_says)
{
    char want[65], have[65];
    struct err e = {0};

    results_builder_make(&(struct results_builder){.faults = RESULTS_BUILDER_EMPTY}, session_path);
    results_builder_alter(session_path,
                          "DELETE FROM fact; DELETE FROM event; DELETE FROM engine; DELETE "
                          "FROM cell; DELETE FROM workload; DELETE FROM session");
    results_builder_alter(
        session_path,
        "INSERT INTO session VALUES (1, 'abcdefabcdefabcdefabcdefabcdefab', 'finished', NULL, "
        "'t', 'p', '"
        "0123456789012345678901234567890123456789012345678901234567890123"
        "', 'v', 5, NULL, NULL)");
    FILE *pipe =
        popen("printf 'session\\ni 1\\nt 32 abcdefabcdefabcdefabcdefabcdefab\\n"
              "t 8 finished\\nn\\nt 1 t\\nt 1 p\\nt 64 "
              "0123456789012345678901234567890123456789012345678901234567890123\\n"
              "t 1 v\\ni 5\\nn\\nn\\nfact\\nengine\\nworkload\\nrequest\\ncell\\ntrial\\nsample\\n"
              "outcome\\nrequest_total\\nforeign_load\\nlog\\nevent\\n' | sha256sum",
              "r");

    cr_assert(pipe);
    cr_assert_eq(fscanf(pipe, "%64s", want), 1);
    pclose(pipe);
    cr_assert_eq(results_digest(session_path, true, have, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(have, want);
}
