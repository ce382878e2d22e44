// SPDX-License-Identifier: Apache-2.0
// Memory that ends at an unreadable page.
#include "tests/support/edge_buf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void edge_buf_init(struct edge_buf *edge, const void *bytes, size_t length)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t data_bytes = (length / page_bytes + 1) * page_bytes;

    edge->map_bytes = data_bytes + page_bytes;
    edge->map =
        mmap(NULL, edge->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (edge->map == MAP_FAILED || mprotect(edge->map + data_bytes, page_bytes, PROT_NONE) < 0) {
        abort();
    }
    edge->length = length;
    edge->bytes = edge->map + data_bytes - length;
    if (length) {
        memcpy(edge->bytes, bytes, length);
    }
}

void edge_buf_release(struct edge_buf *edge)
{
    munmap(edge->map, edge->map_bytes);
}
