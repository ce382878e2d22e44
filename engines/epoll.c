// SPDX-License-Identifier: Apache-2.0
// The event-driven engine: one epoll loop a thread, edge-triggered, each connection registered once
// and owned by its loop. One read into the loop's buffer and one send answer all requests of a
// wake-up; only an unfinished rest is copied.
#include "engines/engine.h"
#include "engines/extra_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/app/routes.h"
#include "engines/http/http_rest.h"
#include "engines/loops.h"
#include "engines/patience.h"

enum {
    EVENT_COUNT = 512,
    ROOM_BYTES = 4096, /* free space behind kept input when the size of the message is unknown */
};

struct epoll_conn {
    int fd;
    bool watches_output;   /* EPOLLOUT is asked for after the first full socket, then for good */
    bool closes;           /* after what is pending */
    bool lingers;          /* answered and half closed: input is read away */
    bool input_is_left;    /* the client sent more than was used */
    bool is_pending;       /* `pending` holds output that the socket did not take */
    struct http_rest rest; /* no memory is held while there is none */
    struct patience patience;
    struct http_conn http; /* a request without a body touches its first fields, and none below */
    LIST_ENTRY(epoll_conn) link;
    struct http_output pending;
    size_t pending_start;
};

struct epoll_loop {
    int epoll_fd;
    bool stops;
    int64_t now_ns; /* as of the last tick, about a second ago at most */
    struct acceptor acceptor;
    const struct engine_config *config;
    struct counters_slot *counters;
    uint32_t extra_work_percent;
    struct extra_work extra_work;
    LIST_HEAD(, epoll_conn) conns;
    struct byte_pool pool;
    struct http_date date;
    struct http_output out;
    char *input;
};

static void conn_close(struct epoll_loop *loop, struct epoll_conn *conn)
{
    LIST_REMOVE(conn, link);
    close(conn->fd);
    http_rest_release(&conn->rest, &loop->pool);
    http_output_release(&conn->pending);
    free(conn);
    acceptor_leave(loop->config, loop->counters);
    acceptor_resume(&loop->acceptor);
}

static bool conn_watch(struct epoll_loop *loop, struct epoll_conn *conn, int operation,
                       uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLRDHUP | EPOLLET, .data.ptr = conn};

    return epoll_ctl(loop->epoll_fd, operation, conn->fd, &event) == 0;
}

/* Reads away what the client still sends; closes at its end. */
static void conn_drain(struct epoll_loop *loop, struct epoll_conn *conn)
{
    for (;;) {
        ssize_t count = recv(conn->fd, loop->input, ENGINE_INPUT_BYTES, 0);

        if (count > 0 || (count < 0 && errno == EINTR)) {
            continue;
        }
        if (count == 0 || errno != EAGAIN) {
            conn_close(loop, conn);
        }
        return;
    }
}

/*
 * Everything is sent and the connection is to end. When the client's bytes were all read, close
 * does it; else the kernel would answer the rest with a reset, which can overtake the last answer:
 * so half close, and read until the client has closed too.
 */
static void conn_finish(struct epoll_loop *loop, struct epoll_conn *conn)
{
    if (!conn->input_is_left || shutdown(conn->fd, SHUT_WR) < 0) {
        conn_close(loop, conn);
        return;
    }
    conn->lingers = true;
    conn->patience.active_ns = loop->now_ns;
    http_rest_release(&conn->rest, &loop->pool);
    conn_drain(loop, conn);
}

/* Sends from `start` on. True: all of it is gone. False: the socket is full, errno EAGAIN, or the
 * connection broke. */
static bool output_send(struct epoll_loop *loop, int fd, const struct http_output *out,
                        size_t *start)
{
    while (*start < out->length) {
        ssize_t count = send(fd, out->bytes + *start, out->length - *start, MSG_NOSIGNAL);

        if (count >= 0) {
            *start += (size_t)count;
            counters_add_owned(&loop->counters->sent_bytes, (uint64_t)count);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Sends the loop's output. What the socket does not take moves to the connection with its memory.
 * False: the connection waits for the socket, or it is closed. */
static bool conn_send(struct epoll_loop *loop, struct epoll_conn *conn, bool *is_closed_out)
{
    size_t start = 0;

    extra_work_add(&loop->extra_work, loop->out.answer_count);
    counters_add_owned(&loop->counters->request_count, loop->out.answer_count);
    if (loop->out.error_count) {
        counters_add_owned(&loop->counters->error_count, loop->out.error_count);
    }
    *is_closed_out = false;
    if (!loop->out.failed && output_send(loop, conn->fd, &loop->out, &start)) {
        http_output_clear(&loop->out);
        return true;
    }
    if (loop->out.failed || errno != EAGAIN) {
        http_output_clear(&loop->out);
        conn_close(loop, conn);
        *is_closed_out = true;
        return false;
    }
    conn->is_pending = true;
    conn->pending = loop->out;
    conn->pending_start = start;
    http_output_init(&loop->out, &loop->pool, &loop->date);
    if (!conn->watches_output) {
        conn->watches_output = true;
        conn_watch(loop, conn, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
    }
    return false;
}

/* Keeps the unused rest of `in` in memory of the connection. False: none was to be had. */
static bool input_keep(struct epoll_loop *loop, struct epoll_conn *conn,
                       const struct http_input *in)
{
    size_t left = in->length - in->start;

    patience_settle(&conn->patience, &conn->http, left, in->start > 0, loop->now_ns);
    if (left == 0) {
        http_rest_release(&conn->rest, &loop->pool);
        return true;
    }
    return http_rest_keep(&conn->rest, &loop->pool, in, conn->http.wanted_bytes, ROOM_BYTES);
}

/* Answers what `in` holds and keeps the rest. True: the connection can be read from. */
static bool conn_process(struct epoll_loop *loop, struct epoll_conn *conn, struct http_input *in)
{
    enum http_action action;
    bool is_closed = false;
    bool is_sent;

    do {
        action = http_conn_feed(&conn->http, &app_routes, in, &loop->out);
        is_sent = conn_send(loop, conn, &is_closed);
    } while (is_sent && action == HTTP_ACTION_FLUSH);
    if (is_closed) {
        return false;
    }
    if (action == HTTP_ACTION_CLOSE) {
        conn->closes = true;
        conn->input_is_left |= in->start < in->length;
        if (is_sent) {
            conn_finish(loop, conn);
        }
        return false;
    }
    if (!input_keep(loop, conn, in)) {
        conn_close(loop, conn);
        return false;
    }
    return is_sent;
}

/* Reads and answers until the socket is empty. */
static void conn_read(struct epoll_loop *loop, struct epoll_conn *conn, uint32_t events)
{
    bool is_ending = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);

    for (;;) {
        struct http_rest *rest = &conn->rest;
        char *bytes = rest->bytes ? rest->bytes : loop->input;
        size_t room = (rest->bytes ? rest->capacity : ENGINE_INPUT_BYTES) - rest->length;
        ssize_t count = recv(conn->fd, bytes + rest->length, room, 0);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count <= 0) {
            conn_close(loop, conn);
            return;
        }
        counters_add_owned(&loop->counters->received_bytes, (uint64_t)count);
        patience_receive(&conn->patience, (size_t)count, loop->now_ns);
        bool may_hold_more = is_ending || (size_t)count == room;
        struct http_input in = {.bytes = bytes, .length = rest->length + (size_t)count};
        conn->input_is_left = may_hold_more;
        if (!conn_process(loop, conn, &in) || !may_hold_more) {
            return;
        }
    }
}

static void conn_serve(struct epoll_loop *loop, struct epoll_conn *conn, uint32_t events)
{
    if (conn->lingers) {
        conn_drain(loop, conn);
        return;
    }
    if (!conn->is_pending) {
        conn_read(loop, conn, events);
        return;
    }
    conn->patience.active_ns = loop->now_ns;
    if (!output_send(loop, conn->fd, &conn->pending, &conn->pending_start)) {
        if (errno != EAGAIN) {
            conn_close(loop, conn);
        }
        return;
    }
    http_output_release(&conn->pending);
    conn->is_pending = false;
    if (conn->closes) {
        conn_finish(loop, conn);
        return;
    }
    /* Reading had stopped: requests may be kept here, and the edge of later input is long past. */
    struct http_input in = {.bytes = conn->rest.bytes, .length = conn->rest.length};
    if (!conn->rest.bytes || conn_process(loop, conn, &in)) {
        conn_read(loop, conn, events | EPOLLRDHUP);
    }
}

static void conns_accept(struct epoll_loop *loop)
{
    for (int i = 0; i < ACCEPTOR_BATCH_COUNT; i++) {
        int fd = acceptor_accept(&loop->acceptor);
        if (fd < 0) {
            return;
        }
        struct epoll_conn *conn = calloc(1, sizeof(*conn));
        if (!conn || (conn->fd = fd, !conn_watch(loop, conn, EPOLL_CTL_ADD, EPOLLIN))) {
            free(conn);
            close(fd);
            acceptor_leave(loop->config, loop->counters);
            continue;
        }
        conn->patience.active_ns = loop->now_ns;
        http_output_init(&conn->pending, &loop->pool, &loop->date);
        LIST_INSERT_HEAD(&loop->conns, conn, link);
    }
}

/* Ends a connection that took too long; one with a request half sent is told so. */
static void conn_check_time(struct epoll_loop *loop, struct epoll_conn *conn)
{
    struct patience *patience = &conn->patience;
    bool is_last = conn->lingers || conn->is_pending;
    bool is_closed;

    switch (is_last ? patience_check_last(patience, loop->config, conn->lingers, loop->now_ns)
                    : patience_check(patience, loop->config, loop->now_ns)) {
    case PATIENCE_WAITS:
        return;
    case PATIENCE_ENDS:
        conn_close(loop, conn);
        return;
    case PATIENCE_TELLS:
        break;
    }
    http_write_error(&loop->out, 408, true);
    conn->closes = conn->input_is_left = true;
    if (conn_send(loop, conn, &is_closed)) {
        conn_finish(loop, conn);
    }
}

/* Once a second: the date, the time limits, and another try at accepting. */
static void loop_check_time(struct epoll_loop *loop)
{
    if (!acceptor_second(&loop->acceptor, &loop->date, &loop->now_ns)) {
        return;
    }
    for (struct epoll_conn *conn = LIST_FIRST(&loop->conns), *next; conn; conn = next) {
        next = LIST_NEXT(conn, link);
        conn_check_time(loop, conn);
    }
}

static void loop_run(void *state)
{
    struct epoll_loop *loop = state;
    struct epoll_event events[EVENT_COUNT];

    extra_work_begin(&loop->extra_work, loop->extra_work_percent);
    loop_check_time(loop);
    while (!loop->stops) {
        int count = epoll_wait(loop->epoll_fd, events, EVENT_COUNT,
                               acceptor_wait_ms(&loop->acceptor, ACCEPTOR_WAIT_MS));

        for (int i = 0; i < count; i++) {
            void *target = events[i].data.ptr;

            if (target == loop) {
                loop->stops = true;
            } else if (target == &loop->acceptor) {
                conns_accept(loop);
            } else {
                conn_serve(loop, target, events[i].events);
            }
        }
        /* Not before: it closes connections, and the events may speak of them. */
        loop_check_time(loop);
    }
}

static void loop_close(void *state)
{
    struct epoll_loop *loop = state;

    acceptor_release(&loop->acceptor);
    while (!LIST_EMPTY(&loop->conns)) {
        conn_close(loop, LIST_FIRST(&loop->conns));
    }
    if (loop->epoll_fd >= 0) {
        close(loop->epoll_fd);
    }
    http_output_release(&loop->out);
    byte_pool_release(&loop->pool);
    free(loop->input);
}

static enum err_code loop_open(void *state, const struct engine_config *config, uint32_t index,
                               struct err *e)
{
    struct epoll_loop *loop = state;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = loop};

    *loop = (struct epoll_loop){
        .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
        .date = {.second = -1},
        .config = config,
        .counters = &config->counters->slots[index],
        .extra_work_percent = config->extra_work_percent,
        .input = malloc(ENGINE_INPUT_BYTES),
    };
    byte_pool_init(&loop->pool);
    http_output_init(&loop->out, &loop->pool, &loop->date);
    if (loop->epoll_fd < 0 || !loop->input ||
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, config->stop_fd, &event) < 0) {
        return err_set_sys(e, "opening an event loop");
    }
    enum err_code code =
        acceptor_init(&loop->acceptor, loop->epoll_fd, config, index, SOCK_NONBLOCK, e);

    loop->acceptor.spare = &loop->pool;
    return code;
}

static enum err_code epoll_run(const struct engine_config *config, struct err *e)
{
    static const struct loops_kind kind = {sizeof(struct epoll_loop), loop_open, loop_run,
                                           loop_close};

    return loops_run(&kind, config, e);
}

const struct engine engine_epoll = {
    .name = "epoll",
    .summary = "one edge-triggered event loop a thread",
    .threads = ENGINE_THREADS_LOOPS,
    .run = epoll_run,
};
