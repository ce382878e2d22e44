// SPDX-License-Identifier: Apache-2.0
// Stages V4 … V6: the bag.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/verify_work.h"

#define TAG_BYTES_MAX ((size_t)16 << 20)

static bool is_tag_name(const char *path)
{
    static const char *const names[] = {BAG_DECLARATION, BAG_INFO, BAG_MANIFEST, BAG_TAG_MANIFEST};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(path, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The file, or NULL and a finding. */
static const struct file_tree_entry *file_get(struct verify_work *work, const char *path)
{
    const struct file_tree_entry *entry = file_tree_find(&work->tree, path);

    if (!entry || entry->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", path);
        return NULL;
    }
    return entry;
}

/* The file's content, false and a finding when there is none. `out` is released by the caller in
 * any case. */
static bool tag_load(struct verify_work *work, const char *path, struct buf *out)
{
    const struct file_tree_entry *entry = file_get(work, path);
    struct err cause = {0};

    buf_init(out, TAG_BYTES_MAX);
    if (!entry) {
        return false;
    }
    if (file_tree_load(&work->tree, entry, out, &cause) != ERR_OK) {
        verify_add_finding(work, "bad-tag-file", "%s", cause.text);
        return false;
    }
    return true;
}

/* What lies beside data/ that is none of the four files. */
static void extra_tags_find(struct verify_work *work)
{
    for (size_t i = 0; i < work->tree.count; i++) {
        const struct file_tree_entry *entry = &work->tree.entries[i];

        if (strcmp(entry->path, "data") == 0 || strncmp(entry->path, "data/", 5) == 0) {
            continue;
        }
        if (entry->is_folder) {
            verify_add_finding(work, "extra-folder", "%s/", entry->path);
        } else if (strcmp(entry->path, "fetch.txt") == 0) {
            verify_add_finding(work, "fetch-file", "fetch.txt: files from elsewhere are not taken");
        } else if (!is_tag_name(entry->path)) {
            verify_add_finding(work, "extra-tag-file", "%s", entry->path);
        }
    }
}

static void declaration_check(struct verify_work *work)
{
    struct buf text;

    if (tag_load(work, BAG_DECLARATION, &text) && strcmp(text.bytes, bag_declaration_text) != 0) {
        verify_add_finding(work, "bad-tag-file", "%s is not that of BagIt 1.0", BAG_DECLARATION);
    }
    buf_release(&text);
}

static void info_check(struct verify_work *work)
{
    struct err cause = {0};
    struct buf text;

    if (tag_load(work, BAG_INFO, &text)) {
        enum err_code code = bag_parse_info(text.bytes, text.length, &work->info, &cause);
        if (code != ERR_OK) {
            verify_add_finding(work, code == ERR_MISMATCH ? "newer-format" : "bad-tag-file",
                               "%s: %s", BAG_INFO, cause.text);
        }
    }
    buf_release(&text);
}

enum err_code verify_tags(struct verify_work *work, struct err *e)
{
    (void)e;
    file_get(work, BAG_MANIFEST);
    file_get(work, BAG_TAG_MANIFEST);
    extra_tags_find(work);
    declaration_check(work);
    info_check(work);
    return ERR_OK;
}

/* One line of a manifest against the tree and the line before it. */
static void line_check(struct verify_work *work, const char *name, const struct bag_line *line,
                       const struct bag_line *before)
{
    bool payload = strcmp(name, BAG_MANIFEST) == 0;
    struct err cause = {0};

    if (file_tree_check_path(line->path, &cause) != ERR_OK ||
        payload != (strncmp(line->path, "data/", 5) == 0)) {
        verify_add_finding(work, "bad-path", "%s lists %s: %s", name, line->path,
                           *cause.text ? cause.text : "not a file for this manifest");
        return;
    }
    int order = before ? strcmp(before->path, line->path) : -1;
    if (order >= 0) {
        verify_add_finding(work, order == 0 ? "duplicate-line" : "bad-order", "%s: %s", name,
                           line->path);
    }
    const struct file_tree_entry *entry = file_tree_find(&work->tree, line->path);
    if (!entry || entry->is_folder) {
        verify_add_finding(work, "missing-file", "%s lists %s, which is not there", name,
                           line->path);
    }
}

static int line_compare(const void *path, const void *line)
{
    return strcmp(path, ((const struct bag_line *)line)->path);
}

/* Files that a (sorted) manifest does not list. The tag manifest lists all tag files but itself. */
static void unlisted_find(struct verify_work *work, const char *name,
                          const struct bag_manifest *manifest)
{
    bool payload = strcmp(name, BAG_MANIFEST) == 0;

    for (size_t i = 0; i < work->tree.count; i++) {
        const struct file_tree_entry *entry = &work->tree.entries[i];

        if (entry->is_folder || payload != (strncmp(entry->path, "data/", 5) == 0) ||
            strcmp(entry->path, BAG_TAG_MANIFEST) == 0) {
            continue;
        }
        if (!manifest->count || !bsearch(entry->path, manifest->lines, manifest->count,
                                         sizeof(*manifest->lines), line_compare)) {
            verify_add_finding(work, "extra-file", "%s is not in %s", entry->path, name);
        }
    }
}

/* Parses a manifest; false when it cannot be, with a finding. */
static bool manifest_get(struct verify_work *work, const char *name,
                         struct bag_manifest *manifest_out)
{
    struct err cause = {0};
    struct buf text;
    bool is_read = tag_load(work, name, &text);

    if (is_read && bag_parse_manifest(text.bytes, text.length, manifest_out, &cause) != ERR_OK) {
        verify_add_finding(work, "bad-manifest", "%s: %s", name, cause.text);
        is_read = false;
    }
    buf_release(&text);
    return is_read;
}

static void manifest_check(struct verify_work *work, const char *name)
{
    struct bag_manifest manifest;

    if (!manifest_get(work, name, &manifest)) {
        return;
    }
    if (!manifest.is_canonical) {
        verify_add_finding(work, "non-canonical-manifest",
                           "%s: lines are 64 lower-case digits, two spaces, the name, a line feed",
                           name);
    }
    if (manifest.count == 0) {
        verify_add_finding(work, "empty-manifest", "%s lists nothing", name);
    }
    for (size_t i = 0; i < manifest.count; i++) {
        line_check(work, name, &manifest.lines[i], i ? &manifest.lines[i - 1] : NULL);
    }
    unlisted_find(work, name, &manifest);
    bag_release_manifest(&manifest);
}

/* In the sorted tree a folder with something in it is followed by that. */
static void empty_folders_find(struct verify_work *work)
{
    const struct file_tree *tree = &work->tree;

    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->entries[i].path;
        size_t length = strlen(path);

        if (tree->entries[i].is_folder &&
            (i + 1 == tree->count || strncmp(tree->entries[i + 1].path, path, length) != 0 ||
             tree->entries[i + 1].path[length] != '/')) {
            verify_add_finding(work, "extra-folder", "%s/ is empty", path);
        }
    }
}

enum err_code verify_manifests(struct verify_work *work, struct err *e)
{
    (void)e;
    manifest_check(work, BAG_MANIFEST);
    manifest_check(work, BAG_TAG_MANIFEST);
    empty_folders_find(work);
    return ERR_OK;
}

static enum err_code manifest_digest(struct verify_work *work, const char *name, struct err *e)
{
    struct bag_manifest manifest;
    enum err_code code = ERR_OK;

    if (!manifest_get(work, name, &manifest)) {
        return ERR_OK;
    }
    for (size_t i = 0; i < manifest.count && code == ERR_OK; i++) {
        const struct bag_line *line = &manifest.lines[i];
        const struct file_tree_entry *entry = file_get(work, line->path);
        char hex[DIGEST_HEX_BYTES] = "";

        if (!entry) {
            continue;
        }
        code = file_tree_digest(entry, hex, e);
        if (code == ERR_OK && strcmp(hex, line->hex) != 0) {
            verify_add_finding(work, "digest", "%s: SHA-256 %s, listed as %s", line->path, hex,
                               line->hex);
        }
    }
    bag_release_manifest(&manifest);
    return code;
}

/* The bundle's id, which the name of the top folder ends in. */
static enum err_code id_check(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *tags = file_get(work, BAG_TAG_MANIFEST);
    char *id = work->result->id;
    const char *dash = strrchr(work->tree.top, '-');

    if (!tags) {
        return ERR_OK;
    }
    enum err_code code = file_tree_digest(tags, id, e);
    if (code == ERR_OK && (!dash || strlen(dash + 1) != 16 || strncmp(dash + 1, id, 16) != 0)) {
        verify_add_finding(work, "top-name", "the folder is named %s; the bundle's id is %s",
                           work->tree.top, id);
    }
    return code;
}

enum err_code verify_digests(struct verify_work *work, struct err *e)
{
    uint64_t bytes, files;
    enum err_code code = manifest_digest(work, BAG_TAG_MANIFEST, e);

    if (code == ERR_OK) {
        code = manifest_digest(work, BAG_MANIFEST, e);
    }
    bag_measure_payload(&work->tree, &bytes, &files);
    if (bytes != work->info.payload_bytes || files != work->info.payload_files) {
        verify_add_finding(work, "oxum",
                           "Payload-Oxum says %" PRIu64 ".%" PRIu64 ", it is %" PRIu64 ".%" PRIu64,
                           work->info.payload_bytes, work->info.payload_files, bytes, files);
    }
    return code == ERR_OK ? id_check(work, e) : code;
}
