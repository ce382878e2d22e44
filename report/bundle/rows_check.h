// SPDX-License-Identifier: Apache-2.0
// What stage V10 finds in the rows of sessions, for a verification and for who seals them.
#ifndef REPORT_BUNDLE_ROWS_CHECK_H
#define REPORT_BUNDLE_ROWS_CHECK_H

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/verify.h"
#include "report/judge/soundness.h"
#include "report/query/results.h"

struct rows_check {
    const char *results_path;    /* a file that was checked whole */
    const char *program_version; /* of who checks */
    const struct verify_policy *policy;
    void (*tell)(void *self, const char *code, const char *text); /* of each finding */
    void (*note)(void *self, const char *text); /* NULL, or of what could not be held */
    void *self;
};

/* of: "session 01234567, ", or "" of the newest. */
void rows_check_tell(const struct rows_check *check, const struct soundness *soundness,
                     const char *of);

/* Reads and checks the other sessions of the file, where it has any. errors as session_list_load
 * and soundness_load */
enum err_code rows_check_others(const struct rows_check *check, const struct results *results,
                                struct err *e) ATTR_MUST_USE;

#endif
