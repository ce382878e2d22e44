// SPDX-License-Identifier: Apache-2.0
// The listening socket of a thread.
#include "engines/acceptor.h"

#include <errno.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/base/clock.h"

enum {
    DRAIN_COUNT = 16, /* reads of a refused connection before it is closed */
    TICK_MS = 100,
    ANSWER_BYTES = 1024,
    LOOK_MS = 900, /* a little less than the ticks of acceptor_second are apart */
};

#define KEPT_BYTES (4UL << 20) /* that connections left behind and need not be given back */

#define REFUSED_NS CLOCK_NS_PER_S /* how long one that does not close is kept */

enum err_code acceptor_init(struct acceptor *acceptor, int epoll_fd,
                            const struct engine_config *config, uint32_t index, int socket_flags,
                            struct err *e)
{
    *acceptor = (struct acceptor){
        .epoll_fd = epoll_fd,
        .listen_fd = config->listen_fds[index],
        .socket_flags = socket_flags | SOCK_CLOEXEC,
        .config = config,
        .counters = &config->counters->slots[index],
    };
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = acceptor};

    acceptor->date.second = -1;
    byte_pool_init(&acceptor->pool);
    http_output_init(&acceptor->out, &acceptor->pool, &acceptor->date);
    if (!http_output_reserve(&acceptor->out, ANSWER_BYTES)) {
        return err_set_sys(e, "memory for answers");
    }
    if (epoll_fd >= 0 && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, acceptor->listen_fd, &event) < 0) {
        return err_set_sys(e, "watching the listening socket");
    }
    return ERR_OK;
}

static void watch_set(struct acceptor *acceptor, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = acceptor};

    if (acceptor->epoll_fd >= 0) {
        epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_MOD, acceptor->listen_fd, &event);
    }
}

/* Said after the watch has ended, and taken back before it begins: of two threads one resumes, and
 * it cannot be overtaken by a pause. */
static void acceptor_pause(struct acceptor *acceptor)
{
    watch_set(acceptor, 0);
    acceptor->is_paused = true;
}

void acceptor_resume(struct acceptor *acceptor)
{
    if (acceptor->is_paused && atomic_exchange(&acceptor->is_paused, false)) {
        watch_set(acceptor, EPOLLIN);
    }
}

/* Reads away what a refused client sent: closing would answer it with a reset. True: it has
 * closed. */
static bool refused_drain(int fd)
{
    char bytes[4096];
    ssize_t count = 1;

    for (int i = 0; i < DRAIN_COUNT && count > 0; i++) {
        count = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    }
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

static void refused_close(struct acceptor *acceptor, int fd)
{
    close(fd);
    counters_add(&acceptor->counters->closed_count, 1);
    acceptor_resume(acceptor);
}

static void refused_close_oldest(struct acceptor *acceptor)
{
    int fd = acceptor->refused[acceptor->refused_first].fd;

    acceptor->refused_first = (acceptor->refused_first + 1) % ACCEPTOR_REFUSED_COUNT;
    acceptor->refused_count--;
    refused_drain(fd);
    refused_close(acceptor, fd);
}

/* Closes those that the client has closed, and those that began before `end_ns`. */
static void refused_check(struct acceptor *acceptor, int64_t end_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < acceptor->refused_count; i++) {
        struct refused one =
            acceptor->refused[(acceptor->refused_first + i) % ACCEPTOR_REFUSED_COUNT];

        if (refused_drain(one.fd) || one.begin_ns <= end_ns) {
            refused_close(acceptor, one.fd);
        } else {
            acceptor->refused[(acceptor->refused_first + kept) % ACCEPTOR_REFUSED_COUNT] = one;
            kept++;
        }
    }
    acceptor->refused_count = kept;
}

/* Most are gone, or some are and no new ones come. */
static bool has_fallen(const struct acceptor *acceptor, uint32_t open)
{
    return open <= acceptor->open_peak / 2 ||
           (open < acceptor->open_peak && !acceptor->has_admitted);
}

/* What connections used is kept for the next ones, in the pool and in the heap, which has some
 * blocks in use behind it. Each fall is looked at, so that the last of a crowd leave nothing
 * either; while as many come as go, nothing is given back. */
static void memory_give_back(struct acceptor *acceptor, int64_t now_ns)
{
    uint32_t open = atomic_load_explicit(acceptor->config->open_count, memory_order_relaxed);

    if (acceptor->open_peak == 0 || now_ns < acceptor->next_look_ns) {
        return;
    }
    bool falls = has_fallen(acceptor, open);
    acceptor->next_look_ns = now_ns + LOOK_MS * CLOCK_NS_PER_MS;
    acceptor->has_admitted = false;
    if (!falls) {
        return;
    }
    acceptor->open_peak = open;
    size_t spare_bytes = acceptor->spare ? acceptor->spare->cached_bytes : 0;
    if (spare_bytes + mallinfo2().fordblks <= KEPT_BYTES) {
        return;
    }
    if (acceptor->spare) {
        byte_pool_release(acceptor->spare);
    }
    malloc_trim(0);
}

static void answer_send(struct acceptor *acceptor, int fd)
{
    struct http_output *out = &acceptor->out;

    http_date_set(&acceptor->date, clock_system()->wall_ns(clock_system()->self));
    http_write_error(out, 503, true);
    counters_add(&acceptor->counters->request_count, 1);
    counters_add(&acceptor->counters->error_count, 1);
    if (send(fd, out->bytes, out->length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)out->length) {
        counters_add(&acceptor->counters->sent_bytes, out->length);
    }
    http_output_clear(out);
    shutdown(fd, SHUT_WR);
}

void acceptor_refuse(struct acceptor *acceptor, int fd)
{
    if (acceptor->refused_count == ACCEPTOR_REFUSED_COUNT) {
        refused_close_oldest(acceptor);
    }
    answer_send(acceptor, fd);
    /* It no longer takes the place of one that is served. */
    atomic_fetch_sub_explicit(acceptor->config->open_count, 1, memory_order_relaxed);
    size_t at = (acceptor->refused_first + acceptor->refused_count) % ACCEPTOR_REFUSED_COUNT;
    acceptor->refused[at].fd = fd;
    acceptor->refused[at].begin_ns = clock_monotonic_ns();
    acceptor->refused_count++;
}

bool acceptor_fail(struct acceptor *acceptor, int error)
{
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
        acceptor_pause(acceptor);
        return false;
    }
    /* Anything else: this connection failed before it was taken (accept(2)); the next may do. */
    return true;
}

int acceptor_admit(struct acceptor *acceptor, int fd)
{
    uint32_t limit = acceptor->config->connections_max;

    counters_add(&acceptor->counters->accepted_count, 1);
    uint32_t open =
        atomic_fetch_add_explicit(acceptor->config->open_count, 1, memory_order_relaxed);
    if (open >= acceptor->open_peak) {
        acceptor->open_peak = open + 1;
    }
    acceptor->has_admitted = true;
    if (limit && open >= limit) {
        acceptor_refuse(acceptor, fd);
        return -1;
    }
    return fd;
}

/* One attempt. True: tried, and another one may follow. */
static bool connection_take(struct acceptor *acceptor, int *fd_out)
{
    int fd = accept4(acceptor->listen_fd, NULL, NULL, acceptor->socket_flags);

    *fd_out = -1;
    if (fd < 0) {
        return errno != EAGAIN && acceptor_fail(acceptor, errno);
    }
    *fd_out = acceptor_admit(acceptor, fd);
    return true;
}

int acceptor_accept(struct acceptor *acceptor)
{
    int fd;

    for (int i = 0; i < ACCEPTOR_BATCH_COUNT; i++) {
        if (!connection_take(acceptor, &fd) || fd >= 0) {
            return fd;
        }
    }
    return -1; /* level-triggered: the rest is announced again */
}

void acceptor_tick(struct acceptor *acceptor)
{
    int64_t now_ns = clock_monotonic_ns();

    if (now_ns < acceptor->next_tick_ns) {
        return;
    }
    acceptor->next_tick_ns = now_ns + TICK_MS * CLOCK_NS_PER_MS;
    refused_check(acceptor, now_ns - REFUSED_NS);
    memory_give_back(acceptor, now_ns);
    acceptor_resume(acceptor);
}

static bool is_busy(const struct acceptor *acceptor)
{
    return acceptor->is_paused || acceptor->refused_count > 0;
}

bool acceptor_second(struct acceptor *acceptor, struct http_date *date, int64_t *now_ns)
{
    int64_t present_ns = clock_coarse_ns();

    if (is_busy(acceptor)) {
        acceptor_tick(acceptor);
    }
    /* A wait of a second must be enough, and that clock is a little behind. */
    if (present_ns < *now_ns + CLOCK_NS_PER_S - 20 * CLOCK_NS_PER_MS) {
        return false;
    }
    *now_ns = present_ns;
    http_date_set(date, clock_system()->wall_ns(clock_system()->self));
    acceptor_tick(acceptor);
    return true;
}

int acceptor_wait_ms(const struct acceptor *acceptor, int most_ms)
{
    if (is_busy(acceptor)) {
        return TICK_MS;
    }
    return most_ms < 0 && acceptor->open_peak > 0 ? ACCEPTOR_WAIT_MS : most_ms;
}

void acceptor_leave(const struct engine_config *config, struct counters_slot *counters)
{
    atomic_fetch_sub_explicit(config->open_count, 1, memory_order_relaxed);
    counters_add(&counters->closed_count, 1);
}

void acceptor_release(struct acceptor *acceptor)
{
    while (acceptor->refused_count) {
        refused_close_oldest(acceptor);
    }
    http_output_release(&acceptor->out);
    byte_pool_release(&acceptor->pool);
}
