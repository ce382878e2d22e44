// SPDX-License-Identifier: Apache-2.0
// Inside the driver: what one connection does - connect, send, receive, be replaced.
#ifndef COLLECTOR_DRIVER_CONNECTION_H
#define COLLECTOR_DRIVER_CONNECTION_H

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include "collector/driver/driver_thread.h"

/* Edges: what was reported once costs no second look. So what a wake-up leaves unread is asked for
 * again (connection_exchange.c). */
#define CONNECTION_EVENTS_READ ((uint32_t)EPOLLIN | (uint32_t)EPOLLRDHUP | (uint32_t)EPOLLET)

#define CONNECTION_SKIP_MOST_BYTES ((size_t)1 << 30) /* in one call */

/* Puts a connection without a socket into the queue of those that wait to connect. */
void connection_enqueue(struct driver_thread *thread, struct connection *connection);

/* Connected, and over TLS the handshake is over: under load it begins its work. */
void connection_established(struct driver_thread *thread, struct connection *connection,
                            int64_t now_ns);

/* Starts the attempts that are due; returns when to look again (INT64_MAX: nobody waits). */
int64_t connection_open_due(struct driver_thread *thread, int64_t now_ns);

/* Handles what epoll reported for it. */
void connection_handle(struct driver_thread *thread, struct connection *connection,
                       uint32_t events);

/* What came on a connection that has a request on the way or none: `count` bytes, 0 at its end,
 * less than 0 when it broke. */
void connection_receive(struct driver_thread *thread, struct connection *connection,
                        const char *bytes, ssize_t count);

/* So many of the skippable bytes were thrown away inside the kernel. */
void connection_skip(struct driver_thread *thread, struct connection *connection, size_t count);

/* The end of a TLS connection that nobody announced: 0 bytes, or less than 0 when it broke. */
void connection_cut(struct driver_thread *thread, struct connection *connection, ssize_t count);

/* The requests on the way could not be written: -errno, or how much of them was. */
void connection_send_failed(struct driver_thread *thread, struct connection *connection,
                            int result);

/* Ends connecting, with a connection or without. */
void connection_finish_connecting(struct driver_thread *thread, struct connection *connection);

/* The events that are waited for: of reading always, of writing when a request is half written. */
int connection_watch(struct driver_thread *thread, struct connection *connection, int operation,
                     uint32_t events);

/* A new connection under load: what is on the way is sent again, else it is ready. */
void connection_begin(struct driver_thread *thread, struct connection *connection, int64_t now_ns);

/* An established connection without a request: closed loop: sends the next one; open loop: waits
 * in the list of idle ones, and what is due is sent. */
void connection_ready(struct driver_thread *thread, struct connection *connection, int64_t now_ns);

/* Sends as many requests as the connection may have on the way besides those that it has; all of
 * them must be written. */
void connection_start(struct driver_thread *thread, struct connection *connection, int64_t now_ns);

/* Open loop: puts an idle connection at the end of the list, takes it out. */
void connection_list(struct driver_thread *thread, struct connection *connection, int64_t now_ns);
void connection_unlist(struct driver_thread *thread, struct connection *connection);

/* Open loop: sends what is due on idle connections; gives up what is past its deadline. */
void connection_start_due(struct driver_thread *thread);

/* Open loop: counts what was due before `end_ns`. */
void connection_count_due(struct driver_thread *thread, int64_t end_ns);

/* The connection has carried its requests: another one takes its place, at once or when its pause
 * ends. */
void connection_renew(struct driver_thread *thread, struct connection *connection, int64_t now_ns);

/* Where there is think time: a request ended, so a pause begins. */
void connection_think(struct driver_thread *thread, struct connection *connection, int64_t now_ns);
/* The load begins: every connection is somewhere in a pause. */
void connection_think_first(struct driver_thread *thread, int64_t now_ns);
/* Connections whose pause is over go on. */
void connection_wake_due(struct driver_thread *thread);

/* Ends the request or the attempt to connect with `outcome`, and the socket with it. */
void connection_fail(struct driver_thread *thread, struct connection *connection,
                     enum outcome outcome, int64_t now_ns);

void connection_close(struct driver_thread *thread, struct connection *connection);

/* Without an outcome: the socket is of no use any more, another one waits for its turn. */
void connection_replace(struct driver_thread *thread, struct connection *connection);

/* Another socket at once. Requests that are on the way are sent on it. */
void connection_reopen(struct driver_thread *thread, struct connection *connection, int64_t now_ns);

/* Ends requests and attempts that began so long before `now_ns` that their time is over. */
void connection_scan_timeouts(struct driver_thread *thread, int64_t now_ns);

/* How many bytes of a body that nobody looks at may be thrown away now; 0: none. */
static inline size_t connection_skippable_bytes(const struct driver_thread *thread,
                                                const struct connection *connection)
{
    const struct response_rules *rules = &driver_thread_kind(thread, connection)->rules;
    uint64_t bytes =
        thread->skips_bodies ? response_skippable_bytes(&connection->response, rules) : 0;

    return bytes < CONNECTION_SKIP_MOST_BYTES ? (size_t)bytes : CONNECTION_SKIP_MOST_BYTES;
}

static inline bool connection_is_in_flight(const struct connection *connection)
{
    return connection->state >= CONNECTION_SENDING;
}

#endif
