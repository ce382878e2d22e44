// SPDX-License-Identifier: Apache-2.0
// One trial waits at most: the reader is a trial ahead of the visitor.
#include "report/query/visiting.h"

#include <pthread.h>
#include <stdlib.h>

struct visiting {
    const struct results_pass *pass;
    struct results *results;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct row_arena *arena; /* of the trial being visited; NULL: idle */
    size_t trial_index;
    bool is_over;     /* no more trials */
    bool is_complete; /* and none is missing */
    enum err_code code;
    struct err e;
};

static void visit(struct visiting *visiting)
{
    if (visiting->code == ERR_OK) {
        visiting->code = visiting->pass->visit(visiting->pass->self, visiting->results,
                                               visiting->trial_index, &visiting->e);
    }
    visiting->results->trials[visiting->trial_index].samples = NULL;
    row_arena_free(visiting->arena);
}

static void finish(struct visiting *visiting)
{
    const struct results_pass *pass = visiting->pass;

    if (visiting->is_complete && visiting->code == ERR_OK && pass->finish) {
        visiting->code = pass->finish(pass->self, visiting->results, &visiting->e);
    }
}

static void *run(void *self)
{
    struct visiting *visiting = self;

    pthread_mutex_lock(&visiting->mutex);
    for (;;) {
        while (!visiting->arena && !visiting->is_over) {
            pthread_cond_wait(&visiting->changed, &visiting->mutex);
        }
        if (!visiting->arena) {
            break;
        }
        pthread_mutex_unlock(&visiting->mutex);
        visit(visiting);
        pthread_mutex_lock(&visiting->mutex);
        visiting->arena = NULL;
        pthread_cond_signal(&visiting->changed);
    }
    pthread_mutex_unlock(&visiting->mutex);
    finish(visiting);
    return NULL;
}

struct visiting *visiting_begin(const struct results_pass *pass, struct results *results)
{
    struct visiting *visiting = calloc(1, sizeof(*visiting));

    if (visiting) {
        visiting->pass = pass;
        visiting->results = results;
        pthread_mutex_init(&visiting->mutex, NULL);
        pthread_cond_init(&visiting->changed, NULL);
        visiting->has_thread = pthread_create(&visiting->thread, NULL, run, visiting) == 0;
    }
    return visiting;
}

static enum err_code report_failure(const struct visiting *visiting, struct err *e)
{
    if (visiting->code != ERR_OK && e) {
        *e = visiting->e;
    }
    return visiting->code;
}

enum err_code visiting_hand(struct visiting *visiting, size_t trial_index, struct row_arena *arena,
                            struct err *e)
{
    pthread_mutex_lock(&visiting->mutex);
    while (visiting->arena) {
        pthread_cond_wait(&visiting->changed, &visiting->mutex);
    }
    enum err_code code = report_failure(visiting, e);

    visiting->trial_index = trial_index;
    visiting->arena = arena;
    pthread_cond_signal(&visiting->changed);
    pthread_mutex_unlock(&visiting->mutex);
    if (!visiting->has_thread) {
        visit(visiting);
        visiting->arena = NULL;
        code = report_failure(visiting, e);
    }
    return code;
}

static void tell_over(struct visiting *visiting, bool is_complete)
{
    pthread_mutex_lock(&visiting->mutex);
    visiting->is_over = true;
    if (is_complete) {
        visiting->is_complete = true; /* not written again: the thread reads it without the lock */
    }
    pthread_cond_signal(&visiting->changed);
    pthread_mutex_unlock(&visiting->mutex);
}

void visiting_complete(struct visiting *visiting)
{
    if (visiting) {
        tell_over(visiting, true);
        if (!visiting->has_thread) {
            finish(visiting);
        }
    }
}

enum err_code visiting_end(struct visiting *visiting, struct err *e)
{
    if (!visiting) {
        return ERR_OK;
    }
    if (visiting->has_thread) {
        tell_over(visiting, false);
        pthread_join(visiting->thread, NULL);
    }
    enum err_code code = report_failure(visiting, e);

    pthread_mutex_destroy(&visiting->mutex);
    pthread_cond_destroy(&visiting->changed);
    free(visiting);
    return code;
}
