// SPDX-License-Identifier: Apache-2.0
// A connection that is served with blocking reads and sends.
#include "engines/blocking_conn.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/app/routes.h"
#include "engines/base/clock.h"

#define INPUT_BYTES  16384
#define ANSWER_BYTES 1024

static int64_t wall_now_ns(void)
{
    return clock_system()->wall_ns(clock_system()->self);
}

static void timeout_set(int fd, int option, int64_t ms)
{
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

    setsockopt(fd, SOL_SOCKET, option, &limit, sizeof(limit));
}

void blocking_threads_calm(void)
{
    sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
}

struct blocking_conn *blocking_conn_open(const struct engine_config *config, int fd,
                                         struct counters_slot *counters, int receive_ms)
{
    struct blocking_conn *conn = calloc(1, sizeof(*conn));

    if (!conn) {
        return NULL;
    }
    *conn = (struct blocking_conn){.fd = fd, .config = config, .counters = counters};
    conn->date.second = -1;
    conn->patience.active_ns = clock_coarse_ns();
    byte_pool_init(&conn->pool);
    http_output_init(&conn->out, &conn->pool, &conn->date);
    /* All the memory of a small answer, now that it can still be refused in words; before that of
     * the input, so that it shares a page with the connection. */
    if (!http_output_reserve(&conn->out, ANSWER_BYTES) ||
        !(conn->rest.bytes = byte_pool_take(&conn->pool, INPUT_BYTES, &conn->rest.capacity))) {
        blocking_conn_abandon(conn);
        return NULL;
    }
    timeout_set(fd, SO_RCVTIMEO, receive_ms);
    timeout_set(fd, SO_SNDTIMEO, (int64_t)config->head_seconds * 1000);
    return conn;
}

/* Sends all of the output. False: the client is gone or does not read. */
static bool output_send(struct blocking_conn *conn)
{
    struct http_output *out = &conn->out;
    size_t start = 0;

    extra_work_add(conn->extra_work, out->answer_count);
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

/* Answers what has come. False: the connection is to end. */
static bool conn_process(struct blocking_conn *conn, int64_t now_ns)
{
    struct http_input in = {.bytes = conn->rest.bytes, .length = conn->rest.length};
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
    if (!http_rest_keep(&conn->rest, &conn->pool, &in, conn->http.wanted_bytes, 1)) {
        return false;
    }
    patience_settle(&conn->patience, &conn->http, conn->rest.length, in.start > 0, now_ns);
    return true;
}

/* Tells a client that did not finish its request in time. */
static void timeout_tell(struct blocking_conn *conn)
{
    http_date_set(&conn->date, wall_now_ns());
    http_write_error(&conn->out, 408, true);
    conn->input_is_left = output_send(conn);
}

bool blocking_conn_is_late(struct blocking_conn *conn, int64_t now_ns)
{
    return patience_check(&conn->patience, conn->config, now_ns) != PATIENCE_WAITS;
}

bool blocking_conn_serve(struct blocking_conn *conn, struct extra_work *extra_work,
                         bool (*yields)(void *self), void *self)
{
    conn->extra_work = extra_work;
    for (;;) {
        size_t room = conn->rest.capacity - conn->rest.length;
        ssize_t count = recv(conn->fd, conn->rest.bytes + conn->rest.length, room, 0);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            return false;
        }
        /* That clock is a little behind: after a wait in vain, which is not to be in vain again,
         * the exact one. */
        int64_t now_ns = count > 0 ? clock_coarse_ns() : clock_monotonic_ns();
        if (count > 0) {
            patience_receive(&conn->patience, (size_t)count, now_ns);
            counters_add(&conn->counters->received_bytes, (uint64_t)count);
            conn->rest.length += (size_t)count;
            conn->input_is_left = (size_t)count == room;
            if (!conn_process(conn, now_ns)) {
                return false;
            }
        }
        if (blocking_conn_is_late(conn, now_ns)) {
            if (conn->patience.started_ns) {
                timeout_tell(conn);
            }
            return false;
        }
        if (yields && (count < 0 || yields(self))) {
            return true;
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
    timeout_set(conn->fd, SO_RCVTIMEO, ENGINE_LINGER_SECONDS * 1000);
    while (recv(conn->fd, conn->rest.bytes, conn->rest.capacity, 0) > 0 &&
           clock_monotonic_ns() < deadline_ns) {
    }
}

void blocking_conn_abandon(struct blocking_conn *conn)
{
    http_rest_release(&conn->rest, &conn->pool);
    http_output_release(&conn->out);
    byte_pool_release(&conn->pool);
    free(conn);
}

void blocking_conn_close(struct blocking_conn *conn)
{
    const struct engine_config *config = conn->config;
    struct counters_slot *counters = conn->counters;

    if (conn->input_is_left) {
        conn_linger(conn);
    }
    close(conn->fd);
    blocking_conn_abandon(conn);
    acceptor_leave(config, counters); /* last: who sees it gone gives back what it freed */
}
