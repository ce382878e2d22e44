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
    LINE_BYTES = 64, /* buffers begin at different lines of the cache, not all at the same */
};

#define SQES_BYTES (SUBMISSION_COUNT * sizeof(struct io_uring_sqe))

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

static size_t slots_bytes(const struct uring_buffers *buffers)
{
    return buffers->count * sizeof(struct io_uring_buf);
}

static void buffer_put(struct uring_buffers *buffers, uint16_t id)
{
    struct io_uring_buf *slot = &buffers->ring->bufs[buffers->tail & (buffers->count - 1)];

    /* Not the whole struct: the tail lies in the last bytes of the first one. */
    slot->addr = (uint64_t)(uintptr_t)(buffers->bytes + (size_t)id * buffers->stride);
    slot->len = (uint32_t)buffers->buffer_bytes;
    slot->bid = id;
    buffers->tail++;
}

static void buffers_show(struct uring_ring *ring)
{
    for (size_t i = 0; i < sizeof(ring->groups) / sizeof(*ring->groups); i++) {
        struct uring_buffers *buffers = &ring->groups[i];

        if (buffers->ring) {
            __atomic_store_n(&buffers->ring->tail, buffers->tail, __ATOMIC_RELEASE);
        }
    }
}

/* Of `buffers` are set: the count, the size of one, and the distance from one to the next. */
static bool buffers_open(struct uring_ring *ring, uint16_t group, struct uring_buffers buffers)
{
    struct uring_buffers *opened = &ring->groups[group];

    *opened = buffers;
    opened->ring = memory_map(slots_bytes(opened), -1, 0);
    opened->bytes = memory_map(opened->count * opened->stride, -1, 0);
    if (!opened->ring || !opened->bytes) {
        return false;
    }
    struct io_uring_buf_reg registration = {
        .ring_addr = (uint64_t)(uintptr_t)opened->ring,
        .ring_entries = opened->count,
        .bgid = group,
    };
    if (syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_PBUF_RING, &registration, 1) < 0) {
        return false;
    }
    for (uint16_t id = 0; id < opened->count; id++) {
        buffer_put(opened, id);
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
    const struct uring_buffers small = {.count = URING_BUFFER_COUNT,
                                        .buffer_bytes = URING_BUFFER_BYTES,
                                        .stride = URING_BUFFER_BYTES + LINE_BYTES};
    if (ring->fd < 0 || !queues_map(ring, &params) ||
        !buffers_open(ring, URING_BUFFER_GROUP, small)) {
        return refusal_set(e);
    }
    return ERR_OK;
}

enum err_code uring_ring_open_large(struct uring_ring *ring, struct err *e)
{
    const struct uring_buffers large = {.count = URING_LARGE_COUNT,
                                        .buffer_bytes = URING_LARGE_BYTES,
                                        .stride = URING_LARGE_BYTES + URING_LARGE_ROOM_BYTES +
                                                  LINE_BYTES};

    return buffers_open(ring, URING_LARGE_GROUP, large) ? ERR_OK : refusal_set(e);
}

void uring_ring_populate(struct uring_ring *ring)
{
    const struct uring_buffers *small = &ring->groups[URING_BUFFER_GROUP];

    memset(small->bytes, 0, small->count * small->stride);
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
    for (size_t i = 0; i < sizeof(ring->groups) / sizeof(*ring->groups); i++) {
        memory_unmap(ring->groups[i].ring, slots_bytes(&ring->groups[i]));
        memory_unmap(ring->groups[i].bytes, ring->groups[i].count * ring->groups[i].stride);
    }
    *ring = (struct uring_ring){.fd = -1};
}

/* Shows the kernel what is new, and waits for `wanted` completions with a bound. Whatever it
 * returns: what was not submitted stays in the queue, and completions are seen by looking. */
static void ring_enter(struct uring_ring *ring, uint32_t wanted, int64_t timeout_ns)
{
    struct __kernel_timespec timeout = {.tv_sec = timeout_ns / CLOCK_NS_PER_S,
                                        .tv_nsec = timeout_ns % CLOCK_NS_PER_S};
    struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&timeout};
    uint32_t head = __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE);
    uint32_t flags = wanted ? IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG : 0;

    buffers_show(ring); /* what is submitted may want one at once */
    __atomic_store_n(ring->sq_tail, ring->sq_next, __ATOMIC_RELEASE);
    syscall(SYS_io_uring_enter, ring->fd, ring->sq_next - head, wanted, flags,
            wanted ? &argument : NULL, wanted ? sizeof(argument) : 0);
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

char *uring_ring_buffer(const struct uring_ring *ring, int group, uint32_t cqe_flags)
{
    const struct uring_buffers *buffers = &ring->groups[group];

    return buffers->bytes + (size_t)(cqe_flags >> IORING_CQE_BUFFER_SHIFT) * buffers->stride;
}

void uring_ring_give(struct uring_ring *ring, int group, uint32_t cqe_flags)
{
    buffer_put(&ring->groups[group], (uint16_t)(cqe_flags >> IORING_CQE_BUFFER_SHIFT));
}
