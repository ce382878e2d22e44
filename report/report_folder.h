// SPDX-License-Identifier: Apache-2.0
// The folder of a report: made beside its place, then put there at once, so that no file of an
// earlier report stays under the name of this one.
#ifndef REPORT_REPORT_FOLDER_H
#define REPORT_REPORT_FOLDER_H

#include <limits.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/work_folder.h"

struct report_folder {
    const char *target;
    char path[PATH_MAX]; /* where to write the report */
    struct work_folder work;
};

/* errors ERR_USAGE, ERR_SYS: the target; ERR_LIMIT: the path is too long */
enum err_code report_folder_open(struct report_folder *folder, const char *target,
                                 struct err *e) ATTR_MUST_USE;

/*
 * Moves what was written into the target. Of these forms (bits of report/forms/form.h) files of an
 * earlier report that this one has not are removed; nobody else's are. SIGINT, SIGTERM and SIGHUP
 * wait until it is done.
 *
 * errors   ERR_USAGE: something that is no file has the name of one, then nothing is changed;
 *          ERR_SYS
 */
enum err_code report_folder_place(const struct report_folder *folder, uint64_t form_set,
                                  struct err *e) ATTR_MUST_USE;

/*
 * A file of fixed name in the target that belongs to a form outside of `form_set`: it was left from
 * an earlier report. NULL: there is none.
 */
const char *report_folder_find_left(const struct report_folder *folder, uint64_t form_set,
                                    char out[NAME_MAX]) ATTR_MUST_USE;

/* Removes what was not placed, and a target that was made for nothing. */
void report_folder_close(struct report_folder *folder);

#endif
