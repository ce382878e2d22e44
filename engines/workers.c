// SPDX-License-Identifier: Apache-2.0
// A fixed number of threads that run one function.
#include "engines/workers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum gate_state {
    GATE_SHUT,
    GATE_OPEN,
    GATE_ABANDONED,
};

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum gate_state state;
    void (*run)(void *state);
};

struct worker {
    pthread_t thread;
    struct gate *gate;
    void *state;
};

static void gate_set(struct gate *gate, enum gate_state state)
{
    pthread_mutex_lock(&gate->mutex);
    gate->state = state;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    struct gate *gate = worker->gate;

    pthread_mutex_lock(&gate->mutex);
    while (gate->state == GATE_SHUT) {
        pthread_cond_wait(&gate->changed, &gate->mutex);
    }
    enum gate_state state = gate->state;
    pthread_mutex_unlock(&gate->mutex);
    if (state == GATE_OPEN) {
        gate->run(worker->state);
    }
    return NULL;
}

enum err_code workers_run(void (*run)(void *state), void *states, size_t state_bytes, size_t count,
                          struct err *e)
{
    struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, GATE_SHUT, run};
    struct worker *workers = calloc(count, sizeof(*workers));
    enum err_code code = ERR_OK;
    size_t started = 1;

    if (!workers) {
        return err_set_sys(e, "starting %zu threads", count);
    }
    for (; started < count; started++) {
        struct worker *worker = &workers[started];

        worker->gate = &gate;
        worker->state = (char *)states + started * state_bytes;
        int failure = pthread_create(&worker->thread, NULL, worker_run, worker);
        if (failure) {
            errno = failure;
            code = err_set_sys(e, "starting thread %zu of %zu", started + 1, count);
            break;
        }
    }
    gate_set(&gate, code == ERR_OK ? GATE_OPEN : GATE_ABANDONED);
    if (code == ERR_OK) {
        run(states);
    }
    for (size_t i = 1; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    free(workers);
    return code;
}
