// SPDX-License-Identifier: Apache-2.0
// Blocks of bytes in a few sizes, kept for the next taker: in steady state nothing is allocated.
// One pool a thread; no locks.
#ifndef ENGINES_HTTP_BYTE_POOL_H
#define ENGINES_HTTP_BYTE_POOL_H

#include <stddef.h>

#define BYTE_POOL_CLASS_COUNT  10           /* 4 KiB, 8 KiB … 2 MiB */
#define BYTE_POOL_CACHED_BYTES (64UL << 20) /* more than this is given back to the heap */

struct byte_pool {
    void *free_blocks[BYTE_POOL_CLASS_COUNT];
    size_t cached_bytes;
};

void byte_pool_init(struct byte_pool *pool);
void byte_pool_release(struct byte_pool *pool);

/*
 * A block of at least `bytes`.
 *
 * capacity_out   its real size; hand it back to byte_pool_give
 * returns        NULL when memory ran out or `bytes` is above 2 MiB
 */
char *byte_pool_take(struct byte_pool *pool, size_t bytes, size_t *capacity_out);

/* Takes a block back; NULL is accepted. */
void byte_pool_give(struct byte_pool *pool, char *block, size_t capacity);

#endif
