// SPDX-License-Identifier: Apache-2.0
// What a results file holds: its sessions, and how far each of them came.
#ifndef REPORT_QUERY_SESSION_LIST_H
#define REPORT_QUERY_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/* Texts may be NULL and integers METRIC_UNKNOWN where the file does not say. */
struct session_entry {
    int64_t session_id;
    const char *uid, *state, *reason, *title, *plan_digest, *program_version;
    int64_t started_utc_ns, ended_utc_ns;
    int64_t engine_count, cell_count;
    int64_t planned_count;              /* places of the schedule, calibration included */
    int64_t done_count, failed_count;   /* places with a finished trial; with none but bad ones */
    int64_t missing_count;              /* the other places: interrupted, aborted, never begun */
    int64_t trial_count, sitting_count; /* trials of all attempts; sittings with a trial */
    int64_t sample_count;
    const char *cpu_model, *cpu_count, *kernel_release;
};

struct session_list {
    struct session_entry *entries; /* oldest first */
    size_t count;
    void *memory; /* everything above: freed by session_list_free */
};

/* errors   as results_load, but a file without a session has a list */
enum err_code session_list_load(const char *path, bool immutable, struct session_list **list_out,
                                struct err *e) ATTR_MUST_USE;
void session_list_free(struct session_list *list);

#endif
