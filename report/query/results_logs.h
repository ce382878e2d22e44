// SPDX-License-Identifier: Apache-2.0
// What the servers wrote, one log at a time: all of them together may be large.
#ifndef REPORT_QUERY_RESULTS_LOGS_H
#define REPORT_QUERY_RESULTS_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/* What a trial's server wrote; valid during the call. What lies between head and tail was not kept.
 */
struct results_log {
    int64_t trial_id, written_bytes;
    const char *head, *tail;
    size_t head_bytes, tail_bytes;
};

/*
 * Calls `visit` for each log of a file whose pages were checked before, in the order of the trials'
 * keys, until it fails.
 *
 * errors   as results_load, and those of `visit`
 */
enum err_code results_visit_logs(const char *path, bool immutable,
                                 enum err_code (*visit)(void *self, const struct results_log *log,
                                                        struct err *e),
                                 void *self, struct err *e) ATTR_MUST_USE;

#endif
