// SPDX-License-Identifier: Apache-2.0
// A sealed bundle of a made-up session, for tests that change it.
#include "tests/support/sealed_bundle.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/asset.h"
#include "engines/base/fs.h"
#include "report/bundle/bag.h"
#include "tests/support/results_builder.h"
#include "tests/support/tree_bytes.h"

#define CPU_NS_MAX  2000000000
#define RSS_KIB_MAX (256 << 10)

struct sealed_bundle sealed_bundle;

void sealed_bundle_take_program(const char *results_path)
{
    const struct asset *asset = asset_find("build.json");
    json_t *record = asset ? json_loadb(asset->bytes, asset->length, 0, NULL) : NULL;
    const char *sha256 =
        json_string_value(json_object_get(json_object_get(record, "product"), "sha256"));
    char sql[160];

    cr_assert(sha256);
    snprintf(sql, sizeof(sql), "UPDATE engine SET binary_sha256 = '%.64s'", sha256);
    results_builder_alter(results_path, sql);
    json_decref(record);
}

void sealed_bundle_make(void)
{
    static const struct results_builder demo = {.faults = RESULTS_BUILDER_WHOLE_PLAN,
                                                .block_count = 2};
    const struct bundle_config config = {.results_path = sealed_bundle.results_path,
                                         .folder = sealed_bundle.folder,
                                         .program_version = SEALED_BUNDLE_VERSION};
    struct err e = {0};

    strcpy(sealed_bundle.folder, "/tmp/tacho-test-XXXXXX");
    cr_assert_not_null(mkdtemp(sealed_bundle.folder));
    snprintf(sealed_bundle.results_path, sizeof(sealed_bundle.results_path), "%s/r.db",
             sealed_bundle.folder);
    snprintf(sealed_bundle.changed_path, sizeof(sealed_bundle.changed_path), "%s/changed.tar",
             sealed_bundle.folder);
    results_builder_make(&demo, sealed_bundle.results_path);
    sealed_bundle_take_program(sealed_bundle.results_path);
    cr_assert_eq(bundle_write(&config, &sealed_bundle.result, &e), ERR_OK, "%s", e.text);
    snprintf(sealed_bundle.archive_path, sizeof(sealed_bundle.archive_path), "%s/%s.tar",
             sealed_bundle.folder, sealed_bundle.result.name);
    buf_init(&sealed_bundle.archive, (size_t)64 << 20);
    cr_assert_eq(fs_read_file(sealed_bundle.archive_path, &sealed_bundle.archive, &e), ERR_OK, "%s",
                 e.text);
}

void sealed_bundle_remove(void)
{
    buf_release(&sealed_bundle.archive);
    cr_assert_eq(fs_remove_tree(sealed_bundle.folder, NULL), ERR_OK);
}

struct verify_result *sealed_bundle_verify(const char *path, const char *sha256)
{
    const struct verify_config config = {.path = path,
                                         .sha256 = sha256,
                                         .policy = VERIFY_POLICY_USUAL,
                                         .program_version = SEALED_BUNDLE_VERSION,
                                         .temporary_folder = sealed_bundle.folder};
    struct verify_result *result = NULL;
    struct err e = {0};

    cr_assert_eq(verify_run(&config, &result, &e), ERR_OK, "%s: %s", path, e.text);
    return result;
}

#ifndef __SANITIZE_ADDRESS__ /* its time and memory are its own */
static int64_t cpu_ns(const struct rusage *usage)
{
    return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * INT64_C(1000000000) +
           (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * INT64_C(1000);
}
#endif

struct verify_result *sealed_bundle_verify_bounded(const char *what)
{
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    struct verify_result *result = sealed_bundle_verify(sealed_bundle.changed_path, NULL);
    getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_ADDRESS__
    cr_expect_lt(cpu_ns(&after) - cpu_ns(&before), CPU_NS_MAX, "%s: too slow", what);
    cr_expect_lt(after.ru_maxrss, RSS_KIB_MAX, "%s: %ld KiB", what, after.ru_maxrss);
#else
    (void)what;
#endif
    return result;
}

const char *sealed_bundle_verdict(const struct verify_result *result)
{
    static char text[100];

    cr_assert_eq(result->verified, result->finding_count == 0);
    if (result->verified) {
        return "verified";
    }
    for (size_t j = 0; j < result->finding_count; j++) { /* a reader has no such file */
        cr_expect_null(strstr(result->findings[j].text, "tacho-verify-"), "%s",
                       result->findings[j].text);
    }
    snprintf(text, sizeof(text), "%s %s", result->findings[0].stage, result->findings[0].code);
    return text;
}

void sealed_bundle_write(const char *bytes, size_t length)
{
    int fd = open(sealed_bundle.changed_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
    cr_assert_eq(close(fd), 0);
}

const char *sealed_bundle_verify_bytes(const char *bytes, size_t length)
{
    sealed_bundle_write(bytes, length);
    struct verify_result *result = sealed_bundle_verify(sealed_bundle.changed_path, NULL);
    const char *verdict = sealed_bundle_verdict(result);

    free(result);
    return verdict;
}

void sealed_bundle_unpack(struct file_tree *tree, int64_t *time_s)
{
    const char *fault = NULL;
    struct err e = {0};

    file_tree_init(tree);
    cr_assert_eq(tree_bytes_unpack(sealed_bundle.archive.bytes, sealed_bundle.archive.length, 0,
                                   tree, time_s, &fault, &e),
                 ERR_OK, "%s", e.text);
}

const char *sealed_bundle_verify_tree(struct file_tree *tree, int64_t time_s)
{
    struct err e = {0};
    struct buf bytes;

    buf_init(&bytes, (size_t)64 << 20);
    cr_assert_eq(tree_bytes_pack(tree, time_s, &bytes, &e), ERR_OK, "%s", e.text);
    const char *verdict = sealed_bundle_verify_bytes(bytes.bytes, bytes.length);
    buf_release(&bytes);
    file_tree_release(tree);
    return verdict;
}

struct file_tree_entry *sealed_entry_get(struct file_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strcmp(tree->entries[i].path, path) == 0) {
            return &tree->entries[i];
        }
    }
    cr_assert_fail("no %s", path);
    return NULL;
}

void sealed_entry_set(struct file_tree *tree, const char *path, const void *bytes, size_t length)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, path);

    free(entry->bytes);
    entry->bytes = malloc(length + 1);
    memcpy(entry->bytes, bytes, length);
    entry->bytes[length] = '\0';
    entry->length = length;
}

void sealed_entry_edit(struct file_tree *tree, const char *path, const char *from, const char *to)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, path);
    char *at = strstr(entry->bytes, from);
    struct buf text;

    cr_assert_not_null(at, "%s in %s", from, path);
    buf_init(&text, (size_t)64 << 20);
    buf_add(&text, entry->bytes, (size_t)(at - entry->bytes));
    buf_add_text(&text, to);
    buf_add_text(&text, at + strlen(from));
    sealed_entry_set(tree, path, text.bytes, text.length);
    buf_release(&text);
}

void sealed_entry_remove(struct file_tree *tree, const char *path)
{
    struct file_tree_entry *entry = sealed_entry_get(tree, path);
    size_t index = (size_t)(entry - tree->entries);

    free(entry->path);
    free(entry->bytes);
    free(entry->disk_path);
    tree->count--;
    memmove(entry, entry + 1, (tree->count - index) * sizeof(*entry));
}

/* What an attacker does who knows the format: all manifests are made anew. */
void sealed_bundle_reseal(struct file_tree *tree)
{
    static const char *const tags[] = {BAG_DECLARATION, BAG_INFO, BAG_MANIFEST, BAG_TAG_MANIFEST};
    const struct file_tree_entry *entry = sealed_entry_get(tree, BAG_INFO);
    char id[DIGEST_HEX_BYTES];
    struct bag_info info;
    struct err e = {0};

    cr_assert_eq(bag_parse_info(entry->bytes, entry->length, &info, &e), ERR_OK, "%s", e.text);
    for (size_t i = 0; i < 4; i++) {
        sealed_entry_remove(tree, tags[i]);
    }
    cr_assert_eq(bag_seal(tree, &info, "slug", id, &e), ERR_OK, "%s", e.text);
}
