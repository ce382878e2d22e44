// SPDX-License-Identifier: Apache-2.0
// Counts what a test program asks of the heap, in all its threads.
#ifndef TESTS_SUPPORT_ALLOC_COUNT_H
#define TESTS_SUPPORT_ALLOC_COUNT_H

#include <stdint.h>

/* Calls of malloc, calloc and realloc so far; -1 where they cannot be counted (sanitizers bring a
 * heap of their own). */
int64_t alloc_count(void);

#endif
