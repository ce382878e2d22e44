// SPDX-License-Identifier: Apache-2.0
// Inside the driver: one thread with its connections, and what threads and collector share.
#ifndef COLLECTOR_DRIVER_DRIVER_THREAD_H
#define COLLECTOR_DRIVER_DRIVER_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/driver/driver_kind.h"
#include "collector/driver/interval_ring.h"
#include "engines/uring_ring.h"

#define DRIVER_BUFFER_BYTES (64 * 1024)
#define DRIVER_EVENT_COUNT  256

enum connection_state {
    CONNECTION_QUEUED,     /* no socket; waits for its turn to connect */
    CONNECTION_CONNECTING, /* connect() is on its way */
    CONNECTION_IDLE,       /* established, no request */
    CONNECTION_SENDING,    /* part of a request is written */
    CONNECTION_WAITING,    /* a request is written, its response is not whole */
};

#define CONNECTION_NONE UINT32_MAX
struct connection {
    _Alignas(64) int fd; /* -1: none */
    enum connection_state state;
    int64_t since_ns; /* when connecting or the request began, or since when it is idle */
    int64_t due_ns;   /* open loop: when the request was due */
    uint32_t idle_next, idle_previous; /* open loop: in the list of idle ones; CONNECTION_NONE */
    size_t unsent_bytes;               /* of the requests on the way */
    uint32_t on_way_count;             /* requests started and not ended */
    uint32_t stamp_first;              /* pipelining: place of the oldest one's sending time */
    uint32_t request_count;            /* started on this socket */
    uint32_t generation;               /* of the socket: io_uring tells of earlier ones as well */
    bool is_listed;                    /* is in the list of idle ones */
    bool counts_connecting;            /* the first request's time begins with the connecting */
    bool is_replacement;               /* not the first socket of this connection */
    bool is_served;                    /* this socket brought a whole response */
    bool peer_closed;                  /* the peer's FIN was seen */
    bool has_surplus;                  /* bytes came that no request asked for */
    bool is_thinking;                  /* a pause of it has not ended */
    bool is_parked;                    /* thinking without a socket, in no queue */
    uint8_t kind;                      /* of the request on the way */
    bool receives_singly;              /* io_uring: long bodies come, each receive is asked for */
    struct response response;
};

enum driver_stop_level { DRIVER_RUN, DRIVER_STOP_LOAD, DRIVER_STOP_NOW };

/* Written by the collector, read by the threads. */
struct driver_control {
    _Atomic int64_t zero_ns; /* 0: load has not been started */
    _Atomic int64_t stop_ns; /* valid when stop_level is not DRIVER_RUN */
    _Atomic int stop_level;
    uint32_t thread_count;
    int64_t opened_ns;
    struct driver_kind kinds[MIX_REQUEST_COUNT_MAX];
    const struct driver_config *config;
    struct tls *tls; /* NULL: plain connections */
};

struct driver_thread {
    /* shared with the collector */
    struct interval_ring *ring;
    _Atomic uint32_t established_count;
    _Atomic uint32_t served_count; /* sockets that got a whole response */
    _Atomic bool is_done;
    _Atomic int64_t exhausted_ns; /* when its last request ended; 0: not yet */
    _Atomic int64_t done_ns;
    const struct driver_control *control;
    pthread_t handle;
    bool is_created;
    uint32_t number;

    /* the thread's own */
    _Alignas(64) int epoll_fd;
    int wake_fd;
    bool has_ring;      /* io_uring: established connections; epoll for the others */
    bool watches_epoll; /* the ring will tell when epoll has something */
    struct uring_ring uring;
    struct tls_link *tls_links; /* one a connection; NULL: plain connections */
    char *tls_wire;             /* TLS_WIRE_BYTES, from the socket that is read */
    struct tls_tally tls_tally;
    bool skips_bodies; /* long ones may be thrown away inside the kernel */
    char *buffer;
    struct interval_record *record;
    int64_t interval_end_ns; /* absolute; INT64_MAX before grid zero and while draining */
    int64_t scan_due_ns, scan_every_ns;
    int64_t drain_end_ns;
    uint32_t interval_index;
    bool is_loading, is_draining;
    uint32_t in_flight_count;
    uint64_t left_count;                 /* requests that may still be started */
    struct response_template *templates; /* one for each kind */
    struct mix mix;
    struct driver_tally *tallies; /* of a mix, one for each kind, else NULL */
    struct driver_tally *tally;   /* the same while the window is open, else NULL */
    bool has_think;
    struct think think;

    /* Open loop. One cursor counts what is due, the other what was sent; between them, the backlog.
     */
    bool is_open;
    struct arrivals due, sent;
    int64_t zero_ns, pace_ns;
    uint64_t backlog_count;
    uint32_t idle_first, idle_last;

    int64_t *stamps; /* pipelining: pipeline_count of them a connection */
    struct connection *connections;
    uint32_t connection_count;
    uint32_t *queue; /* ring of connection_count indices that wait for their turn to connect */
    uint32_t queue_first, queue_length;
    uint32_t connecting_count;
    uint32_t source_next; /* of the local addresses, round and round */
    int64_t connect_due_ns, connect_every_ns;
    int64_t backoff_ns, backoff_until_ns;

    uint64_t user_ns, system_ns, switch_count; /* at the last flip */
};

/* The body of a thread; `argument` is its struct driver_thread. */
void *driver_thread_run(void *argument);

/* Puts the intervals that end at or before `now_ns` behind it. */
void driver_thread_flip(struct driver_thread *thread, int64_t now_ns);

/* A poll that began then found nothing: CPU time that was no work. Returns what time it is. */
int64_t driver_thread_idle(struct driver_thread *thread, int64_t since_ns);

static inline void driver_thread_mark(struct driver_thread *thread, int64_t now_ns)
{
    if (now_ns >= thread->interval_end_ns) {
        driver_thread_flip(thread, now_ns);
    }
}

static inline const struct driver_kind *driver_thread_kind(const struct driver_thread *thread,
                                                           const struct connection *connection)
{
    return &thread->control->kinds[connection->kind];
}

#endif
