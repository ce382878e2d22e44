// SPDX-License-Identifier: Apache-2.0
// Connections over io_uring: one multishot receive each, sends that tell only of failure. What all
// of a wake-up ask for goes to the kernel in the call that also waits. Where long bodies come that
// nobody looks at, each receive is asked for, so that the kernel can throw the bytes away.
#include "collector/driver/connection_uring.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/driver/connection.h"
#include "engines/base/clock.h"

/* user_data: the connection's place below, then 24 bits of its socket's generation, then this. */
enum operation { OPERATION_RECEIVE = 1, OPERATION_SKIP, OPERATION_SEND, OPERATION_EPOLL };
#define OPERATION_SHIFT  56
#define GENERATION_SHIFT 32
#define GENERATION_MASK  0xffffffU
#define OPERATION_MASK   (UINT64_C(0xff) << OPERATION_SHIFT)

const char *const driver_io_names[] = {"epoll", "uring"};

bool driver_io_parse(const char *text, enum driver_io *io_out)
{
    bool is_uring = strcmp(text, "uring") == 0 || strcmp(text, "io_uring") == 0;

    if (!is_uring && strcmp(text, "epoll") != 0) {
        return false;
    }
    *io_out = is_uring ? DRIVER_IO_URING : DRIVER_IO_EPOLL;
    return true;
}

static size_t request_bytes_most(const struct driver_config *config)
{
    size_t most = 0;

    for (uint32_t i = 0; i < config->request_count; i++) {
        most = config->requests[i].byte_count > most ? config->requests[i].byte_count : most;
    }
    return most;
}

enum driver_io connection_uring_open(struct driver_thread *threads,
                                     const struct driver_config *config,
                                     char reason_out[DRIVER_REASON_BYTES])
{
    uint32_t pipeline_count = config->pipeline_count > 0 ? config->pipeline_count : 1;
    uint32_t count = 0;
    struct err e = {0};

    if (config->io != DRIVER_IO_URING) {
        return DRIVER_IO_EPOLL;
    }
    if (config->tls) {
        snprintf(reason_out, DRIVER_REASON_BYTES, "TLS goes with epoll only");
        return DRIVER_IO_EPOLL;
    }
    if (request_bytes_most(config) > DRIVER_URING_REQUEST_BYTES / pipeline_count) {
        snprintf(reason_out, DRIVER_REASON_BYTES, "io_uring is for requests up to %d bytes",
                 DRIVER_URING_REQUEST_BYTES);
        return DRIVER_IO_EPOLL;
    }
    while (count < config->thread_count && uring_ring_open(&threads[count].uring, &e) == ERR_OK) {
        uring_ring_populate(&threads[count].uring);
        threads[count++].has_ring = true;
    }
    if (count == config->thread_count) {
        return DRIVER_IO_URING;
    }
    snprintf(reason_out, DRIVER_REASON_BYTES, "%.150s", e.text);
    uring_ring_close(&threads[count].uring);
    while (count > 0) {
        uring_ring_close(&threads[--count].uring);
        threads[count].has_ring = false;
    }
    return DRIVER_IO_EPOLL;
}

static uint64_t user_data(const struct driver_thread *t, const struct connection *c,
                          enum operation operation)
{
    return (uint64_t)(c - t->connections) |
           (uint64_t)(c->generation & GENERATION_MASK) << GENERATION_SHIFT |
           (uint64_t)operation << OPERATION_SHIFT;
}

/* The bytes are thrown away (tcp(7), MSG_TRUNC): the address is looked at and not written to. */
static void skip_ask(struct driver_thread *t, const struct connection *c, size_t length)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&t->uring);

    sqe->opcode = IORING_OP_RECV;
    sqe->fd = c->fd;
    sqe->addr = (uint64_t)(uintptr_t)t->buffer;
    sqe->len = (uint32_t)length;
    sqe->msg_flags = MSG_TRUNC;
    sqe->user_data = user_data(t, c, OPERATION_SKIP);
}

static void receive_ask(struct driver_thread *t, const struct connection *c, uint16_t flags)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&t->uring);

    sqe->opcode = IORING_OP_RECV;
    sqe->fd = c->fd;
    sqe->ioprio = flags;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    sqe->user_data = user_data(t, c, OPERATION_RECEIVE);
}

/* The next receive of a connection, while it has none. */
static void receive_go_on(struct driver_thread *t, const struct connection *c)
{
    size_t skippable = c->receives_singly ? connection_skippable_bytes(t, c) : 0;

    if (skippable > 0) {
        skip_ask(t, c, skippable);
    } else {
        receive_ask(t, c, c->receives_singly ? 0 : IORING_RECV_MULTISHOT);
    }
}

void connection_uring_receive(struct driver_thread *t, struct connection *c)
{
    c->receives_singly = false;
    receive_go_on(t, c);
}

/* Its last completion says -ECANCELED, unless it ended by itself before. */
static void receive_cancel(struct driver_thread *t, const struct connection *c)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&t->uring);

    sqe->opcode = IORING_OP_ASYNC_CANCEL;
    sqe->addr = user_data(t, c, OPERATION_RECEIVE);
    sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
    sqe->user_data = UINT64_MAX;
}

void connection_uring_send(struct driver_thread *t, const struct connection *c, const char *bytes,
                           size_t length)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&t->uring);

    sqe->opcode = IORING_OP_SEND;
    sqe->fd = c->fd;
    sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
    sqe->addr = (uint64_t)(uintptr_t)bytes;
    sqe->len = (uint32_t)length;
    sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
    sqe->user_data = user_data(t, c, OPERATION_SEND);
}

bool connection_uring_withdraw(struct driver_thread *t, const struct connection *c)
{
    return uring_ring_withdraw(&t->uring, user_data(t, c, OPERATION_SEND), OPERATION_MASK);
}

void connection_uring_end(struct driver_thread *t, const struct connection *c)
{
    (void)connection_uring_withdraw(t, c); /* its descriptor will soon be another socket's */
    (void)shutdown(c->fd, SHUT_RDWR);      /* ends the receive, which would keep the socket */
}

static bool is_current(const struct connection *c, uint64_t data)
{
    return c->fd >= 0 &&
           ((data >> GENERATION_SHIFT) & GENERATION_MASK) == (c->generation & GENERATION_MASK);
}

/* A completion that tells nothing of the connection. */
static bool is_silent(const struct io_uring_cqe *cqe)
{
    return cqe->res == -ENOBUFS || cqe->res == -EINTR || cqe->res == -ECANCELED;
}

/* Whether the receive ended, and the connection's bytes did not. */
static bool is_to_be_asked(const struct io_uring_cqe *cqe)
{
    return !(cqe->flags & IORING_CQE_F_MORE) && (cqe->res > 0 || is_silent(cqe));
}

static void receive_handle(struct driver_thread *t, struct connection *c,
                           const struct io_uring_cqe *cqe)
{
    if (is_current(c, cqe->user_data) && !is_silent(cqe)) {
        const char *bytes = cqe->res > 0 ? uring_ring_buffer(&t->uring, cqe->flags) : NULL;
        connection_receive(t, c, bytes, cqe->res);
    }
    if (cqe->flags & IORING_CQE_F_BUFFER) {
        uring_ring_give(&t->uring, cqe->flags);
    }
    if (!is_current(c, cqe->user_data)) {
        return;
    }
    if (!c->receives_singly && connection_skippable_bytes(t, c) > DRIVER_BUFFER_BYTES) {
        c->receives_singly = true;
        if (cqe->flags & IORING_CQE_F_MORE) {
            receive_cancel(t, c);
        }
    }
    if (is_to_be_asked(cqe)) {
        receive_go_on(t, c);
    }
}

static void skip_handle(struct driver_thread *t, struct connection *c,
                        const struct io_uring_cqe *cqe)
{
    if (!is_current(c, cqe->user_data)) {
        return;
    }
    if (cqe->res > 0) {
        connection_skip(t, c, (size_t)cqe->res);
    } else if (!is_silent(cqe)) {
        connection_receive(t, c, NULL, cqe->res);
    }
    if (is_current(c, cqe->user_data) && is_to_be_asked(cqe)) {
        receive_go_on(t, c);
    }
}

static void completion_handle(struct driver_thread *t, const struct io_uring_cqe *cqe,
                              bool *epoll_has_out)
{
    uint32_t index = (uint32_t)cqe->user_data;

    switch (cqe->user_data >> OPERATION_SHIFT) {
    case OPERATION_RECEIVE:
        receive_handle(t, &t->connections[index], cqe);
        break;
    case OPERATION_SKIP:
        skip_handle(t, &t->connections[index], cqe);
        break;
    case OPERATION_SEND: /* told only when it failed */
        if (is_current(&t->connections[index], cqe->user_data)) {
            connection_send_failed(t, &t->connections[index], cqe->res);
        }
        break;
    case OPERATION_EPOLL:
        t->watches_epoll = false;
        *epoll_has_out = true;
        break;
    default: /* withdrawn, or a cancellation that came late */
        break;
    }
}

static void epoll_watch(struct driver_thread *t)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&t->uring);

    sqe->opcode = IORING_OP_POLL_ADD;
    sqe->fd = t->epoll_fd;
    sqe->poll32_events = POLLIN;
    sqe->user_data = (uint64_t)OPERATION_EPOLL << OPERATION_SHIFT;
    t->watches_epoll = true;
}

/* Looks without blocking, as with epoll. A look that submits, or brings something, is work: the
 * kernel sends and receives in it. */
static void ring_spin(struct driver_thread *t, int64_t end_ns)
{
    uring_ring_look(&t->uring);
    if (uring_ring_count(&t->uring) > 0) {
        return;
    }
    int64_t now_ns = clock_monotonic_ns();
    while (now_ns < end_ns) {
        uring_ring_look(&t->uring);
        if (uring_ring_count(&t->uring) > 0) {
            return;
        }
        now_ns = driver_thread_idle(t, now_ns);
    }
}

bool connection_uring_wait(struct driver_thread *t, int64_t now_ns, int64_t deadline_ns)
{
    int64_t spin_ns = t->control->config->spin_ns;
    bool epoll_has = false;
    struct io_uring_cqe cqe;

    if (!t->watches_epoll) {
        epoll_watch(t);
    }
    if (spin_ns > 0) {
        ring_spin(t, now_ns + spin_ns < deadline_ns ? now_ns + spin_ns : deadline_ns);
        now_ns = clock_monotonic_ns();
        if (t->pace_ns != INT64_MAX && t->pace_ns - spin_ns < deadline_ns) {
            deadline_ns = t->pace_ns - spin_ns; /* awake in time */
        }
    }
    if (uring_ring_count(&t->uring) == 0) {
        if (deadline_ns > now_ns) {
            uring_ring_wait(&t->uring, deadline_ns - now_ns);
        } else {
            uring_ring_look(&t->uring);
        }
    }
    while (uring_ring_take(&t->uring, &cqe)) {
        completion_handle(t, &cqe, &epoll_has);
    }
    return epoll_has;
}
