// SPDX-License-Identifier: Apache-2.0
// What a results file already holds of a plan: what a session needs to go on where it stopped.
#ifndef COLLECTOR_STORE_STORE_PAST_H
#define COLLECTOR_STORE_STORE_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

struct store_past_row {
    int64_t numbers[4];
    char *texts[2]; /* NULL where SQL says NULL */
};
struct store_past_rows {
    struct store_past_row *rows;
    size_t count;
};

/* One session. */
struct store_past {
    int64_t session_id;
    char *uid, *plan_text;
    struct store_past_rows engines; /* engine_id; name, binary_sha256 */
    /* cell_id, connection_count, rate_per_s (0: closed loop), is_calibration; workload's name */
    struct store_past_rows cells;
    /* order_index, attempts, whether one is finished, last sitting_index: ascending by order */
    struct store_past_rows places;
    struct store_past_rows facts; /* name, value at the start */
    int64_t sitting_count;
};

/*
 * Reads the newest session of the plan out of a file that store_open has open.
 *
 * past_out   store_past_free; when there is no such session, the newest one of all with nothing
 *            but its ids and its plan's text
 * errors     ERR_MISMATCH: no session of that plan, but another one (*past_out is set); ERR_USAGE:
 *            no session at all; ERR_DB; ERR_LIMIT: memory
 */
enum err_code store_past_read(const char *path, const char *plan_digest,
                              struct store_past **past_out, struct err *e) ATTR_MUST_USE;
void store_past_free(struct store_past *past);

#endif
