// SPDX-License-Identifier: Apache-2.0
// Every way to change a bundle that we know of, and what verify calls it.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/bundle.h"
#include "report/bundle/content.h"
#include "report/bundle/crate.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"
#include "tests/support/prop.h"
#include "tests/support/results_builder.h"
#include "tests/support/sealed_bundle.h"

Test(verify, accepts_what_bundle_writes, .init = sealed_bundle_make, .fini = sealed_bundle_remove,
     .timeout = 60)
{
    static const char wrong[] = "00000000000000000000000000000000000000000000000000000000000000ff";

    cr_expect(sealed_bundle.result.has_sources);
    struct verify_result *result =
        sealed_bundle_verify(sealed_bundle.archive_path, sealed_bundle.result.archive_sha256);
    cr_expect_str_eq(sealed_bundle_verdict(result), "verified", "%s", result->findings[0].text);
    cr_expect_str_eq(result->archive_sha256, sealed_bundle.result.archive_sha256);
    cr_expect_str_eq(result->id, sealed_bundle.result.id);
    cr_expect_str_eq(result->samples_digest, sealed_bundle.result.samples_digest);
    cr_expect_eq(result->note_count, 0, "%s", result->notes[0]);
    free(result);
    result = sealed_bundle_verify(sealed_bundle.archive_path, wrong);
    cr_expect_str_eq(sealed_bundle_verdict(result), "V1 sha256");
    free(result);
}

/* One change of a tree: at most one of the members. */
struct change {
    struct {
        const char *path, *from, *to;
    } edit;
    const char *add, *add_folder, *remove;
    const char *sql; /* run on results.db, whose pages stay as they come */
    void (*apply)(struct file_tree *tree);
};

static void database_alter(struct file_tree *tree, const char *sql)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, CONTENT_RESULTS);
    char path[128];
    struct buf bytes;

    snprintf(path, sizeof(path), "%s/alter.db", sealed_bundle.folder);
    cr_assert_eq(fs_write_file(path, entry->bytes, entry->length, NULL), ERR_OK);
    results_builder_alter(path, sql);
    buf_init(&bytes, (size_t)64 << 20);
    cr_assert_eq(fs_read_file(path, &bytes, NULL), ERR_OK);
    sealed_entry_set(tree, CONTENT_RESULTS, bytes.bytes, bytes.length);
    buf_release(&bytes);
}
static void change_apply(const struct change *change, struct file_tree *tree)
{
    if (change->edit.path) {
        sealed_entry_edit(tree, change->edit.path, change->edit.from, change->edit.to);
    }
    if (change->add) {
        cr_assert_eq(file_tree_add_file(tree, change->add, "x", 1, NULL), ERR_OK);
    }
    if (change->add_folder) {
        cr_assert_eq(file_tree_add_folder(tree, change->add_folder, NULL), ERR_OK);
    }
    if (change->remove) {
        sealed_entry_remove(tree, change->remove);
    }
    if (change->sql) {
        database_alter(tree, change->sql);
    }
    if (change->apply) {
        change->apply(tree);
    }
    file_tree_sort(tree);
}

static void file_rename(struct file_tree *tree)
{
    memcpy(sealed_entry_get(tree, "data/README.md")->path, "data/README.mx", 15);
}
static void empty_file_add(struct file_tree *tree)
{
    cr_assert_eq(file_tree_add_file(tree, "data/zzz", "", 0, NULL), ERR_OK);
}
static void mode_change(struct file_tree *tree)
{
    sealed_entry_get(tree, "data/README.md")->is_executable = true;
}
static void line_double(struct file_tree *tree)
{
    char line[200], twice[400];
    const char *text = sealed_entry_get(tree, BAG_TAG_MANIFEST)->bytes;

    snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n") + 1, text);
    snprintf(twice, sizeof(twice), "%s%s", line, line);
    sealed_entry_edit(tree, BAG_TAG_MANIFEST, line, twice);
}
static void upper_case_set(struct file_tree *tree)
{
    char *letter = strpbrk(sealed_entry_get(tree, BAG_MANIFEST)->bytes, "abcdef");

    *letter = (char)(*letter - 'a' + 'A');
}
static void final_newline_cut(struct file_tree *tree)
{
    sealed_entry_get(tree, BAG_MANIFEST)->length--;
}
static void manifest_empty(struct file_tree *tree)
{
    sealed_entry_set(tree, BAG_MANIFEST, "", 0);
}
static void bag_empty(struct file_tree *tree)
{
    while (tree->count) {
        sealed_entry_remove(tree, tree->entries[0].path);
    }
}
static void top_rename(struct file_tree *tree)
{
    strcpy(tree->top, "other-0123456789abcdef");
}

/* The rows of the tamper matrix that an archive can hold, without new manifests. C05, C06 */
Test(verify, names_each_change_of_the_tamper_matrix, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 120)
{
    static const struct {
        struct change change;
        const char *verdict;
    } rows[] = {
        {{.edit = {"data/README.md", "E", "e"}}, "V6 digest"},
        {{.remove = "data/README.md"}, "V5 missing-file"},
        {{.apply = file_rename}, "V5 missing-file"},
        {{.add = "data/zzz"}, "V5 extra-file"},
        {{.apply = empty_file_add}, "V5 extra-file"},
        {{.add = "evil.sh"}, "V4 extra-tag-file"},
        {{.add = "fetch.txt"}, "V4 fetch-file"},
        {{.add_folder = "data/zzz"}, "V5 extra-folder"},
        {{.add_folder = "zzz"}, "V4 extra-folder"},
        {{.apply = mode_change}, "V2 mode"},
        {{.add = "data/readme.MD"}, "V2 name-collision"},
        {{.remove = BAG_TAG_MANIFEST}, "V4 missing-file"},
        {{.remove = BAG_MANIFEST}, "V4 missing-file"},
        {{.edit = {BAG_INFO, "tacho 0", "tacho 9"}}, "V6 digest"},
        {{.edit = {BAG_INFO, "Format: 1", "Format: 2"}}, "V4 newer-format"},
        {{.edit = {BAG_DECLARATION, "1.0", "0.9"}}, "V4 bad-tag-file"},
        {{.apply = line_double}, "V5 duplicate-line"},
        {{.edit = {BAG_MANIFEST, "data/README.md", "data/../../etc/passwd"}}, "V5 bad-path"},
        {{.edit = {BAG_MANIFEST, "data/README.md", "/etc/passwd"}}, "V5 bad-path"},
        {{.edit = {BAG_MANIFEST, "data/README.md", "data/\033[2J"}}, "V5 bad-path"},
        {{.edit = {BAG_MANIFEST, "\n", "\r\n"}}, "V5 non-canonical-manifest"}, /* C02 */
        {{.edit = {BAG_MANIFEST, "  data/R", " *data/R"}}, "V5 non-canonical-manifest"},
        {{.apply = upper_case_set}, "V5 non-canonical-manifest"},
        {{.apply = final_newline_cut}, "V5 non-canonical-manifest"},
        {{.apply = manifest_empty}, "V5 empty-manifest"},
        {{.apply = bag_empty}, "V3 missing-file"},
        {{.apply = top_rename}, "V6 top-name"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct file_tree tree;
        int64_t time_s = 0;

        sealed_bundle_unpack(&tree, &time_s);
        change_apply(&rows[i].change, &tree);
        const char *verdict = sealed_bundle_verify_tree(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* What an attacker does who knows that the metadata tell of every file. */
static void crate_renew(struct file_tree *tree)
{
    struct content_config config = {.program_version = SEALED_BUNDLE_VERSION,
                                    .samples_digest = sealed_bundle.result.samples_digest};
    struct results *results = NULL;
    struct err e = {0};
    struct buf text;

    cr_assert_eq(results_load(sealed_bundle.results_path, true, &results, &e), ERR_OK, "%s",
                 e.text);
    config.results = results;
    config.results_path = sealed_bundle.results_path;
    buf_init(&text, CRATE_BYTES_MAX);
    file_tree_sort(tree);
    cr_assert_eq(crate_format(&config, tree, &text, &e), ERR_OK, "%s", e.text);
    sealed_entry_set(tree, CRATE_PATH, text.bytes, text.length);
    buf_release(&text);
    results_free(results);
}

static void build_edit(struct file_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->entries[i].path;
        if (strncmp(path, "data/servers/epoll-", 19) == 0 && strstr(path, "build.json")) {
            sealed_entry_edit(tree, path, "\"binary_sha256\": \"", "\"binary_sha256\": \"f");
            return;
        }
    }
    cr_assert_fail("no build record of epoll");
}
static void digest_edit(struct file_tree *tree)
{
    char *digit = strstr(sealed_entry_get(tree, BAG_INFO)->bytes, "Samples-Digest: ") + 16;

    *digit = *digit == '0' ? '1' : '0';
}
static void database_free_bytes_set(struct file_tree *tree)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, CONTENT_RESULTS);

    /* Page 1 is the schema's; after its cell pointers there is free space. */
    for (size_t i = 200; i < 4096; i++) {
        if (!entry->bytes[i] && !entry->bytes[i + 1] && !entry->bytes[i + 2]) {
            entry->bytes[i + 1] = 'x';
            return;
        }
    }
}
static void database_replace(struct file_tree *tree)
{
    sealed_entry_set(tree, CONTENT_RESULTS, "SQLite format 3", 16);
}

/* Changes with coherent manifests: what is left are the cross checks. */
Test(verify, finds_changes_whose_manifests_are_coherent, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 120)
{
    static const char attr_path[] = "data/servers/tacho-engine/src/engines/base/attr.h";
    const struct {
        struct change change;
        const char *verdict;
    } rows[] = {
        {{.apply = NULL}, "verified"},
        {{.edit = {CONTENT_SAMPLES, "warmup", "window"}}, "V10 content"},
        {{.edit = {CONTENT_PLAN, "seed: ", "seed: 1"}}, "V10 content"},
        {{.edit = {CONTENT_FACTS, "Example CPU", "Dear CPU"}}, "V10 content"},
        {{.apply = build_edit}, "V10 build-record"},
        {{.edit = {attr_path, "SPDX", "spdx"}}, "V10 content"},
        {{.add = "data/more"}, "V10 extra-file"},
        {{.edit = {CRATE_PATH, "\"contentSize\": \"", "\"contentSize\": \"1"}}, "V10 crate"},
        {{.edit = {CRATE_PATH, "\"sha256\": \"", "\"sha256\": \"f"}}, "V10 crate"},
        {{.edit = {CRATE_PATH, "Apache License", "Apache Licence"}}, "V10 content"},
        {{.edit = {"data/README.md", "Evidence", "evidence"}}, "V10 content"},
        {{.remove = CRATE_PATH}, "V10 crate"},
        {{.edit = {"data/report/report.md", "epoll", "ep011"}, .apply = crate_renew},
         "V12 content"},
        {{.add = "data/report/more.md", .apply = crate_renew}, "V12 extra-file"},
        {{.apply = digest_edit}, "V9 samples-digest"},
        {{.apply = database_free_bytes_set}, "V9 db-non-canonical"},
        {{.apply = database_replace}, "V9 db-header"},
        {{.sql = "PRAGMA ignore_check_constraints=ON; UPDATE workload SET expect_status = 1"},
         "V9 db-rows"},
        {{.sql = "PRAGMA journal_mode=WAL"}, "V9 db-header"},
        /* Databases that want to run, to grow or to last: none gets so far. A7 */
        {{.sql = "CREATE VIEW v AS SELECT 1"}, "V9 db-schema"},
        {{.sql = "ALTER TABLE trial RENAME TO t; CREATE VIEW trial AS WITH RECURSIVE n(i) AS "
                 "(SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n"},
         "V9 db-schema"},
        {{.sql = "CREATE TRIGGER t AFTER UPDATE ON trial BEGIN DELETE FROM sample; END"},
         "V9 db-schema"},
        {{.sql = "ALTER TABLE fact ADD COLUMN g INTEGER GENERATED ALWAYS AS (length(name))"},
         "V9 db-schema"},
        {{.sql = "CREATE VIRTUAL TABLE f USING fts5(x)"}, "V9 db-schema"},
        {{.sql = "CREATE TABLE bomb (x CHECK (length(hex(zeroblob(20000000))) > 0)); "
                 "PRAGMA ignore_check_constraints=ON; INSERT INTO bomb VALUES (1), (2), (3), (4)"},
         "V9 db-schema"},
        {{.sql = "CREATE INDEX i ON sample (ok_count)"}, "V9 db-schema"},
        {{.sql = "PRAGMA application_id = 1"}, "V9 db-header"},
        {{.sql = "PRAGMA user_version = 99"}, "V9 db-header"},
        {{.sql = "UPDATE event SET text = CAST(zeroblob(3000000) AS TEXT)"}, "V9 db-non-canonical"},
        /* Another version: what it makes of the results is not known here, and that is said. */
        {{.edit = {BAG_INFO, "tacho 0.1.0+test", "tacho 9.9.9"}}, "verified"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct rusage before, after;
        struct file_tree tree;
        int64_t time_s = 0;

        sealed_bundle_unpack(&tree, &time_s);
        change_apply(&rows[i].change, &tree);
        sealed_bundle_reseal(&tree);
        getrusage(RUSAGE_SELF, &before);
        const char *verdict = sealed_bundle_verify_tree(&tree, time_s);
        getrusage(RUSAGE_SELF, &after);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
        cr_expect_leq(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 2, "row %zu", i);
#ifndef __SANITIZE_ADDRESS__
        cr_expect_lt(after.ru_maxrss, 256 << 10, "row %zu: %ld KiB", i, after.ru_maxrss);
#endif
    }
}

/* A forged bundle, all of it made by the program: consistent, but not the one that was published.
 */
Test(verify, refuses_a_forged_bundle_only_with_the_published_hash, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 60)
{
    const struct bundle_config config = {.results_path = sealed_bundle.results_path,
                                         .folder = sealed_bundle.folder,
                                         .program_version = SEALED_BUNDLE_VERSION};
    struct bundle_result forged;
    struct err e = {0};
    char path[300];

    results_builder_alter(sealed_bundle.results_path, "UPDATE sample SET server_rss_kib = "
                                                      "server_rss_kib / 2");
    cr_assert_eq(bundle_write(&config, &forged, &e), ERR_OK, "%s", e.text);
    cr_expect_str_neq(forged.id, sealed_bundle.result.id);
    snprintf(path, sizeof(path), "%s/%s.tar", sealed_bundle.folder, forged.name);
    struct verify_result *result = sealed_bundle_verify(path, NULL);
    cr_expect_str_eq(sealed_bundle_verdict(result), "verified", "%s", result->findings[0].text);
    free(result);
    result = sealed_bundle_verify(path, sealed_bundle.result.archive_sha256);
    cr_expect_str_eq(sealed_bundle_verdict(result), "V1 sha256");
    free(result);
}

/* Figures of another gnuplot are not compared, and that is said; the rest of the report is. */
Test(verify, takes_another_gnuplot_for_what_it_is, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 60)
{
    static const struct {
        const char *renderer, *path, *from, *to, *verdict;
    } rows[] = {
        {"gnuplot 9.9 patchlevel 9", "data/report/report.html", "epoll", "ep0ll", "V12 content"},
        {"gnuplot 9.9 patchlevel 9", "data/report/report.html", "svg+xml;base64,PD94",
         "svg+xml;base64,PD95", "verified"},
        {"gnuplot 9.9 patchlevel 9", "data/report/plots/ratios.svg", "<svg", "<sv9", "verified"},
        {"gnuplot 9.9 patchlevel 9", "data/report/report.md", "epoll", "ep0ll", "V12 content"},
        {"none", "data/report/report.md", "epoll", "ep0ll", "V12 content"},
        {"none", "data/report/report.json", "epoll", "ep0ll", "V12 content"},
        {"none", "data/report/junit.xml", "epoll", "ep0ll", "V12 content"},
        {"none", "data/report/tables/trials.csv", "epoll", "ep0ll", "V12 content"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *at, *line = "Tacho-Renderer: ";
        struct file_tree tree;
        int64_t time_s = 0;
        char own[100];

        sealed_bundle_unpack(&tree, &time_s);
        at = strstr(sealed_entry_get(&tree, BAG_INFO)->bytes, line) + strlen(line);
        snprintf(own, sizeof(own), "%.*s", (int)strcspn(at, "\n"), at);
        if (strcmp(own, "none") == 0) {
            file_tree_release(&tree);
            cr_skip_test("gnuplot is not here");
        }
        sealed_entry_edit(&tree, BAG_INFO, own, rows[i].renderer);
        sealed_entry_edit(&tree, rows[i].path, rows[i].from, rows[i].to);
        crate_renew(&tree);
        sealed_bundle_reseal(&tree);
        const char *verdict = sealed_bundle_verify_tree(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* Of another version the numbers are compared, however they are spelled, and the stage's word is
 * not "ok". A blank after the version makes it another one. */
Test(verify, compares_the_numbers_of_another_version, .init = sealed_bundle_make,
     .fini = sealed_bundle_remove, .timeout = 60)
{
    static const char json[] = "data/report/report.json", claims[] = "data/plan/claims.json";
    static const char agent[] = "tacho " SEALED_BUNDLE_VERSION;
    static const struct {
        const char *agent, *path, *from, *to, *level, *state;
    } rows[] = {
        {agent, BAG_INFO, agent, agent, "bytes", "ok"},
        {"tacho 9.9", BAG_INFO, "tacho 9.9", "tacho 9.9", "numbers", "partly"},
        {"tacho " SEALED_BUNDLE_VERSION " ", BAG_INFO, agent, agent, "numbers", "partly"},
        {"tacho 9.9", json, "Every picture", "Each picture", "numbers", "partly"},
        {"tacho 9.9", json, "\"unit\": \"", "\"unit\": \"k", "none", "differs"},
        {"tacho 9.9", json, "{", "[", "none", "differs"},
        {"tacho 9.9", claims, "{\n  ", "{   ", "numbers", "partly"},
        {"tacho 9.9", claims, "\"problem\": null", "\"problem\": \"\"", "none", "differs"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        static const struct verify_config config;
        struct file_tree tree;
        int64_t time_s = 0;

        sealed_bundle_unpack(&tree, &time_s);
        sealed_entry_edit(&tree, BAG_INFO, agent, rows[i].agent);
        sealed_entry_edit(&tree, rows[i].path, rows[i].from, rows[i].to);
        crate_renew(&tree);
        sealed_bundle_reseal(&tree);
        const char *verdict = sealed_bundle_verify_tree(&tree, time_s);
        cr_assert_str_eq(verdict, "verified", "row %zu: %s", i, verdict);
        struct verify_result *result = sealed_bundle_verify(sealed_bundle.changed_path, NULL);
        cr_expect_str_eq(result->report_level, rows[i].level, "row %zu: %s", i,
                         result->report_level);
        cr_expect_str_eq(verify_get_state(&config, result, 12), rows[i].state, "row %zu", i);
        free(result);
    }
}

/* The bundle with one byte changed, in place: a file written anew for each would be synced each
 * time.
 */
static const char *flip_verify(int fd, size_t at, char mask)
{
    char byte = (char)(sealed_bundle.archive.bytes[at] ^ mask);

    cr_assert_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    struct verify_result *result = sealed_bundle_verify(sealed_bundle.archive_path, NULL);
    const char *verdict = sealed_bundle_verdict(result);
    free(result);
    cr_assert_eq(pwrite(fd, &sealed_bundle.archive.bytes[at], 1, (off_t)at), 1);
    return verdict;
}

/* Every byte of the archive counts: all of one header, and 2,000 anywhere. */
Test(verify, refuses_any_flipped_byte, .init = sealed_bundle_make, .fini = sealed_bundle_remove,
     .timeout = 300)
{
    int fd = open(sealed_bundle.archive_path, O_WRONLY);

    for (size_t i = 512; i < 1024; i++) {
        cr_expect_str_neq(flip_verify(fd, i, 0x20), "verified", "byte %zu", i);
    }
    for_each_case(rng, 2000, 19)
    {
        size_t at = rng_below(&rng, sealed_bundle.archive.length);
        char mask = (char)(1 << rng_below(&rng, 8));

        cr_expect_str_neq(flip_verify(fd, at, mask), "verified", "byte %zu", at);
    }
    close(fd);
    cr_expect_str_eq(
        sealed_bundle_verify_bytes(sealed_bundle.archive.bytes, sealed_bundle.archive.length),
        "verified");
}

/* The next shorter length: a block of 512 less, in the middle five. */
static size_t length_before(size_t length)
{
    size_t far = 32768, total = sealed_bundle.archive.length;
    size_t step = length % 512 ? length % 512 : length > far && length < total - far ? 2560 : 512;

    return length > step ? length - step : 0;
}

/* C06; cut shorter in place, for the same reason. */
Test(verify, refuses_any_truncation, .init = sealed_bundle_make, .fini = sealed_bundle_remove,
     .timeout = 120)
{
    int fd = open(sealed_bundle.archive_path, O_WRONLY);

    for (size_t length = sealed_bundle.archive.length - 1; length > 0;
         length = length_before(length)) {
        cr_assert_eq(ftruncate(fd, (off_t)length), 0);
        struct verify_result *result = sealed_bundle_verify(sealed_bundle.archive_path, NULL);

        if (length % 512 == 0) {
            cr_expect_str_eq(sealed_bundle_verdict(result), "V2 truncated", "length %zu", length);
        } else {
            cr_expect_not(result->verified, "length %zu", length);
        }
        free(result);
    }
    close(fd);
    cr_expect_str_eq(sealed_bundle_verify_bytes("", 0), "V2 truncated");
}

Test(verify, names_compressed_files, .init = sealed_bundle_make, .fini = sealed_bundle_remove)
{
    cr_expect_str_eq(sealed_bundle_verify_bytes("\x1f\x8b\x08\0\0\0\0\0", 8), "V0 compressed");
    cr_expect_str_eq(sealed_bundle_verify_bytes("\x28\xb5\x2f\xfd\0\0\0\0", 8), "V0 compressed");
    cr_expect_str_eq(sealed_bundle_verify_bytes("\xfd"
                                                "7zXZ\0\0\0",
                                                8),
                     "V0 compressed");
    cr_expect_str_eq(sealed_bundle_verify_bytes("", 0), "V2 truncated");
    cr_expect_str_eq(sealed_bundle_verify_bytes("no archive", 10), "V2 truncated");
}
