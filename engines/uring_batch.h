// SPDX-License-Identifier: Apache-2.0
// The answers of many connections in one piece of memory, which stays until the last is sent.
#ifndef ENGINES_URING_BATCH_H
#define ENGINES_URING_BATCH_H

#include "engines/http/http_write.h"

struct uring_batch {
    struct http_output out;
    uint32_t sending_count;
    struct uring_batch *next; /* in the list of free ones */
};

struct uring_batches {
    struct byte_pool *pool;
    const struct http_date *date;
    struct uring_batch *current, *free;
};

/* Where an answer can be written now; NULL when memory ran out. */
struct http_output *uring_batches_output(struct uring_batches *batches);

/* What was written belongs to one more answer that is to be sent: the batch that it is in, until
 * uring_batches_leave. */
struct uring_batch *uring_batches_join(struct uring_batches *batches);

/* The answer was sent, or given up; *batch becomes NULL, and may have been. */
void uring_batches_leave(struct uring_batches *batches, struct uring_batch **batch);

/* The current batch takes no more answers: its bytes stay where they are. */
void uring_batches_turn(struct uring_batches *batches);

/* After all answers have left. */
void uring_batches_release(struct uring_batches *batches);

#endif
