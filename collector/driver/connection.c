// SPDX-License-Identifier: Apache-2.0
// One connection's life: sockets are opened, closed, replaced; what goes over them is in
// connection_exchange.c.
#include "collector/driver/connection.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/driver/connection_tls.h"
#include "collector/driver/connection_uring.h"
#include "engines/base/clock.h"

#define BACKOFF_FIRST_NS   (10 * CLOCK_NS_PER_MS)
#define BACKOFF_LAST_NS    (640 * CLOCK_NS_PER_MS)
#define CONNECT_CATCHUP_NS (10 * CLOCK_NS_PER_MS) /* attempts that came late may be made up for */

static uint32_t connection_index(const struct driver_thread *t, const struct connection *c)
{
    return (uint32_t)(c - t->connections);
}

int connection_watch(struct driver_thread *t, struct connection *c, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.u32 = connection_index(t, c)};

    return epoll_ctl(t->epoll_fd, operation, c->fd, &event);
}

void connection_enqueue(struct driver_thread *t, struct connection *c)
{
    assert(t->queue_length < t->connection_count);
    uint32_t place = (t->queue_first + t->queue_length) % t->connection_count;

    c->state = CONNECTION_QUEUED;
    t->queue[place] = connection_index(t, c);
    t->queue_length++;
}

void connection_close(struct driver_thread *t, struct connection *c)
{
    if (c->fd < 0) {
        return;
    }
    if (c->is_listed) {
        connection_unlist(t, c);
    }
    if (c->state == CONNECTION_CONNECTING) {
        t->connecting_count--;
    } else {
        atomic_fetch_sub_explicit(&t->established_count, 1, memory_order_relaxed);
    }
    if (t->has_ring && c->state != CONNECTION_CONNECTING) {
        connection_uring_end(t, c);
    }
    if (t->tls_links) {
        connection_tls_close(t, c);
    }
    close(c->fd); /* takes it out of epoll */
    c->fd = -1;
    c->generation++;
    c->is_replacement = true;
}

void connection_replace(struct driver_thread *t, struct connection *c)
{
    connection_close(t, c);
    connection_enqueue(t, c);
}

static void backoff_grow(struct driver_thread *t, int64_t now_ns)
{
    t->backoff_ns = t->backoff_ns == 0 ? BACKOFF_FIRST_NS : t->backoff_ns * 2;
    if (t->backoff_ns > BACKOFF_LAST_NS) {
        t->backoff_ns = BACKOFF_LAST_NS;
    }
    t->backoff_until_ns = now_ns + t->backoff_ns;
}

/* Ends every request on the way: the oldest with `outcome`, those behind it likewise; but only one
 * response can have been cut off. */
static void requests_end(struct driver_thread *t, struct connection *c, enum outcome outcome)
{
    bool is_cut = outcome == OUTCOME_TRUNCATED_HEAD || outcome == OUTCOME_TRUNCATED_BODY;

    t->record->outcomes[outcome]++;
    t->record->outcomes[is_cut ? OUTCOME_CLOSED_EARLY : outcome] += c->on_way_count - 1;
    if (t->tally) { /* a mix has one on the way */
        t->tally[c->kind].total.outcomes[outcome]++;
    }
    t->in_flight_count -= c->on_way_count;
    c->on_way_count = 0;
    c->unsent_bytes = 0;
}

/* How requests end that were to be sent again, when there was no connection to send them on: as
 * they would have ended on the one that the server closed. */
static enum outcome request_outcome(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_CONNECT_TIMEOUT:
        return OUTCOME_TIMEOUT;
    case OUTCOME_CONNECT_REFUSED:
    case OUTCOME_CONNECT_NO_PORT:
    case OUTCOME_CONNECT_NO_FD:
    case OUTCOME_CONNECT_OTHER:
    case OUTCOME_TLS_HANDSHAKE:
    case OUTCOME_TLS_CERTIFICATE:
        return OUTCOME_CLOSED_EARLY;
    default:
        return outcome;
    }
}

void connection_fail(struct driver_thread *t, struct connection *c, enum outcome outcome,
                     int64_t now_ns)
{
    driver_thread_mark(t, now_ns);
    if (!connection_is_in_flight(c)) {
        backoff_grow(t, now_ns);
    }
    if (c->on_way_count > 0) {
        requests_end(t, c, request_outcome(outcome));
        connection_think(t, c, now_ns);
    } else if (t->is_loading && !t->is_draining && t->left_count > 0) {
        t->left_count--; /* an attempt to connect: a request of its own while load runs */
        t->record->started_count++;
        t->record->outcomes[outcome]++;
    }
    connection_replace(t, c);
}

static enum outcome connect_outcome(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return OUTCOME_CONNECT_REFUSED;
    case ETIMEDOUT:
        return OUTCOME_CONNECT_TIMEOUT;
    case EADDRNOTAVAIL:
        return OUTCOME_CONNECT_NO_PORT;
    case EMFILE:
    case ENFILE:
        return OUTCOME_CONNECT_NO_FD;
    default:
        return OUTCOME_CONNECT_OTHER;
    }
}

void connection_established(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    driver_thread_mark(t, now_ns);
    c->state = CONNECTION_IDLE;
    c->is_served = false;
    c->peer_closed = false;
    c->has_surplus = false;
    c->request_count = 0;
    atomic_fetch_add_explicit(&t->established_count, 1, memory_order_relaxed);
    t->backoff_ns = 0;
    t->backoff_until_ns = 0;
    if (t->is_loading) {
        t->record->reconnect_count += c->is_replacement;
        connection_begin(t, c, now_ns);
    }
}

/* The next of the local addresses; its port is chosen by connect(), which can use one that another
 * connection has to elsewhere. */
static int source_bind(struct driver_thread *t, int fd)
{
    const struct driver_config *config = t->control->config;
    const struct net_address *source = &config->sources[t->source_next++ % config->source_count];
    int one = 1;

    if (setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one)) < 0) {
        return -1;
    }
    return bind(fd, (const struct sockaddr *)&source->storage, source->bytes);
}

/* Makes the socket and calls connect(); returns 0 or the errno. */
static int socket_open(struct driver_thread *t, struct connection *c)
{
    const struct driver_config *config = t->control->config;
    int one = 1;
    int fd = socket(config->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return errno;
    }
    if (config->address.ss_family != AF_UNIX &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0) {
        goto fail;
    }
    if (config->source_count > 0 && source_bind(t, fd) < 0) {
        goto fail;
    }
    if (connect(fd, (const struct sockaddr *)&config->address, config->address_bytes) < 0 &&
        errno != EINPROGRESS) {
        goto fail;
    }
    c->fd = fd;
    if (connection_watch(t, c, EPOLL_CTL_ADD, EPOLLOUT) < 0) {
        c->fd = -1;
        goto fail;
    }
    return 0;
fail:;
    int error = errno;
    close(fd);
    return error;
}

static void connection_open(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    int error = socket_open(t, c);

    if (error != 0) {
        connection_fail(t, c, connect_outcome(error), now_ns);
        return;
    }
    c->state = CONNECTION_CONNECTING;
    t->connecting_count++;
    if (c->on_way_count == 0) { /* else the time of what is on the way goes on */
        c->since_ns = now_ns;
        c->counts_connecting =
            t->control->config->connection_requests > 0 && t->is_loading && !t->is_open;
    }
}

void connection_reopen(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    connection_close(t, c);
    connection_open(t, c, now_ns);
}

int64_t connection_open_due(struct driver_thread *t, int64_t now_ns)
{
    while (t->queue_length > 0 && !t->is_draining) {
        int64_t due_ns =
            t->connect_due_ns > t->backoff_until_ns ? t->connect_due_ns : t->backoff_until_ns;
        if (due_ns > now_ns) {
            return due_ns;
        }
        if (t->connect_due_ns < now_ns - CONNECT_CATCHUP_NS) {
            t->connect_due_ns = now_ns - CONNECT_CATCHUP_NS;
        }
        t->connect_due_ns += t->connect_every_ns;
        struct connection *c = &t->connections[t->queue[t->queue_first]];
        t->queue_first = (t->queue_first + 1) % t->connection_count;
        t->queue_length--;
        connection_open(t, c, now_ns);
    }
    return INT64_MAX;
}

/* An established connection: what comes on it is wanted. */
static int connection_listen(struct driver_thread *t, struct connection *c)
{
    if (!t->has_ring) {
        return connection_watch(t, c, EPOLL_CTL_MOD, CONNECTION_EVENTS_READ);
    }
    connection_uring_receive(t, c);
    return connection_watch(t, c, EPOLL_CTL_DEL, 0);
}

void connection_finish_connecting(struct driver_thread *t, struct connection *c)
{
    int error = 0;
    socklen_t error_bytes = sizeof(error);
    int64_t now_ns = clock_monotonic_ns();

    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes) < 0 ||
        (error == 0 && connection_listen(t, c) < 0)) {
        error = errno;
    }
    if (error != 0) {
        connection_fail(t, c, connect_outcome(error), now_ns);
    } else if (t->tls_links) {
        connection_tls_begin(t, c);
    } else {
        t->connecting_count--;
        connection_established(t, c, now_ns);
    }
}

void connection_scan_timeouts(struct driver_thread *t, int64_t now_ns)
{
    int64_t oldest_ns = now_ns - t->control->config->timeout_ns;

    for (uint32_t i = 0; i < t->connection_count; i++) {
        struct connection *c = &t->connections[i];
        if (c->since_ns > oldest_ns) {
            continue;
        }
        if (connection_is_in_flight(c)) {
            connection_fail(t, c, OUTCOME_TIMEOUT, now_ns);
        } else if (c->state == CONNECTION_CONNECTING) {
            connection_fail(t, c, OUTCOME_CONNECT_TIMEOUT, now_ns);
        }
    }
}
