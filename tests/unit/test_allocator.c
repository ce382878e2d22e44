// SPDX-License-Identifier: Apache-2.0
// Which allocator a map of memory tells.
#include <criterion/criterion.h>
#include <string.h>

#include "engines/base/allocator.h"
#include "engines/base/attr.h"
#include "tests/support/edge_buf.h"

Test(allocator, is_told_by_the_library_in_the_map)
{
#define LIBC "7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/x86_64-linux-gnu/libc.so.6\n"
    static const struct {
        const char *maps, *want;
    } rows[] = {
        {"", "glibc"},
        {LIBC, "glibc"},
        {LIBC "7f02-7f03 r--p 0 fe:00 13 /usr/lib/x86_64-linux-gnu/libjemalloc.so.2\n", "jemalloc"},
        {"7f02-7f03 r--p 0 fe:00 13 /usr/lib/libmimalloc.so.2.0\n" LIBC, "mimalloc"},
        {"7f02-7f03 r--p 0 fe:00 13 /lib/libtcmalloc_minimal.so.4.5.9", "tcmalloc"},
        {"7f02-7f03 r--p 0 fe:00 13 /home/libjemallo", "glibc"}, /* ends within the name */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct edge_buf edge;

        edge_buf_init(&edge, rows[i].maps, strlen(rows[i].maps));
        cr_expect_str_eq(allocator_of_maps(edge.bytes, edge.length), rows[i].want, "row %zu", i);
        edge_buf_release(&edge);
    }
    cr_expect_str_eq(allocator_of_process("/proc", "self"), "glibc");
    cr_expect_null(allocator_of_process("/nonexistent", "1"));
}
