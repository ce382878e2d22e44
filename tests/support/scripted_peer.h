// SPDX-License-Identifier: Apache-2.0
// A server that misbehaves by script, in a process of its own, so that it can be killed and
// stopped.
#ifndef TESTS_SUPPORT_SCRIPTED_PEER_H
#define TESTS_SUPPORT_SCRIPTED_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum peer_after {
    PEER_KEEP,  /* waits for the next request */
    PEER_CLOSE, /* FIN after the bytes */
    PEER_RESET, /* RST after the bytes */
    PEER_HALVE, /* FIN after the bytes; keeps the connection as PEER_HANG does */
    PEER_HANG,  /* keeps the connection and never does anything more */
};

/* The answer to one request. */
struct peer_reply {
    const char *bytes; /* NULL: none */
    size_t byte_count; /* 0: strlen(bytes) */
    int64_t delay_ns;  /* before the first byte */
    bool is_trickled;  /* one byte a write */
    enum peer_after after;
};

/* Which reply a request gets: the one of this number, modulo the number of replies. */
enum peer_order {
    PEER_BY_REQUEST,    /* requests of the whole peer */
    PEER_BY_CONNECTION, /* connections in the order of their acceptance */
    PEER_BY_TURN,       /* requests on the same connection */
};

#define PEER_REPLY_LIMIT 100
struct peer_script {
    struct peer_reply replies[PEER_REPLY_LIMIT];
    size_t reply_count;
    enum peer_order order;
    bool never_reads;
    const char *socket_path; /* listens there instead of on 127.0.0.1; NULL: it does not */
};

/* In shared memory: readable after the process has ended. */
struct peer_stats {
    _Atomic uint64_t accepted_count;
    _Atomic uint64_t used_count;     /* connections with at least one whole request */
    _Atomic uint64_t request_count;  /* whole requests */
    _Atomic uint64_t response_count; /* replies written to their end */
    _Atomic uint64_t sent_bytes;
};

struct peer {
    pid_t pid;
    uint16_t port; /* on 127.0.0.1 */
    struct peer_stats *stats;
};

/* Starts the process; it listens when this returns. The script must outlive it. Aborts the test
 * when it cannot. */
void peer_open(struct peer *peer, const struct peer_script *script);

/* SIGKILL, SIGSTOP, … to the process. */
void peer_signal(const struct peer *peer, int signal_number);

/* Waits, 500 ms at most, until the process has counted what it sent up to now, which is after
 * others have received it: it counts one connection more. */
void peer_settle(const struct peer *peer);

/* Ends the process; the statistics stay readable until then. */
void peer_close(struct peer *peer);

#endif
