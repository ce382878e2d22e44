// SPDX-License-Identifier: Apache-2.0
// One process, one poll loop.
#include "tests/support/scripted_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"

#define PEER_CONNECTION_LIMIT 512
#define PEER_BACKLOG          1024

struct peer_connection {
    int fd; /* -1: free */
    uint64_t number, turn;
    uint64_t pending_count;         /* requests read behind the one that is answered */
    unsigned end_match;             /* bytes of the blank line seen so far */
    const struct peer_reply *reply; /* being given; NULL: none */
    size_t written;
    int64_t due_ns;
    bool is_hung;
};

struct peer_process {
    const struct peer_script *script;
    struct peer_stats *stats;
    int listener;
    uint64_t reply_count;
    struct peer_connection connections[PEER_CONNECTION_LIMIT];
    struct pollfd polls[PEER_CONNECTION_LIMIT + 1];
};

static size_t reply_length(const struct peer_reply *reply)
{
    if (!reply->bytes) {
        return 0;
    }
    return reply->byte_count ? reply->byte_count : strlen(reply->bytes);
}

static void connection_drop(struct peer_connection *c, bool resets)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    if (resets) {
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
    close(c->fd);
    c->fd = -1;
}

static void reply_begin(struct peer_process *p, struct peer_connection *c)
{
    uint64_t request = p->reply_count++;
    uint64_t number = p->script->order == PEER_BY_REQUEST      ? request
                      : p->script->order == PEER_BY_CONNECTION ? c->number
                                                               : c->turn;

    c->turn++;
    c->reply = &p->script->replies[number % p->script->reply_count];
    c->written = 0;
    c->due_ns = c->reply->delay_ns ? clock_monotonic_ns() + c->reply->delay_ns : 0;
}

static void request_ended(struct peer_process *p, struct peer_connection *c)
{
    atomic_fetch_add(&p->stats->request_count, 1);
    if (c->turn == 0 && !c->reply) {
        atomic_fetch_add(&p->stats->used_count, 1);
    }
    if (c->reply) { /* pipelined: its turn comes */
        c->pending_count++;
    } else {
        reply_begin(p, c);
    }
}

static void reply_ended(struct peer_process *p, struct peer_connection *c)
{
    enum peer_after after = c->reply->after;

    if (c->reply->bytes) {
        atomic_fetch_add(&p->stats->response_count, 1);
    }
    c->reply = NULL;
    if (after == PEER_HANG || after == PEER_HALVE) {
        c->is_hung = true;
        if (after == PEER_HALVE) {
            shutdown(c->fd, SHUT_WR);
        }
    } else if (after != PEER_KEEP) {
        connection_drop(c, after == PEER_RESET);
    } else if (c->pending_count > 0) {
        c->pending_count--;
        reply_begin(p, c);
    }
}

static void reply_write(struct peer_process *p, struct peer_connection *c)
{
    size_t length = reply_length(c->reply);

    if (c->written < length) {
        size_t rest = c->reply->is_trickled ? 1 : length - c->written;
        ssize_t count = send(c->fd, c->reply->bytes + c->written, rest, MSG_NOSIGNAL);

        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count < 0) {
            connection_drop(c, false);
            return;
        }
        atomic_fetch_add(&p->stats->sent_bytes, (uint64_t)count);
        c->written += (size_t)count;
    }
    if (c->written == length) {
        reply_ended(p, c);
    }
}

static void connection_read(struct peer_process *p, struct peer_connection *c)
{
    static const char blank_line[] = "\r\n\r\n";
    char bytes[4096];
    ssize_t count = recv(c->fd, bytes, sizeof(bytes), 0);

    if (count < 0 && errno == EAGAIN) {
        return;
    }
    if (count <= 0) {
        connection_drop(c, false);
        return;
    }
    for (ssize_t i = 0; i < count; i++) {
        c->end_match = bytes[i] == blank_line[c->end_match] ? c->end_match + 1 : bytes[i] == '\r';
        if (c->end_match == 4) {
            c->end_match = 0;
            request_ended(p, c);
        }
    }
}

static void connection_accept(struct peer_process *p)
{
    int one = 1;
    int fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    for (size_t i = 0; i < PEER_CONNECTION_LIMIT; i++) {
        if (p->connections[i].fd < 0) {
            p->connections[i] = (struct peer_connection){
                .fd = fd, .number = atomic_fetch_add(&p->stats->accepted_count, 1)};
            return;
        }
    }
    close(fd);
}

/* Fills p->polls; returns the longest wait in ms. */
static int polls_fill(struct peer_process *p, int64_t now_ns)
{
    int wait_ms = 1000;

    p->polls[0] = (struct pollfd){.fd = p->listener, .events = POLLIN};
    for (size_t i = 0; i < PEER_CONNECTION_LIMIT; i++) {
        const struct peer_connection *c = &p->connections[i];
        bool is_due = c->fd >= 0 && c->reply && c->due_ns <= now_ns;
        short events = is_due ? POLLOUT : p->script->never_reads ? 0 : POLLIN;

        p->polls[i + 1] = (struct pollfd){.fd = c->fd, .events = events};
        if (c->fd >= 0 && c->reply && !is_due) {
            int left_ms = (int)((c->due_ns - now_ns) / CLOCK_NS_PER_MS) + 1;
            wait_ms = left_ms < wait_ms ? left_ms : wait_ms;
        }
    }
    return wait_ms;
}

static void connection_turn(struct peer_process *p, struct peer_connection *c, short events)
{
    if (c->fd < 0 || events == 0) {
        return;
    }
    if (events & POLLOUT) {
        reply_write(p, c);
    } else {
        connection_read(p, c);
    }
    /* Most replies need no wait for writability. */
    if (c->fd >= 0 && c->reply && c->due_ns == 0 && !c->reply->is_trickled) {
        reply_write(p, c);
    }
}

static void peer_run(struct peer_process *p)
{
    for (;;) {
        int wait_ms = polls_fill(p, clock_monotonic_ns());

        if (poll(p->polls, PEER_CONNECTION_LIMIT + 1, wait_ms) < 0) {
            continue;
        }
        for (size_t i = 0; i < PEER_CONNECTION_LIMIT; i++) {
            connection_turn(p, &p->connections[i], p->polls[i + 1].revents);
        }
        if (p->polls[0].revents) {
            connection_accept(p);
        }
    }
}

static void peer_child(const struct peer_script *script, struct peer_stats *stats, int listener)
{
    struct peer_process *process = calloc(1, sizeof(*process));

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!process) {
        _exit(1);
    }
    process->script = script;
    process->stats = stats;
    process->listener = listener;
    for (size_t i = 0; i < PEER_CONNECTION_LIMIT; i++) {
        process->connections[i].fd = -1;
    }
    peer_run(process);
}

static int tcp_listen(uint16_t *port_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(listener, PEER_BACKLOG) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &address_bytes) < 0) {
        abort();
    }
    *port_out = ntohs(address.sin_port);
    return listener;
}

static int unix_listen(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(listener, PEER_BACKLOG) < 0) {
        abort();
    }
    return listener;
}

void peer_open(struct peer *peer, const struct peer_script *script)
{
    peer->port = 0;
    int listener = script->socket_path ? unix_listen(script->socket_path) : tcp_listen(&peer->port);
    peer->stats =
        mmap(NULL, sizeof(*peer->stats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (peer->stats == MAP_FAILED) {
        abort();
    }
    peer->pid = fork();
    if (peer->pid < 0) {
        abort();
    }
    if (peer->pid == 0) {
        peer_child(script, peer->stats, listener);
    }
    close(listener);
}

void peer_signal(const struct peer *peer, int signal_number)
{
    kill(peer->pid, signal_number);
}

void peer_settle(const struct peer *peer)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(peer->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    uint64_t before = peer->stats->accepted_count;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 &&
        errno != EINPROGRESS) {
        close(fd);
        return; /* it has been killed, or there is no socket to ask with */
    }
    for (int i = 0; i < 500 && peer->stats->accepted_count == before; i++) {
        usleep(1000);
    }
    close(fd);
}

void peer_close(struct peer *peer)
{
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    munmap(peer->stats, sizeof(*peer->stats));
}
