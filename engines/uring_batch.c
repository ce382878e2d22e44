// SPDX-License-Identifier: Apache-2.0
// The answers of many connections in one piece of memory.
#include "engines/uring_batch.h"

#include <stdlib.h>

#include "engines/http/http_conn.h"

static struct uring_batch *batch_take(struct uring_batches *batches)
{
    struct uring_batch *batch = batches->free;

    if (batch) {
        batches->free = batch->next;
        return batch;
    }
    batch = calloc(1, sizeof(*batch));
    if (batch) {
        http_output_init(&batch->out, batches->pool, batches->date);
    }
    return batch;
}

static void batch_put(struct uring_batches *batches, struct uring_batch *batch)
{
    if (batch->out.capacity > 2 * HTTP_OUTPUT_BYTES_FLUSH) {
        http_output_release(&batch->out);
    }
    http_output_clear(&batch->out);
    batch->next = batches->free;
    batches->free = batch;
}

void uring_batches_turn(struct uring_batches *batches)
{
    struct uring_batch *batch = batches->current;

    batches->current = NULL;
    if (batch && batch->sending_count == 0) {
        batch_put(batches, batch);
    }
}

struct http_output *uring_batches_output(struct uring_batches *batches)
{
    if (batches->current && batches->current->out.length >= HTTP_OUTPUT_BYTES_FLUSH) {
        uring_batches_turn(batches);
    }
    if (!batches->current) {
        batches->current = batch_take(batches);
    }
    return batches->current ? &batches->current->out : NULL;
}

struct uring_batch *uring_batches_join(struct uring_batches *batches)
{
    batches->current->sending_count++;
    return batches->current;
}

void uring_batches_leave(struct uring_batches *batches, struct uring_batch **batch)
{
    struct uring_batch *left = *batch;

    *batch = NULL;
    if (left && --left->sending_count == 0 && left != batches->current) {
        batch_put(batches, left);
    }
}

void uring_batches_release(struct uring_batches *batches)
{
    uring_batches_turn(batches);
    for (struct uring_batch *batch; (batch = batches->free);) {
        batches->free = batch->next;
        http_output_release(&batch->out);
        free(batch);
    }
}
