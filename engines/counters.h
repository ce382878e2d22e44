// SPDX-License-Identifier: Apache-2.0
// The server's own counters: one page of memory shared by descriptor between an engine (writes) and
// the collector (reads).
#ifndef ENGINES_COUNTERS_H
#define ENGINES_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define COUNTERS_MAGIC      UINT64_C(0x3130746e63686354) /* "Tchcnt01", little-endian */
#define COUNTERS_SLOT_COUNT 64

/* What one thread (or one of 64 groups of threads) counted; a cache line, so that threads do not
 * share one. A request is counted before the first byte of its answer is sent: whoever has an
 * answer finds it counted. */
struct counters_slot {
    _Alignas(64) _Atomic uint64_t accepted_count; /* connections accepted */
    _Atomic uint64_t closed_count;                /* connections closed, by either side */
    _Atomic uint64_t request_count;               /* requests answered, whatever the status */
    _Atomic uint64_t error_count;                 /* of these, answered with 4xx or 5xx */
    _Atomic uint64_t received_bytes;
    _Atomic uint64_t sent_bytes;
};

struct counters_page {
    uint64_t magic;
    uint64_t size_bytes; /* sizeof(struct counters_page), so that a reader knows the layout */
    _Alignas(64) struct counters_slot slots[COUNTERS_SLOT_COUNT];
};

/* Sums over all slots; each field is monotone between two reads. */
struct counters_total {
    uint64_t accepted_count, closed_count, request_count, error_count, received_bytes, sent_bytes;
};

/*
 * Makes a page for an engine to inherit: a memfd without close-on-exec is the caller's choice
 * (F_SETFD).
 *
 * fd_out    a new descriptor, close-on-exec; the caller's
 * page_out  the mapping, shared, zeroed, with magic and size; counters_unmap when done
 */
enum err_code counters_create(int *fd_out, struct counters_page **page_out,
                              struct err *e) ATTR_MUST_USE;

/*
 * Maps a page that was inherited (engine, --counters-fd).
 * errors   ERR_SYS, ERR_FORMAT: the descriptor is no counters page of this layout
 */
enum err_code counters_map(int fd, struct counters_page **page_out, struct err *e) ATTR_MUST_USE;
void counters_unmap(struct counters_page *page);

/* Adds with relaxed order; one slot may have several writers. */
static inline void counters_add(_Atomic uint64_t *counter, uint64_t count)
{
    atomic_fetch_add_explicit(counter, count, memory_order_relaxed);
}

/* Adds without a locked instruction: for a slot that one thread alone writes. */
static inline void counters_add_owned(_Atomic uint64_t *counter, uint64_t count)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count,
                          memory_order_relaxed);
}

void counters_read(const struct counters_page *page, struct counters_total *total_out);

#endif
