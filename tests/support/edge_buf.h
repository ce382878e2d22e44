// SPDX-License-Identifier: Apache-2.0
// Memory whose last byte lies right before an unreadable page: reading one byte too far ends the
// test.
#ifndef TESTS_SUPPORT_EDGE_BUF_H
#define TESTS_SUPPORT_EDGE_BUF_H

#include <stddef.h>

struct edge_buf {
    char *map;
    size_t map_bytes;
    char *bytes; /* `length` bytes that end at the edge; writable */
    size_t length;
};

/* A copy of `length` bytes (0 is allowed) that ends at the edge. Aborts the test when memory cannot
 * be had. */
void edge_buf_init(struct edge_buf *edge, const void *bytes, size_t length);
void edge_buf_release(struct edge_buf *edge);

#endif
