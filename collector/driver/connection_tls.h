// SPDX-License-Identifier: Apache-2.0
// Inside the driver: connections over TLS, with epoll. What goes over them is plain HTTP to
// everybody else, also in what is counted.
//
// A body that ends with the connection is whole only when the server said that the connection ends
// (close_notify), else truncated_body; after a response that says its length a close without a word
// is no fault (RFC 9112, 9.8).
#ifndef COLLECTOR_DRIVER_CONNECTION_TLS_H
#define COLLECTOR_DRIVER_CONNECTION_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/driver/driver_thread.h"

/* Memory of a thread's connections, 0 for plain ones; and what only these may do. */
size_t connection_tls_bytes(const struct driver_config *config, uint32_t connection_count);
void connection_tls_lay(struct driver_thread *thread, char *memory);

/* The socket is connected: begins the handshake, which is part of connecting. */
void connection_tls_begin(struct driver_thread *thread, struct connection *connection);

/* True from then on, until the socket is closed. */
bool connection_tls_is_open(const struct driver_thread *thread,
                            const struct connection *connection);

/* The socket has something: goes on with the handshake, to connection_established or to a failure.
 */
void connection_tls_shake(struct driver_thread *thread, struct connection *connection);

/* Reads once. True: as of a plain connection, the socket may hold more. */
bool connection_tls_receive(struct driver_thread *thread, struct connection *connection);

/* As send(2), of the requests on the way. */
ssize_t connection_tls_send(struct driver_thread *thread, struct connection *connection,
                            const char *bytes, size_t length);

/* How many bytes of the socket the requests on the way were, or more: with answered ones before. */
size_t connection_tls_written(const struct driver_thread *thread,
                              const struct connection *connection);

/* Before the socket is closed. */
void connection_tls_close(struct driver_thread *thread, struct connection *connection);

/* All threads together. */
void connection_tls_total(const struct driver_thread *threads, uint32_t thread_count,
                          struct tls_total *total_out);

#endif
