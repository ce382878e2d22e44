// SPDX-License-Identifier: Apache-2.0
// An io_uring instance.
#include "engines/uring_ring.h"

#include <assert.h>
#include <errno.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engines/base/clock.h"

enum {
    SUBMISSION_COUNT = 1024,
    COMPLETION_COUNT = 8192,
    /* Buffers begin at different lines of the cache, not all at the same. */
    BUFFER_STRIDE = URING_BUFFER_BYTES + 64,
};

#define BUFFERS_BYTES      (URING_BUFFER_COUNT * sizeof(struct io_uring_buf))
#define BUFFER_BYTES_TOTAL ((size_t)URING_BUFFER_COUNT * BUFFER_STRIDE)
#define SQES_BYTES         (SUBMISSION_COUNT * sizeof(struct io_uring_sqe))

static enum err_code refusal_set(struct err *e)
{
    switch (errno) {
    case ENOSYS:
        return err_set_sys(e, "this kernel has no io_uring; take another engine");
    case EPERM:
    case EACCES:
        return err_set_sys(e,
                           "io_uring is not allowed here (kernel.io_uring_disabled, or a seccomp "
                           "filter); take another engine");
    case EINVAL:
        return err_set_sys(
            e, "io_uring of this kernel is too old (6.1 is needed); take another engine");
    default:
        return err_set_sys(e, "opening io_uring");
    }
}

static void *memory_map(size_t bytes, int fd, off_t offset)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);

    return memory == MAP_FAILED ? NULL : memory;
}

static uint32_t *number_at(const struct uring_ring *ring, uint32_t offset)
{
    return (uint32_t *)(void *)(ring->rings + offset);
}

static bool queues_map(struct uring_ring *ring, const struct io_uring_params *params)
{
    size_t sq_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
    size_t cq_bytes = params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe);

    ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
    ring->rings = memory_map(ring->rings_bytes, ring->fd, IORING_OFF_SQ_RING);
    ring->sqes = memory_map(SQES_BYTES, ring->fd, IORING_OFF_SQES);
    if (!ring->rings || !ring->sqes) {
        return false;
    }
    ring->sq_head = number_at(ring, params->sq_off.head);
    ring->sq_tail = number_at(ring, params->sq_off.tail);
    ring->cq_head = number_at(ring, params->cq_off.head);
    ring->cq_tail = number_at(ring, params->cq_off.tail);
    ring->sq_count = params->sq_entries;
    ring->sq_mask = *number_at(ring, params->sq_off.ring_mask);
    ring->cq_mask = *number_at(ring, params->cq_off.ring_mask);
    ring->cqes = (struct io_uring_cqe *)(void *)(ring->rings + params->cq_off.cqes);
    for (uint32_t i = 0; i < ring->sq_count; i++) {
        number_at(ring, params->sq_off.array)[i] = i;
    }
    return true;
}

static void buffer_put(struct uring_ring *ring, uint16_t id)
{
    struct io_uring_buf *slot = &ring->buffers->bufs[ring->buffers_tail & (URING_BUFFER_COUNT - 1)];

    /* Not the whole struct: the tail lies in the last bytes of the first one. */
    slot->addr = (uint64_t)(uintptr_t)(ring->buffer_bytes + (size_t)id * BUFFER_STRIDE);
    slot->len = URING_BUFFER_BYTES;
    slot->bid = id;
    ring->buffers_tail++;
}

static void buffers_show(struct uring_ring *ring)
{
    __atomic_store_n(&ring->buffers->tail, ring->buffers_tail, __ATOMIC_RELEASE);
}

static bool buffers_open(struct uring_ring *ring)
{
    ring->buffers = memory_map(BUFFERS_BYTES, -1, 0);
    ring->buffer_bytes = memory_map(BUFFER_BYTES_TOTAL, -1, 0);
    if (!ring->buffers || !ring->buffer_bytes) {
        return false;
    }
    struct io_uring_buf_reg registration = {
        .ring_addr = (uint64_t)(uintptr_t)ring->buffers,
        .ring_entries = URING_BUFFER_COUNT,
        .bgid = URING_BUFFER_GROUP,
    };
    if (syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_PBUF_RING, &registration, 1) < 0) {
        return false;
    }
    for (uint16_t id = 0; id < URING_BUFFER_COUNT; id++) {
        buffer_put(ring, id);
    }
    buffers_show(ring);
    return true;
}

enum err_code uring_ring_open(struct uring_ring *ring, struct err *e)
{
    /* Disabled at first: the thread that opens it is not the one that uses it. */
    struct io_uring_params params = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL |
                 IORING_SETUP_CQSIZE | IORING_SETUP_R_DISABLED,
        .cq_entries = COMPLETION_COUNT,
    };

    *ring = (struct uring_ring){.fd = -1};
    ring->fd = (int)syscall(SYS_io_uring_setup, SUBMISSION_COUNT, &params);
    if (ring->fd < 0 || !queues_map(ring, &params) || !buffers_open(ring)) {
        return refusal_set(e);
    }
    return ERR_OK;
}

void uring_ring_populate(struct uring_ring *ring)
{
    memset(ring->buffer_bytes, 0, BUFFER_BYTES_TOTAL);
}

void uring_ring_enable(struct uring_ring *ring)
{
    long result = syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);

    assert(result == 0); /* it was opened so, and never enabled */
}

static void memory_unmap(void *memory, size_t bytes)
{
    if (memory) {
        munmap(memory, bytes);
    }
}

void uring_ring_close(struct uring_ring *ring)
{
    if (ring->fd >= 0) {
        close(ring->fd);
    }
    memory_unmap(ring->rings, ring->rings_bytes);
    memory_unmap(ring->sqes, SQES_BYTES);
    memory_unmap(ring->buffers, BUFFERS_BYTES);
    memory_unmap(ring->buffer_bytes, BUFFER_BYTES_TOTAL);
    *ring = (struct uring_ring){.fd = -1};
}

/* Shows the kernel what is new, and waits for `wanted` completions. Whatever it
 * returns: what was not submitted stays in the queue, and completions are seen by looking. */
static void ring_enter(struct uring_ring *ring, uint32_t wanted, int64_t timeout_ns)
{
    struct __kernel_timespec timeout = {.tv_sec = timeout_ns / CLOCK_NS_PER_S,
                                        .tv_nsec = timeout_ns % CLOCK_NS_PER_S};
    struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&timeout};
    uint32_t head = __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE);
    uint32_t flags = wanted ? IORING_ENTER_GETEVENTS : 0;
    bool is_bounded = wanted && timeout_ns >= 0;

    buffers_show(ring); /* what is submitted may want one at once */
    __atomic_store_n(ring->sq_tail, ring->sq_next, __ATOMIC_RELEASE);
    syscall(SYS_io_uring_enter, ring->fd, ring->sq_next - head, wanted,
            is_bounded ? flags | IORING_ENTER_EXT_ARG : flags, is_bounded ? &argument : NULL,
            is_bounded ? sizeof(argument) : 0);
}

struct io_uring_sqe *uring_ring_entry(struct uring_ring *ring)
{
    while (ring->sq_next - __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE) == ring->sq_count) {
        ring_enter(ring, 0, 0);
    }
    struct io_uring_sqe *sqe = &ring->sqes[ring->sq_next & ring->sq_mask];
    ring->sq_next++;
    memset(sqe, 0, sizeof(*sqe));
    return sqe;
}

void uring_ring_wait(struct uring_ring *ring, int64_t timeout_ns)
{
    do {
        ring_enter(ring, 1, timeout_ns);
    } while (ring->sq_next != __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE));
}

void uring_ring_look(struct uring_ring *ring)
{
    uint32_t head = __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE);

    buffers_show(ring);
    __atomic_store_n(ring->sq_tail, ring->sq_next, __ATOMIC_RELEASE);
    syscall(SYS_io_uring_enter, ring->fd, ring->sq_next - head, 0, IORING_ENTER_GETEVENTS, NULL, 0);
}

uint32_t uring_ring_count(const struct uring_ring *ring)
{
    return __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) - *ring->cq_head;
}

const struct io_uring_cqe *uring_ring_peek(const struct uring_ring *ring, uint32_t index)
{
    return &ring->cqes[(*ring->cq_head + index) & ring->cq_mask];
}

bool uring_ring_withdraw(struct uring_ring *ring, uint64_t user_data, uint64_t mask)
{
    bool any = false;

    for (uint32_t i = __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE); i != ring->sq_next; i++) {
        struct io_uring_sqe *sqe = &ring->sqes[i & ring->sq_mask];
        if (((sqe->user_data ^ user_data) & ~mask) == 0) {
            *sqe = (struct io_uring_sqe){
                .opcode = IORING_OP_NOP, .flags = IOSQE_CQE_SKIP_SUCCESS, .user_data = UINT64_MAX};
            any = true;
        }
    }
    return any;
}

bool uring_ring_take(struct uring_ring *ring, struct io_uring_cqe *cqe_out)
{
    uint32_t head = *ring->cq_head; /* only this thread writes it */

    if (head == __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE)) {
        return false;
    }
    *cqe_out = ring->cqes[head & ring->cq_mask];
    __atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
    return true;
}

char *uring_ring_buffer(const struct uring_ring *ring, uint32_t cqe_flags)
{
    return ring->buffer_bytes + (size_t)(cqe_flags >> IORING_CQE_BUFFER_SHIFT) * BUFFER_STRIDE;
}

void uring_ring_give(struct uring_ring *ring, uint32_t cqe_flags)
{
    buffer_put(ring, (uint16_t)(cqe_flags >> IORING_CQE_BUFFER_SHIFT));
}
