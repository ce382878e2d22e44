// SPDX-License-Identifier: Apache-2.0
// The listening socket of a thread: takes connections in batches, refuses those above the limit
// with 503, and pauses when the process has no descriptors left.
#ifndef ENGINES_ACCEPTOR_H
#define ENGINES_ACCEPTOR_H

#include <stdatomic.h>

#include "engines/engine.h"
#include "engines/http/http_write.h"

#define ACCEPTOR_BATCH_COUNT   64 /* at most so many before other events get their turn */
#define ACCEPTOR_REFUSED_COUNT 256
#define ACCEPTOR_WAIT_MS       1000 /* the longest wait of a loop that has to look at its times */

struct refused {
    int fd;
    int64_t begin_ns;
};

struct acceptor {
    int epoll_fd, listen_fd, socket_flags;
    atomic_bool is_paused;
    bool has_admitted;  /* a connection since the last look at the memory */
    uint32_t open_peak; /* connections, of the process, since their number was last seen to fall */
    int64_t next_look_ns;
    /* NULL, or blocks that are kept for the next taker until connections become fewer; of this
     * thread. */
    struct byte_pool *spare;
    const struct engine_config *config;
    struct counters_slot *counters;
    /* Refused connections stay open until the client has closed, a second at most, so that the
     * answer is read before the reset that the client's request would cause. The oldest makes room
     * for the next. */
    struct refused refused[ACCEPTOR_REFUSED_COUNT];
    size_t refused_first, refused_count;
    int64_t next_tick_ns;
    /* Of the 503; its memory is taken at the beginning, for a time without any. */
    struct byte_pool pool;
    struct http_date date;
    struct http_output out;
};

/*
 * Watches the index-th listening socket of the config, level-triggered, with the acceptor's address
 * as the event's data.
 *
 * epoll_fd       -1 when the engine accepts by itself: then nothing is watched
 * socket_flags   of accept4, for the connections; SOCK_CLOEXEC is added
 */
enum err_code acceptor_init(struct acceptor *acceptor, int epoll_fd,
                            const struct engine_config *config, uint32_t index, int socket_flags,
                            struct err *e) ATTR_MUST_USE;
void acceptor_release(struct acceptor *acceptor);

/*
 * The next connection, counted; -1 when there is none now. When descriptors or memory ran out, the
 * listening socket is not watched until acceptor_resume: connections wait in the backlog, and the
 * loop does not spin.
 */
int acceptor_accept(struct acceptor *acceptor);

/*
 * For an engine that accepts by itself: what acceptor_accept does with a connection, and with an
 * errno instead of one. Counts it; -1 when it was refused.
 */
int acceptor_admit(struct acceptor *acceptor, int fd);
/* True: only this connection failed, and the next may follow. False: it has paused. */
bool acceptor_fail(struct acceptor *acceptor, int error);

/* Answers 503 on a connection that acceptor_accept gave, and closes it when the client had time to
 * read that. */
void acceptor_refuse(struct acceptor *acceptor, int fd);

/* Call when a descriptor was closed; costs nothing unless paused. From any thread. */
void acceptor_resume(struct acceptor *acceptor);

/* Call now and then: closes refused connections, tries again to accept, and gives memory back when
 * connections became fewer; ten times a second at most, however often it is called. */
void acceptor_tick(struct acceptor *acceptor);

/*
 * For a loop that is called more often than once a second. True once a second: the date is set, the
 * acceptor ticked, and now_ns, which held the time of the last true, is that of this one.
 */
bool acceptor_second(struct acceptor *acceptor, struct http_date *date, int64_t *now_ns);

/* How long a wait may take: most_ms (-1: for ever), or less when acceptor_tick has to do. */
int acceptor_wait_ms(const struct acceptor *acceptor, int most_ms);

/* A connection that acceptor_accept gave was closed; from any thread. */
void acceptor_leave(const struct engine_config *config, struct counters_slot *counters);

#endif
