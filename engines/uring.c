// SPDX-License-Identifier: Apache-2.0
// The io_uring engine: one ring a thread, multishot accept and receive into the kernel's choice of
// provided buffers. All answers of a turn lie in one piece of memory and are sent by the system
// call that also waits; only what a socket does not take, and unfinished input, is copied.
#include "engines/engine.h"
#include "engines/extra_work.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/app/routes.h"
#include "engines/base/clock.h"
#include "engines/http/http_rest.h"
#include "engines/loops.h"
#include "engines/patience.h"
#include "engines/uring_batch.h"
#include "engines/uring_ring.h"

#define REST_BYTES_PAUSE                                                                           \
    ((size_t)256 << 10) /* kept while an answer is on its way: stop reading                        \
                         */

#define NEAR_BYTES ((size_t)16 << 10) /* of a body that is polled: another read before it is kept */

/* What a completion is about: in the low bits of its user_data, beside a connection's address. */
enum operation {
    OPERATION_RECEIVE,
    OPERATION_READABLE,
    OPERATION_SEND,
    OPERATION_CANCEL,
    OPERATION_ACCEPT,
    OPERATION_STOP,
    OPERATION_MASK = 7,
};

struct uring_conn {
    int fd;
    bool is_receiving; /* a receive or a poll is armed: the connection cannot go before it ended */
    bool is_bulk;      /* its bodies are larger than a buffer: polled, and read here */
    bool is_polled;    /* that is a poll, which stays armed until it is cancelled */
    bool is_readable;  /* it told of input that is not read yet */
    bool is_hung_up;   /* and that the client's end is behind it */
    uint32_t drained_turn; /* when all there was had been read */
    bool is_cancelled; /* its end was asked for */
    bool is_sending;   /* an answer is on its way */
    bool is_untold;    /* and nothing is told about it unless it fails or is cut short */
    bool is_ended;     /* nothing more will come from the client */
    bool is_broken;    /* to be closed as soon as nothing is on its way */
    bool closes;       /* after the answer that is on its way */
    bool lingers;      /* answered and half closed: input is thrown away */
    bool is_unfed;     /* what is kept was not looked at */
    bool is_due;       /* that will be done at the end of this turn */
    struct patience patience;
    struct http_conn http;
    struct http_rest rest; /* no memory is held while there is none */
    /* The answer: in the batch, or, when the socket did not take it at once, in memory of its own.
     */
    struct uring_batch *batch;
    struct http_rest unsent;
    size_t send_start, send_bytes;
    LIST_ENTRY(uring_conn) link;
    SLIST_ENTRY(uring_conn) due; /* in to_send, sent or to_feed */
};

struct uring_loop {
    struct uring_ring ring;
    bool stops, is_accepting;
    uint32_t turn;  /* counted from 1 */
    int64_t now_ns; /* as of the last tick, about a second ago at most */
    struct acceptor acceptor;
    const struct engine_config *config;
    struct counters_slot *counters;
    struct extra_work extra_work;
    LIST_HEAD(, uring_conn) conns;
    SLIST_HEAD(, uring_conn) to_send, to_feed; /* at the end of this turn */
    SLIST_HEAD(, uring_conn) sent;             /* untold, by the wait at the end of the last one */
    struct byte_pool pool;
    struct http_date date;
    struct uring_batches batches;
    char *input; /* of one read */
};

/* --- entries --- */

static struct io_uring_sqe *entry_add(struct uring_loop *loop, enum io_uring_op code, int fd,
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
        conn->is_bulk ? entry_add(loop, IORING_OP_POLL_ADD, conn->fd, conn, OPERATION_READABLE)
                      : entry_add(loop, IORING_OP_RECV, conn->fd, conn, OPERATION_RECEIVE);

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
        entry_add(loop, IORING_OP_ASYNC_CANCEL, -1, NULL, OPERATION_CANCEL)->addr =
            (uint64_t)(uintptr_t)conn | operation;
    }
}

static struct io_uring_sqe *send_add(struct uring_loop *loop, struct uring_conn *conn,
                                     const char *bytes, unsigned flags)
{
    struct io_uring_sqe *sqe = entry_add(loop, IORING_OP_SEND, conn->fd, conn, OPERATION_SEND);

    sqe->addr = (uint64_t)(uintptr_t)(bytes + conn->send_start);
    sqe->len = (uint32_t)conn->send_bytes;
    sqe->msg_flags = MSG_NOSIGNAL | flags;
    return sqe;
}

static void accept_add(struct uring_loop *loop)
{
    struct io_uring_sqe *sqe =
        entry_add(loop, IORING_OP_ACCEPT, loop->acceptor.listen_fd, NULL, OPERATION_ACCEPT);

    sqe->ioprio = IORING_ACCEPT_MULTISHOT;
    sqe->accept_flags = SOCK_CLOEXEC;
    loop->is_accepting = true;
}

/* --- connections --- */

static void conn_close(struct uring_loop *loop, struct uring_conn *conn)
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
        conn_close(loop, conn);
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

static void receive_done(struct uring_loop *loop, struct uring_conn *conn,
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

static void readable_done(struct uring_loop *loop, struct uring_conn *conn,
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

static void send_done(struct uring_loop *loop, struct uring_conn *conn, int result)
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

static void conn_open(struct uring_loop *loop, int fd)
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

static void accept_done(struct uring_loop *loop, const struct io_uring_cqe *cqe)
{
    loop->is_accepting = cqe->flags & IORING_CQE_F_MORE;
    if (cqe->res < 0) {
        acceptor_fail(&loop->acceptor, -cqe->res);
        return;
    }
    int fd = acceptor_admit(&loop->acceptor, cqe->res);
    if (fd >= 0) {
        conn_open(loop, fd);
    }
}

static void completion_take(struct uring_loop *loop, const struct io_uring_cqe *cqe)
{
    void *about = (void *)(uintptr_t)(cqe->user_data & ~(uint64_t)OPERATION_MASK);

    switch ((enum operation)(cqe->user_data & OPERATION_MASK)) {
    case OPERATION_RECEIVE:
        receive_done(loop, about, cqe);
        break;
    case OPERATION_READABLE:
        readable_done(loop, about, cqe);
        break;
    case OPERATION_SEND:
        send_done(loop, about, cqe->res);
        break;
    case OPERATION_ACCEPT:
        accept_done(loop, cqe);
        break;
    case OPERATION_STOP:
        loop->stops = true;
        break;
    case OPERATION_CANCEL:
    case OPERATION_MASK:
        break;
    }
}

/* --- the turn --- */

static void rests_feed(struct uring_loop *loop)
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

/* Hands the turn's answers to the kernel. Where nothing is to be done after one, its end is not
 * told: else each wait would end at once, with that alone. */
static void answers_send(struct uring_loop *loop)
{
    struct uring_conn *conn;

    while ((conn = SLIST_FIRST(&loop->to_send))) {
        SLIST_REMOVE_HEAD(&loop->to_send, due);
        /* Waiting for all of it, without waiting: it fails when the socket takes less. */
        struct io_uring_sqe *sqe =
            send_add(loop, conn, conn->batch->out.bytes, MSG_DONTWAIT | MSG_WAITALL);
        if (!conn->closes && !conn->is_unfed && !conn->is_readable && !conn->is_ended &&
            !conn->is_broken) {
            sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
            conn->is_untold = true;
            SLIST_INSERT_HEAD(&loop->sent, conn, due);
        }
    }
    uring_batches_turn(&loop->batches);
}

/* After the wait, which submitted all: what is untold, and not among the completions, was sent. */
static void answers_settle(struct uring_loop *loop, uint32_t completion_count)
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
            send_done(loop, conn, (int)conn->send_bytes);
        }
    }
}

/* Ends a connection that took too long; one with a request half sent is told so. */
static void conn_check_time(struct uring_loop *loop, struct uring_conn *conn)
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

/* Once a second: the date, the time limits, and another try at accepting. */
static void loop_check_time(struct uring_loop *loop)
{
    if (!acceptor_second(&loop->acceptor, &loop->date, &loop->now_ns)) {
        return;
    }
    for (struct uring_conn *conn = LIST_FIRST(&loop->conns), *next; conn; conn = next) {
        next = LIST_NEXT(conn, link);
        conn_check_time(loop, conn);
    }
}

static void loop_run(void *state)
{
    struct uring_loop *loop = state;
    struct io_uring_cqe cqe;

    uring_ring_enable(&loop->ring);
    extra_work_begin(&loop->extra_work, loop->config->extra_work_percent);
    entry_add(loop, IORING_OP_POLL_ADD, loop->config->stop_fd, NULL, OPERATION_STOP)
        ->poll32_events = POLLIN;
    loop_check_time(loop);
    while (!loop->stops) {
        answers_send(loop);
        if (!loop->is_accepting && !loop->acceptor.is_paused) {
            accept_add(loop);
        }
        uring_ring_wait(&loop->ring, CLOCK_NS_PER_S);
        loop->turn++;
        /* Those there are, not those that what is asked for meanwhile brings: without end, when
         * each finds no buffer. */
        uint32_t count = uring_ring_count(&loop->ring);
        answers_settle(loop, count);
        for (; count > 0; count--) {
            if (uring_ring_take(&loop->ring, &cqe)) {
                completion_take(loop, &cqe);
            }
        }
        rests_feed(loop);
        loop_check_time(loop);
    }
}

static void loop_close(void *state)
{
    struct uring_loop *loop = state;

    uring_ring_close(&loop->ring);
    acceptor_release(&loop->acceptor);
    while (!LIST_EMPTY(&loop->conns)) {
        conn_close(loop, LIST_FIRST(&loop->conns));
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
    return code == ERR_OK ? acceptor_init(&loop->acceptor, -1, config, index, 0, e) : code;
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
