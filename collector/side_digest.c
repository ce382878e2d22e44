// SPDX-License-Identifier: Apache-2.0
// A SHA-256 on a thread of its own: blocks go through a ring.
#include "collector/side_digest.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)256 << 10)
#define BLOCK_COUNT 8

struct block {
    size_t length;
    char bytes[BLOCK_BYTES];
};

struct side_digest {
    struct digest *digest;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t filled_count, done_count; /* blocks, ever */
    bool is_closed, is_joined;
    struct block blocks[BLOCK_COUNT]; /* block k lies at k mod BLOCK_COUNT; the one that is filled
                                         belongs to the caller, the thread has those before it */
};

/* The next block that is full, NULL at the end. */
static struct block *block_wait(struct side_digest *side)
{
    pthread_mutex_lock(&side->lock);
    while (side->done_count == side->filled_count && !side->is_closed) {
        pthread_cond_wait(&side->changed, &side->lock);
    }
    bool is_there = side->done_count < side->filled_count;
    pthread_mutex_unlock(&side->lock);
    return is_there ? &side->blocks[side->done_count % BLOCK_COUNT] : NULL;
}

static void *side_main(void *self)
{
    struct side_digest *side = self;

    for (struct block *block; (block = block_wait(side));) {
        digest_add(side->digest, block->bytes, block->length);
        pthread_mutex_lock(&side->lock);
        block->length = 0;
        side->done_count++;
        pthread_cond_signal(&side->changed);
        pthread_mutex_unlock(&side->lock);
    }
    return NULL;
}

/* Signals are for the main thread. */
static int thread_start(struct side_digest *side)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&side->thread, NULL, side_main, side);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

enum err_code side_digest_new(struct side_digest **digest_out, struct err *e)
{
    struct side_digest *side = calloc(1, sizeof(*side));

    if (!side || digest_new(&side->digest, NULL) != ERR_OK) {
        free(side);
        return err_set(e, ERR_LIMIT, "no memory for a SHA-256");
    }
    pthread_mutex_init(&side->lock, NULL);
    pthread_cond_init(&side->changed, NULL);
    int failure = thread_start(side);
    if (failure) {
        side->is_joined = true;
        side_digest_free(side);
        return err_set(e, ERR_SYS, "no thread for a SHA-256: %s", strerror(failure));
    }
    *digest_out = side;
    return ERR_OK;
}

/* The block that is filled goes to the thread; waits for a free one. */
static void block_hand_over(struct side_digest *side)
{
    pthread_mutex_lock(&side->lock);
    side->filled_count++;
    pthread_cond_signal(&side->changed);
    while (side->filled_count - side->done_count == BLOCK_COUNT) {
        pthread_cond_wait(&side->changed, &side->lock);
    }
    pthread_mutex_unlock(&side->lock);
}

void side_digest_add(struct side_digest *side, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length) {
        struct block *block = &side->blocks[side->filled_count % BLOCK_COUNT];
        size_t room = sizeof(block->bytes) - block->length;
        size_t taken = length < room ? length : room;

        memcpy(block->bytes + block->length, at, taken);
        block->length += taken;
        at += taken;
        length -= taken;
        if (block->length == sizeof(block->bytes)) {
            block_hand_over(side);
        }
    }
}

static void thread_end(struct side_digest *side)
{
    if (side->is_joined) {
        return;
    }
    pthread_mutex_lock(&side->lock);
    side->is_closed = true;
    pthread_cond_signal(&side->changed);
    pthread_mutex_unlock(&side->lock);
    pthread_join(side->thread, NULL);
    side->is_joined = true;
}

void side_digest_finish(struct side_digest *side, char hex_out[DIGEST_HEX_BYTES])
{
    if (side->blocks[side->filled_count % BLOCK_COUNT].length) {
        block_hand_over(side);
    }
    thread_end(side);
    digest_finish(side->digest, hex_out);
}

void side_digest_free(struct side_digest *side)
{
    if (side) {
        thread_end(side);
        pthread_cond_destroy(&side->changed);
        pthread_mutex_destroy(&side->lock);
        digest_free(side->digest);
        free(side);
    }
}
