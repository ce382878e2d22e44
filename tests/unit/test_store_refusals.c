// SPDX-License-Identifier: Apache-2.0
// What is no results file, or no longer one, or another writer's, is refused and stays as it is.
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/digest.h"
#include "engines/base/fs.h"
#include "tests/support/store_fixture.h"

static void database_make(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* --- what is no results file stays as it is (D07) ------------------------------------------ */

/* Damage deep in a file: told when it is opened only. */
static void damage_check(const struct store_fixture *fixture, const char *want)
{
    char before[DIGEST_HEX_BYTES] = "";
    char after[DIGEST_HEX_BYTES] = "";
    struct store *store = NULL;
    struct err e = {0};

    cr_assert_eq(digest_file(fixture->path, before, &e), ERR_OK);
    cr_expect_eq(store_open(fixture->path, &store, &e), ERR_FORMAT, "%s: %s", want, e.text);
    cr_expect_eq(strncmp(e.text, fixture->path, strlen(fixture->path)), 0, "%s", e.text);
    cr_expect_not_null(strstr(e.text, want), "got \"%s\", want \"%s\"", e.text, want);
    cr_expect_null(store);
    cr_assert_eq(digest_file(fixture->path, after, &e), ERR_OK);
    cr_expect_str_eq(before, after, "%s", want);
}

/* The first bytes tell it. */
static void refusal_check(const struct store_fixture *fixture, const char *want)
{
    struct err e = {0};

    cr_expect_eq(store_check(fixture->path, &e), ERR_FORMAT, "%s: %s", want, e.text);
    cr_expect_not_null(strstr(e.text, want), "got \"%s\", want \"%s\"", e.text, want);
    damage_check(fixture, want);
}

Test(store, refuses_a_file_that_is_none_and_leaves_it_alone)
{
    static const char zeros[4096];
    static const struct {
        const char *bytes;
        size_t length;
        const char *want;
    } rows[] = {
        {"", 0, "an empty file, not a results file"},
        {"hello\n", 6, "not an SQLite file"},
        {zeros, sizeof(zeros), "not an SQLite file"},
        {"SQLite format 3", 16, "not an SQLite file"},
    };
    static const struct {
        const char *sql, *want;
    } databases[] = {
        {"CREATE TABLE t (x)", "another application (application_id 0x00000000)"},
        {"PRAGMA application_id=7; CREATE TABLE t (x)", "(application_id 0x00000007)"},
        {"PRAGMA application_id=1413695559; PRAGMA user_version=2; CREATE TABLE t (x)",
         "results file of version 2; this program knows versions up to 1"},
        {"PRAGMA application_id=1413695559; PRAGMA user_version=0; CREATE TABLE t (x)",
         "version 0 of the file is none that ever was"},
        {"PRAGMA application_id=1413695559; PRAGMA user_version=-1; CREATE TABLE t (x)",
         "version -1 of the file is none that ever was"},
    };
    struct store_fixture fixture;
    struct store *store = NULL;
    struct err e = {0};

    store_fixture_init(&fixture);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_assert_eq(fs_write_file(fixture.path, rows[i].bytes, rows[i].length, &e), ERR_OK);
        refusal_check(&fixture, rows[i].want);
    }
    for (size_t i = 0; i < ARRAY_COUNT(databases); i++) {
        cr_assert_eq(unlink(fixture.path), 0);
        database_make(fixture.path, databases[i].sql);
        refusal_check(&fixture, databases[i].want);
    }
    cr_expect_eq(store_open(fixture.folder, &store, &e), ERR_FORMAT, "%s", e.text);
    cr_expect_not_null(strstr(e.text, "not a regular file"), "%s", e.text);
    cr_expect_eq(store_check(fixture.folder, &e), ERR_FORMAT, "%s", e.text);
    cr_expect_eq(store_check("/no/such/folder/results.db", &e), ERR_SYS);
    cr_expect_eq(store_open("/no/such/folder/results.db", &store, &e), ERR_SYS);
    cr_expect_str_eq(e.text, "/no/such/folder/results.db: No such file or directory");
    store_fixture_release(&fixture);
}

static void file_with_rows_make(struct store_fixture *fixture)
{
    struct sample sample;
    struct err e = {0};

    store_fixture_init(fixture);
    cr_assert_eq(store_fixture_begin(fixture, &e), ERR_OK, "%s", e.text);
    for (uint32_t i = 0; i < 50; i++) {
        store_fixture_sample(i, 1000, &sample);
        cr_assert_eq(store_queue_sample(fixture->store, fixture->trial_id, &sample, &e), ERR_OK);
    }
    cr_assert_eq(store_close(fixture->store, NULL), ERR_OK);
}

Test(store, refuses_a_damaged_file)
{
    static const char junk[512] = {'\x7f', '\x7f', '\x7f'};
    struct store_fixture fixture;
    struct buf whole;
    struct err e = {0};

    file_with_rows_make(&fixture);
    buf_init(&whole, 1 << 20);
    cr_assert_eq(fs_read_file(fixture.path, &whole, &e), ERR_OK);
    cr_assert_eq(truncate(fixture.path, (off_t)(whole.length / 2)), 0);
    damage_check(&fixture, ": ");
    /* the last page is one of table sample: its head overwritten */
    memcpy(whole.bytes + whole.length - 16384, junk, sizeof(junk));
    cr_assert_eq(fs_write_file(fixture.path, whole.bytes, whole.length, &e), ERR_OK);
    damage_check(&fixture, "damaged: quick_check says: ");
    buf_release(&whole);
    store_fixture_release(&fixture);
}

/* D05: a -wal left beside a restored file would be played into it. */
Test(store, refuses_a_file_beside_the_log_of_another)
{
    struct store_fixture fixture;
    char log_path[128];
    struct err e = {0};

    file_with_rows_make(&fixture);
    snprintf(log_path, sizeof(log_path), "%s-wal", fixture.path);
    cr_assert_eq(fs_write_file(log_path, "left over", 9, &e), ERR_OK);
    refusal_check(&fixture, "a write-ahead log of another file lies beside it");
    store_fixture_release(&fixture);
}

/* SQLite follows a symbolic link, and so does the lock; of a hard link nobody can tell which name
 * the log belongs to. */
Test(store, a_writer_by_another_name_of_the_file_is_told_so)
{
    struct store_fixture fixture;
    struct store *second = NULL;
    char soft[128], hard[128];
    struct err e = {0};

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    snprintf(soft, sizeof(soft), "%s/soft.db", fixture.folder);
    snprintf(hard, sizeof(hard), "%s/hard.db", fixture.folder);
    cr_assert_eq(symlink(fixture.path, soft), 0);
    cr_expect_eq(store_check(fixture.path, &e), ERR_USAGE, "%s", e.text);
    cr_expect_eq(store_check(soft, &e), ERR_USAGE, "%s", e.text);
    cr_expect_eq(store_open(soft, &second, &e), ERR_USAGE);
    cr_expect_not_null(strstr(e.text, "soft.db: in use by another writer"), "%s", e.text);
    cr_assert_eq(link(fixture.path, hard), 0);
    cr_expect_eq(store_check(hard, &e), ERR_FORMAT, "%s", e.text);
    cr_expect_eq(store_open(hard, &second, &e), ERR_FORMAT);
    cr_expect_not_null(strstr(e.text, "hard.db: a file with several names"), "%s", e.text);
    cr_expect_null(second);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(unlink(hard), 0);
    cr_expect_eq(store_check(soft, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(store_open(soft, &second, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_close(second, &e), ERR_OK);
    cr_assert_eq(unlink(soft), 0);
    store_fixture_release(&fixture);
}
