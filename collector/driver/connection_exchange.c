// SPDX-License-Identifier: Apache-2.0
// Requests and responses on an established connection; the steady state is recv, parse, send and
// nothing else.
#include "collector/driver/connection.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/driver/connection_tls.h"
#include "collector/driver/connection_uring.h"
#include "engines/base/clock.h"

#define READS_MOST 16 /* of one connection at one wake-up */

/* Not recv() and send(): where there are several threads, those also mark each call as one in which
 * the thread may be cancelled, which nobody does here. */
static ssize_t bytes_receive(int fd, void *bytes, size_t length, int flags)
{
    return syscall(SYS_recvfrom, fd, bytes, length, flags, NULL, NULL);
}

static ssize_t bytes_send(int fd, const void *bytes, size_t length)
{
    return syscall(SYS_sendto, fd, bytes, length, MSG_NOSIGNAL, NULL, 0);
}

static uint32_t events_wanted(enum connection_state state)
{
    return CONNECTION_EVENTS_READ | (state == CONNECTION_SENDING ? (uint32_t)EPOLLOUT : 0U);
}

/* The server had closed the connection before the requests on the way came to it: its kernel took
 * no byte of them, so nobody knows of them and they may be sent again (RFC 9112, 9.3.1). Not on a
 * connection that never served: that would be tried for ever. */
static bool is_crossed(struct driver_thread *t, const struct connection *c)
{
    size_t written = c->on_way_count * driver_thread_kind(t, c)->byte_count - c->unsent_bytes;
    int unacknowledged = 0;

    if (t->has_ring && connection_uring_withdraw(t, c)) {
        written = 0; /* not even asked for */
    }
    if (t->tls_links) {
        written = connection_tls_written(t, c);
    }
    return c->is_served && !response_is_started(&c->response) &&
           ioctl(c->fd, SIOCOUTQ, &unacknowledged) == 0 && (size_t)unacknowledged == written;
}

static void requests_resend(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    t->record->resent_count += c->on_way_count;
    connection_reopen(t, c, now_ns);
}

static void send_fail(struct driver_thread *t, struct connection *c, int error, int64_t now_ns)
{
    if (error == EPIPE && is_crossed(t, c)) {
        requests_resend(t, c, now_ns);
    } else {
        connection_fail(t, c, OUTCOME_SEND_RESET, now_ns);
    }
}

void connection_send_failed(struct driver_thread *t, struct connection *c, int result)
{
    if (connection_is_in_flight(c)) {
        send_fail(t, c, result < 0 ? -result : 0, clock_monotonic_ns());
    }
}

static void sent_count(struct driver_thread *t, const struct connection *c, size_t count)
{
    t->record->sent_bytes += count;
    if (t->tally) {
        t->tally[c->kind].total.sent_bytes += count;
    }
}

static void received_count(struct driver_thread *t, const struct connection *c, uint64_t count)
{
    t->record->received_bytes += count;
    if (t->tally) {
        t->tally[c->kind].total.received_bytes += count;
    }
}

/* Writes what is left of the requests on the way. */
static void request_write(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    const struct driver_kind *kind = driver_thread_kind(t, c);
    bool was_blocked = c->state == CONNECTION_SENDING;
    size_t rest = c->unsent_bytes;
    size_t cut = was_blocked ? rest % kind->byte_count : 0; /* what is left of the first one */
    size_t offset = cut > 0 ? kind->byte_count - cut : 0;

    if (t->has_ring) {
        connection_uring_send(t, c, kind->bytes, rest);
        sent_count(t, c, rest);
        c->unsent_bytes = 0;
        c->state = CONNECTION_WAITING;
        return;
    }
    const char *bytes = kind->bytes + offset;
    ssize_t count =
        t->tls_links ? connection_tls_send(t, c, bytes, rest) : bytes_send(c->fd, bytes, rest);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        c->state = CONNECTION_SENDING;
        send_fail(t, c, errno, now_ns);
        return;
    }
    size_t written = count > 0 ? (size_t)count : 0;
    sent_count(t, c, written);
    c->unsent_bytes = rest - written;
    enum connection_state state = written < rest ? CONNECTION_SENDING : CONNECTION_WAITING;
    if ((state == CONNECTION_SENDING) != was_blocked) {
        connection_watch(t, c, EPOLL_CTL_MOD, events_wanted(state));
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

    return &t->stamps[(size_t)(c - t->connections) * depth + (c->stamp_first + k) % depth];
}

/* Which request of the mix comes next. */
static void kind_choose(struct driver_thread *t, struct connection *c)
{
    if (t->tallies) {
        c->kind = (uint8_t)mix_deal(&t->mix);
    }
    if (t->tally) {
        t->tally[c->kind].total.started_count++;
    }
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
    kind_choose(t, c);
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
    c->unsent_bytes = count * driver_thread_kind(t, c)->byte_count;
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

void connection_renew(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (t->is_draining || t->left_count == 0) {
        connection_replace(t, c);
    } else if (c->is_thinking) {
        connection_close(t, c);
        c->state = CONNECTION_QUEUED;
        c->is_parked = true;
    } else {
        connection_reopen(t, c, now_ns);
    }
}

void connection_ready(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (is_worn(t, c)) {
        connection_renew(t, c, now_ns);
    } else if (t->is_open) {
        connection_list(t, c, now_ns);
        connection_start_due(t);
    } else if (!c->is_thinking) {
        connection_start(t, c, now_ns);
    }
}

void connection_begin(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (c->on_way_count == 0) {
        connection_ready(t, c, now_ns);
        return;
    }
    c->request_count = c->on_way_count;
    c->unsent_bytes = c->on_way_count * driver_thread_kind(t, c)->byte_count;
    response_init(&c->response);
    request_write(t, c, now_ns);
}

static enum outcome response_outcome(const struct driver_kind *kind, const struct response *r)
{
    const struct driver_expect *expect = &kind->expect;

    bool is_expected = expect->status ? r->head.status == expect->status
                                      : r->head.status / 100 == 2 || r->head.status / 100 == 3;

    if (!is_expected) {
        return (enum outcome)(OUTCOME_HTTP_1XX + r->head.status / 100 - 1);
    }
    if (kind->rules.is_head || expect->body_bytes < 0) {
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

static void tally_count(struct driver_tally *tally, enum outcome outcome, int64_t latency_ns)
{
    tally->total.outcomes[outcome]++;
    if (outcome == OUTCOME_OK) {
        histogram_record(&tally->latency, latency_ns);
    }
}

static void response_count(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    enum outcome outcome = response_outcome(driver_thread_kind(t, c), &c->response);
    int64_t duration_ns = now_ns - c->since_ns;
    int64_t latency_ns = t->is_open ? now_ns - c->due_ns : duration_ns;

    t->record->outcomes[outcome]++;
    if (outcome == OUTCOME_OK) {
        histogram_record(&t->record->latency, latency_ns);
    }
    if (outcome == OUTCOME_OK && t->is_open) {
        histogram_record(t->record->service, duration_ns);
    }
    if (t->tally) {
        tally_count(&t->tally[c->kind], outcome, latency_ns);
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
    if (c->on_way_count == 0) {
        connection_think(t, c, now_ns);
    }
    bool is_half_sent = c->unsent_bytes > c->on_way_count * driver_thread_kind(t, c)->byte_count;
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

/* is_cut: over TLS, nobody knows whether there was more. */
static void handle_end(struct driver_thread *t, struct connection *c, int64_t now_ns, bool is_cut)
{
    c->peer_closed = true;
    if (response_end(&c->response, &driver_thread_kind(t, c)->rules) == RESPONSE_DONE) {
        if (is_cut) {
            connection_fail(t, c, OUTCOME_TRUNCATED_BODY, now_ns);
        } else {
            (void)request_done(t, c, now_ns);
        }
    } else if (is_crossed(t, c)) {
        requests_resend(t, c, now_ns);
    } else {
        connection_fail(t, c, c->response.failure, now_ns);
    }
}

/* What was on the way is answered: more may be sent. At once, not together with others of the same
 * wake-up, which costs 3 % less: the load would be less than so many connections (Little). */
static void connection_answered(struct driver_thread *t, struct connection *c, int64_t now_ns)
{
    if (c->unsent_bytes == 0 && !c->peer_closed) {
        connection_ready(t, c, now_ns);
    }
}

/* Reads the responses in the buffer, then sends as many requests as were answered. */
static void handle_bytes(struct driver_thread *t, struct connection *c, const char *bytes,
                         size_t length, int64_t now_ns)
{
    bool any_done = false;
    size_t done = 0;
    size_t used;

    while (done < length && c->on_way_count > 0) {
        enum response_state state =
            response_feed(&c->response, &t->templates[c->kind], &driver_thread_kind(t, c)->rules,
                          bytes + done, length - done, &used);

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
    if (any_done) {
        connection_answered(t, c, now_ns);
    }
}

void connection_receive(struct driver_thread *t, struct connection *c, const char *bytes,
                        ssize_t count)
{
    int64_t now_ns = clock_monotonic_ns();

    driver_thread_mark(t, now_ns);
    if (!connection_is_in_flight(c)) { /* nothing was asked: a close, or bytes of no request */
        connection_replace(t, c);
    } else if (count < 0) {
        connection_fail(t, c, OUTCOME_RESET, now_ns);
    } else if (count == 0) {
        handle_end(t, c, now_ns, false);
    } else {
        received_count(t, c, (uint64_t)count);
        handle_bytes(t, c, bytes, (size_t)count, now_ns);
    }
}

void connection_cut(struct driver_thread *t, struct connection *c, ssize_t count)
{
    int64_t now_ns = clock_monotonic_ns();

    driver_thread_mark(t, now_ns);
    if (count == 0 && connection_is_in_flight(c)) {
        handle_end(t, c, now_ns, true);
    } else {
        connection_receive(t, c, NULL, count);
    }
}

void connection_skip(struct driver_thread *t, struct connection *c, size_t count)
{
    int64_t now_ns = clock_monotonic_ns();

    driver_thread_mark(t, now_ns);
    received_count(t, c, count);
    if (response_skip(&c->response, &driver_thread_kind(t, c)->rules, count) == RESPONSE_DONE &&
        request_done(t, c, now_ns)) {
        connection_answered(t, c, now_ns);
    }
}

/* Reads once. A long body that nobody looks at is thrown away inside the kernel. True: the request
 * is still on the way and the socket may hold more, of which epoll will not tell again. */
static bool receive_once(struct driver_thread *t, struct connection *c)
{
    if (t->tls_links) {
        return connection_tls_receive(t, c);
    }
    size_t skippable = connection_skippable_bytes(t, c);
    bool skips = skippable > DRIVER_BUFFER_BYTES;
    size_t most = skips ? skippable : DRIVER_BUFFER_BYTES;
    ssize_t count = bytes_receive(c->fd, t->buffer, most, skips ? MSG_TRUNC : 0);

    if (count < 0 && errno == EAGAIN) {
        return false;
    }
    if (skips && count > 0) {
        connection_skip(t, c, (size_t)count);
    } else {
        connection_receive(t, c, t->buffer, count);
    }
    return count > 0 && connection_is_in_flight(c) && ((size_t)count == most || c->peer_closed);
}

static void handle_readable(struct driver_thread *t, struct connection *c)
{
    uint32_t count = 0;

    while (receive_once(t, c)) {
        if (++count == READS_MOST) { /* others have their turn; epoll is to tell of it again */
            connection_watch(t, c, EPOLL_CTL_MOD, events_wanted(c->state));
            return;
        }
    }
}

void connection_handle(struct driver_thread *t, struct connection *c, uint32_t events)
{
    switch (c->state) {
    case CONNECTION_CONNECTING:
        if (t->tls_links && connection_tls_is_open(t, c)) {
            connection_tls_shake(t, c);
        } else {
            connection_finish_connecting(t, c);
        }
        break;
    case CONNECTION_IDLE:
        if (t->tls_links) { /* perhaps a session to resume */
            handle_readable(t, c);
        } else { /* nothing was asked: a close, or bytes of no request */
            connection_replace(t, c);
        }
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
