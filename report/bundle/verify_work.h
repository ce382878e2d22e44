// SPDX-License-Identifier: Apache-2.0
// What the stages of a verification share. For verify.c and its stages alone.
#ifndef REPORT_BUNDLE_VERIFY_WORK_H
#define REPORT_BUNDLE_VERIFY_WORK_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/bundle/bag.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"
#include "report/bundle/work_folder.h"
#include "report/judge/soundness_pass.h"
#include "report/query/results.h"

struct verify_work {
    const struct verify_config *config;
    struct verify_result *result;
    const char *stage; /* code of the stage that runs */
    bool is_folder;    /* the bundle is a folder, not an archive */
    int archive_fd;    /* -1: a folder */
    uint64_t archive_bytes;
    char head[512]; /* of the archive, head_bytes of it */
    size_t head_bytes;
    enum err_code form_code; /* what V2 has to say of the archive that V1 read */
    const char *form_fault;
    struct err form_cause;
    struct file_tree tree;
    int64_t time_s; /* of the archive's entries; of a folder Tacho-Time */
    struct bag_info info;
    struct work_folder folder; /* private */
    char results_path[PATH_MAX];
    struct results *results;
    struct soundness_pass *soundness; /* of the newest session, read by V9 and told by V10 */
    bool claims_differ;               /* V10, of another tacho: its claims.json has other numbers */
};

/* Records a finding of the running stage. */
void verify_add_finding(struct verify_work *work, const char *code, const char *format, ...)
    ATTR_PRINTF(3, 4);
void verify_add_note(struct verify_work *work, const char *format, ...) ATTR_PRINTF(2, 3);

/* Writes a file of the tree into the private folder and tells its path. errors ERR_SYS,
 * ERR_MISMATCH: it changed since it was read first */
enum err_code verify_write_private(struct verify_work *work, const char *name,
                                   const struct file_tree_entry *entry, char path_out[PATH_MAX],
                                   struct err *e) ATTR_MUST_USE;

/* Whether bag-info.txt names this version: then all that it makes must be there byte for byte. */
bool verify_made_by_this_program(const struct verify_work *work);

/* A finding when the bundle has not the file, or another one. errors ERR_SYS, ERR_MISMATCH */
enum err_code verify_compare_entry(struct verify_work *work, const struct file_tree_entry *own,
                                   struct err *e) ATTR_MUST_USE;

/* The JSON of a file; NULL when it is none, larger, or not there. */
json_t *verify_load_document(const struct file_tree *tree, const struct file_tree_entry *entry,
                             size_t bytes_max);

/* Whether two documents differ at most in how their numbers are spelled; no document is none's. */
bool verify_same_numbers(json_t *a, json_t *b);

/* What belongs to the bundle and lies beside it: FILE.tar and the ending; of a folder FOLDER.tar
 * and the ending. errors ERR_SYS, ERR_LIMIT */
enum err_code verify_find_beside(const struct verify_work *work, const char *ending,
                                 char path_out[PATH_MAX], struct err *e) ATTR_MUST_USE;

/* Opens the archive for all stages. errors ERR_SYS; ERR_FORMAT: not a regular file */
enum err_code verify_open_archive(struct verify_work *work, struct err *e) ATTR_MUST_USE;

/* How large an archive may be. */
size_t verify_total_max(const struct verify_config *config);

/* Of V10: the rows of every session; before them nothing of the results is used. errors ERR_LIMIT,
 * ERR_FORMAT */
enum err_code verify_soundness(struct verify_work *work, struct err *e) ATTR_MUST_USE;

/* Of V10, in a bundle that reproduces another one: the verdicts made again. errors ERR_LIMIT,
 * ERR_FORMAT, ERR_SYS, ERR_MISMATCH */
enum err_code verify_reproduction(struct verify_work *work, struct err *e) ATTR_MUST_USE;

/* Stages. Each returns an error only when the machine fails. */
typedef enum err_code verify_stage(struct verify_work *work, struct err *e);
verify_stage verify_size, verify_sha256, verify_form, verify_extract, verify_tags, verify_manifests,
    verify_digests, verify_canonical, verify_signature, verify_database, verify_cross,
    verify_policy, verify_report;

#endif
