// SPDX-License-Identifier: Apache-2.0
// The listening socket of an event loop.
#include "engines/acceptor.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum err_code acceptor_init(struct acceptor *acceptor, int epoll_fd, int listen_fd, struct err *e)
{
    *acceptor = (struct acceptor){.epoll_fd = epoll_fd, .listen_fd = listen_fd};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = acceptor};

    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &event) < 0) {
        return err_set_sys(e, "watching the listening socket");
    }
    return ERR_OK;
}

static void watch_set(struct acceptor *acceptor, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = acceptor};

    epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_MOD, acceptor->listen_fd, &event);
    acceptor->is_paused = events == 0;
}

int acceptor_accept(struct acceptor *acceptor)
{
    for (;;) {
        int fd = accept4(acceptor->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            return fd;
        }
        switch (errno) {
        case EAGAIN:
            return -1;
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
            watch_set(acceptor, 0);
            return -1;
        default:
            /* This connection failed before it was taken (accept(2)); the next one may do. */
            continue;
        }
    }
}

void acceptor_resume(struct acceptor *acceptor)
{
    if (acceptor->is_paused) {
        watch_set(acceptor, EPOLLIN);
    }
}
