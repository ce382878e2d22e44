// SPDX-License-Identifier: Apache-2.0
// One connection's life; the steady state is recv, parse, send and nothing else.
#include "collector/driver/connection.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/base/clock.h"

#define BACKOFF_FIRST_NS   (10 * CLOCK_NS_PER_MS)
#define BACKOFF_LAST_NS    (640 * CLOCK_NS_PER_MS)
#define CONNECT_CATCHUP_NS (10 * CLOCK_NS_PER_MS) /* attempts that came late may be made up for */
#define EVENTS_READ        (EPOLLIN | EPOLLRDHUP)

static uint32_t connection_index(const struct driver_thread *t, const struct connection *c)
{
    return (uint32_t)(c - t->connections);
}

static int events_set(struct driver_thread *t, struct connection *c, int operation, uint32_t events)
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
    close(c->fd); /* takes it out of epoll */
    c->fd = -1;
    c->is_replacement = true;
}

/* Without an outcome: the socket is of no use any more. */
static void connection_replace(struct driver_thread *t, struct connection *c)
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
    t->in_flight_count -= c->on_way_count;
    c->on_way_count = 0;
    c->unsent_bytes = 0;
}

void connection_fail(struct driver_thread *t, struct connection *c, enum outcome outcome,
                     int64_t now_ns)
{
    driver_thread_mark(t, now_ns);
    if (connection_is_in_flight(c)) {
        requests_end(t, c, outcome);
    } else { /* an attempt to connect: a request of its own while load runs */
        backoff_grow(t, now_ns);
        if (t->is_loading && !t->is_draining && t->left_count > 0) {
            t->left_count--;
            t->record->started_count++;
            t->record->outcomes[outcome]++;
        }
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

static void connection_established(struct driver_thread *t, struct connection *c, int64_t now_ns)
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
        connection_ready(t, c, now_ns);
    }
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
    if (connect(fd, (const struct sockaddr *)&config->address, config->address_bytes) < 0 &&
        errno != EINPROGRESS) {
        goto fail;
    }
    c->fd = fd;
    if (events_set(t, c, EPOLL_CTL_ADD, EPOLLOUT) < 0) {
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
    c->since_ns = now_ns;
    c->counts_connecting =
        t->control->config->connection_requests > 0 && t->is_loading && !t->is_open;
    t->connecting_count++;
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

static void handle_connecting(struct driver_thread *t, struct connection *c)
{
    int error = 0;
    socklen_t error_bytes = sizeof(error);
    int64_t now_ns = clock_monotonic_ns();

    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes) < 0 ||
        (error == 0 && events_set(t, c, EPOLL_CTL_MOD, EVENTS_READ) < 0)) {
        error = errno;
    }
    if (error != 0) {
        connection_fail(t, c, connect_outcome(error), now_ns);
        return;
    }
    t->connecting_count--;
    connection_established(t, c, now_ns);
}

/* Writes what is left of the requests on the way. */
static void request_write(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    const struct driver_config *config = t->control->config;
    bool was_blocked = c->state == CONNECTION_SENDING;
    size_t rest = c->unsent_bytes;
    size_t cut = was_blocked ? rest % config->request_bytes : 0; /* what is left of the first one */
    size_t offset = cut > 0 ? config->request_bytes - cut : 0;
    ssize_t count = send(c->fd, t->control->requests + offset, rest, MSG_NOSIGNAL);

    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        c->state = CONNECTION_SENDING;
        connection_fail(t, c, OUTCOME_SEND_RESET, now_ns);
        return;
    }
    size_t written = count > 0 ? (size_t)count : 0;
    t->record->sent_bytes += written;
    c->unsent_bytes = rest - written;
    enum connection_state state = written < rest ? CONNECTION_SENDING : CONNECTION_WAITING;
    if (state == CONNECTION_SENDING && !was_blocked) {
        events_set(t, c, EPOLL_CTL_MOD, EVENTS_READ | EPOLLOUT);
    } else if (state == CONNECTION_WAITING && was_blocked) {
        events_set(t, c, EPOLL_CTL_MOD, EVENTS_READ);
    }
    c->state = state;
}

static uint32_t smaller(uint32_t a, uint64_t b)
{
    return b < a ? (uint32_t)b : a;
}

/* How many more requests the connection may have on the way now. */
static uint32_t room_count(const struct driver_thread *t, const struct connection *c)
{
    const struct driver_config *config = t->control->config;
    uint32_t count = config->pipeline_count - c->on_way_count;

    if (t->is_draining) {
        return 0;
    }
    if (config->connection_requests > 0) {
        count = smaller(count, config->connection_requests - c->request_count);
    }
    return smaller(count, t->left_count);
}

/* Where the sending time of the k-th request on the way is kept. */
static int64_t *stamp_at(const struct driver_thread *t, const struct connection *c, uint32_t k)
{
    uint32_t depth = t->control->config->pipeline_count;

    return &t->stamps[(size_t)connection_index(t, c) * depth + (c->stamp_first + k) % depth];
}

void connection_start(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    const struct driver_config *config = t->control->config;

    driver_thread_mark(t, now_ns);
    uint32_t count = room_count(t, c);
    c->state = c->on_way_count > 0 ? CONNECTION_WAITING : CONNECTION_IDLE;
    if (count == 0) {
        return;
    }
    int64_t stamp_ns = c->counts_connecting ? c->since_ns : now_ns;
    c->counts_connecting = false;
    if (c->on_way_count == 0) {
        response_init(&c->response);
        c->since_ns = stamp_ns;
    }
    for (uint32_t i = 0; config->pipeline_count > 1 && i < count; i++) {
        *stamp_at(t, c, c->on_way_count + i) = stamp_ns;
    }
    t->left_count -= count;
    t->record->started_count += count;
    t->in_flight_count += count;
    c->on_way_count += count;
    c->request_count += count;
    c->unsent_bytes = count * config->request_bytes;
    request_write(t, c, now_ns);
    if (c->has_surplus && connection_is_in_flight(c)) {
        connection_fail(t, c, OUTCOME_PROTOCOL_STATUS, now_ns);
    }
}

static bool is_worn(const struct driver_thread *t, const struct connection *c)
{
    uint32_t limit = t->control->config->connection_requests;

    return limit > 0 && c->request_count >= limit && c->on_way_count == 0;
}

/* The connection has carried its requests: another one takes its place at once. */
static void connection_renew(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (t->is_draining || t->left_count == 0) {
        connection_replace(t, c);
        return;
    }
    connection_close(t, c);
    connection_open(t, c, now_ns);
}

void connection_ready(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (is_worn(t, c)) {
        connection_renew(t, c, now_ns);
    } else if (t->is_open) {
        connection_list(t, c, now_ns);
        connection_start_due(t);
    } else {
        connection_start(t, c, now_ns);
    }
}

static enum outcome response_outcome(const struct driver_config *config, const struct response *r)
{
    const struct driver_expect *expect = &config->expect;

    bool is_expected = expect->status ? r->head.status == expect->status
                                      : r->head.status / 100 == 2 || r->head.status / 100 == 3;

    if (!is_expected) {
        return (enum outcome)(OUTCOME_HTTP_1XX + r->head.status / 100 - 1);
    }
    if (config->request_is_head || expect->body_bytes < 0) {
        return OUTCOME_OK;
    }
    if (r->body_bytes != (uint64_t)expect->body_bytes) {
        return OUTCOME_BODY_LENGTH;
    }
    if (expect->body_hash_checked && r->body_xxh64 != expect->body_xxh64) {
        return OUTCOME_BODY_HASH;
    }
    return OUTCOME_OK;
}

static void response_count(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    enum outcome outcome = response_outcome(t->control->config, &c->response);
    int64_t duration_ns = now_ns - c->since_ns;

    t->record->outcomes[outcome]++;
    if (outcome == OUTCOME_OK && t->is_open) {
        histogram_record(&t->record->latency, now_ns - c->due_ns);
        histogram_record(t->record->service, duration_ns);
    } else if (outcome == OUTCOME_OK) {
        histogram_record(&t->record->latency, duration_ns);
    }
    t->in_flight_count--;
    c->on_way_count--;
    if (!c->is_served) {
        c->is_served = true;
        atomic_fetch_add_explicit(&t->served_count, 1, memory_order_relaxed);
    }
}

/* The connection ends after a whole response: what is still on the way will not be answered. */
static void connection_end(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (c->on_way_count > 0) {
        connection_fail(t, c, OUTCOME_CLOSED_EARLY, now_ns);
    } else if (is_worn(t, c)) {
        connection_renew(t, c, now_ns);
    } else {
        connection_replace(t, c);
    }
}

/* A whole response came. False when that was the connection's last one. */
static bool request_done(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    const struct driver_config *config = t->control->config;

    if (now_ns - c->since_ns > config->timeout_ns) {
        connection_fail(t, c, OUTCOME_TIMEOUT, now_ns);
        return false;
    }
    response_count(t, c, now_ns);
    bool is_half_sent = c->unsent_bytes > c->on_way_count * config->request_bytes;
    bool is_closed = c->peer_closed && c->on_way_count == 0;
    if (is_closed || is_half_sent || !response_keeps_alive(&c->response)) {
        connection_end(t, c, now_ns);
        return false;
    }
    if (c->on_way_count == 0) {
        c->state = CONNECTION_IDLE;
        return true;
    }
    c->stamp_first = (c->stamp_first + 1) % config->pipeline_count;
    c->since_ns = *stamp_at(t, c, 0);
    response_init(&c->response);
    return true;
}

static void handle_end(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    c->peer_closed = true;
    if (response_end(&c->response, &t->control->rules) == RESPONSE_DONE) {
        (void)request_done(t, c, now_ns);
    } else {
        connection_fail(t, c, c->response.failure, now_ns);
    }
}

/* Reads the responses in the buffer, then sends as many requests as were answered. */
static void handle_bytes(struct driver_thread *t, struct connection *c, size_t length,
                         int64_t now_ns)
{
    bool any_done = false;
    size_t done = 0;
    size_t used;

    while (done < length && c->on_way_count > 0) {
        enum response_state state = response_feed(&c->response, &t->template, &t->control->rules,
                                                  t->buffer + done, length - done, &used);

        done += used;
        if (state == RESPONSE_FAILED) {
            connection_fail(t, c, c->response.failure, now_ns);
            return;
        }
        if (state == RESPONSE_DONE && !request_done(t, c, now_ns)) {
            return;
        }
        any_done |= state == RESPONSE_DONE;
    }
    c->has_surplus = done < length;
    if (any_done && c->unsent_bytes == 0 && !c->peer_closed) {
        connection_ready(t, c, now_ns);
    }
}

/* A long body that nobody looks at is thrown away inside the kernel. */
static ssize_t body_discard(struct driver_thread *t, struct connection *c, uint64_t length)
{
    size_t most = length < (1U << 30) ? (size_t)length : (1U << 30);

    return recv(c->fd, t->buffer, most, MSG_TRUNC);
}

static void handle_readable(struct driver_thread *t, struct connection *c)
{
    bool is_tcp = t->control->config->address.ss_family != AF_UNIX;
    uint64_t skippable = is_tcp ? response_skippable_bytes(&c->response, &t->control->rules) : 0;
    bool skips = skippable > DRIVER_BUFFER_BYTES;
    ssize_t count =
        skips ? body_discard(t, c, skippable) : recv(c->fd, t->buffer, DRIVER_BUFFER_BYTES, 0);

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    int64_t now_ns = clock_monotonic_ns();
    driver_thread_mark(t, now_ns);
    if (count < 0) {
        connection_fail(t, c, OUTCOME_RESET, now_ns);
    } else if (count == 0) {
        handle_end(t, c, now_ns);
    } else {
        t->record->received_bytes += (uint64_t)count;
        if (!skips) {
            handle_bytes(t, c, (size_t)count, now_ns);
        } else if (response_skip(&c->response, &t->control->rules, (uint64_t)count) ==
                       RESPONSE_DONE &&
                   request_done(t, c, now_ns) && c->unsent_bytes == 0) {
            connection_ready(t, c, now_ns);
        }
    }
}

void connection_handle(struct driver_thread *t, struct connection *c, uint32_t events)
{
    switch (c->state) {
    case CONNECTION_CONNECTING:
        handle_connecting(t, c);
        break;
    case CONNECTION_IDLE: /* nothing was asked: a close, or bytes of no request */
        connection_replace(t, c);
        break;
    case CONNECTION_SENDING:
    case CONNECTION_WAITING:
        c->peer_closed = (events & (EPOLLRDHUP | EPOLLHUP)) != 0;
        if (c->state == CONNECTION_SENDING && (events & EPOLLOUT)) {
            request_write(t, c, clock_monotonic_ns());
        }
        if (connection_is_in_flight(c) && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))) {
            handle_readable(t, c);
        }
        break;
    case CONNECTION_QUEUED: /* closed earlier in this batch */
        break;
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
