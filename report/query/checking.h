// SPDX-License-Identifier: Apache-2.0
// The pages and keys of a results file checked in a thread of their own while the file is read.
// Only for report/query.
#ifndef REPORT_QUERY_CHECKING_H
#define REPORT_QUERY_CHECKING_H

#include <stdbool.h>

#include "collector/store/results_db.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct checking;

/* Begins; what reads `db` is interrupted when damage is found. Without a thread to be had the check
 * is done before this returns. errors ERR_LIMIT */
enum err_code checking_begin(struct results_db *db, bool immutable, struct checking **checking_out,
                             struct err *e) ATTR_MUST_USE;

/* Waits. Returns what the check found, else `code`; `e` is of what is returned. NULL is accepted.
 */
enum err_code checking_end(struct checking *checking, enum err_code code,
                           struct err *e) ATTR_MUST_USE;

#endif
