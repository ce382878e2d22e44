// SPDX-License-Identifier: Apache-2.0
// A list, a mutex and a condition: held for a few pointers only, never while something is written.
#include "collector/store/store_queue.h"

#include <assert.h>
#include <stdlib.h>

void store_queue_init(struct store_queue *queue, size_t limit_bytes)
{
    *queue = (struct store_queue){.limit_bytes = limit_bytes};
    queue->end = &queue->first;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
}

void store_queue_release(struct store_queue *queue)
{
    while (queue->first) {
        struct store_job *next = queue->first->next;

        assert(!queue->first->is_waited);
        free(queue->first);
        queue->first = next;
    }
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->changed);
}

static enum err_code failure_copy(const struct store_queue *queue, struct err *e)
{
    if (!queue->has_failed) {
        return ERR_OK;
    }
    if (e) {
        *e = queue->failure;
        e->code = ERR_DB;
    }
    return ERR_DB;
}

enum err_code store_queue_push(struct store_queue *queue, struct store_job *job, struct err *e)
{
    enum err_code code = ERR_OK;

    pthread_mutex_lock(&queue->mutex);
    assert(!queue->is_closed);
    if (!job->is_waited) {
        code = failure_copy(queue, e);
    }
    if (code == ERR_OK && job->bytes > queue->limit_bytes - queue->bytes) {
        code = err_set(e, ERR_LIMIT,
                       "%zu bytes wait to be written, the limit is %zu: the disk stands still",
                       queue->bytes, queue->limit_bytes);
    }
    if (code == ERR_OK) {
        job->next = NULL;
        job->is_done = false;
        *queue->end = job;
        queue->end = &job->next;
        queue->bytes += job->bytes;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->mutex);
    return code;
}

void store_queue_wait(struct store_queue *queue, struct store_job *job)
{
    pthread_mutex_lock(&queue->mutex);
    while (!job->is_done) {
        pthread_cond_wait(&queue->changed, &queue->mutex);
    }
    pthread_mutex_unlock(&queue->mutex);
}

struct store_job *store_queue_take(struct store_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (!queue->first && !queue->is_closed) {
        pthread_cond_wait(&queue->changed, &queue->mutex);
    }
    struct store_job *jobs = queue->first;
    queue->first = NULL;
    queue->end = &queue->first;
    pthread_mutex_unlock(&queue->mutex);
    return jobs;
}

void store_queue_finish(struct store_queue *queue, struct store_job *job)
{
    pthread_mutex_lock(&queue->mutex);
    queue->bytes -= job->bytes;
    /* Once this is set and the mutex is free, a waited job is gone. */
    bool is_waited = job->is_waited;
    job->is_done = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    if (!is_waited) {
        free(job);
    }
}

void store_queue_fail(struct store_queue *queue, const struct err *failure)
{
    pthread_mutex_lock(&queue->mutex);
    if (!queue->has_failed) {
        queue->has_failed = true;
        queue->failure = *failure;
    }
    pthread_mutex_unlock(&queue->mutex);
}

enum err_code store_queue_check(struct store_queue *queue, struct err *e)
{
    pthread_mutex_lock(&queue->mutex);
    enum err_code code = failure_copy(queue, e);
    pthread_mutex_unlock(&queue->mutex);
    return code;
}

void store_queue_close(struct store_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->is_closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}
