// SPDX-License-Identifier: Apache-2.0
// Which allocator a process has.
#include "engines/base/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/base/proc.h"

#define MAPS_BYTES ((size_t)4 << 20)

static const struct {
    const char *library, *name;
} libraries[] = {
    {"/libjemalloc", "jemalloc"}, {"/libmimalloc", "mimalloc"}, {"/libtcmalloc", "tcmalloc"}};

const char *allocator_of_maps(const char *bytes, size_t length)
{
    for (size_t i = 0; i < ARRAY_COUNT(libraries); i++) {
        if (memmem(bytes, length, libraries[i].library, strlen(libraries[i].library))) {
            return libraries[i].name;
        }
    }
    return "glibc";
}

const char *allocator_of_process(const char *proc_root, const char *pid)
{
    char *text = malloc(MAPS_BYTES);
    ssize_t length = text ? proc_read(proc_root, text, MAPS_BYTES, "%s/maps", pid) : -1;
    const char *name = length > 0 ? allocator_of_maps(text, (size_t)length) : NULL;

    free(text);
    return name;
}
