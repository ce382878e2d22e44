// SPDX-License-Identifier: Apache-2.0
// Blocks of bytes in powers of two, with a list of free ones for each size.
#include "engines/http/byte_pool.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST_BYTES ((size_t)4096)

static size_t class_find(size_t bytes)
{
    size_t class = 0;

    while (class < BYTE_POOL_CLASS_COUNT && SMALLEST_BYTES << class < bytes) {
        class ++;
    }
    return class;
}

void byte_pool_init(struct byte_pool *pool)
{
    *pool = (struct byte_pool){0};
}

void byte_pool_release(struct byte_pool *pool)
{
    for (size_t class = 0; class < BYTE_POOL_CLASS_COUNT; class ++) {
        while (pool->free_blocks[class]) {
            void *block = pool->free_blocks[class];
            memcpy(&pool->free_blocks[class], block, sizeof(void *));
            free(block);
        }
    }
    byte_pool_init(pool);
}

char *byte_pool_take(struct byte_pool *pool, size_t bytes, size_t *capacity_out)
{
    size_t class = class_find(bytes);

    if (class == BYTE_POOL_CLASS_COUNT) {
        return NULL;
    }
    size_t capacity = SMALLEST_BYTES << class;
    char *block = pool->free_blocks[class];
    if (block) {
        /* A free block holds the address of the next one in its first bytes. */
        memcpy(&pool->free_blocks[class], block, sizeof(void *));
        pool->cached_bytes -= capacity;
    } else {
        block = malloc(capacity);
    }
    if (block) {
        *capacity_out = capacity;
    }
    return block;
}

void byte_pool_give(struct byte_pool *pool, char *block, size_t capacity)
{
    if (!block) {
        return;
    }
    if (pool->cached_bytes + capacity > BYTE_POOL_CACHED_BYTES) {
        free(block);
        return;
    }
    size_t class = class_find(capacity);
    memcpy(block, &pool->free_blocks[class], sizeof(void *));
    pool->free_blocks[class] = block;
    pool->cached_bytes += capacity;
}
