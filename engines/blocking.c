// SPDX-License-Identifier: Apache-2.0
// One thread a connection, blocking reads and sends. Without a bound of its own: threads end where
// the machine's resources do, and then a connection is answered 503 and closed. SIGTERM ends the
// process at once; an answer that was handed to the socket is the kernel's to deliver.
#include "engines/engine.h"
#include "engines/extra_work.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "engines/app/routes.h"
#include "engines/base/clock.h"

#define STACK_BYTES ((size_t)128 << 10)

enum {
    INPUT_BYTES = 16384,
    REFUSED_COUNT = 64,
};

struct blocking_conn {
    int fd;
    struct counters_slot *counters;
    uint32_t extra_work_percent;
    struct extra_work extra_work;
    struct http_conn http;
    struct byte_pool pool;
    struct http_date date;
    struct http_output out;
    char *input; /* INPUT_BYTES on the stack, or a block of the pool */
    size_t input_bytes, input_capacity;
    bool input_is_pooled;
    bool input_is_left; /* the client sent more than was used */
    int64_t started_ns; /* when the unfinished request began; 0: none */
};

static int64_t wall_now_ns(void)
{
    return clock_system()->wall_ns(clock_system()->self);
}

static void timeouts_set(int fd, int seconds)
{
    struct timeval limit = {.tv_sec = seconds};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

/* Sends all of the output. False: the client is gone or does not read. */
static bool output_send(struct blocking_conn *conn)
{
    struct http_output *out = &conn->out;
    size_t start = 0;

    extra_work_add(&conn->extra_work, out->answer_count);
    counters_add(&conn->counters->request_count, out->answer_count);
    if (out->error_count) {
        counters_add(&conn->counters->error_count, out->error_count);
    }
    while (start < out->length) {
        ssize_t count = send(conn->fd, out->bytes + start, out->length - start, MSG_NOSIGNAL);

        if (count < 0 && errno != EINTR) {
            return false;
        }
        start += count > 0 ? (size_t)count : 0;
    }
    counters_add(&conn->counters->sent_bytes, out->length);
    bool is_whole = !out->failed;
    http_output_clear(out);
    return is_whole;
}

/* Moves the unused rest to the front, into larger memory when the message needs it. */
static bool input_keep(struct blocking_conn *conn, const struct http_input *in)
{
    size_t left = in->length - in->start;
    size_t wanted = conn->http.wanted_bytes > left ? conn->http.wanted_bytes : left + 1;
    size_t capacity;

    if (wanted <= conn->input_capacity) {
        memmove(conn->input, in->bytes + in->start, left);
        conn->input_bytes = left;
        return true;
    }
    char *input = byte_pool_take(&conn->pool, wanted, &capacity);
    if (!input) {
        return false;
    }
    memcpy(input, in->bytes + in->start, left);
    if (conn->input_is_pooled) {
        byte_pool_give(&conn->pool, conn->input, conn->input_capacity);
    }
    conn->input = input;
    conn->input_capacity = capacity;
    conn->input_bytes = left;
    conn->input_is_pooled = true;
    return true;
}

/* Answers what has come. False: the connection is to end. */
static bool conn_process(struct blocking_conn *conn)
{
    struct http_input in = {.bytes = conn->input, .length = conn->input_bytes};
    enum http_action action;

    http_date_set(&conn->date, wall_now_ns());
    do {
        action = http_conn_feed(&conn->http, &app_routes, &in, &conn->out);
        if (!output_send(conn)) {
            return false;
        }
    } while (action == HTTP_ACTION_FLUSH);
    if (action == HTTP_ACTION_CLOSE) {
        conn->input_is_left |= in.start < in.length;
        return false;
    }
    if (!input_keep(conn, &in)) {
        return false;
    }
    if (conn->input_bytes == 0) {
        conn->started_ns = 0;
    } else if (in.start > 0 || conn->started_ns == 0) {
        conn->started_ns = clock_monotonic_ns();
    }
    return true;
}

/* Tells a client that did not finish its request in time. */
static void timeout_tell(struct blocking_conn *conn)
{
    http_date_set(&conn->date, wall_now_ns());
    http_write_error(&conn->out, 408, true);
    conn->input_is_left = output_send(conn);
}

/* Heads have a time of their own, so that one byte now and then does not keep a thread. */
static bool head_is_late(const struct blocking_conn *conn)
{
    return conn->started_ns && conn->http.head_bytes == 0 &&
           clock_monotonic_ns() - conn->started_ns >= ENGINE_HEAD_SECONDS * CLOCK_NS_PER_S;
}

static void conn_run(struct blocking_conn *conn)
{
    int64_t idle_s = 0;

    for (;;) {
        size_t room = conn->input_capacity - conn->input_bytes;
        ssize_t count = recv(conn->fd, conn->input + conn->input_bytes, room, 0);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            return;
        }
        if (count > 0) {
            idle_s = 0;
            counters_add(&conn->counters->received_bytes, (uint64_t)count);
            conn->input_bytes += (size_t)count;
            conn->input_is_left = (size_t)count == room;
            if (!conn_process(conn)) {
                return;
            }
        } else {
            idle_s += ENGINE_HEAD_SECONDS;
        }
        if (idle_s >= ENGINE_IDLE_SECONDS || head_is_late(conn)) {
            if (conn->started_ns) {
                timeout_tell(conn);
            }
            return;
        }
    }
}

/* Half closes and reads until the client has closed too: a reset for unread bytes could overtake
 * the last answer. */
static void conn_linger(struct blocking_conn *conn)
{
    int64_t deadline_ns = clock_monotonic_ns() + ENGINE_LINGER_SECONDS * CLOCK_NS_PER_S;

    if (shutdown(conn->fd, SHUT_WR) < 0) {
        return;
    }
    timeouts_set(conn->fd, ENGINE_LINGER_SECONDS);
    while (recv(conn->fd, conn->input, conn->input_capacity, 0) > 0 &&
           clock_monotonic_ns() < deadline_ns) {
    }
}

static void *thread_run(void *argument)
{
    struct blocking_conn *conn = argument;
    char input[INPUT_BYTES];

    conn->input = input;
    conn->input_capacity = sizeof(input);
    extra_work_begin(&conn->extra_work, conn->extra_work_percent);
    timeouts_set(conn->fd, ENGINE_HEAD_SECONDS);
    conn_run(conn);
    if (conn->input_is_left) {
        conn_linger(conn);
    }
    close(conn->fd);
    if (conn->input_is_pooled) {
        byte_pool_give(&conn->pool, conn->input, conn->input_capacity);
    }
    http_output_release(&conn->out);
    byte_pool_release(&conn->pool);
    counters_add(&conn->counters->closed_count, 1);
    free(conn);
    return NULL;
}

/* Connections that were answered 503 stay open a while, so that the answer is read before the reset
 * that the client's request would cause. The oldest makes room for the next. */
struct refused {
    int fds[REFUSED_COUNT];
    size_t next;
};

static void refused_close(struct refused *refused, struct counters_slot *counters, size_t index)
{
    if (refused->fds[index] >= 0) {
        close(refused->fds[index]);
        refused->fds[index] = -1;
        counters_add(&counters->closed_count, 1);
    }
}

static void conn_refuse(struct refused *refused, int fd, struct counters_slot *counters)
{
    struct byte_pool pool;
    struct http_date date = {.second = -1};
    struct http_output out;

    byte_pool_init(&pool);
    http_output_init(&out, &pool, &date);
    http_date_set(&date, wall_now_ns());
    http_write_error(&out, 503, true);
    counters_add(&counters->request_count, 1);
    counters_add(&counters->error_count, 1);
    if (!out.failed &&
        send(fd, out.bytes, out.length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)out.length) {
        counters_add(&counters->sent_bytes, out.length);
    }
    http_output_release(&out);
    byte_pool_release(&pool);
    shutdown(fd, SHUT_WR);
    refused_close(refused, counters, refused->next);
    refused->fds[refused->next] = fd;
    refused->next = (refused->next + 1) % REFUSED_COUNT;
}

struct listener {
    struct counters_page *counters;
    uint32_t extra_work_percent;
    int fd;
    uint32_t accepted_count;
    pthread_attr_t attributes;
    struct refused refused;
};

/* Gives the connection a thread. False: there is none to be had. */
static bool thread_start(struct listener *listener, uint32_t number, int fd)
{
    pthread_t thread;
    struct blocking_conn *conn = calloc(1, sizeof(*conn));

    if (!conn) {
        return false;
    }
    conn->fd = fd;
    conn->counters = &listener->counters->slots[number % COUNTERS_SLOT_COUNT];
    conn->extra_work_percent = listener->extra_work_percent;
    conn->date.second = -1;
    byte_pool_init(&conn->pool);
    http_output_init(&conn->out, &conn->pool, &conn->date);
    if (pthread_create(&thread, &listener->attributes, thread_run, conn)) {
        free(conn);
        return false;
    }
    return true;
}

/* Accepts until none waits. False: descriptors ran out. */
static bool conns_accept(struct listener *listener)
{
    for (;;) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0 && errno == EAGAIN) {
            return true;
        }
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            return false;
        }
        if (fd < 0) {
            continue; /* this connection failed before it was taken (accept(2)) */
        }
        uint32_t number = listener->accepted_count++;
        struct counters_slot *counters = &listener->counters->slots[number % COUNTERS_SLOT_COUNT];
        counters_add(&counters->accepted_count, 1);
        if (!thread_start(listener, number, fd)) {
            conn_refuse(&listener->refused, fd, counters);
        }
    }
}

static void connections_take(struct listener *listener, int stop_fd)
{
    struct pollfd watched[2] = {{.fd = stop_fd, .events = POLLIN},
                                {.fd = listener->fd, .events = POLLIN}};
    bool has_descriptors = true;

    for (;;) {
        /* Without descriptors left, connections wait in the backlog: look again now and then. */
        int count = poll(watched, has_descriptors ? 2 : 1, has_descriptors ? -1 : 100);

        if (count > 0 && watched[0].revents) {
            return;
        }
        has_descriptors = conns_accept(listener);
    }
}

static enum err_code blocking_run(const struct engine_config *config, struct err *e)
{
    struct listener listener = {.counters = config->counters,
                                .extra_work_percent = config->extra_work_percent,
                                .fd = config->listen_fds[0]};

    (void)e;
    memset(listener.refused.fds, 0xff, sizeof(listener.refused.fds));
    pthread_attr_init(&listener.attributes);
    pthread_attr_setdetachstate(&listener.attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&listener.attributes, STACK_BYTES);
    connections_take(&listener, config->stop_fd);
    pthread_attr_destroy(&listener.attributes);
    for (size_t i = 0; i < REFUSED_COUNT; i++) {
        refused_close(&listener.refused, &config->counters->slots[0], i);
    }
    return ERR_OK;
}

const struct engine engine_blocking = {
    .name = "blocking",
    .summary = "one thread a connection, blocking reads and sends",
    .has_loops = false,
    .run = blocking_run,
};
