// SPDX-License-Identifier: Apache-2.0
// A results file in memory, read only: the only module that reads SQL rows. Everything belongs to
// one struct results.
#ifndef REPORT_QUERY_RESULTS_H
#define REPORT_QUERY_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/sample.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/query/results_cell.h"
#include "report/query/results_request.h"

/* Integers that the file does not have are METRIC_UNKNOWN, texts NULL. Arrays are in the order of
 * their keys. */

struct results_fact {
    const char *moment, *name, *value;
};

struct results_engine {
    int64_t engine_id;
    const char *name, *role, *kind, *source, *command_json;
    const char *binary_sha256; /* NULL: of a URL, or of an engine that --only left out */
    int64_t thread_count;
};

struct results_workload {
    int64_t workload_id;
    const char *name;
    bool is_calibration;
    struct results_request request;      /* the only one, or the first of a mix */
    const struct results_request *mixed; /* all of a mix, in order; NULL: no mix */
    size_t mixed_count;
    int64_t requests_per_connection; /* METRIC_UNKNOWN: connections are kept */
    int64_t pipeline_count;
    int64_t flood_ns, recover_within_ns; /* METRIC_UNKNOWN: no flood */
    int64_t think_ns;                    /* METRIC_UNKNOWN: no pause */
    bool is_think_exponential;
    bool is_foreign; /* not loaded by tacho's driver: by wrk, or a replay */
    bool is_replay;  /* samples of an earlier session, played again */
};

/* What figures need of a sample: kept for all samples, where the samples themselves are not. */
struct results_point {
    int64_t start_ns, end_ns, ok_count, server_rss_kib, server_thread_count;
    enum sample_phase phase;
};

struct results_trial {
    int64_t trial_id;
    size_t cell_index, engine_index;
    int64_t order_index, attempt_index, sitting_index, block_index, position_index;
    const char *state, *reason, *server_exit;
    int64_t started_utc_ns, ended_utc_ns, ready_ns;
    int64_t connections_requested, connections_established, connections_served;
    int64_t started_count, server_request_count;
    int64_t recover_ns;     /* of a flood: from its end to the first right answer */
    struct results_tls tls; /* version NULL: no handshake */
    struct sample *samples; /* in order of index; histogram points into the file's memory; NULL
                               after results_load_each */
    struct results_point *points;        /* one for each sample; NULL after results_drop_points */
    struct results_course_point *course; /* likewise; NULL: the rate does not change */
    size_t sample_count;
    const struct results_request_total *totals; /* of each request of a mix; NULL: none */
    size_t total_count;
    const struct results_foreign_load *said; /* by another driver; NULL: nothing */
};

struct results_event {
    int64_t trial_id; /* METRIC_UNKNOWN: of the session */
    int64_t at_utc_ns;
    const char *severity, *kind, *text;
};

struct results {
    size_t session_count; /* in the file; all below is of this one */
    int64_t session_id;
    const char *session_uid, *state, *reason, *title, *plan_text, *plan_digest, *program_version;
    const char *plan_source; /* as it was written; NULL: not known */
    int64_t started_utc_ns, ended_utc_ns;
    struct results_fact *facts;
    size_t fact_count;
    struct results_engine *engines;
    size_t engine_count;
    struct results_workload *workloads;
    size_t workload_count;
    struct results_request *requests; /* of all mixes, as below */
    size_t request_count;
    struct results_cell *cells;
    size_t cell_count;
    struct results_trial *trials; /* in order of order_index, attempt_index */
    size_t trial_count;
    struct results_request_total *request_totals; /* of all trials of mixes */
    size_t request_total_count;
    struct results_foreign_load *foreign_loads; /* of all trials by another driver */
    size_t foreign_load_count;
    struct results_event *events;
    size_t event_count;
    void *memory, *points_memory; /* everything above: freed by results_free */
};

/* Loads the last session of a results file. The file is opened read only and is not changed, not
 * even by recovery of a journal beside it when `immutable` is set (a file out of a bundle).
 *
 * errors   ERR_SYS: cannot be opened; ERR_FORMAT: not a results file, damaged, newer version, or no
 * session in it; ERR_LIMIT: memory. The text names the file and the check that failed.
 */
enum err_code results_load(const char *path, bool immutable, struct results **results_out,
                           struct err *e) ATTR_MUST_USE;
/* The same for the session whose id begins with `uid`; NULL: the last one. errors as results_load;
 * ERR_USAGE: none or several */
enum err_code results_load_session(const char *path, bool immutable, const char *uid,
                                   struct results **results_out, struct err *e) ATTR_MUST_USE;
void results_free(struct results *results);
/* Frees the points of all trials: most of the memory of a long session. */
void results_drop_points(struct results *results);

/* The words that the states of sessions and trials may be, NULL at the end. */
extern const char *const results_session_states[], *const results_trial_states[];

/* The value of a fact, NULL when there is none or it is unknown. */
const char *results_find_fact(const struct results *results, const char *moment, const char *name);

/*
 * SHA-256 over the measurements themselves, the same whatever SQLite wrote the file. The bytes: for
 * each table, in the order of collector/store/sql (session fact engine workload request cell
 * trial sample outcome request_total foreign_load log event), "TABLE\n", then its rows in the order
 * of their keys, each the fields in the order of the columns: an integer as "i DECIMAL\n", a text
 * as "t LENGTH BYTES\n", a blob as "b LENGTH BYTES\n", NULL as "n\n".
 *
 * errors   as results_load, but a file without a session has a digest, and damage to its pages may
 * go unnoticed: results_load looks for that
 */
enum err_code results_digest(const char *path, bool immutable, char hex_out[65],
                             struct err *e) ATTR_MUST_USE;

#endif
