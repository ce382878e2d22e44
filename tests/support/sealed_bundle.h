// SPDX-License-Identifier: Apache-2.0
// A sealed bundle of a made-up session, for tests that change it and ask verify.
#ifndef TESTS_SUPPORT_SEALED_BUNDLE_H
#define TESTS_SUPPORT_SEALED_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/buf.h"
#include "report/bundle/bundle.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"

#define SEALED_BUNDLE_VERSION "0.1.0+test" /* what the builder says that it measured with */

struct sealed_bundle {
    char folder[64], results_path[128], archive_path[300];
    char changed_path[128]; /* where the functions below write archives */
    struct bundle_result result;
    struct buf archive; /* its bytes */
};
extern struct sealed_bundle sealed_bundle;

/* For .init and .fini: a bundle in a folder of its own. */
void sealed_bundle_make(void);
/* Says of all engines of a results file that they were the program of our build record, whose
 * sources a bundle then has. */
void sealed_bundle_take_program(const char *results_path);
void sealed_bundle_remove(void);

/* Into changed_path; not flushed to the disk, which hundreds of files would wait for. */
void sealed_bundle_write(const char *bytes, size_t length);

/* Free the result. sha256 may be NULL. */
struct verify_result *sealed_bundle_verify(const char *path, const char *sha256);

/* What lies at changed_path, in at most 2 s of CPU time and 256 MiB: for what wants to take more.
 */
struct verify_result *sealed_bundle_verify_bounded(const char *what);

/* "V5 extra-file" of the first finding, "verified" without one. Static. */
const char *sealed_bundle_verdict(const struct verify_result *result);
const char *sealed_bundle_verify_bytes(const char *bytes, size_t length);
const char *sealed_bundle_verify_tree(struct file_tree *tree, int64_t time_s); /* releases it */

void sealed_bundle_unpack(struct file_tree *tree, int64_t *time_s);

/* What an attacker does who knows the format: all manifests are made anew. */
void sealed_bundle_reseal(struct file_tree *tree);

/* Of a tree; the path must be there. */
struct file_tree_entry *sealed_entry_get(struct file_tree *tree, const char *path);
void sealed_entry_set(struct file_tree *tree, const char *path, const void *bytes, size_t length);
/* The first occurrence of a text becomes another one. */
void sealed_entry_edit(struct file_tree *tree, const char *path, const char *from, const char *to);
void sealed_entry_remove(struct file_tree *tree, const char *path);

#endif
