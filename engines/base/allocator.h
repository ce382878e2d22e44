// SPDX-License-Identifier: Apache-2.0
// Which allocator a process has, by the libraries in its map of memory.
#ifndef ENGINES_BASE_ALLOCATOR_H
#define ENGINES_BASE_ALLOCATOR_H

#include <stddef.h>

/* "jemalloc", "mimalloc" or "tcmalloc" by the name of a mapped library in the text of
 * /proc/PID/maps, else "glibc": one that is linked in without a library is not seen. */
const char *allocator_of_maps(const char *bytes, size_t length);

/* The same of a process; NULL with errno when its map cannot be read. */
const char *allocator_of_process(const char *proc_root, const char *pid);

#endif
