// SPDX-License-Identifier: Apache-2.0
// A list of blocks, each filled from its beginning.
#include "collector/store/row_arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNMENT   alignof(max_align_t)

struct block {
    struct block *next;
    size_t used, capacity;
    alignas(max_align_t) unsigned char bytes[];
};

/* A piece that was made elsewhere. */
struct adopted {
    struct adopted *next;
    void *piece;
};

struct row_arena {
    struct block *blocks; /* the first one is being filled */
    struct adopted *adopted;
    size_t taken_bytes, limit_bytes;
};

struct row_arena *row_arena_new(size_t limit_bytes)
{
    struct row_arena *arena = calloc(1, sizeof(*arena));

    if (arena) {
        arena->limit_bytes = limit_bytes;
    }
    return arena;
}

/* A piece too large for a block gets one of its own behind the one being filled. */
static struct block *add_block(struct row_arena *arena, size_t bytes)
{
    size_t capacity = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
    struct block *block = malloc(sizeof(*block) + capacity);

    if (!block) {
        return NULL;
    }
    block->used = 0;
    block->next = NULL;
    block->capacity = capacity;
    if (arena->blocks && capacity != BLOCK_BYTES) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

/* Not zeroed: most of what a file holds is copied here. */
static void *take(struct row_arena *arena, size_t bytes)
{
    struct block *block = arena->blocks;

    if (bytes > arena->limit_bytes - arena->taken_bytes || bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    if (!block || block->capacity - block->used < rounded) {
        block = add_block(arena, rounded);
    }
    if (!block) {
        return NULL;
    }
    void *piece = block->bytes + block->used;

    block->used += rounded;
    arena->taken_bytes += bytes;
    return piece;
}

void *row_arena_take(struct row_arena *arena, size_t bytes)
{
    void *piece = take(arena, bytes);

    return piece ? memset(piece, 0, bytes) : NULL;
}

void *row_arena_copy(struct row_arena *arena, const void *bytes, size_t length)
{
    char *copy = take(arena, length + 1);

    if (copy && length) {
        memcpy(copy, bytes, length);
    }
    if (copy) {
        copy[length] = '\0';
    }
    return copy;
}

bool row_arena_adopt(struct row_arena *arena, void *piece, size_t bytes)
{
    struct adopted *adopted = take(arena, sizeof(*adopted));

    if (!adopted || bytes > arena->limit_bytes - arena->taken_bytes) {
        return false;
    }
    *adopted = (struct adopted){arena->adopted, piece};
    arena->adopted = adopted;
    arena->taken_bytes += bytes;
    return true;
}

void row_arena_free(struct row_arena *arena)
{
    if (!arena) {
        return;
    }
    for (struct adopted *adopted = arena->adopted; adopted; adopted = adopted->next) {
        free(adopted->piece);
    }
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}
