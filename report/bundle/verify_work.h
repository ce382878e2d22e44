// SPDX-License-Identifier: Apache-2.0
// What the stages of a verification share. For verify.c and its stages alone.
#ifndef REPORT_BUNDLE_VERIFY_WORK_H
#define REPORT_BUNDLE_VERIFY_WORK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "engines/base/buf.h"
#include "report/bundle/bag.h"
#include "report/bundle/file_tree.h"
#include "report/bundle/verify.h"
#include "report/query/results.h"

struct verify_work {
    const struct verify_config *config;
    struct verify_result *result;
    const char *stage;  /* code of the stage that runs */
    bool is_folder;     /* the bundle is a folder, not an archive */
    bool is_too_large;  /* it was not read */
    bool is_foreign;    /* large and no archive: only its first block was read */
    struct buf archive; /* bytes of the archive as given */
    struct file_tree tree;
    int64_t time_s; /* of the archive's entries; of a folder Tacho-Time */
    struct bag_info info;
    char folder[PATH_MAX]; /* private; "" while there is none */
    char results_path[PATH_MAX];
    struct results *results;
};

/* Records a finding of the running stage. */
void verify_add_finding(struct verify_work *work, const char *code, const char *format, ...)
    ATTR_PRINTF(3, 4);
void verify_add_note(struct verify_work *work, const char *format, ...) ATTR_PRINTF(2, 3);

/* Writes a file into the private folder and tells its path. */
enum err_code verify_write_private(struct verify_work *work, const char *name,
                                   const struct buf *bytes, char path_out[PATH_MAX],
                                   struct err *e) ATTR_MUST_USE;

/* Stages. Each returns an error only when the machine fails. */
typedef enum err_code verify_stage(struct verify_work *work, struct err *e);
verify_stage verify_size, verify_sha256, verify_form, verify_extract, verify_tags, verify_manifests,
    verify_digests, verify_canonical, verify_signature, verify_database, verify_cross,
    verify_report;

#endif
