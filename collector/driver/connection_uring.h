// SPDX-License-Identifier: Apache-2.0
// Inside the driver: established connections over io_uring instead of epoll.
#ifndef COLLECTOR_DRIVER_CONNECTION_URING_H
#define COLLECTOR_DRIVER_CONNECTION_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/driver/driver_thread.h"

/* io_uring is for requests up to so many bytes, all that may be on the way on a connection: a
 * socket takes them at once. */
#define DRIVER_URING_REQUEST_BYTES (16 * 1024)

/* Opens the rings of all threads when that is asked for and can be; returns what it is, and why it
 * is epoll where io_uring was asked for. */
enum driver_io connection_uring_open(struct driver_thread *threads,
                                     const struct driver_config *config,
                                     char reason_out[DRIVER_REASON_BYTES]);

/* From now on, what comes is handed to connection_receive. */
void connection_uring_receive(struct driver_thread *thread, struct connection *connection);

/* Asks for the bytes, which stay where they are, to be sent. */
void connection_uring_send(struct driver_thread *thread, const struct connection *connection,
                           const char *bytes, size_t length);

/* What was asked for and not shown to the kernel is not done; returns whether there was any. */
bool connection_uring_withdraw(struct driver_thread *thread, const struct connection *connection);

/* Before the socket is closed: nothing holds it any more. */
void connection_uring_end(struct driver_thread *thread, const struct connection *connection);

/* Submits, waits until something is there or the deadline came, and handles it. Returns whether
 * epoll has something as well. */
bool connection_uring_wait(struct driver_thread *thread, int64_t now_ns, int64_t deadline_ns);

#endif
