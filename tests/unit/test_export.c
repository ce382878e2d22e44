// SPDX-License-Identifier: Apache-2.0
// The canonical copy of a results file, and foreign files that must not be read.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/digest.h"
#include "engines/base/fs.h"
#include "report/bundle/export.h"
#include "report/query/results.h"
#include "tests/support/prop.h"
#include "tests/support/results_builder.h"

static char folder[64], source[128], target[128];

static void folder_make(void)
{
    static const struct results_builder demo = {.block_count = 2};

    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(source, sizeof(source), "%s/100%% new?#.db", folder);
    snprintf(target, sizeof(target), "%s/export.db", folder);
    results_builder_make(&demo, source);
}

static void folder_remove(void)
{
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

static void export_make(char hex_out[DIGEST_HEX_BYTES])
{
    struct err e = {0};

    unlink(target);
    cr_assert_eq(export_write(source, false, target, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(digest_file(target, hex_out, &e), ERR_OK);
}

/* Other histories of the same rows: the file differs, the export does not. C07, C10 */
Test(export, depends_on_the_rows_alone, .init = folder_make, .fini = folder_remove)
{
    static const char *const histories[] = {
        "VACUUM",
        "PRAGMA page_size=8192; VACUUM",
        "ANALYZE",
        "CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(100000)); DROP TABLE other",
        "PRAGMA journal_mode=WAL; UPDATE session SET title = title",
        ("CREATE TEMP TABLE kept AS SELECT * FROM outcome ORDER BY kind;"
         "DELETE FROM outcome; INSERT INTO outcome SELECT * FROM kept"),
        "PRAGMA auto_vacuum=FULL; VACUUM",
    };
    char want[DIGEST_HEX_BYTES], digest[DIGEST_HEX_BYTES], again[DIGEST_HEX_BYTES];
    const char *fault = NULL;
    struct err e = {0};

    export_make(want);
    cr_expect_eq(export_check(target, EXPORT_PAGES, &fault, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(results_digest(source, false, digest, &e), ERR_OK);
    cr_assert_eq(results_digest(target, true, again, &e), ERR_OK);
    cr_expect_str_eq(digest, again);
    for (size_t i = 0; i < sizeof(histories) / sizeof(*histories); i++) {
        char got[DIGEST_HEX_BYTES];

        results_builder_alter(source, histories[i]);
        export_make(got);
        cr_expect_str_eq(got, want, "history %zu", i);
    }
    results_builder_alter(source, "UPDATE sample SET ok_count = 1 WHERE trial_id = 1 AND "
                                  "sample_index = 2");
    export_make(again);
    cr_expect_str_neq(again, want);
}

Test(export, of_an_export_is_itself, .init = folder_make, .fini = folder_remove)
{
    char first[DIGEST_HEX_BYTES], second[DIGEST_HEX_BYTES], path[160];
    struct err e = {0};

    export_make(first);
    snprintf(path, sizeof(path), "%s/second.db", folder);
    cr_assert_eq(export_write(target, true, path, &e), ERR_OK, "%s", e.text);
    cr_assert_eq(digest_file(path, second, &e), ERR_OK);
    cr_expect_str_eq(first, second);
}

Test(export, replaces_no_file_and_leaves_none_behind_when_it_fails, .init = folder_make,
     .fini = folder_remove)
{
    char hex[DIGEST_HEX_BYTES];
    struct err e;

    export_make(hex);
    cr_expect_eq(export_write(source, false, target, &e), ERR_SYS);
    unlink(target);
    results_builder_alter(source, "PRAGMA user_version=99");
    cr_expect_eq(export_write(source, false, target, &e), ERR_FORMAT);
    cr_expect(!fs_exists(target));
    cr_assert_eq(fs_write_file(source, "no database, but text", 21, &e), ERR_OK);
    cr_expect_eq(export_write(source, false, target, &e), ERR_FORMAT, "%s", e.text);
    unlink(source);
    cr_expect_eq(export_write(source, false, target, &e), ERR_SYS);
    cr_expect(!fs_exists(target));
    cr_expect(!fs_exists(source), "a missing source was made");
}

Test(export, check_refuses_files_that_are_no_export, .init = folder_make, .fini = folder_remove,
     .timeout = 30)
{
    static const struct {
        const char *sql, *fault;
    } rows[] = {
        {"CREATE VIEW v AS SELECT 1", "db-schema"},
        {"CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT 1; END", "db-schema"},
        {"CREATE INDEX i ON event (kind)", "db-schema"},
        {"CREATE TABLE bomb (x CHECK (length(hex(zeroblob(20000000))) > 0)); INSERT INTO bomb "
         "VALUES (1), (2), (3), (4), (5)",
         "db-schema"},
        {"CREATE TABLE g (a, b GENERATED ALWAYS AS (a + 1))", "db-schema"},
        {"DROP TABLE session; CREATE VIEW session AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL "
         "SELECT x + 1 FROM r) SELECT x FROM r",
         "db-header"}, /* it also left a free page */
        {"PRAGMA application_id=1", "db-header"},
        {"PRAGMA user_version=2", "db-header"},
        {"PRAGMA journal_mode=WAL", "db-header"},
        {"PRAGMA page_size=8192; VACUUM", "db-header"},
        {"PRAGMA auto_vacuum=FULL; VACUUM", "db-header"},
        {"PRAGMA foreign_keys=OFF; UPDATE trial SET engine_id = 999", "db-integrity"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char hex[DIGEST_HEX_BYTES];
        const char *fault = "none";
        struct err e = {0};

        export_make(hex);
        results_builder_alter(target, rows[i].sql);
        cr_expect_neq(export_check(target, EXPORT_PAGES, &fault, &e), ERR_OK, "%s", rows[i].sql);
        cr_expect_str_eq(fault, rows[i].fault, "%s: %s: %s", rows[i].sql, fault, e.text);
    }
}

/* integrity_check of a read-only file skips CHECK constraints (SQLite does not keep them then): the
 * second export, which verify makes, is what sees them. */
Test(export, refuses_rows_against_the_constraints, .init = folder_make, .fini = folder_remove)
{
    struct err e = {0};

    results_builder_alter(source, "PRAGMA ignore_check_constraints=ON; UPDATE workload SET "
                                  "expect_status = 1");
    cr_expect_neq(export_write(source, true, target, &e), ERR_OK);
    cr_expect(!fs_exists(target));
}

/* Random damage: never a crash; what passes is found by the digest in a bundle. */
Test(export, check_survives_damage, .init = folder_make, .fini = folder_remove, .timeout = 60)
{
    char hex[DIGEST_HEX_BYTES];
    struct buf bytes;
    int refused_count = 0;

    export_make(hex);
    buf_init(&bytes, 16 << 20);
    cr_assert_eq(fs_read_file(target, &bytes, NULL), ERR_OK);
    for_each_case(rng, 400, 5)
    {
        const char *fault = NULL;
        size_t at = rng_below(&rng, bytes.length);
        int fd = open(target, O_WRONLY);
        char damaged = (char)(bytes.bytes[at] ^ (1 << rng_below(&rng, 8)));

        cr_assert_eq(pwrite(fd, &damaged, 1, (off_t)at), 1);
        refused_count += export_check(target, EXPORT_PAGES, &fault, NULL) != ERR_OK;
        cr_assert_eq(pwrite(fd, bytes.bytes + at, 1, (off_t)at), 1);
        close(fd);
    }
    cr_expect_gt(refused_count, 0);
    cr_expect_eq(export_check(target, EXPORT_PAGES, &(const char *){NULL}, NULL), ERR_OK);
    buf_release(&bytes);
}
