// SPDX-License-Identifier: Apache-2.0
// Memory that is taken piece by piece and given back whole: the owner of everything a loaded file
// holds.
#ifndef COLLECTOR_STORE_ROW_ARENA_H
#define COLLECTOR_STORE_ROW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/base/attr.h"

struct row_arena;

/* limit_bytes  of all pieces together. NULL: no memory. */
struct row_arena *row_arena_new(size_t limit_bytes) ATTR_MUST_USE;

/* Zeroed and aligned for any type; valid until row_arena_free. NULL: the limit, or no memory. */
void *row_arena_take(struct row_arena *arena, size_t bytes) ATTR_MUST_USE;

/* A copy followed by a NUL that does not count; `bytes` may be NULL when length is 0. */
void *row_arena_copy(struct row_arena *arena, const void *bytes, size_t length) ATTR_MUST_USE;

/* Memory of malloc becomes the arena's, when true is returned; else the limit is reached, or
 * memory, and it stays the caller's. */
bool row_arena_adopt(struct row_arena *arena, void *piece, size_t bytes) ATTR_MUST_USE;

/* NULL is accepted. */
void row_arena_free(struct row_arena *arena);

#endif
