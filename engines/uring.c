// SPDX-License-Identifier: Apache-2.0
// The io_uring engine: one ring a thread, multishot accept and receive into the kernel's choice of
// provided buffers. All answers of a turn lie in one piece of memory and are sent by the system
// call that also waits; only what a socket does not take, and unfinished input, is copied.
#include "engines/engine.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "engines/base/clock.h"
#include "engines/loops.h"
#include "engines/uring_conn.h"

static void accept_add(struct uring_loop *loop)
{
    struct io_uring_sqe *sqe =
        uring_entry_add(loop, IORING_OP_ACCEPT, loop->acceptor.listen_fd, NULL, OPERATION_ACCEPT);

    sqe->ioprio = IORING_ACCEPT_MULTISHOT;
    sqe->accept_flags = SOCK_CLOEXEC;
    loop->is_accepting = true;
}

/* Ends a wait when the second is over. */
static void timer_add(struct uring_loop *loop)
{
    struct io_uring_sqe *sqe =
        uring_entry_add(loop, IORING_OP_TIMEOUT, -1, &loop->second, OPERATION_LOOP);

    loop->second.tv_sec = 1;
    sqe->addr = (uint64_t)(uintptr_t)&loop->second;
    sqe->len = 1;
    loop->is_timed = true;
}

static void accept_done(struct uring_loop *loop, const struct io_uring_cqe *cqe)
{
    loop->is_accepting = cqe->flags & IORING_CQE_F_MORE;
    if (cqe->res < 0) {
        acceptor_fail(&loop->acceptor, -cqe->res);
        return;
    }
    int fd = acceptor_admit(&loop->acceptor, cqe->res);
    if (fd >= 0) {
        uring_conn_open(loop, fd);
    }
}

static void completion_take(struct uring_loop *loop, const struct io_uring_cqe *cqe)
{
    void *about = (void *)(uintptr_t)(cqe->user_data & ~(uint64_t)OPERATION_MASK);

    switch ((enum operation)(cqe->user_data & OPERATION_MASK)) {
    case OPERATION_RECEIVE:
        uring_conn_received(loop, about, cqe);
        break;
    case OPERATION_READABLE:
        uring_conn_readable(loop, about, cqe);
        break;
    case OPERATION_SEND:
        uring_conn_sent(loop, about, cqe->res);
        break;
    case OPERATION_ACCEPT:
        accept_done(loop, cqe);
        break;
    case OPERATION_LOOP:
        loop->stops |= about == NULL;
        loop->is_timed &= about == NULL;
        break;
    case OPERATION_CANCEL:
    case OPERATION_MASK:
        break;
    }
}

/* Once a second: the date, the time limits, and another try at accepting. */
static void loop_check_time(struct uring_loop *loop)
{
    if (!acceptor_second(&loop->acceptor, &loop->date, &loop->now_ns)) {
        return;
    }
    for (struct uring_conn *conn = LIST_FIRST(&loop->conns), *next; conn; conn = next) {
        next = LIST_NEXT(conn, link);
        uring_conn_check_time(loop, conn);
    }
}

static void loop_run(void *state)
{
    struct uring_loop *loop = state;
    struct io_uring_cqe cqe;

    uring_ring_enable(&loop->ring);
    extra_work_begin(&loop->extra_work, loop->config->extra_work_percent);
    uring_entry_add(loop, IORING_OP_POLL_ADD, loop->config->stop_fd, NULL, OPERATION_LOOP)
        ->poll32_events = POLLIN;
    loop_check_time(loop);
    while (!loop->stops) {
        uring_conns_send(loop);
        if (!loop->is_accepting && !loop->acceptor.is_paused) {
            accept_add(loop);
        }
        if (!loop->is_timed) {
            timer_add(loop);
        }
        int wait_ms = acceptor_wait_ms(&loop->acceptor, ACCEPTOR_WAIT_MS);
        uring_ring_wait(&loop->ring, wait_ms < ACCEPTOR_WAIT_MS ? wait_ms * CLOCK_NS_PER_MS : -1);
        loop->turn++;
        /* Those there are, not those that what is asked for meanwhile brings: without end, when
         * each finds no buffer. */
        uint32_t count = uring_ring_count(&loop->ring);
        uring_conns_settle(loop, count);
        for (; count > 0; count--) {
            if (uring_ring_take(&loop->ring, &cqe)) {
                completion_take(loop, &cqe);
            }
        }
        uring_conns_feed(loop);
        loop_check_time(loop);
    }
}

static void loop_close(void *state)
{
    struct uring_loop *loop = state;

    uring_ring_close(&loop->ring);
    acceptor_release(&loop->acceptor);
    while (!LIST_EMPTY(&loop->conns)) {
        uring_conn_close(loop, LIST_FIRST(&loop->conns));
    }
    uring_batches_release(&loop->batches);
    byte_pool_release(&loop->pool);
    free(loop->input);
}

static enum err_code loop_open(void *state, const struct engine_config *config, uint32_t index,
                               struct err *e)
{
    struct uring_loop *loop = state;

    *loop = (struct uring_loop){
        .date = {.second = -1},
        .config = config,
        .counters = &config->counters->slots[index],
        .input = malloc(ENGINE_INPUT_BYTES),
    };
    byte_pool_init(&loop->pool);
    loop->batches = (struct uring_batches){.pool = &loop->pool, .date = &loop->date};
    enum err_code code = uring_ring_open(&loop->ring, e);
    if (code == ERR_OK && !loop->input) {
        code = err_set_sys(e, "opening a loop");
    }
    if (code == ERR_OK) {
        code = acceptor_init(&loop->acceptor, -1, config, index, 0, e);
        loop->acceptor.spare = &loop->pool;
    }
    return code;
}

static enum err_code uring_probe(struct err *e)
{
    struct uring_ring ring;
    enum err_code code = uring_ring_open(&ring, e);

    uring_ring_close(&ring);
    return code;
}

static enum err_code uring_run(const struct engine_config *config, struct err *e)
{
    static const struct loops_kind kind = {sizeof(struct uring_loop), loop_open, loop_run,
                                           loop_close};

    return loops_run(&kind, config, e);
}

const struct engine engine_uring = {
    .name = "uring",
    .summary = "one io_uring a thread, multishot, provided buffers; where the kernel has it",
    .threads = ENGINE_THREADS_LOOPS,
    .probe = uring_probe,
    .run = uring_run,
};
