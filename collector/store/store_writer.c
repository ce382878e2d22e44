// SPDX-License-Identifier: Apache-2.0
// Takes jobs in order; those that nobody waits for are committed together.
#include "collector/store/store_writer.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_utf8.h"
#include "collector/store/store_file.h"

#define BATCH_COUNT_MAX 64 /* jobs of one transaction: what one failure can take along */

/* From metrics.def, in its order. */
static const char sample_sql[] =
    "INSERT INTO sample (trial_id, sample_index, phase, start_ns, end_ns"
#define METRIC(name, unit, kind, scope, help) ", " #name
#include "collector/metrics.def"
#undef METRIC
    ", histogram, service_histogram, lag_histogram) VALUES (?, ?, ?, ?, ?"
#define METRIC(name, unit, kind, scope, help) ", ?"
#include "collector/metrics.def"
#undef METRIC
    ", ?, ?, ?)";
static const char outcome_sql[] =
    "INSERT INTO outcome (trial_id, sample_index, kind, count) VALUES (?, ?, ?, ?)";
static const char event_sql[] =
    "INSERT INTO event (session_id, trial_id, at_utc_ns, severity, kind, text) "
    "VALUES (?, ?, ?, ?, ?, ?)";

struct store_writer {
    pthread_t thread;
    sqlite3 *db;
    struct store_queue *queue;
    sqlite3_stmt *sample, *outcome, *event;
};

/* Reasons may hold a name that was cut or a path, which is any bytes: no reader takes a file with
 * text that is no UTF-8. */
static void text_bind(sqlite3_stmt *statement, int index, const char *text)
{
    char *copy = strdup(text);

    if (copy && plan_utf8_repair(copy) > 0) {
        sqlite3_bind_text(statement, index, copy, -1, free);
        return;
    }
    free(copy);
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static void value_bind(sqlite3_stmt *statement, int index, const struct store_value *value)
{
    /* A failed bind (memory) leaves NULL, which the NOT NULL columns refuse; the length limits of
     * SQLite are far above ours. */
    if (value->is_blob) {
        sqlite3_bind_blob64(statement, index, value->blob_bytes ? value->text : "",
                            value->blob_bytes, SQLITE_STATIC);
    } else if (value->is_text ? !value->text : value->integer == METRIC_UNKNOWN) {
        sqlite3_bind_null(statement, index);
    } else if (value->is_text) {
        text_bind(statement, index, value->text);
    } else {
        sqlite3_bind_int64(statement, index, value->integer);
    }
}

static enum err_code statement_run(sqlite3 *db, sqlite3_stmt *statement,
                                   const struct store_value *values, size_t value_count,
                                   struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < value_count; i++) {
        value_bind(statement, (int)i + 1, &values[i]);
    }
    if (sqlite3_step(statement) != SQLITE_DONE) {
        code = store_file_fail(db, e);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

static enum err_code sample_write(struct store_writer *writer, const struct store_sample_job *job,
                                  struct err *e)
{
    const struct sample *sample = &job->sample;
    struct store_value values[5 + METRIC_COUNT];
    enum err_code code;

    values[0] = STORE_INTEGER(job->trial_id);
    values[1] = STORE_INTEGER(sample->index);
    values[2] = STORE_TEXT(sample_phase_names[sample->phase]);
    values[3] = STORE_INTEGER(sample->start_ns);
    values[4] = STORE_INTEGER(sample->end_ns);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        values[5 + i] = STORE_INTEGER(sample->metrics[i]);
    }
    const struct sample_blob blobs[] = {sample->histogram, sample->service_histogram,
                                        sample->lag_histogram};
    for (size_t i = 0; i < ARRAY_COUNT(blobs); i++) {
        if (blobs[i].bytes) {
            sqlite3_bind_blob64(writer->sample, (int)(ARRAY_COUNT(values) + 1 + i), blobs[i].bytes,
                                blobs[i].length, SQLITE_STATIC);
        }
    }
    code = statement_run(writer->db, writer->sample, values, ARRAY_COUNT(values), e);
    for (size_t i = 0; i < OUTCOME_COUNT && code == ERR_OK; i++) {
        if (sample->outcomes[i] == 0) {
            continue;
        }
        struct store_value outcome[] = {STORE_INTEGER(job->trial_id), STORE_INTEGER(sample->index),
                                        STORE_TEXT(outcome_infos[i].name),
                                        STORE_INTEGER((int64_t)sample->outcomes[i])};
        code = statement_run(writer->db, writer->outcome, outcome, ARRAY_COUNT(outcome), e);
    }
    return code;
}

static enum err_code event_write(struct store_writer *writer, const struct store_event_job *job,
                                 struct err *e)
{
    struct store_value values[] = {STORE_INTEGER(job->session_id), STORE_INTEGER(job->trial_id),
                                   STORE_INTEGER(job->at_utc_ns),  STORE_TEXT(job->severity),
                                   STORE_TEXT(job->kind),          STORE_TEXT(job->text)};

    return statement_run(writer->db, writer->event, values, ARRAY_COUNT(values), e);
}

static enum err_code job_write(struct store_writer *writer, const struct store_job *job,
                               struct err *e)
{
    if (job->kind == STORE_JOB_SAMPLE) {
        return sample_write(writer, (const struct store_sample_job *)job, e);
    }
    return event_write(writer, (const struct store_event_job *)job, e);
}

static enum err_code transaction_end(struct store_writer *writer, enum err_code code, struct err *e)
{
    if (code == ERR_OK) {
        code = store_file_execute(writer->db, "COMMIT", e);
    }
    if (code != ERR_OK && !sqlite3_get_autocommit(writer->db)) {
        sqlite3_exec(writer->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return code;
}

/* Writes jobs up to the first waited one in one transaction, all or none of them, and returns the
 * next one. Nothing is tried twice: so nothing is stored twice. */
static struct store_job *batch_write(struct store_writer *writer, struct store_job *jobs)
{
    struct err e = {0};
    enum err_code code = store_queue_check(writer->queue, &e);
    struct store_job *end = jobs;

    if (code == ERR_OK) {
        code = store_file_execute(writer->db, "BEGIN IMMEDIATE", &e);
    }
    for (size_t i = 0; i < BATCH_COUNT_MAX && end && !end->is_waited; i++, end = end->next) {
        if (code == ERR_OK) {
            code = job_write(writer, end, &e);
        }
    }
    if (transaction_end(writer, code, &e) != ERR_OK) {
        store_queue_fail(writer->queue, &e);
    }
    while (jobs != end) {
        struct store_job *next = jobs->next;
        store_queue_finish(writer->queue, jobs);
        jobs = next;
    }
    return end;
}

static enum err_code row_write(struct store_writer *writer, struct store_row_job *job)
{
    sqlite3_stmt *statement = NULL;
    enum err_code code = store_file_execute(writer->db, "BEGIN IMMEDIATE", &job->e);

    if (code != ERR_OK) {
        return code;
    }
    if (sqlite3_prepare_v2(writer->db, job->sql, -1, &statement, NULL) != SQLITE_OK) {
        code = store_file_fail(writer->db, &job->e);
    } else {
        code = statement_run(writer->db, statement, job->values, job->value_count, &job->e);
    }
    sqlite3_finalize(statement);
    if (code == ERR_OK && sqlite3_changes(writer->db) == 0) {
        code = err_set(&job->e, ERR_DB, "there is no such row, or it was ended before");
    }
    job->id = sqlite3_last_insert_rowid(writer->db);
    return transaction_end(writer, code, &job->e);
}

static void *writer_main(void *self)
{
    struct store_writer *writer = self;
    struct store_job *jobs = store_queue_take(writer->queue);

    while (jobs) {
        if (!jobs->is_waited) {
            jobs = batch_write(writer, jobs);
        } else {
            struct store_row_job *row = (struct store_row_job *)jobs;

            jobs = jobs->next;
            row->code = row->sql ? row_write(writer, row) : ERR_OK;
            store_queue_finish(writer->queue, &row->job);
        }
        if (!jobs) {
            jobs = store_queue_take(writer->queue);
        }
    }
    return NULL;
}

static void writer_free(struct store_writer *writer)
{
    sqlite3_finalize(writer->sample);
    sqlite3_finalize(writer->outcome);
    sqlite3_finalize(writer->event);
    free(writer);
}

enum err_code store_writer_start(struct sqlite3 *db, struct store_queue *queue,
                                 struct store_writer **writer_out, struct err *e)
{
    struct store_writer *writer = calloc(1, sizeof(*writer));
    sigset_t all;
    sigset_t before;
    enum err_code code = ERR_OK;

    if (!writer) {
        return err_set(e, ERR_LIMIT, "out of memory");
    }
    writer->db = db;
    writer->queue = queue;
    if (sqlite3_prepare_v2(db, sample_sql, -1, &writer->sample, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, outcome_sql, -1, &writer->outcome, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, event_sql, -1, &writer->event, NULL) != SQLITE_OK) {
        code = store_file_fail(db, e);
        writer_free(writer);
        return code;
    }
    /* Signals are for the main thread, which waits to be woken by them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&writer->thread, NULL, writer_main, writer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) {
        writer_free(writer);
        return err_set(e, ERR_SYS, "no thread for the results file: %s", strerror(failure));
    }
    *writer_out = writer;
    return ERR_OK;
}

void store_writer_join(struct store_writer *writer)
{
    pthread_join(writer->thread, NULL);
    writer_free(writer);
}
