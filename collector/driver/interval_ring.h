// SPDX-License-Identifier: Apache-2.0
// Interval records of one driver thread on their way to the collector: one writer, one reader, no
// lock, no allocation.
#ifndef COLLECTOR_DRIVER_INTERVAL_RING_H
#define COLLECTOR_DRIVER_INTERVAL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/driver/histogram.h"
#include "collector/sample.h"

#define INTERVAL_RING_SLOTS 8

struct interval_record {
    uint32_t index; /* set when published */
    uint64_t started_count, reconnect_count, resent_count, sent_bytes, received_bytes;
    uint64_t user_ns, system_ns, sleep_count, spin_ns;
    uint32_t in_flight_count, connection_count;          /* when published */
    uint64_t scheduled_count, shed_count, backlog_count; /* open loop */
    uint64_t outcomes[OUTCOME_COUNT];
    struct histogram *service, *lag; /* open loop, else NULL; stay where they are */
    struct histogram latency;
};

/* The writer always owns the slot at `published`; the reader those from `taken` up to it. */
struct interval_ring {
    _Alignas(64) _Atomic uint64_t published;
    _Alignas(64) _Atomic uint64_t taken;
    _Alignas(64) struct interval_record slots[INTERVAL_RING_SLOTS];
};

/* The writer's running record. */
static inline struct interval_record *interval_ring_current(struct interval_ring *ring)
{
    uint64_t published = atomic_load_explicit(&ring->published, memory_order_relaxed);
    return &ring->slots[published % INTERVAL_RING_SLOTS];
}

/* True when the running record can be published and another one begun. When the reader is too far
 * behind it cannot: the writer then goes on in the running one. */
static inline bool interval_ring_has_room(struct interval_ring *ring)
{
    uint64_t published = atomic_load_explicit(&ring->published, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    return published - taken < INTERVAL_RING_SLOTS - 1;
}

static inline void interval_ring_publish(struct interval_ring *ring)
{
    atomic_fetch_add_explicit(&ring->published, 1, memory_order_release);
}

/* The oldest published record; NULL: none. */
static inline struct interval_record *interval_ring_front(struct interval_ring *ring)
{
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&ring->published, memory_order_acquire)) {
        return NULL;
    }
    return &ring->slots[taken % INTERVAL_RING_SLOTS];
}

/* Gives the front, which there is, back zeroed: the reader does it, it has the time. */
static inline void interval_ring_drop(struct interval_ring *ring)
{
    uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    struct interval_record *record = &ring->slots[taken % INTERVAL_RING_SLOTS];
    struct histogram *service = record->service;
    struct histogram *lag = record->lag;

    memset(record, 0, sizeof(*record));
    if (service) {
        histogram_clear(service);
        histogram_clear(lag);
        record->service = service;
        record->lag = lag;
    }
    atomic_fetch_add_explicit(&ring->taken, 1, memory_order_release);
}

#endif
