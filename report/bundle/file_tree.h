// SPDX-License-Identifier: Apache-2.0
// The files of a bundle: small ones in memory, large ones where they lie on disk with the SHA-256
// of the first reading, which every later reading must have; and the rules that their names follow.
#ifndef REPORT_BUNDLE_FILE_TREE_H
#define REPORT_BUNDLE_FILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/digest.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define FILE_TREE_PATH_BYTES_MAX      240 /* with the top folder and its '/' */
#define FILE_TREE_COMPONENT_BYTES_MAX 100
#define FILE_TREE_DEPTH_MAX           12
#define FILE_TREE_ENTRY_COUNT_MAX     20000
#define FILE_TREE_FILE_BYTES_MAX      ((size_t)512 << 20)
#define FILE_TREE_TOTAL_BYTES_MAX     ((size_t)1 << 30)

struct file_tree_entry {
    char *path; /* from the top folder, without '/' at either end: "data/README.md" */
    bool is_folder, is_executable;
    size_t length;
    char *bytes;     /* in memory, followed by a NUL that does not count; NULL: on disk */
    char *disk_path; /* of a file on disk; NULL: in the tree's store, at `offset` */
    size_t offset;
    char sha256[DIGEST_HEX_BYTES]; /* of a file on disk: what was read first */
};

struct file_tree {
    char top[FILE_TREE_PATH_BYTES_MAX + 1]; /* name of the top folder; "" while unknown */
    struct file_tree_entry *entries;
    size_t count, capacity, total_bytes;
    size_t file_bytes_max, total_bytes_max; /* what may be added; file_tree_init sets the usual */
    bool is_private; /* nobody else can change what is on disk: it is not checked again */
    int store_fd; /* an archive, or a file of contents one after the other; the caller's; -1: none
                   */
};

/* Storage is the caller's. */
void file_tree_init(struct file_tree *tree);
void file_tree_release(struct file_tree *tree);

/*
 * Adds a file (bytes are copied) or a folder.
 *
 * errors   ERR_FORMAT: the path breaks the rules; ERR_LIMIT: too many, too large, no memory
 */
enum err_code file_tree_add_file(struct file_tree *tree, const char *path, const void *bytes,
                                 size_t length, struct err *e) ATTR_MUST_USE;
/*
 * Adds a file whose content stays where it is: disk_path, offset, length and sha256 of `like`
 * count.
 *
 * errors   as file_tree_add_file
 */
enum err_code file_tree_add_stored(struct file_tree *tree, const char *path,
                                   const struct file_tree_entry *like, struct err *e) ATTR_MUST_USE;
/* Adds a regular file of the disk, read once for its SHA-256. errors ERR_SYS, ERR_FORMAT, and those
 * of file_tree_add_file */
enum err_code file_tree_add_disk(struct file_tree *tree, const char *path, const char *disk_path,
                                 struct err *e) ATTR_MUST_USE;
enum err_code file_tree_add_folder(struct file_tree *tree, const char *path,
                                   struct err *e) ATTR_MUST_USE;

/* Sorts all, with the folders that files lie in and no others. errors as file_tree_add_folder. */
enum err_code file_tree_complete(struct file_tree *tree, struct err *e) ATTR_MUST_USE;

/* Where contents go, piece by piece. */
struct file_tree_sink {
    enum err_code (*add)(void *self, const char *bytes, size_t length, struct err *e);
    void *self;
};

/*
 * Hands a file's content to a sink.
 *
 * errors   those of the sink; ERR_SYS; ERR_MISMATCH: it is not what was read first: told at the end
 */
enum err_code file_tree_read(const struct file_tree *tree, const struct file_tree_entry *entry,
                             const struct file_tree_sink *sink, struct err *e) ATTR_MUST_USE;

/* Appends a file's content. errors as file_tree_read; ERR_LIMIT: larger than the buffer may be */
enum err_code file_tree_load(const struct file_tree *tree, const struct file_tree_entry *entry,
                             struct buf *out, struct err *e) ATTR_MUST_USE;

/* Writes a file's content to a path of the disk. errors as file_tree_read */
enum err_code file_tree_write(const struct file_tree *tree, const struct file_tree_entry *entry,
                              const char *path, struct err *e) ATTR_MUST_USE;

/* SHA-256 of a file's content. errors ERR_LIMIT: memory */
enum err_code file_tree_digest(const struct file_tree_entry *entry, char hex_out[DIGEST_HEX_BYTES],
                               struct err *e) ATTR_MUST_USE;

/* Order of the archive: component by component, a folder before what it holds. */
int file_tree_compare_paths(const char *left, const char *right);
void file_tree_sort(struct file_tree *tree);

/* NULL when there is none; in a sorted tree. */
const struct file_tree_entry *file_tree_find(const struct file_tree *tree, const char *path);

/*
 * The rules: letters, digits and "._+-", no component that begins with '-' or '.', is longer than
 * 100 bytes or ends as a file beside a database or a signature does (-wal -shm -journal .sig), at
 * most 12 components and 240 bytes.
 *
 * errors   ERR_FORMAT
 */
enum err_code file_tree_check_path(const char *path, struct err *e) ATTR_MUST_USE;

/*
 * The first entry whose path equals another's when ASCII case is ignored; NULL: all are distinct.
 */
const struct file_tree_entry *file_tree_find_collision(const struct file_tree *tree, struct err *e);

/* "An Article: Nginx?" → "an-article-nginx", at most 40 bytes; "bundle" when nothing is left. */
#define FILE_TREE_SLUG_BYTES 48
void file_tree_format_slug(const char *text, char out[FILE_TREE_SLUG_BYTES]);

#endif
