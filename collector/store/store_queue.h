// SPDX-License-Identifier: Apache-2.0
// The queue between those who store and the thread that writes: bounded in bytes, it never waits
// for the disk.
#ifndef COLLECTOR_STORE_STORE_QUEUE_H
#define COLLECTOR_STORE_STORE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/* The head of every job; what follows it is the writer's business. */
struct store_job {
    struct store_job *next;
    int kind;
    size_t bytes;   /* memory that it holds, counted against the limit; 0 for a waited one */
    bool is_waited; /* store_queue_wait is called for it and its storage is the caller's; the others
                       are on the heap and freed by the writer */
    bool is_done;
};

struct store_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a job came or was done, or the queue was closed */
    struct store_job *first, **end;
    size_t bytes, limit_bytes;
    bool is_closed, has_failed;
    struct err failure;
};

/* Storage is the caller's; limit_bytes of all jobs that are queued or being written. */
void store_queue_init(struct store_queue *queue, size_t limit_bytes);
/* Frees jobs that are left. */
void store_queue_release(struct store_queue *queue);

/*
 * Appends a job, in order. A waited job is always taken.
 *
 * errors   ERR_LIMIT: the limit; ERR_DB: the failure that store_queue_fail recorded. Both: the job
 * stays the caller's
 */
enum err_code store_queue_push(struct store_queue *queue, struct store_job *job,
                               struct err *e) ATTR_MUST_USE;
/* Until the writer has called store_queue_finish for it. */
void store_queue_wait(struct store_queue *queue, struct store_job *job);

/* The writer: all jobs in order, waiting for the first; NULL once the queue is closed and empty. */
struct store_job *store_queue_take(struct store_queue *queue);
/* A job was written or dropped: wakes who waits for it, frees one on the heap. */
void store_queue_finish(struct store_queue *queue, struct store_job *job);
/* Records the first failure of writing; from here on nothing but waited jobs is taken. */
void store_queue_fail(struct store_queue *queue, const struct err *failure);

/* ERR_OK, or the recorded failure. */
enum err_code store_queue_check(struct store_queue *queue, struct err *e) ATTR_MUST_USE;
/* No more jobs come: the writer ends after those that are queued. */
void store_queue_close(struct store_queue *queue);

#endif
