// SPDX-License-Identifier: Apache-2.0
// The store's life, and its rows: each a statement and its values, handed to the writing thread.
#include "collector/store/store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "collector/asset.h"
#include "collector/store/store_file.h"
#include "collector/store/store_queue.h"
#include "collector/store/store_writer.h"

#define QUEUE_BYTES_MAX (64 << 20) /* an hour of samples of the usual size, and more */
#define UID_BYTES       16

struct store {
    struct store_file file;
    struct store_queue queue;
    struct store_writer *writer;
};

enum err_code store_open(const char *path, struct store **store_out, struct err *e)
{
    struct store *store = calloc(1, sizeof(*store));
    enum err_code code;

    if (!store) {
        return err_set(e, ERR_LIMIT, "out of memory");
    }
    code = store_file_open(path, &store->file, e);
    if (code != ERR_OK) {
        free(store);
        return code;
    }
    store_queue_init(&store->queue, QUEUE_BYTES_MAX);
    code = store_writer_start(store->file.db, &store->queue, &store->writer, e);
    if (code != ERR_OK) {
        store_queue_release(&store->queue);
        store_file_close(&store->file);
        free(store);
        return code;
    }
    *store_out = store;
    return ERR_OK;
}

enum err_code store_close(struct store *store, struct err *e)
{
    if (!store) {
        return ERR_OK;
    }
    store_queue_close(&store->queue);
    store_writer_join(store->writer);
    enum err_code code = store_queue_check(&store->queue, e);
    store_queue_release(&store->queue);
    store_file_close(&store->file);
    free(store);
    return code;
}

const char *store_journal_mode(const struct store *store)
{
    return store->file.journal_mode;
}

/* Longer statements lie in files named as the function that runs them. */
static const char *statement_find(const char *name)
{
    char path[80];

    snprintf(path, sizeof(path), "collector/store/sql/%s.sql", name);
    const struct asset *asset = asset_find(path);
    assert(asset);
    return asset->bytes;
}

static enum err_code row_submit(struct store *store, const char *sql,
                                const struct store_value *values, size_t value_count,
                                int64_t *id_out, struct err *e)
{
    struct store_row_job job = {.job = {.kind = STORE_JOB_ROW, .is_waited = true},
                                .sql = sql,
                                .values = values,
                                .value_count = value_count};
    enum err_code code = store_queue_push(&store->queue, &job.job, e);

    if (code != ERR_OK) {
        return code;
    }
    store_queue_wait(&store->queue, &job.job);
    if (job.code != ERR_OK) {
        if (e) {
            *e = job.e;
        }
        return job.code;
    }
    if (id_out) {
        *id_out = job.id;
    }
    return ERR_OK;
}

/* For rows that begin something: refused once a write has failed. */
static enum err_code row_add(struct store *store, const char *sql, const struct store_value *values,
                             size_t value_count, int64_t *id_out, struct err *e)
{
    enum err_code code = store_queue_check(&store->queue, e);

    return code == ERR_OK ? row_submit(store, sql, values, value_count, id_out, e) : code;
}

/*
 * For rows that end something: values[1] is the state, values[2] the reason. What was queued before
 * comes first; when some of it could not be written the end is 'failed' with that reason, whatever
 * the caller thought, and the caller is told.
 */
static enum err_code row_end(struct store *store, const char *sql, struct store_value *values,
                             size_t value_count, struct err *e)
{
    struct err failure = {0};
    enum err_code code = row_submit(store, NULL, NULL, 0, NULL, e);

    if (code != ERR_OK) {
        return code;
    }
    if (store_queue_check(&store->queue, &failure) == ERR_OK) {
        return row_submit(store, sql, values, value_count, NULL, e);
    }
    values[1] = STORE_TEXT("failed");
    values[2] = STORE_TEXT(failure.text);
    /* A full disk may refuse this as well; then the next opening marks it 'aborted'. */
    bool is_stored = row_submit(store, sql, values, value_count, NULL, NULL) == ERR_OK;
    err_set(e, ERR_DB, "%s%s", failure.text, is_stored ? "" : " (nor could that be stored)");
    if (e) {
        e->sys_errno = failure.sys_errno;
    }
    return ERR_DB;
}

static enum err_code uid_make(char uid_out[2 * UID_BYTES + 1], struct err *e)
{
    unsigned char bytes[UID_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return err_set_sys(e, "getrandom");
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        snprintf(uid_out + 2 * i, 3, "%02x", bytes[i]);
    }
    return ERR_OK;
}

enum err_code store_begin_session(struct store *store, const struct store_session *row,
                                  int64_t *id_out, struct err *e)
{
    char uid[2 * UID_BYTES + 1];
    enum err_code code = uid_make(uid, e);

    if (code != ERR_OK) {
        return code;
    }
    struct store_value values[] = {
        STORE_TEXT(uid),
        STORE_TEXT(row->title),
        STORE_TEXT(row->plan_text),
        STORE_TEXT(row->plan_digest),
        STORE_TEXT(row->program_version),
        STORE_INTEGER(row->started_utc_ns),
        STORE_TEXT(row->plan_source),
    };
    return row_add(store, statement_find("store_begin_session"), values, ARRAY_COUNT(values),
                   id_out, e);
}

enum err_code store_resume_session(struct store *store, int64_t session_id, struct err *e)
{
    const struct store_value values[] = {STORE_INTEGER(session_id)};

    return row_add(store, statement_find("store_resume_session"), values, ARRAY_COUNT(values), NULL,
                   e);
}

enum err_code store_end_session(struct store *store, int64_t session_id, const char *state,
                                const char *reason, int64_t ended_utc_ns, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(session_id),
        STORE_TEXT(state),
        STORE_TEXT(reason),
        STORE_INTEGER(ended_utc_ns),
    };
    return row_end(store, statement_find("store_end_session"), values, ARRAY_COUNT(values), e);
}

enum err_code store_add_fact(struct store *store, int64_t session_id, const char *moment,
                             const char *name, const char *value, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(session_id),
        STORE_TEXT(moment),
        STORE_TEXT(name),
        STORE_TEXT(value),
    };
    return row_add(store, statement_find("store_add_fact"), values, ARRAY_COUNT(values), NULL, e);
}

enum err_code store_set_engine_binary(struct store *store, int64_t engine_id, const char *sha256,
                                      struct err *e)
{
    const struct store_value values[] = {STORE_INTEGER(engine_id), STORE_TEXT(sha256)};

    return row_add(store, "UPDATE engine SET binary_sha256 = ?2 WHERE engine_id = ?1", values,
                   ARRAY_COUNT(values), NULL, e);
}

enum err_code store_add_engine(struct store *store, int64_t session_id,
                               const struct store_engine *row, int64_t *id_out, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(session_id),     STORE_TEXT(row->name),
        STORE_TEXT(row->role),         STORE_TEXT(row->kind),
        STORE_TEXT(row->source),       STORE_INTEGER(row->thread_count),
        STORE_TEXT(row->command_json), STORE_TEXT(row->binary_sha256),
    };
    return row_add(store, statement_find("store_add_engine"), values, ARRAY_COUNT(values), id_out,
                   e);
}

/* What the columns from method to expect_body_sha256 hold, in their order. */
#define REQUEST_COLUMN_COUNT 8
static void request_values(const struct store_request *row,
                           struct store_value values_out[REQUEST_COLUMN_COUNT])
{
    bool is_kept = row->body && row->body_bytes > 0 && row->body_bytes <= STORE_BODY_BYTES_MAX;
    const struct store_value values[REQUEST_COLUMN_COUNT] = {
        STORE_TEXT(row->method),
        STORE_TEXT(row->path),
        STORE_INTEGER(row->body_bytes),
        STORE_TEXT(row->body_sha256),
        STORE_BLOB(is_kept ? row->body : NULL, is_kept ? (size_t)row->body_bytes : 0),
        STORE_INTEGER(row->expect_status),
        STORE_INTEGER(row->expect_body_bytes),
        STORE_TEXT(row->expect_body_sha256),
    };

    memcpy(values_out, values, sizeof(values));
}

enum err_code store_add_workload(struct store *store, int64_t session_id,
                                 const struct store_workload *row, int64_t *id_out, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(session_id),
        STORE_TEXT(row->name),
        STORE_INTEGER(row->is_calibration),
        [3 + REQUEST_COLUMN_COUNT] = STORE_INTEGER(
            row->requests_per_connection > 0 ? row->requests_per_connection : METRIC_UNKNOWN),
        STORE_INTEGER(row->pipeline_count),
        STORE_INTEGER(row->flood_ns > 0 ? row->flood_ns : METRIC_UNKNOWN),
        STORE_INTEGER(row->flood_ns > 0 ? row->recover_within_ns : METRIC_UNKNOWN),
        STORE_INTEGER(row->think_ns > 0 ? row->think_ns : METRIC_UNKNOWN),
        STORE_TEXT(row->think_kind),
        STORE_TEXT(row->driver),
    };

    request_values(&row->request, values + 3);
    return row_add(store, statement_find("store_add_workload"), values, ARRAY_COUNT(values), id_out,
                   e);
}

enum err_code store_add_request(struct store *store, int64_t workload_id, uint32_t index,
                                uint32_t weight, const struct store_request *row, struct err *e)
{
    struct store_value values[3 + REQUEST_COLUMN_COUNT] = {
        STORE_INTEGER(workload_id), STORE_INTEGER(index), STORE_INTEGER(weight)};

    request_values(row, values + 3);
    return row_add(store, statement_find("store_add_request"), values, ARRAY_COUNT(values), NULL,
                   e);
}

enum err_code store_add_request_total(struct store *store, int64_t trial_id, uint32_t index,
                                      const struct store_request_total *row, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(trial_id),
        STORE_INTEGER(index),
        STORE_INTEGER((int64_t)row->started_count),
        STORE_INTEGER((int64_t)row->ok_count),
        STORE_INTEGER((int64_t)row->http_error_count),
        STORE_INTEGER((int64_t)row->fault_count),
        STORE_INTEGER((int64_t)row->sent_bytes),
        STORE_INTEGER((int64_t)row->received_bytes),
        STORE_BLOB((const char *)row->histogram.bytes, row->histogram.length),
    };

    return row_add(store, statement_find("store_add_request_total"), values, ARRAY_COUNT(values),
                   NULL, e);
}

enum err_code store_add_foreign_load(struct store *store, int64_t trial_id,
                                     const struct store_foreign_load *row, struct err *e)
{
    struct store_value values[] = {STORE_INTEGER(trial_id), STORE_TEXT(row->version),
                                   STORE_TEXT(row->command_json), STORE_TEXT(row->output)};

    return row_add(store,
                   "INSERT INTO foreign_load (trial_id, version, command, output) "
                   "VALUES (?, ?, ?, ?)",
                   values, ARRAY_COUNT(values), NULL, e);
}

enum err_code store_add_cell(struct store *store, int64_t workload_id, const struct store_cell *row,
                             int64_t *id_out, struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(workload_id), STORE_INTEGER(row->connection_count),
        STORE_INTEGER(row->rate_per_s > 0 ? row->rate_per_s : METRIC_UNKNOWN),
        STORE_TEXT(row->arrivals), STORE_TEXT(row->rate_course)};

    return row_add(store,
                   "INSERT INTO cell (workload_id, connection_count, rate_per_s, arrivals, "
                   "rate_course) VALUES (?, ?, ?, ?, ?)",
                   values, ARRAY_COUNT(values), id_out, e);
}

enum err_code store_begin_trial(struct store *store, const struct store_trial *row, int64_t *id_out,
                                struct err *e)
{
    struct store_value values[] = {
        STORE_INTEGER(row->session_id),     STORE_INTEGER(row->cell_id),
        STORE_INTEGER(row->engine_id),      STORE_INTEGER(row->order_index),
        STORE_INTEGER(row->attempt_index),  STORE_INTEGER(row->sitting_index),
        STORE_INTEGER(row->block_index),    STORE_INTEGER(row->position_index),
        STORE_INTEGER(row->started_utc_ns),
    };
    return row_add(store, statement_find("store_begin_trial"), values, ARRAY_COUNT(values), id_out,
                   e);
}

enum err_code store_end_trial(struct store *store, int64_t trial_id,
                              const struct store_trial_end *row, struct err *e)
{
    const struct tls_total *tls = row->tls;
    struct store_value values[] = {
        STORE_INTEGER(trial_id),
        STORE_TEXT(row->state),
        STORE_TEXT(row->reason),
        STORE_TEXT(row->server_exit),
        STORE_INTEGER(row->ended_utc_ns),
        STORE_INTEGER(row->ready_ns),
        STORE_INTEGER(row->connections_requested),
        STORE_INTEGER(row->connections_established),
        STORE_INTEGER(row->connections_served),
        STORE_INTEGER(row->started_count),
        STORE_INTEGER(row->server_request_count),
        STORE_INTEGER(row->recover_ns),
        STORE_TEXT(tls ? tls->version : NULL),
        STORE_TEXT(tls ? tls->cipher : NULL),
        STORE_INTEGER(tls ? (int64_t)tls->full_count : METRIC_UNKNOWN),
        STORE_INTEGER(tls ? (int64_t)tls->resumed_count : METRIC_UNKNOWN),
        STORE_INTEGER(tls ? tls->handshake_ns : METRIC_UNKNOWN),
    };
    return row_end(store, statement_find("store_end_trial"), values, ARRAY_COUNT(values), e);
}

enum err_code store_add_log(struct store *store, int64_t trial_id, const struct store_log *row,
                            struct err *e)
{
    int64_t id;
    struct store_value values[] = {
        STORE_INTEGER(trial_id), STORE_INTEGER((int64_t)row->written_bytes),
        STORE_BLOB(row->head, row->head_bytes), STORE_BLOB(row->tail, row->tail_bytes)};

    return row_add(store,
                   "INSERT INTO log (trial_id, written_bytes, head, tail) VALUES (?, ?, ?, ?)",
                   values, ARRAY_COUNT(values), &id, e);
}

static enum err_code job_submit(struct store *store, struct store_job *job, struct err *e)
{
    enum err_code code = store_queue_push(&store->queue, job, e);

    if (code != ERR_OK) {
        free(job);
    }
    return code;
}

/* Copies the blob to `to` and points it there; returns the place behind it. */
static uint8_t *blob_copy(struct sample_blob *blob, uint8_t *to)
{
    if (!blob->bytes) {
        return to;
    }
    memcpy(to, blob->bytes, blob->length);
    blob->bytes = to;
    return to + blob->length;
}

enum err_code store_queue_sample(struct store *store, int64_t trial_id, const struct sample *sample,
                                 struct err *e)
{
    size_t bytes = sizeof(struct store_sample_job) + sample->histogram.length +
                   sample->service_histogram.length + sample->lag_histogram.length;
    struct store_sample_job *job = malloc(bytes);

    if (!job) {
        return err_set(e, ERR_LIMIT, "out of memory for a sample");
    }
    job->job = (struct store_job){.kind = STORE_JOB_SAMPLE, .bytes = bytes};
    job->trial_id = trial_id;
    job->sample = *sample;
    uint8_t *next = blob_copy(&job->sample.histogram, job->histograms);
    next = blob_copy(&job->sample.service_histogram, next);
    (void)blob_copy(&job->sample.lag_histogram, next);
    return job_submit(store, &job->job, e);
}

/* NOLINTNEXTLINE(readability-function-size): the columns of one row, as its callers have them */
enum err_code store_queue_event(struct store *store, int64_t session_id, int64_t trial_id,
                                int64_t at_utc_ns, const char *severity, const char *kind,
                                const char *text, struct err *e)
{
    size_t severity_bytes = strlen(severity) + 1;
    size_t kind_bytes = strlen(kind) + 1;
    size_t text_bytes = strlen(text) + 1;
    size_t bytes = sizeof(struct store_event_job) + severity_bytes + kind_bytes + text_bytes;
    struct store_event_job *job = malloc(bytes);

    if (!job) {
        return err_set(e, ERR_LIMIT, "out of memory for an event");
    }
    job->job = (struct store_job){.kind = STORE_JOB_EVENT, .bytes = bytes};
    job->session_id = session_id;
    job->trial_id = trial_id;
    job->at_utc_ns = at_utc_ns;
    job->severity = memcpy(job->bytes, severity, severity_bytes);
    job->kind = memcpy(job->bytes + severity_bytes, kind, kind_bytes);
    job->text = memcpy(job->bytes + severity_bytes + kind_bytes, text, text_bytes);
    return job_submit(store, &job->job, e);
}
