// SPDX-License-Identifier: Apache-2.0
// Every way to change a bundle that we know of, and what verify calls it.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "report/bundle/bundle.h"
#include "report/bundle/content.h"
#include "report/bundle/crate.h"
#include "report/bundle/export.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"
#include "tests/support/prop.h"
#include "tests/support/results_builder.h"
#include "tests/support/tree_bytes.h"

#define VERSION "0.1.0+test" /* what the builder says that it measured with */

static char folder[64], results_path[128], archive_path[300], changed_path[128];
static struct bundle_result sealed;
static struct buf archive;

/* A bundle in a folder of its own, and its bytes. */
static void bundle_make(void)
{
    static const struct results_builder demo = {.block_count = 2};
    const struct bundle_config config = {
        .results_path = results_path, .folder = folder, .program_version = VERSION};
    struct err e = {0};

    strcpy(folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(results_path, sizeof(results_path), "%s/r.db", folder);
    snprintf(changed_path, sizeof(changed_path), "%s/changed.tar", folder);
    results_builder_make(&demo, results_path);
    cr_assert_eq(bundle_write(&config, &sealed, &e), ERR_OK, "%s", e.text);
    snprintf(archive_path, sizeof(archive_path), "%s/%s.tar", folder, sealed.name);
    buf_init(&archive, (size_t)64 << 20);
    cr_assert_eq(fs_read_file(archive_path, &archive, &e), ERR_OK, "%s", e.text);
}

static void bundle_remove(void)
{
    buf_release(&archive);
    cr_assert_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

static struct verify_result *path_verify(const char *path, const char *sha256)
{
    const struct verify_config config = {.path = path,
                                         .sha256 = sha256,
                                         .policy = VERIFY_POLICY_USUAL,
                                         .program_version = VERSION,
                                         .temporary_folder = folder};
    struct verify_result *result = NULL;
    struct err e = {0};

    cr_assert_eq(verify_run(&config, &result, &e), ERR_OK, "%s: %s", path, e.text);
    return result;
}

/* "V5 extra-file" of the first finding, "verified" without one. Static. */
static const char *verdict_get(const struct verify_result *result)
{
    static char text[100];

    cr_assert_eq(result->verified, result->finding_count == 0);
    if (result->verified) {
        return "verified";
    }
    snprintf(text, sizeof(text), "%s %s", result->findings[0].stage, result->findings[0].code);
    return text;
}

static const char *bytes_verify(const char *bytes, size_t length)
{
    cr_assert_eq(fs_write_file(changed_path, bytes, length, NULL), ERR_OK);
    struct verify_result *result = path_verify(changed_path, NULL);
    const char *verdict = verdict_get(result);

    free(result);
    return verdict;
}

static void archive_unpack(struct file_tree *tree, int64_t *time_s)
{
    const char *fault = NULL;
    struct err e = {0};

    file_tree_init(tree);
    cr_assert_eq(tree_bytes_unpack(archive.bytes, archive.length, 0, tree, time_s, &fault, &e),
                 ERR_OK, "%s", e.text);
}

/* Releases the tree. */
static const char *tree_verify(struct file_tree *tree, int64_t time_s)
{
    struct err e = {0};
    struct buf bytes;

    buf_init(&bytes, (size_t)64 << 20);
    cr_assert_eq(tree_bytes_pack(tree, time_s, &bytes, &e), ERR_OK, "%s", e.text);
    const char *verdict = bytes_verify(bytes.bytes, bytes.length);
    buf_release(&bytes);
    file_tree_release(tree);
    return verdict;
}

static struct file_tree_entry *entry_get(struct file_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strcmp(tree->entries[i].path, path) == 0) {
            return &tree->entries[i];
        }
    }
    cr_assert_fail("no %s", path);
    return NULL;
}

static void entry_set(struct file_tree *tree, const char *path, const void *bytes, size_t length)
{
    struct file_tree_entry *entry = entry_get(tree, path);

    free(entry->bytes);
    entry->bytes = malloc(length + 1);
    memcpy(entry->bytes, bytes, length);
    entry->bytes[length] = '\0';
    entry->length = length;
}

/* The first occurrence of a text in a file becomes another one. */
static void entry_edit(struct file_tree *tree, const char *path, const char *from, const char *to)
{
    struct file_tree_entry *entry = entry_get(tree, path);
    char *at = strstr(entry->bytes, from);
    struct buf text;

    cr_assert_not_null(at, "%s in %s", from, path);
    buf_init(&text, (size_t)64 << 20);
    buf_add(&text, entry->bytes, (size_t)(at - entry->bytes));
    buf_add_text(&text, to);
    buf_add_text(&text, at + strlen(from));
    entry_set(tree, path, text.bytes, text.length);
    buf_release(&text);
}

static void entry_remove(struct file_tree *tree, const char *path)
{
    struct file_tree_entry *entry = entry_get(tree, path);
    size_t index = (size_t)(entry - tree->entries);

    free(entry->path);
    free(entry->bytes);
    free(entry->disk_path);
    tree->count--;
    memmove(entry, entry + 1, (tree->count - index) * sizeof(*entry));
}

/* What an attacker does who knows the format: all manifests are made anew. */
static void tree_reseal(struct file_tree *tree)
{
    static const char *const tags[] = {BAG_DECLARATION, BAG_INFO, BAG_MANIFEST, BAG_TAG_MANIFEST};
    const struct file_tree_entry *entry = entry_get(tree, BAG_INFO);
    char id[DIGEST_HEX_BYTES];
    struct bag_info info;
    struct err e = {0};

    cr_assert_eq(bag_parse_info(entry->bytes, entry->length, &info, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < 4; i++) {
        entry_remove(tree, tags[i]);
    }
    cr_assert_eq(bag_seal(tree, &info, "slug", id, &e), ERR_OK, "%s", e.text);
}

Test(verify, accepts_what_bundle_writes, .init = bundle_make, .fini = bundle_remove, .timeout = 60)
{
    static const char wrong[] = "00000000000000000000000000000000000000000000000000000000000000ff";

    cr_expect(sealed.has_sources);
    struct verify_result *result = path_verify(archive_path, sealed.archive_sha256);
    cr_expect_str_eq(verdict_get(result), "verified", "%s", result->findings[0].text);
    cr_expect_str_eq(result->archive_sha256, sealed.archive_sha256);
    cr_expect_str_eq(result->id, sealed.id);
    cr_expect_str_eq(result->samples_digest, sealed.samples_digest);
    cr_expect_eq(result->note_count, 0, "%s", result->notes[0]);
    free(result);
    result = path_verify(archive_path, wrong);
    cr_expect_str_eq(verdict_get(result), "V1 sha256");
    free(result);
}

/* One change of a tree: at most one of the members. */
struct change {
    struct {
        const char *path, *from, *to;
    } edit;
    const char *add, *add_folder, *remove;
    void (*apply)(struct file_tree *tree);
};

static void change_apply(const struct change *change, struct file_tree *tree)
{
    if (change->edit.path) {
        entry_edit(tree, change->edit.path, change->edit.from, change->edit.to);
    }
    if (change->add) {
        cr_assert_eq(file_tree_add_file(tree, change->add, "x", 1, NULL), ERR_OK);
    }
    if (change->add_folder) {
        cr_assert_eq(file_tree_add_folder(tree, change->add_folder, NULL), ERR_OK);
    }
    if (change->remove) {
        entry_remove(tree, change->remove);
    }
    if (change->apply) {
        change->apply(tree);
    }
    file_tree_sort(tree);
}

static void file_rename(struct file_tree *tree)
{
    memcpy(entry_get(tree, "data/README.md")->path, "data/README.mx", 15);
}
static void empty_file_add(struct file_tree *tree)
{
    cr_assert_eq(file_tree_add_file(tree, "data/zzz", "", 0, NULL), ERR_OK);
}
static void mode_change(struct file_tree *tree)
{
    entry_get(tree, "data/README.md")->is_executable = true;
}
static void line_double(struct file_tree *tree)
{
    char line[200], twice[400];
    const char *text = entry_get(tree, BAG_TAG_MANIFEST)->bytes;

    snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n") + 1, text);
    snprintf(twice, sizeof(twice), "%s%s", line, line);
    entry_edit(tree, BAG_TAG_MANIFEST, line, twice);
}
static void upper_case_set(struct file_tree *tree)
{
    char *letter = strpbrk(entry_get(tree, BAG_MANIFEST)->bytes, "abcdef");

    *letter = (char)(*letter - 'a' + 'A');
}
static void final_newline_cut(struct file_tree *tree)
{
    entry_get(tree, BAG_MANIFEST)->length--;
}
static void manifest_empty(struct file_tree *tree)
{
    entry_set(tree, BAG_MANIFEST, "", 0);
}
static void bag_empty(struct file_tree *tree)
{
    while (tree->count) {
        entry_remove(tree, tree->entries[0].path);
    }
}
static void top_rename(struct file_tree *tree)
{
    strcpy(tree->top, "other-0123456789abcdef");
}

/* The rows of the tamper matrix that an archive can hold, without new manifests. C05, C06 */
Test(verify, names_each_change_of_the_tamper_matrix, .init = bundle_make, .fini = bundle_remove,
     .timeout = 120)
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

        archive_unpack(&tree, &time_s);
        change_apply(&rows[i].change, &tree);
        const char *verdict = tree_verify(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* What an attacker does who knows that the metadata tell of every file. */
static void crate_renew(struct file_tree *tree)
{
    struct content_config config = {.program_version = VERSION,
                                    .samples_digest = sealed.samples_digest};
    struct results *results = NULL;
    struct err e = {0};
    struct buf text;

    cr_assert_eq(results_load(results_path, true, &results, &e), ERR_OK, "%s", e.text);
    config.results = results;
    config.results_path = results_path;
    buf_init(&text, CRATE_BYTES_MAX);
    file_tree_sort(tree);
    cr_assert_eq(crate_format(&config, tree, &text, &e), ERR_OK, "%s", e.text);
    entry_set(tree, CRATE_PATH, text.bytes, text.length);
    buf_release(&text);
    results_free(results);
}

static void build_edit(struct file_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->entries[i].path;
        if (strncmp(path, "data/servers/epoll-", 19) == 0 && strstr(path, "build.json")) {
            entry_edit(tree, path, "\"binary_sha256\": \"0", "\"binary_sha256\": \"1");
            return;
        }
    }
    cr_assert_fail("no build record of epoll");
}
static void digest_edit(struct file_tree *tree)
{
    char *digit = strstr(entry_get(tree, BAG_INFO)->bytes, "Samples-Digest: ") + 16;

    *digit = *digit == '0' ? '1' : '0';
}
static void database_free_bytes_set(struct file_tree *tree)
{
    struct file_tree_entry *entry = entry_get(tree, CONTENT_RESULTS);

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
    entry_set(tree, CONTENT_RESULTS, "SQLite format 3", 16);
}

static void database_alter(struct file_tree *tree, const char *sql, bool export_again)
{
    struct file_tree_entry *entry = entry_get(tree, CONTENT_RESULTS);
    char path[128], other[128];
    struct buf bytes;
    struct err e = {0};

    snprintf(path, sizeof(path), "%s/alter.db", folder);
    snprintf(other, sizeof(other), "%s/export.db", folder);
    cr_assert_eq(fs_write_file(path, entry->bytes, entry->length, NULL), ERR_OK);
    results_builder_alter(path, sql);
    if (export_again) {
        unlink(other);
        cr_assert_eq(export_write(path, false, other, &e), ERR_OK, "%s", e.text);
    }
    buf_init(&bytes, (size_t)64 << 20);
    cr_assert_eq(fs_read_file(export_again ? other : path, &bytes, &e), ERR_OK);
    entry_set(tree, CONTENT_RESULTS, bytes.bytes, bytes.length);
    buf_release(&bytes);
}
static void latency_forge(struct file_tree *tree)
{
    database_alter(tree, "UPDATE sample SET latency_sum_ns = latency_sum_ns / 2", true);
}
static void count_forge(struct file_tree *tree)
{
    database_alter(tree, "UPDATE sample SET ok_count = ok_count + 1000", true);
}
static void view_plant(struct file_tree *tree)
{
    database_alter(tree, "CREATE VIEW v AS SELECT 1", false);
}
static void constraint_break(struct file_tree *tree)
{
    database_alter(
        tree, "PRAGMA ignore_check_constraints=ON; UPDATE workload SET expect_status = 1", false);
}
static void wal_set(struct file_tree *tree)
{
    database_alter(tree, "PRAGMA journal_mode=WAL", false);
}

/* Changes with coherent manifests: what is left are the cross checks. */
Test(verify, finds_changes_whose_manifests_are_coherent, .init = bundle_make, .fini = bundle_remove,
     .timeout = 120)
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
        {{.apply = latency_forge}, "V9 samples-digest"},
        {{.apply = count_forge}, "V9 db-rows"},
        {{.apply = view_plant}, "V9 db-schema"},
        {{.apply = constraint_break}, "V9 db-rows"},
        {{.apply = wal_set}, "V9 db-header"},
        /* Another version: what it makes of the results is not known here, and that is said. */
        {{.edit = {BAG_INFO, "tacho 0.1.0+test", "tacho 9.9.9"}}, "verified"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct file_tree tree;
        int64_t time_s = 0;

        archive_unpack(&tree, &time_s);
        change_apply(&rows[i].change, &tree);
        tree_reseal(&tree);
        const char *verdict = tree_verify(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* A forged bundle, all of it made by the program: consistent, but not the one that was published.
 */
Test(verify, refuses_a_forged_bundle_only_with_the_published_hash, .init = bundle_make,
     .fini = bundle_remove, .timeout = 60)
{
    const struct bundle_config config = {
        .results_path = results_path, .folder = folder, .program_version = VERSION};
    struct bundle_result forged;
    struct err e = {0};
    char path[300];

    results_builder_alter(results_path, "UPDATE sample SET latency_sum_ns = latency_sum_ns / 2");
    cr_assert_eq(bundle_write(&config, &forged, &e), ERR_OK, "%s", e.text);
    cr_expect_str_neq(forged.id, sealed.id);
    snprintf(path, sizeof(path), "%s/%s.tar", folder, forged.name);
    struct verify_result *result = path_verify(path, NULL);
    cr_expect_str_eq(verdict_get(result), "verified", "%s", result->findings[0].text);
    free(result);
    result = path_verify(path, sealed.archive_sha256);
    cr_expect_str_eq(verdict_get(result), "V1 sha256");
    free(result);
}

/* Figures of another gnuplot are not compared, and that is said; the rest of the report is. */
Test(verify, takes_another_gnuplot_for_what_it_is, .init = bundle_make, .fini = bundle_remove,
     .timeout = 60)
{
    static const struct {
        const char *renderer, *path, *from, *to, *verdict;
    } rows[] = {
        {"gnuplot 9.9 patchlevel 9", "data/report/report.html", "epoll", "ep0ll", "verified"},
        {"gnuplot 9.9 patchlevel 9", "data/report/report.md", "epoll", "ep0ll", "V12 content"},
        {"none", "data/report/report.md", "epoll", "ep0ll", "verified"},
        {"none", "data/report/tables/trials.csv", "epoll", "ep0ll", "V12 content"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *at, *line = "Tacho-Renderer: ";
        struct file_tree tree;
        int64_t time_s = 0;
        char own[100];

        archive_unpack(&tree, &time_s);
        at = strstr(entry_get(&tree, BAG_INFO)->bytes, line) + strlen(line);
        snprintf(own, sizeof(own), "%.*s", (int)strcspn(at, "\n"), at);
        if (strcmp(own, "none") == 0) {
            file_tree_release(&tree);
            cr_skip_test("gnuplot is not here");
        }
        entry_edit(&tree, BAG_INFO, own, rows[i].renderer);
        entry_edit(&tree, rows[i].path, rows[i].from, rows[i].to);
        crate_renew(&tree);
        tree_reseal(&tree);
        const char *verdict = tree_verify(&tree, time_s);
        cr_expect_str_eq(verdict, rows[i].verdict, "row %zu: %s", i, verdict);
    }
}

/* Every byte of the archive counts: all of one header, and 600 anywhere. */
Test(verify, refuses_any_flipped_byte, .init = bundle_make, .fini = bundle_remove, .timeout = 300)
{
    size_t accepted_count = 0;

    for (size_t i = 512; i < 1024; i++) {
        archive.bytes[i] ^= 0x20;
        accepted_count += strcmp(bytes_verify(archive.bytes, archive.length), "verified") == 0;
        archive.bytes[i] ^= 0x20;
    }
    cr_expect_eq(accepted_count, 0);
    for_each_case(rng, 600, 19)
    {
        size_t at = rng_below(&rng, archive.length);
        char mask = (char)(1 << rng_below(&rng, 8));

        archive.bytes[at] ^= mask;
        cr_expect_str_neq(bytes_verify(archive.bytes, archive.length), "verified", "byte %zu", at);
        archive.bytes[at] ^= mask;
    }
    cr_expect_str_eq(bytes_verify(archive.bytes, archive.length), "verified");
}

/* C06 */
Test(verify, refuses_any_truncation, .init = bundle_make, .fini = bundle_remove, .timeout = 120)
{
    for (size_t length = 0; length < archive.length; length += 512) {
        cr_expect_str_eq(bytes_verify(archive.bytes, length), "V2 truncated", "length %zu", length);
    }
    cr_expect_str_neq(bytes_verify(archive.bytes, archive.length - 1), "verified");
}

Test(verify, names_compressed_files, .init = bundle_make, .fini = bundle_remove)
{
    cr_expect_str_eq(bytes_verify("\x1f\x8b\x08\0\0\0\0\0", 8), "V0 compressed");
    cr_expect_str_eq(bytes_verify("\x28\xb5\x2f\xfd\0\0\0\0", 8), "V0 compressed");
    cr_expect_str_eq(bytes_verify("\xfd"
                                  "7zXZ\0\0\0",
                                  8),
                     "V0 compressed");
    cr_expect_str_eq(bytes_verify("", 0), "V2 truncated");
    cr_expect_str_eq(bytes_verify("no archive", 10), "V2 truncated");
}
