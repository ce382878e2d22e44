// SPDX-License-Identifier: Apache-2.0
// tables/samples.csv of a report, written while the results file is read: the samples are not kept.
#ifndef REPORT_SAMPLES_FILE_H
#define REPORT_SAMPLES_FILE_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "engines/base/fs.h"
#include "report/query/results.h"
#include "report/query/results_pass.h"

struct samples_file {
    const char *folder; /* of the report: made when the first trial comes */
    struct fs_writer writer;
    struct buf rows;
    bool is_open;
};

void samples_file_init(struct samples_file *file, const char *folder);

/* A results_visit; `self` is the samples_file. */
enum err_code samples_file_visit(void *self, const struct results *results, size_t trial_index,
                                 struct err *e) ATTR_MUST_USE;

/* Gives the file its name when `code` is ERR_OK, leaves nothing else; frees. Returns `code`, or
 * what went wrong. */
enum err_code samples_file_close(struct samples_file *file, enum err_code code,
                                 struct err *e) ATTR_MUST_USE;

#endif
