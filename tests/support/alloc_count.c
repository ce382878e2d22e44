// SPDX-License-Identifier: Apache-2.0
// malloc and its kin in front of glibc's, with a count.
#include "tests/support/alloc_count.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_FOREIGN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEAP_IS_FOREIGN 1
#endif

#ifdef HEAP_IS_FOREIGN

int64_t alloc_count(void)
{
    return -1;
}

#else

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static _Atomic int64_t call_count;

void *malloc(size_t bytes)
{
    atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    return __libc_realloc(memory, bytes);
}

int64_t alloc_count(void)
{
    return atomic_load_explicit(&call_count, memory_order_relaxed);
}

#endif
