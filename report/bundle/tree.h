// SPDX-License-Identifier: Apache-2.0
// The files of a bundle in memory, and the rules that their names follow. Everything that is said
// of a bundle is said of these bytes: no file is opened twice.
#ifndef REPORT_BUNDLE_TREE_H
#define REPORT_BUNDLE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define TREE_PATH_BYTES_MAX      240 /* with the top folder and its '/' */
#define TREE_COMPONENT_BYTES_MAX 100
#define TREE_DEPTH_MAX           12
#define TREE_ENTRY_COUNT_MAX     20000
#define TREE_FILE_BYTES_MAX      ((size_t)512 << 20)
#define TREE_TOTAL_BYTES_MAX     ((size_t)1 << 30)

struct tree_entry {
    char *path; /* from the top folder, without '/' at either end: "data/README.md" */
    bool is_folder, is_executable;
    char *bytes; /* of a file; followed by a NUL that does not count */
    size_t length;
};

struct tree {
    char top[TREE_PATH_BYTES_MAX + 1]; /* name of the top folder; "" while unknown */
    struct tree_entry *entries;
    size_t count, capacity, total_bytes;
};

/* Storage is the caller's. */
void tree_init(struct tree *tree);
void tree_release(struct tree *tree);

/*
 * Adds a file (bytes are copied) or a folder.
 *
 * errors   ERR_FORMAT: the path breaks the rules; ERR_LIMIT: too many, too large, no memory
 */
enum err_code tree_add_file(struct tree *tree, const char *path, const void *bytes, size_t length,
                            struct err *e) ATTR_MUST_USE;
enum err_code tree_add_folder(struct tree *tree, const char *path, struct err *e) ATTR_MUST_USE;

/* Adds the folders that the files lie in and sorts all. errors as tree_add_folder. */
enum err_code tree_complete(struct tree *tree, struct err *e) ATTR_MUST_USE;

/* Order of the archive: component by component, a folder before what it holds. */
int tree_compare_paths(const char *left, const char *right);
void tree_sort(struct tree *tree);

/* NULL when there is none; in a sorted tree. */
const struct tree_entry *tree_find(const struct tree *tree, const char *path);

/*
 * The rules: letters, digits and "._+-", no component that begins with '-' or '.', is longer than
 * 100 bytes or ends as a file beside a database or a signature does (-wal -shm -journal .sig), at
 * most 12 components and 240 bytes.
 *
 * errors   ERR_FORMAT
 */
enum err_code tree_check_path(const char *path, struct err *e) ATTR_MUST_USE;

/*
 * The first entry whose path equals another's when ASCII case is ignored; NULL: all are distinct.
 */
const struct tree_entry *tree_find_collision(const struct tree *tree, struct err *e);

/* "An Article: Nginx?" → "an-article-nginx", at most 40 bytes; "bundle" when nothing is left. */
#define TREE_SLUG_BYTES 48
void tree_format_slug(const char *text, char out[TREE_SLUG_BYTES]);

#endif
