// SPDX-License-Identifier: Apache-2.0
// A connection that is served with blocking reads and sends.
#include "engines/blocking_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/app/routes.h"
#include "engines/base/clock.h"

#define INPUT_BYTES 16384

static int64_t wall_now_ns(void)
{
    return clock_system()->wall_ns(clock_system()->self);
}

static void timeout_set(int fd, int option, int64_t ms)
{
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

    setsockopt(fd, SOL_SOCKET, option, &limit, sizeof(limit));
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
    conn->active_ns = clock_monotonic_ns();
    byte_pool_init(&conn->pool);
    http_output_init(&conn->out, &conn->pool, &conn->date);
    conn->input = byte_pool_take(&conn->pool, INPUT_BYTES, &conn->input_capacity);
    if (!conn->input) {
        free(conn);
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
    byte_pool_give(&conn->pool, conn->input, conn->input_capacity);
    conn->input = input;
    conn->input_capacity = capacity;
    conn->input_bytes = left;
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

bool blocking_conn_is_late(const struct blocking_conn *conn, int64_t now_ns)
{
    /* Heads have a time of their own, so that one byte now and then does not keep a thread. */
    bool is_head = conn->started_ns && conn->http.head_bytes == 0;

    return now_ns - conn->active_ns >= conn->config->idle_seconds * CLOCK_NS_PER_S ||
           (is_head && now_ns - conn->started_ns >= conn->config->head_seconds * CLOCK_NS_PER_S);
}

bool blocking_conn_serve(struct blocking_conn *conn, struct extra_work *extra_work,
                         bool (*yields)(void *self), void *self)
{
    conn->extra_work = extra_work;
    for (;;) {
        size_t room = conn->input_capacity - conn->input_bytes;
        ssize_t count = recv(conn->fd, conn->input + conn->input_bytes, room, 0);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            return false;
        }
        int64_t now_ns = clock_monotonic_ns();
        if (count > 0) {
            conn->active_ns = now_ns;
            counters_add(&conn->counters->received_bytes, (uint64_t)count);
            conn->input_bytes += (size_t)count;
            conn->input_is_left = (size_t)count == room;
            if (!conn_process(conn)) {
                return false;
            }
        }
        if (blocking_conn_is_late(conn, now_ns)) {
            if (conn->started_ns) {
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
    while (recv(conn->fd, conn->input, conn->input_capacity, 0) > 0 &&
           clock_monotonic_ns() < deadline_ns) {
    }
}

void blocking_conn_abandon(struct blocking_conn *conn)
{
    byte_pool_give(&conn->pool, conn->input, conn->input_capacity);
    http_output_release(&conn->out);
    byte_pool_release(&conn->pool);
    free(conn);
}

void blocking_conn_close(struct blocking_conn *conn)
{
    if (conn->input_is_left) {
        conn_linger(conn);
    }
    close(conn->fd);
    acceptor_leave(conn->config, conn->counters);
    blocking_conn_abandon(conn);
}
