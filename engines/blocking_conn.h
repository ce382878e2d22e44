// SPDX-License-Identifier: Apache-2.0
// A connection that is served with blocking reads and sends by one thread at a time.
#ifndef ENGINES_BLOCKING_CONN_H
#define ENGINES_BLOCKING_CONN_H

#include <sys/queue.h>

#include "engines/engine.h"
#include "engines/extra_work.h"
#include "engines/http/http_rest.h"
#include "engines/patience.h"

struct blocking_conn {
    int fd;
    const struct engine_config *config;
    struct counters_slot *counters;
    struct extra_work *extra_work; /* of the thread that serves */
    struct http_conn http;
    struct byte_pool pool;
    struct http_date date;
    struct http_output out;
    struct http_rest rest; /* its memory is where reads go */
    struct patience patience;
    bool input_is_left;              /* the client sent more than was used */
    TAILQ_ENTRY(blocking_conn) link; /* the engine's */
    bool is_watched;                 /* the engine's */
};

/* For this thread and those that it starts: whoever wakes does not interrupt the one that runs,
 * which answers and soon waits by itself. Each request would cost one switch more. */
void blocking_threads_calm(void);

/*
 * The connection of a socket that acceptor_accept gave.
 *
 * counters      where it counts, together with others
 * receive_ms    how long one read waits before the times are looked at
 * returns       NULL when memory ran out; the socket is then still the caller's
 */
struct blocking_conn *blocking_conn_open(const struct engine_config *config, int fd,
                                         struct counters_slot *counters, int receive_ms);

/*
 * Serves until the connection is to end: false. Or, when `yields` is not NULL, until nothing came
 * for receive_ms, or `yields` returned true after an answer: true; it can be served again, by
 * another thread as well.
 *
 * extra_work   of the calling thread
 */
bool blocking_conn_serve(struct blocking_conn *conn, struct extra_work *extra_work,
                         bool (*yields)(void *self), void *self);

/* Whether it was idle, or its request unfinished, for longer than it may. */
bool blocking_conn_is_late(struct blocking_conn *conn, int64_t now_ns);

/* Lingers when the client sent more than was read, closes, counts and frees. */
void blocking_conn_close(struct blocking_conn *conn);

/* Frees it without closing: the socket is the caller's again. */
void blocking_conn_abandon(struct blocking_conn *conn);

#endif
