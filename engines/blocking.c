// SPDX-License-Identifier: Apache-2.0
// One thread a connection, blocking reads and sends. Without a bound of its own: threads end where
// the machine's resources do, and then a connection is answered 503 and closed. SIGTERM ends the
// process at once; an answer that was handed to the socket is the kernel's to deliver.
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "engines/acceptor.h"
#include "engines/blocking_conn.h"

#define STACK_BYTES ((size_t)128 << 10)

struct listener {
    const struct engine_config *config;
    struct acceptor acceptor;
    uint32_t accepted_count;
    pthread_attr_t attributes;
};

static void *thread_run(void *argument)
{
    struct blocking_conn *conn = argument;
    struct extra_work extra_work;

    extra_work_begin(&extra_work, conn->config->extra_work_percent);
    blocking_conn_serve(conn, &extra_work, NULL, NULL);
    blocking_conn_close(conn);
    return NULL;
}

/* Gives the connection a thread; refuses it when there is none to be had. */
static void thread_start(struct listener *listener, int fd)
{
    pthread_t thread;
    const struct engine_config *config = listener->config;
    uint32_t number = listener->accepted_count++;
    struct blocking_conn *conn =
        blocking_conn_open(config, fd, &config->counters->slots[number % COUNTERS_SLOT_COUNT],
                           patience_wait_ms(config));

    if (!conn) {
        acceptor_refuse(&listener->acceptor, fd);
    } else if (pthread_create(&thread, &listener->attributes, thread_run, conn)) {
        blocking_conn_abandon(conn);
        acceptor_refuse(&listener->acceptor, fd);
    }
}

static void connections_take(struct listener *listener)
{
    struct epoll_event events[2];
    int fd;

    for (;;) {
        int count = epoll_wait(listener->acceptor.epoll_fd, events, 2,
                               acceptor_wait_ms(&listener->acceptor, -1));

        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == NULL) {
                return;
            }
            while ((fd = acceptor_accept(&listener->acceptor)) >= 0) {
                thread_start(listener, fd);
            }
        }
        acceptor_tick(&listener->acceptor);
    }
}

static enum err_code blocking_run(const struct engine_config *config, struct err *e)
{
    struct listener listener = {.config = config};
    struct epoll_event event = {.events = EPOLLIN};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, config->stop_fd, &event) < 0) {
        return err_set_sys(e, "watching for connections");
    }
    enum err_code code = acceptor_init(&listener.acceptor, epoll_fd, config, 0, 0, e);
    blocking_threads_calm();
    if (code == ERR_OK) {
        pthread_attr_init(&listener.attributes);
        pthread_attr_setdetachstate(&listener.attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&listener.attributes, STACK_BYTES);
        connections_take(&listener);
        pthread_attr_destroy(&listener.attributes);
        acceptor_release(&listener.acceptor);
    }
    close(epoll_fd);
    return code;
}

const struct engine engine_blocking = {
    .name = "blocking",
    .summary = "one thread a connection, blocking reads and sends",
    .threads = ENGINE_THREADS_PER_CONNECTION,
    .run = blocking_run,
};
