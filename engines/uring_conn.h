// SPDX-License-Identifier: Apache-2.0
// A connection of the io_uring engine, and the loop that it belongs to.
#ifndef ENGINES_URING_CONN_H
#define ENGINES_URING_CONN_H

#include <linux/time_types.h>
#include <sys/queue.h>

#include "engines/acceptor.h"
#include "engines/extra_work.h"
#include "engines/http/http_conn.h"
#include "engines/http/http_rest.h"
#include "engines/patience.h"
#include "engines/uring_batch.h"
#include "engines/uring_ring.h"

/* What a completion is about: in the low bits of its user_data, beside a connection's address. */
enum operation {
    OPERATION_RECEIVE,
    OPERATION_READABLE,
    OPERATION_SEND,
    OPERATION_CANCEL,
    OPERATION_ACCEPT,
    OPERATION_LOOP, /* its second is over, or, about nothing, it is to stop */
    OPERATION_MASK = 7,
};

struct uring_conn {
    int fd;
    bool is_receiving; /* a receive or a poll is armed: the connection cannot go before it ended */
    bool is_bulk;      /* its bodies are larger than a buffer: polled, and read here */
    bool is_polled;    /* that is a poll, which stays armed until it is cancelled */
    bool is_readable;  /* it told of input that is not read yet */
    bool is_hung_up;   /* and that the client's end is behind it */
    bool is_cancelled; /* its end was asked for */
    bool is_sending;   /* an answer is on its way */
    bool is_untold;    /* and nothing is told about it unless it fails or is cut short */
    bool is_ended;     /* nothing more will come from the client */
    bool is_broken;    /* to be closed as soon as nothing is on its way */
    bool closes;       /* after the answer that is on its way */
    bool lingers;      /* answered and half closed: input is thrown away */
    bool is_unfed;     /* what is kept was not looked at */
    bool is_due;       /* that will be done at the end of this turn */
    uint32_t drained_turn; /* when all there was had been read */
    struct patience patience;
    struct http_conn http;
    struct http_rest rest; /* no memory is held while there is none */
    /* The answer: in the batch, or, when the socket did not take it at once, in memory of its own.
     */
    struct uring_batch *batch;
    struct http_rest unsent;
    size_t send_start, send_bytes;
    LIST_ENTRY(uring_conn) link;
    SLIST_ENTRY(uring_conn) due; /* in to_send, sent or to_feed */
};

struct uring_loop {
    struct uring_ring ring;
    bool stops, is_accepting, is_timed;
    struct __kernel_timespec second; /* what is_timed is about: a timer in each wait costs more */
    uint32_t turn;                   /* counted from 1 */
    int64_t now_ns;                  /* as of the last tick, about a second ago at most */
    struct acceptor acceptor;
    const struct engine_config *config;
    struct counters_slot *counters;
    struct extra_work extra_work;
    LIST_HEAD(, uring_conn) conns;
    SLIST_HEAD(, uring_conn) to_send, to_feed; /* at the end of this turn */
    SLIST_HEAD(, uring_conn) sent;             /* untold, by the wait that follows */
    struct byte_pool pool;
    struct http_date date;
    struct uring_batches batches;
    char *input; /* of one read */
};

/* An entry about a connection, or NULL; its completion comes with both. */
struct io_uring_sqe *uring_entry_add(struct uring_loop *loop, enum io_uring_op code, int fd,
                                     const void *about, enum operation operation);

/* Takes an admitted connection, and receives. */
void uring_conn_open(struct uring_loop *loop, int fd);
/* When the ring is closed: nothing is on its way. */
void uring_conn_close(struct uring_loop *loop, struct uring_conn *conn);

/* Completions; the connection may be gone afterwards. */
void uring_conn_received(struct uring_loop *loop, struct uring_conn *conn,
                         const struct io_uring_cqe *cqe);
void uring_conn_readable(struct uring_loop *loop, struct uring_conn *conn,
                         const struct io_uring_cqe *cqe);
void uring_conn_sent(struct uring_loop *loop, struct uring_conn *conn, int result);

/* Answers what came while an answer was on its way. */
void uring_conns_feed(struct uring_loop *loop);
/* Hands the turn's answers to the kernel, when it waits. */
void uring_conns_send(struct uring_loop *loop);
/* After that, and before the completions, of which there are so many: those that were sent and are
 * not told of. */
void uring_conns_settle(struct uring_loop *loop, uint32_t completion_count);
/* Ends a connection that took too long; one with a request half sent is told so. */
void uring_conn_check_time(struct uring_loop *loop, struct uring_conn *conn);

#endif
