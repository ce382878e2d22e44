// SPDX-License-Identifier: Apache-2.0
// The results file, writing side: the only module that writes SQL rows. A thread of its own commits
// the samples, so that a slow disk delays no sample.
#ifndef COLLECTOR_STORE_STORE_H
#define COLLECTOR_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/sample.h"
#include "collector/store/store_request.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

#define STORE_APPLICATION_ID 0x54434847 /* "TCHG" */
#define STORE_VERSION        1          /* PRAGMA user_version: the number of the last migration */

struct store;

/*
 * Opens or makes a results file, brings it to STORE_VERSION (one BEGIN IMMEDIATE) and marks
 * sessions and trials that a killed program left 'running' as 'aborted'. WAL where the file system
 * allows, else DELETE.
 *
 * errors   ERR_SYS: folder missing or read-only; ERR_FORMAT: not a results file, damaged, or of a
 * newer version, or one with several names; ERR_USAGE: in use by another writer
 */
enum err_code store_open(const char *path, struct store **store_out, struct err *e) ATTR_MUST_USE;

/* Whether store_open could take that file, as far as its first bytes and its lock tell; touches
 * nothing. errors   those of store_open */
enum err_code store_check(const char *path, struct err *e) ATTR_MUST_USE;

/*
 * Commits what is queued, ends the thread, leaves one file without -wal and -shm beside it (unless
 * another program has it open: then they stay until that one closes it). NULL is accepted.
 *
 * errors   ERR_DB: a write failed while the store was open
 */
enum err_code store_close(struct store *store, struct err *e);

/* "wal" or "delete": a fact of the session. */
const char *store_journal_mode(const struct store *store);

/* Version of the SQLite in use, "3.40.1". */
const char *store_sqlite_version(void);

/* Rows. Every id_out is the new row's key. Text is copied. Strings are NULL where the column may
 * be. */

struct store_session {
    const char *title, *plan_text, *plan_digest, *program_version;
    const char *plan_source; /* as the user wrote it; NULL: not kept */
    int64_t started_utc_ns;
};
enum err_code store_begin_session(struct store *store, const struct store_session *row,
                                  int64_t *id_out, struct err *e) ATTR_MUST_USE;
/* One that ended runs again: trials of another sitting follow. */
enum err_code store_resume_session(struct store *, int64_t session_id, struct err *) ATTR_MUST_USE;
/* state: 'finished', 'interrupted', 'failed' */
enum err_code store_end_session(struct store *store, int64_t session_id, const char *state,
                                const char *reason, int64_t ended_utc_ns,
                                struct err *e) ATTR_MUST_USE;

/* A fact of the moment 'end' may be stored again, and then replaces the earlier one. */
enum err_code store_add_fact(struct store *store, int64_t session_id, const char *moment,
                             const char *name, const char *value, struct err *e) ATTR_MUST_USE;

struct store_engine {
    const char *name, *role, *kind, *source, *command_json;
    const char *binary_sha256; /* NULL: not known */
    uint32_t thread_count;
};
enum err_code store_add_engine(struct store *store, int64_t session_id,
                               const struct store_engine *row, int64_t *id_out,
                               struct err *e) ATTR_MUST_USE;
enum err_code store_set_engine_binary(struct store *store, int64_t engine_id, const char *sha256,
                                      struct err *e) ATTR_MUST_USE;

struct store_workload {
    const char *name;
    bool is_calibration;
    struct store_request request;        /* the only one, or the first of a mix */
    uint32_t requests_per_connection;    /* 0: connections are kept */
    uint32_t pipeline_count;             /* 1 … */
    int64_t flood_ns, recover_within_ns; /* 0: no flood */
    int64_t think_ns;                    /* 0: no pause */
    const char *think_kind;              /* NULL: no pause */
    const char *driver;                  /* NULL: tacho's own */
};
enum err_code store_add_workload(struct store *store, int64_t session_id,
                                 const struct store_workload *row, int64_t *id_out,
                                 struct err *e) ATTR_MUST_USE;
struct store_cell {
    uint32_t connection_count;
    uint32_t rate_per_s;     /* 0: closed loop */
    const char *arrivals;    /* NULL: closed loop */
    const char *rate_course; /* as a plan has it; NULL: the rate does not change */
};
enum err_code store_add_cell(struct store *store, int64_t workload_id, const struct store_cell *row,
                             int64_t *id_out, struct err *e) ATTR_MUST_USE;

struct store_trial {
    int64_t session_id, cell_id, engine_id;
    int64_t order_index, attempt_index, sitting_index;
    int64_t block_index, position_index; /* METRIC_UNKNOWN for calibration */
    int64_t started_utc_ns;
};
enum err_code store_begin_trial(struct store *store, const struct store_trial *row, int64_t *id_out,
                                struct err *e) ATTR_MUST_USE;

struct store_trial_end {
    const char *state, *reason, *server_exit;
    int64_t ended_utc_ns, ready_ns; /* METRIC_UNKNOWN where not known, as all below */
    int64_t connections_requested, connections_established, connections_served;
    int64_t started_count, server_request_count;
    int64_t recover_ns;          /* of a flood */
    const struct tls_total *tls; /* NULL: no handshake */
};
/* Waits for the trial's queued samples, then commits the end in the same order: a finished trial
 * has all its samples. When one could not be written the trial ends as 'failed' and ERR_DB says
 * why; store_end_session does the same. */
enum err_code store_end_trial(struct store *store, int64_t trial_id,
                              const struct store_trial_end *row, struct err *e) ATTR_MUST_USE;

/*
 * Queues a sample, its outcomes and histogram (all copied). Returns at once: never waits for the
 * disk.
 *
 * errors   ERR_LIMIT: the queue's memory limit is reached (the disk has stood still for minutes);
 *          ERR_DB: an earlier write failed (disk full); the text says which. Both: nothing queued.
 */
enum err_code store_queue_sample(struct store *store, int64_t trial_id, const struct sample *sample,
                                 struct err *e) ATTR_MUST_USE;

/* trial_id METRIC_UNKNOWN: of the session. severity: 'info', 'warning', 'error'. Queued as samples
 * are. */
enum err_code store_queue_event(struct store *store, int64_t session_id, int64_t trial_id,
                                int64_t at_utc_ns, const char *severity, const char *kind,
                                const char *text, struct err *e) ATTR_MUST_USE;

#endif
