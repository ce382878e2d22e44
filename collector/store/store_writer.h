// SPDX-License-Identifier: Apache-2.0
// The thread that writes: it alone uses the connection while the store is open.
#ifndef COLLECTOR_STORE_STORE_WRITER_H
#define COLLECTOR_STORE_STORE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/sample.h"
#include "collector/store/store_queue.h"

struct sqlite3;
struct store_writer;

enum store_job_kind { STORE_JOB_ROW, STORE_JOB_SAMPLE, STORE_JOB_EVENT };

/* A value of a row. */
struct store_value {
    bool is_text, is_blob;
    int64_t integer;  /* METRIC_UNKNOWN: NULL */
    const char *text; /* NULL: NULL; of a blob, blob_bytes long */
    size_t blob_bytes;
};
#define STORE_INTEGER(value)                                                                       \
    (struct store_value)                                                                           \
    {                                                                                              \
        .integer = (value)                                                                         \
    }
#define STORE_TEXT(value)                                                                          \
    (struct store_value)                                                                           \
    {                                                                                              \
        .is_text = true, .text = (value)                                                           \
    }

#define STORE_BLOB(value, length)                                                                  \
    (struct store_value)                                                                           \
    {                                                                                              \
        .is_blob = true, .text = (value), .blob_bytes = (length)                                   \
    }

/* One statement that changes at least one row, in a transaction of its own; its caller waits. */
struct store_row_job {
    struct store_job job;
    const char *sql; /* NULL: only waits for what is queued before */
    const struct store_value *values;
    size_t value_count;
    int64_t id; /* of the inserted row */
    enum err_code code;
    struct err e;
};

struct store_sample_job {
    struct store_job job;
    int64_t trial_id;
    struct sample sample; /* its histograms point to the bytes below, or are NULL */
    uint8_t histograms[];
};

struct store_event_job {
    struct store_job job;
    int64_t session_id, trial_id, at_utc_ns;
    const char *severity, *kind, *text; /* into the bytes below */
    char bytes[];
};

/*
 * Starts the thread; it takes from the queue until that is closed.
 *
 * db, queue   kept by reference
 * errors      ERR_SYS: no thread; ERR_DB: a statement cannot be prepared; ERR_LIMIT
 */
enum err_code store_writer_start(struct sqlite3 *db, struct store_queue *queue,
                                 struct store_writer **writer_out, struct err *e) ATTR_MUST_USE;

/* Joins the thread (the queue is closed) and frees. */
void store_writer_join(struct store_writer *writer);

#endif
