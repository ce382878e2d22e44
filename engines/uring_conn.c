// SPDX-License-Identifier: Apache-2.0
// A connection of the io_uring engine: receives, answers of the turn, and its end.
#include "engines/uring_conn.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/app/routes.h"

/* In a turn: so many failures find room among the completions. */
#define UNTOLD_COUNT_MAX 4096
/* Kept while an answer is on its way: stop reading. */
#define REST_BYTES_PAUSE ((size_t)256 << 10)
/* So much of a large body is missing: another read before the rest is kept. */
#define NEAR_BYTES ((size_t)16 << 10)

/* --- entries --- */

struct io_uring_sqe *uring_entry_add(struct uring_loop *loop, enum io_uring_op code, int fd,
                                     const void *about, enum operation operation)
{
    struct io_uring_sqe *sqe = uring_ring_entry(&loop->ring);

    sqe->opcode = (uint8_t)code;
    sqe->fd = fd;
    sqe->user_data = (uint64_t)(uintptr_t)about | operation;
    return sqe;
}

static void conn_receive(struct uring_loop *loop, struct uring_conn *conn)
{
    conn->is_receiving = true;
    conn->is_cancelled = false;
    conn->is_polled = conn->is_bulk;
    struct io_uring_sqe *sqe =
        conn->is_bulk
            ? uring_entry_add(loop, IORING_OP_POLL_ADD, conn->fd, conn, OPERATION_READABLE)
            : uring_entry_add(loop, IORING_OP_RECV, conn->fd, conn, OPERATION_RECEIVE);

    if (conn->is_bulk) {
        sqe->poll32_events = POLLIN | POLLRDHUP;
        sqe->len = IORING_POLL_ADD_MULTI;
        return;
    }
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
}

/* Ends what conn_receive armed. */
static void conn_pause(struct uring_loop *loop, struct uring_conn *conn)
{
    enum operation operation = conn->is_polled ? OPERATION_READABLE : OPERATION_RECEIVE;

    if (conn->is_receiving && !conn->is_cancelled) {
        conn->is_cancelled = true;
        uring_entry_add(loop, IORING_OP_ASYNC_CANCEL, -1, NULL, OPERATION_CANCEL)->addr =
            (uint64_t)(uintptr_t)conn | operation;
    }
}

static struct io_uring_sqe *send_add(struct uring_loop *loop, struct uring_conn *conn,
                                     const char *bytes, unsigned flags)
{
    struct io_uring_sqe *sqe =
        uring_entry_add(loop, IORING_OP_SEND, conn->fd, conn, OPERATION_SEND);

    sqe->addr = (uint64_t)(uintptr_t)(bytes + conn->send_start);
    sqe->len = (uint32_t)conn->send_bytes;
    sqe->msg_flags = MSG_NOSIGNAL | flags;
    return sqe;
}

/* --- connections --- */

void uring_conn_close(struct uring_loop *loop, struct uring_conn *conn)
{
    LIST_REMOVE(conn, link);
    close(conn->fd);
    uring_batches_leave(&loop->batches, &conn->batch);
    http_rest_release(&conn->rest, &loop->pool);
    http_rest_release(&conn->unsent, &loop->pool);
    free(conn);
    acceptor_leave(loop->config, loop->counters);
    acceptor_resume(&loop->acceptor);
}

/* What was written to the batch since `start` is the connection's answer. */
static void conn_answer(struct uring_loop *loop, struct uring_conn *conn, struct http_output *out,
                        size_t start)
{
    extra_work_add(&loop->extra_work, out->answer_count);
    counters_add_owned(&loop->counters->request_count, out->answer_count);
    if (out->error_count) {
        counters_add_owned(&loop->counters->error_count, out->error_count);
    }
    out->answer_count = out->error_count = 0;
    if (out->failed) {
        out->failed = false;
        out->length = start;
        conn->is_broken = true;
        return;
    }
    if (out->length > start) {
        conn->batch = uring_batches_join(&loop->batches);
        conn->send_start = start;
        conn->send_bytes = out->length - start;
        conn->is_sending = true;
        SLIST_INSERT_HEAD(&loop->to_send, conn, due);
    }
}

static void conn_finish(struct uring_loop *loop, struct uring_conn *conn);

/* When little of a large body is missing, it mostly is right behind what was read: one more try
 * costs less than to keep so much and to be told of the rest. True: something came. */
static bool input_extend(struct uring_loop *loop, struct uring_conn *conn, struct http_input *in)
{
    size_t left = in->length - in->start;

    if (conn->http.wanted_bytes <= left || conn->http.wanted_bytes - left > NEAR_BYTES) {
        return false;
    }
    ssize_t count =
        recv(conn->fd, in->bytes + in->length, ENGINE_INPUT_BYTES - in->length, MSG_DONTWAIT);
    if (count <= 0) {
        return false; /* an end, or a failure, is seen by the next read */
    }
    counters_add_owned(&loop->counters->received_bytes, (uint64_t)count);
    patience_receive(&conn->patience, (size_t)count, loop->now_ns);
    in->length += (size_t)count;
    return true;
}

/* Answers what `in` holds and keeps the rest. */
static void conn_process(struct uring_loop *loop, struct uring_conn *conn, struct http_input *in)
{
    struct http_output *out = uring_batches_output(&loop->batches);
    size_t start = out ? out->length : 0;

    conn->is_unfed = false;
    if (!out) {
        conn->is_broken = true;
        return;
    }
    enum http_action action = http_conn_feed(&conn->http, &app_routes, in, out);
    if (action == HTTP_ACTION_MORE && in->bytes == loop->input && input_extend(loop, conn, in)) {
        action = http_conn_feed(&conn->http, &app_routes, in, out);
    }
    conn_answer(loop, conn, out, start);
    if (action == HTTP_ACTION_CLOSE) {
        conn->closes = true;
        http_rest_release(&conn->rest, &loop->pool);
        if (!conn->is_sending) {
            conn_finish(loop, conn);
        }
        return;
    }
    size_t left = in->length - in->start;
    patience_settle(&conn->patience, &conn->http, left, in->start > 0, loop->now_ns);
    if (left == 0) {
        http_rest_release(&conn->rest, &loop->pool);
    } else if (!http_rest_keep(&conn->rest, &loop->pool, in, conn->http.wanted_bytes, 1)) {
        conn->is_broken = true;
    }
    conn->is_unfed = action == HTTP_ACTION_FLUSH;
    if (conn->http.wanted_bytes > URING_BUFFER_BYTES && !conn->is_bulk) {
        conn->is_bulk = true;
        conn_pause(loop, conn);
    }
}

static void rest_process(struct uring_loop *loop, struct uring_conn *conn)
{
    struct http_input in = {.bytes = conn->rest.bytes, .length = conn->rest.length};

    conn_process(loop, conn, &in);
}

/* All is sent, and the connection is to end: half closed, so that a reset for what the client still
 * sends does not overtake the answer. The client's end ends the armed receive as well. */
static void conn_finish(struct uring_loop *loop, struct uring_conn *conn)
{
    conn->lingers = true;
    conn->patience.active_ns = loop->now_ns;
    if (shutdown(conn->fd, SHUT_WR) < 0) {
        conn->is_broken = true;
    }
}

/* After every event: what the connection's state asks for. It may be gone afterwards. */
static void conn_settle(struct uring_loop *loop, struct uring_conn *conn)
{
    bool is_busy = conn->is_receiving || conn->is_sending;

    if (conn->is_due) {
        return;
    }
    if (conn->is_polled && (conn->is_broken || conn->is_ended)) {
        conn_pause(loop, conn); /* nothing else ends a poll */
    }
    if (!is_busy && (conn->is_broken || conn->is_ended)) {
        uring_conn_close(loop, conn);
    } else if (conn->is_broken) {
        shutdown(conn->fd, SHUT_RDWR); /* ends what is on its way */
    } else if (!is_busy) {
        conn_receive(loop, conn);
    } else if (conn->is_sending && conn->rest.length > REST_BYTES_PAUSE) {
        conn_pause(loop, conn);
    }
}

static void input_take(struct uring_loop *loop, struct uring_conn *conn, char *bytes, size_t count)
{
    struct http_input in = {.bytes = bytes, .length = count};

    patience_receive(&conn->patience, count, loop->now_ns);
    if (!conn->rest.length && !conn->is_sending) {
        conn_process(loop, conn, &in);
        return;
    }
    if (!http_rest_append(&conn->rest, &loop->pool, bytes, count)) {
        conn->is_broken = true;
        return;
    }
    conn->is_unfed = true;
    if (!conn->is_sending && !conn->is_due) {
        conn->is_due = true;
        SLIST_INSERT_HEAD(&loop->to_feed, conn, due);
    }
}

void uring_conn_received(struct uring_loop *loop, struct uring_conn *conn,
                         const struct io_uring_cqe *cqe)
{
    conn->is_receiving = cqe->flags & IORING_CQE_F_MORE;
    if (cqe->res > 0) {
        counters_add_owned(&loop->counters->received_bytes, (uint64_t)cqe->res);
        if (!conn->closes && !conn->is_broken) {
            input_take(loop, conn, uring_ring_buffer(&loop->ring, cqe->flags), (size_t)cqe->res);
        }
    } else if (cqe->res == 0) {
        conn->is_ended = true;
    } else if (cqe->res != -ENOBUFS && cqe->res != -ECANCELED && cqe->res != -EINTR) {
        conn->is_ended = conn->is_broken = true;
    }
    if (cqe->flags & IORING_CQE_F_BUFFER) {
        uring_ring_give(&loop->ring, cqe->flags);
    }
    conn_settle(loop, conn);
}

/* One read behind what is kept. The poll tells of what comes later, not again of what is left. */
static void conn_read(struct uring_loop *loop, struct uring_conn *conn)
{
    struct http_rest *rest = &conn->rest;
    char *bytes = rest->bytes ? rest->bytes : loop->input;
    size_t room = (rest->bytes ? rest->capacity : ENGINE_INPUT_BYTES) - rest->length;
    ssize_t count = recv(conn->fd, bytes + rest->length, room, MSG_DONTWAIT);

    if (count < 0) {
        conn->is_readable = errno == EINTR;
        conn->is_broken |= errno != EAGAIN && errno != EINTR;
        return;
    }
    conn->is_readable = (size_t)count == room || conn->is_hung_up;
    conn->drained_turn = loop->turn;
    conn->is_ended |= count == 0;
    counters_add_owned(&loop->counters->received_bytes, (uint64_t)count);
    if (count > 0 && !conn->closes) {
        struct http_input in = {.bytes = bytes, .length = rest->length + (size_t)count};

        patience_receive(&conn->patience, (size_t)count, loop->now_ns);
        conn_process(loop, conn, &in);
    }
}

/* Reads what the poll told of, as far as no answer is on its way. */
static void conn_read_on(struct uring_loop *loop, struct uring_conn *conn)
{
    while (conn->is_readable && !conn->is_sending && !conn->is_broken && !conn->is_ended) {
        conn_read(loop, conn);
    }
}

void uring_conn_readable(struct uring_loop *loop, struct uring_conn *conn,
                         const struct io_uring_cqe *cqe)
{
    conn->is_receiving = cqe->flags & IORING_CQE_F_MORE;
    if (cqe->res >= 0) {
        conn->is_hung_up |= (cqe->res & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
        /* Input that this turn told of was there before this turn's read. */
        conn->is_readable |= conn->drained_turn != loop->turn || conn->is_hung_up;
        conn_read_on(loop, conn);
    }
    conn_settle(loop, conn);
}

/* The socket took only a part of the answer: the rest waits for it, in memory of its own. */
static bool send_again(struct uring_loop *loop, struct uring_conn *conn)
{
    if (conn->batch) {
        if (!http_rest_append(&conn->unsent, &loop->pool, conn->batch->out.bytes + conn->send_start,
                              conn->send_bytes)) {
            return false;
        }
        conn->send_start = 0;
        uring_batches_leave(&loop->batches, &conn->batch);
    }
    conn_pause(loop, conn);
    send_add(loop, conn, conn->unsent.bytes, 0);
    return true;
}

void uring_conn_sent(struct uring_loop *loop, struct uring_conn *conn, int result)
{
    size_t sent_bytes = result > 0 ? (size_t)result : 0;

    counters_add_owned(&loop->counters->sent_bytes, sent_bytes);
    conn->is_untold = false;
    conn->send_start += sent_bytes;
    conn->send_bytes -= sent_bytes;
    conn->patience.active_ns = loop->now_ns;
    conn->is_broken |= result < 0 && result != -EAGAIN && result != -EINTR;
    if (!conn->is_broken && conn->send_bytes) {
        conn->is_broken = !send_again(loop, conn);
        if (!conn->is_broken) {
            return;
        }
    }
    conn->is_sending = false;
    uring_batches_leave(&loop->batches, &conn->batch);
    http_rest_release(&conn->unsent, &loop->pool);
    if (conn->closes && !conn->is_broken) {
        conn_finish(loop, conn);
    } else if (conn->is_unfed && !conn->is_broken) {
        rest_process(loop, conn);
    }
    conn_read_on(loop, conn);
    conn_settle(loop, conn);
}

void uring_conn_open(struct uring_loop *loop, int fd)
{
    struct uring_conn *conn = calloc(1, sizeof(*conn));

    if (!conn) {
        close(fd);
        acceptor_leave(loop->config, loop->counters);
        return;
    }
    conn->fd = fd;
    conn->patience.active_ns = loop->now_ns;
    LIST_INSERT_HEAD(&loop->conns, conn, link);
    conn_receive(loop, conn);
}

/* --- the turn --- */

void uring_conns_feed(struct uring_loop *loop)
{
    struct uring_conn *conn;

    while ((conn = SLIST_FIRST(&loop->to_feed))) {
        SLIST_REMOVE_HEAD(&loop->to_feed, due);
        conn->is_due = false;
        if (!conn->is_broken) {
            rest_process(loop, conn);
        }
        conn_settle(loop, conn);
    }
}

/* Where nothing is to be done after an answer, its end is not told: else each wait would end at
 * once, with that alone. */
void uring_conns_send(struct uring_loop *loop)
{
    struct uring_conn *conn;

    for (uint32_t count = 0; (conn = SLIST_FIRST(&loop->to_send)); count++) {
        SLIST_REMOVE_HEAD(&loop->to_send, due);
        /* Waiting for all of it, without waiting: it fails when the socket takes less. */
        struct io_uring_sqe *sqe =
            send_add(loop, conn, conn->batch->out.bytes, MSG_DONTWAIT | MSG_WAITALL);
        bool is_followed = conn->closes || conn->is_unfed || conn->is_readable || conn->is_ended ||
                           conn->is_broken;
        if (!is_followed && count < UNTOLD_COUNT_MAX) {
            sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
            conn->is_untold = true;
            SLIST_INSERT_HEAD(&loop->sent, conn, due);
        }
    }
    uring_batches_turn(&loop->batches);
}

void uring_conns_settle(struct uring_loop *loop, uint32_t completion_count)
{
    struct uring_conn *conn;

    if (SLIST_EMPTY(&loop->sent)) {
        return;
    }
    for (uint32_t i = 0; i < completion_count; i++) {
        uint64_t about = uring_ring_peek(&loop->ring, i)->user_data;

        if ((about & OPERATION_MASK) == OPERATION_SEND) {
            conn = (void *)(uintptr_t)(about & ~(uint64_t)OPERATION_MASK);
            conn->is_untold = false;
        }
    }
    while ((conn = SLIST_FIRST(&loop->sent))) {
        SLIST_REMOVE_HEAD(&loop->sent, due);
        if (conn->is_untold) {
            uring_conn_sent(loop, conn, (int)conn->send_bytes);
        }
    }
}

void uring_conn_check_time(struct uring_loop *loop, struct uring_conn *conn)
{
    struct patience *patience = &conn->patience;
    bool is_last = conn->lingers || conn->is_sending;
    enum patience_state state =
        is_last ? patience_check_last(patience, loop->config, conn->lingers, loop->now_ns)
                : patience_check(patience, loop->config, loop->now_ns);

    conn->is_broken |= state == PATIENCE_ENDS;
    if (state == PATIENCE_TELLS) {
        struct http_output *out = uring_batches_output(&loop->batches);
        size_t start = out ? out->length : 0;

        conn->closes = true;
        if (out) {
            http_write_error(out, 408, true);
            conn_answer(loop, conn, out, start);
        }
        conn->is_broken |= !conn->is_sending;
    }
    if (conn->is_broken) {
        conn_settle(loop, conn);
    }
}
