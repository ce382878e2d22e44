// SPDX-License-Identifier: Apache-2.0
// An io_uring instance with a ring of buffers for receiving, by the kernel's interface itself: the
// measured process links the C library alone.
#ifndef ENGINES_URING_RING_H
#define ENGINES_URING_RING_H

#include <linux/io_uring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define URING_BUFFER_BYTES ((size_t)4096)
#define URING_BUFFER_COUNT 1024 /* a power of two */
#define URING_BUFFER_GROUP 0    /* for buf_group of a receive with IOSQE_BUFFER_SELECT */

struct uring_ring {
    int fd;
    char *rings; /* both queues */
    size_t rings_bytes;
    uint32_t *sq_head, *sq_tail, *cq_head, *cq_tail; /* shared with the kernel */
    uint32_t sq_count, sq_mask, cq_mask;
    uint32_t sq_next; /* the tail, not yet shown to the kernel */
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    struct io_uring_buf_ring *buffers;
    char *buffer_bytes;
    uint16_t buffers_tail;
};

/*
 * Opens one that uring_ring_enable makes usable. After a failure it is closed all the same.
 * errors   ERR_SYS: there is none here; the text says why, and what to do
 */
enum err_code uring_ring_open(struct uring_ring *ring, struct err *e) ATTR_MUST_USE;
void uring_ring_close(struct uring_ring *ring);

/* The pages of all buffers are there from now on; else each comes with the first bytes in it. */
void uring_ring_populate(struct uring_ring *ring);

/* By the thread that alone uses the ring from then on. */
void uring_ring_enable(struct uring_ring *ring);

/* The next entry, zeroed; submitted by uring_ring_wait, or earlier when the queue is full. */
struct io_uring_sqe *uring_ring_entry(struct uring_ring *ring);

/* Submits all, and waits until there is a completion, or so long when timeout_ns is not negative.
 */
void uring_ring_wait(struct uring_ring *ring, int64_t timeout_ns);

/* Submits, and has the kernel hand over what is complete; waits for nothing. */
void uring_ring_look(struct uring_ring *ring);

/* How many completions there are to take now. */
uint32_t uring_ring_count(const struct uring_ring *ring);

/* The index-th of them, which stays. */
const struct io_uring_cqe *uring_ring_peek(const struct uring_ring *ring, uint32_t index);

/* What was asked for under `user_data`, but for the bits of `mask`, and was not submitted yet is
 * not done; returns whether there was any. */
bool uring_ring_withdraw(struct uring_ring *ring, uint64_t user_data, uint64_t mask);

/* Takes the next completion; false when there is none. */
bool uring_ring_take(struct uring_ring *ring, struct io_uring_cqe *cqe_out);

/* The buffer that a completion names, and back to the kernel with it. */
char *uring_ring_buffer(const struct uring_ring *ring, uint32_t cqe_flags);
void uring_ring_give(struct uring_ring *ring, uint32_t cqe_flags);

#endif
