// SPDX-License-Identifier: Apache-2.0
// The listening socket of an event loop: takes connections in batches and pauses when the process
// has no descriptors left.
#ifndef ENGINES_ACCEPTOR_H
#define ENGINES_ACCEPTOR_H

#include <stdbool.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define ACCEPTOR_BATCH_COUNT                                                                       \
    64 /* at most so many connections before other events get their turn                           \
        */

struct acceptor {
    int epoll_fd, listen_fd;
    bool is_paused;
};

/* Watches listen_fd, level-triggered, with the acceptor's address as the event's data. */
enum err_code acceptor_init(struct acceptor *acceptor, int epoll_fd, int listen_fd,
                            struct err *e) ATTR_MUST_USE;

/*
 * The next connection, non-blocking and close-on-exec; -1 when there is none now. When descriptors
 * or memory ran out, the listening socket is not watched until acceptor_resume: connections wait
 * in the backlog, and the loop does not spin.
 */
int acceptor_accept(struct acceptor *acceptor);

/* Call when a descriptor was closed, and now and then; costs nothing unless paused. */
void acceptor_resume(struct acceptor *acceptor);

#endif
