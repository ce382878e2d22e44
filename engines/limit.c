// SPDX-License-Identifier: Apache-2.0
// The calibration engine: what this machine's sockets allow when a server does nothing else. Every
// empty line in the input is answered with one fixed response. So it assumes requests without a
// body, on connections that stay open, of any length, split and pipelined in any way; it does not
// look at them, and closes only when the client does.
#include "engines/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/loops.h"

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npong"

enum {
    ANSWER_BYTES = sizeof(ANSWER) - 1,
    ANSWER_REPEAT_COUNT = 1024,
    EVENT_COUNT = 512,
};

struct limit_conn {
    int fd;
    unsigned char matched; /* how many bytes of CR LF CR LF the input ends with, 0 … 3 */
    bool watches_output;
    uint64_t owed_bytes, sent_bytes; /* since the connection began */
    LIST_ENTRY(limit_conn) link;
};

struct limit_loop {
    int epoll_fd;
    bool stops;
    struct acceptor acceptor;
    const struct engine_config *config;
    struct counters_slot *counters;
    LIST_HEAD(, limit_conn) conns;
    char *input;
    char *answers; /* ANSWER over and over */
};

/* Counts CR LF CR LF, across the borders of reads. */
static uint64_t ends_count(const char *bytes, size_t length, unsigned char *matched)
{
    uint64_t count = 0;
    unsigned char state = *matched;

    for (size_t i = 0; i < length; i++) {
        if (state == 0) {
            const char *found = memchr(bytes + i, '\r', length - i);
            if (!found) {
                break;
            }
            i = (size_t)(found - bytes);
        }
        if (bytes[i] == '\r') {
            state = state == 2 ? 3 : 1;
        } else if (bytes[i] == '\n' && (state & 1)) {
            state++;
        } else {
            state = 0;
        }
        if (state == 4) {
            count++;
            state = 0;
        }
    }
    *matched = state;
    return count;
}

static void conn_close(struct limit_loop *loop, struct limit_conn *conn)
{
    LIST_REMOVE(conn, link);
    close(conn->fd);
    free(conn);
    acceptor_leave(loop->config, loop->counters);
    acceptor_resume(&loop->acceptor);
}

static bool conn_watch(struct limit_loop *loop, struct limit_conn *conn, int operation,
                       uint32_t events)
{
    struct epoll_event event = {.events = events | EPOLLRDHUP | EPOLLET, .data.ptr = conn};

    return epoll_ctl(loop->epoll_fd, operation, conn->fd, &event) == 0;
}

/* Sends what is owed. False: the connection was closed, or its socket is full. */
static bool conn_send(struct limit_loop *loop, struct limit_conn *conn)
{
    while (conn->sent_bytes < conn->owed_bytes) {
        size_t offset = (size_t)(conn->sent_bytes % ANSWER_BYTES);
        size_t length = (size_t)ANSWER_BYTES * ANSWER_REPEAT_COUNT - offset;

        if (length > conn->owed_bytes - conn->sent_bytes) {
            length = (size_t)(conn->owed_bytes - conn->sent_bytes);
        }
        ssize_t count = send(conn->fd, loop->answers + offset, length, MSG_NOSIGNAL);
        if (count >= 0) {
            conn->sent_bytes += (uint64_t)count;
            counters_add_owned(&loop->counters->sent_bytes, (uint64_t)count);
        } else if (errno == EAGAIN) {
            if (!conn->watches_output) {
                conn->watches_output = true;
                conn_watch(loop, conn, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            }
            return false;
        } else if (errno != EINTR) {
            conn_close(loop, conn);
            return false;
        }
    }
    return true;
}

static void conn_serve(struct limit_loop *loop, struct limit_conn *conn, uint32_t events)
{
    while (conn_send(loop, conn)) {
        ssize_t count = recv(conn->fd, loop->input, ENGINE_INPUT_BYTES, 0);

        if (count > 0) {
            counters_add_owned(&loop->counters->received_bytes, (uint64_t)count);
            uint64_t request_count = ends_count(loop->input, (size_t)count, &conn->matched);
            counters_add_owned(&loop->counters->request_count, request_count);
            conn->owed_bytes += request_count * ANSWER_BYTES;
            bool is_drained = (size_t)count < ENGINE_INPUT_BYTES;
            if (is_drained && !(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))) {
                conn_send(loop, conn);
                return;
            }
        } else if (count < 0 && errno == EAGAIN) {
            return;
        } else if (count == 0 || errno != EINTR) {
            conn_close(loop, conn);
            return;
        }
    }
}

static void conns_accept(struct limit_loop *loop)
{
    for (int i = 0; i < ACCEPTOR_BATCH_COUNT; i++) {
        int fd = acceptor_accept(&loop->acceptor);
        if (fd < 0) {
            return;
        }
        struct limit_conn *conn = calloc(1, sizeof(*conn));
        if (!conn || (conn->fd = fd, !conn_watch(loop, conn, EPOLL_CTL_ADD, EPOLLIN))) {
            free(conn);
            close(fd);
            acceptor_leave(loop->config, loop->counters);
            continue;
        }
        LIST_INSERT_HEAD(&loop->conns, conn, link);
    }
}

static void loop_run(void *state)
{
    struct limit_loop *loop = state;
    struct epoll_event events[EVENT_COUNT];

    while (!loop->stops) {
        int wait_ms = acceptor_wait_ms(&loop->acceptor, ACCEPTOR_WAIT_MS);
        int count = epoll_wait(loop->epoll_fd, events, EVENT_COUNT, wait_ms);

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
        if (wait_ms < ACCEPTOR_WAIT_MS) {
            acceptor_tick(&loop->acceptor);
        }
    }
}

static void loop_close(void *state)
{
    struct limit_loop *loop = state;

    acceptor_release(&loop->acceptor);
    while (!LIST_EMPTY(&loop->conns)) {
        conn_close(loop, LIST_FIRST(&loop->conns));
    }
    if (loop->epoll_fd >= 0) {
        close(loop->epoll_fd);
    }
    free(loop->input);
    free(loop->answers);
}

static enum err_code loop_open(void *state, const struct engine_config *config, uint32_t index,
                               struct err *e)
{
    struct limit_loop *loop = state;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = loop};

    *loop = (struct limit_loop){
        .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
        .config = config,
        .counters = &config->counters->slots[index],
        .input = malloc(ENGINE_INPUT_BYTES),
        .answers = malloc((size_t)ANSWER_BYTES * ANSWER_REPEAT_COUNT),
    };
    if (loop->epoll_fd < 0 || !loop->input || !loop->answers ||
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, config->stop_fd, &event) < 0) {
        return err_set_sys(e, "opening an event loop");
    }
    for (size_t i = 0; i < ANSWER_REPEAT_COUNT; i++) {
        memcpy(loop->answers + i * ANSWER_BYTES, ANSWER, ANSWER_BYTES);
    }
    return acceptor_init(&loop->acceptor, loop->epoll_fd, config, index, SOCK_NONBLOCK, e);
}

static enum err_code limit_run(const struct engine_config *config, struct err *e)
{
    static const struct loops_kind kind = {sizeof(struct limit_loop), loop_open, loop_run,
                                           loop_close};

    return loops_run(&kind, config, e);
}

const struct engine engine_limit = {
    .name = "limit",
    .summary = "calibration: epoll and a fixed answer, no HTTP",
    .threads = ENGINE_THREADS_LOOPS,
    .run = limit_run,
};
