// SPDX-License-Identifier: Apache-2.0
// Which sessions of a results file were made by the plan of a given one before it.
#ifndef REPORT_QUERY_SESSION_HISTORY_H
#define REPORT_QUERY_SESSION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define SESSION_UID_BYTES 33

/*
 * uids_out   `most` of them: the newest that come before the session, newest first
 * total_out  how many there are
 * errors     as results_load of a file that was checked before
 */
enum err_code session_history_load(const char *path, bool immutable, int64_t session_id,
                                   size_t most, char (*uids_out)[SESSION_UID_BYTES],
                                   size_t *total_out, struct err *e) ATTR_MUST_USE;

#endif
