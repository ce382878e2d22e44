// SPDX-License-Identifier: Apache-2.0
// The handshake as a part of connecting; bytes of the socket turned into bytes of HTTP and back.
#include "collector/driver/connection_tls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/driver/connection.h"
#include "engines/base/clock.h"

static struct tls_link *link_of(const struct driver_thread *t, const struct connection *c)
{
    return &t->tls_links[c - t->connections];
}

size_t connection_tls_bytes(const struct driver_config *config, uint32_t connection_count)
{
    return config->tls ? TLS_WIRE_BYTES + connection_count * sizeof(struct tls_link) : 0;
}

void connection_tls_lay(struct driver_thread *t, char *memory)
{
    const struct driver_config *config = t->control->config;

    t->skips_bodies = !config->tls && config->address.ss_family != AF_UNIX;
    if (config->tls) {
        t->tls_wire = memory;
        t->tls_links = (struct tls_link *)(void *)(memory + TLS_WIRE_BYTES);
    }
}

bool connection_tls_is_open(const struct driver_thread *t, const struct connection *c)
{
    return link_of(t, c)->ssl != NULL;
}

void connection_tls_begin(struct driver_thread *t, struct connection *c)
{
    struct tls_link *link = link_of(t, c);

    if (!tls_link_open(t->control->tls, &t->tls_tally, c->fd, link)) {
        connection_fail(t, c, OUTCOME_CONNECT_OTHER, clock_monotonic_ns());
        return;
    }
    link->began_ns = clock_monotonic_ns();
    connection_tls_shake(t, c);
}

static void shake_fail(struct driver_thread *t, struct connection *c, enum outcome outcome)
{
    connection_fail(t, c, outcome, clock_monotonic_ns());
}

/* What is in the buffer behind the handshake, as a session to resume, comes to its place. */
static void shake_end(struct driver_thread *t, struct connection *c)
{
    struct tls_link *link = link_of(t, c);
    int64_t now_ns = clock_monotonic_ns();
    uint32_t generation = c->generation;
    size_t count = 0;

    tls_link_count(link, now_ns - link->began_ns);
    enum tls_state state = tls_link_receive(link, t->buffer, DRIVER_BUFFER_BYTES, &count);
    t->connecting_count--;
    connection_established(t, c, now_ns);
    if (c->generation != generation) {
        return;
    }
    if (count > 0 && connection_is_in_flight(c)) {
        connection_fail(t, c, OUTCOME_PROTOCOL_STATUS, now_ns); /* as of a plain connection */
    } else if (state == TLS_BROKEN && connection_is_in_flight(c)) {
        connection_fail(t, c, OUTCOME_TLS_BROKEN, now_ns);
    } else if (count > 0 || state != TLS_MORE) {
        connection_receive(t, c, NULL, 0);
    }
}

void connection_tls_shake(struct driver_thread *t, struct connection *c)
{
    struct tls_link *link = link_of(t, c);
    enum tls_state state = tls_link_shake(link);

    while (state == TLS_MORE) {
        ssize_t count = recv(c->fd, t->tls_wire, TLS_WIRE_BYTES, 0);
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count <= 0) {
            tls_link_fail(link, count < 0 ? "the server reset the connection"
                                          : "the server closed the connection");
            shake_fail(t, c, OUTCOME_TLS_HANDSHAKE);
            return;
        }
        tls_link_give(link, t->tls_wire, (size_t)count);
        state = tls_link_shake(link);
    }
    if (state == TLS_DONE) {
        shake_end(t, c);
    } else {
        shake_fail(t, c,
                   state == TLS_BAD_CERTIFICATE ? OUTCOME_TLS_CERTIFICATE : OUTCOME_TLS_HANDSHAKE);
    }
}

/* What came is given on; the end is told as a plain connection's is. */
static void received_tell(struct driver_thread *t, struct connection *c, enum tls_state state,
                          size_t count)
{
    uint32_t generation = c->generation;

    c->peer_closed |= state == TLS_CLOSED; /* nothing more is sent on it */
    if (count > 0) {
        connection_receive(t, c, t->buffer, (ssize_t)count);
    }
    if (c->generation != generation || state == TLS_MORE) {
        return;
    }
    if (state == TLS_BROKEN && connection_is_in_flight(c)) {
        connection_fail(t, c, OUTCOME_TLS_BROKEN, clock_monotonic_ns());
    } else {
        connection_receive(t, c, NULL, 0);
    }
}

bool connection_tls_receive(struct driver_thread *t, struct connection *c)
{
    struct tls_link *link = link_of(t, c);
    size_t plain_bytes = 0;
    ssize_t count = recv(c->fd, t->tls_wire, TLS_WIRE_BYTES, 0);

    if (count < 0 && errno == EAGAIN) {
        return false;
    }
    if (count <= 0) { /* without a word of TLS: nobody knows whether that was all */
        link->is_broken = true;
        connection_cut(t, c, count);
        return false;
    }
    tls_link_give(link, t->tls_wire, (size_t)count);
    enum tls_state state = tls_link_receive(link, t->buffer, DRIVER_BUFFER_BYTES, &plain_bytes);
    received_tell(t, c, state, plain_bytes);
    return connection_tls_is_open(t, c) && c->state >= CONNECTION_IDLE &&
           (count == TLS_WIRE_BYTES || c->peer_closed);
}

ssize_t connection_tls_send(struct driver_thread *t, struct connection *c, const char *bytes,
                            size_t length)
{
    struct tls_link *link = link_of(t, c);

    if (c->unsent_bytes == c->on_way_count * driver_thread_kind(t, c)->byte_count) {
        link->sent_bytes = 0;
    }
    return tls_link_send(link, bytes, length);
}

size_t connection_tls_written(const struct driver_thread *t, const struct connection *c)
{
    return (size_t)link_of(t, c)->sent_bytes;
}

void connection_tls_close(struct driver_thread *t, struct connection *c)
{
    tls_link_close(link_of(t, c));
}

void connection_tls_total(const struct driver_thread *threads, uint32_t thread_count,
                          struct tls_total *total_out)
{
    struct tls_total total = {0};
    const struct tls_tally *first = NULL;
    bool is_mixed = false;

    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tls_tally *tally = &threads[i].tls_tally;

        total.full_count += tally->full_count;
        total.resumed_count += tally->resumed_count;
        total.handshake_ns += tally->handshake_ns;
        if (total.failure[0] == '\0') {
            snprintf(total.failure, sizeof(total.failure), "%s", tally->failure);
            total.is_distrusted = tally->is_distrusted;
        }
        if (!tally->version) {
            continue;
        }
        first = first ? first : tally;
        is_mixed |= tally->is_mixed || strcmp(first->version, tally->version) != 0 ||
                    strcmp(first->cipher, tally->cipher) != 0;
    }
    if (first) {
        snprintf(total.version, sizeof(total.version), "%s", is_mixed ? "mixed" : first->version);
        snprintf(total.cipher, sizeof(total.cipher), "%s", is_mixed ? "mixed" : first->cipher);
    }
    *total_out = total;
}
