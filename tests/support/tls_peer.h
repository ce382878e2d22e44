// SPDX-License-Identifier: Apache-2.0
// An https server that misbehaves by script, in a process of its own, with a certificate made for
// it. Blocking OpenSSL, one thread a connection.
#ifndef TESTS_SUPPORT_TLS_PEER_H
#define TESTS_SUPPORT_TLS_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What it does after its answer. */
enum tls_peer_end {
    TLS_PEER_KEEP,    /* waits for the next request */
    TLS_PEER_NOTIFY,  /* close_notify, then FIN */
    TLS_PEER_CUT,     /* FIN without a word of TLS */
    TLS_PEER_RESET,   /* RST */
    TLS_PEER_GARBAGE, /* bytes that are no TLS */
};

/* What it does instead of a handshake. */
enum tls_peer_handshake {
    TLS_PEER_SHAKES,
    TLS_PEER_PLAIN,  /* answers in plain HTTP */
    TLS_PEER_CLOSES, /* after the first bytes */
    TLS_PEER_HANGS,
};

struct tls_peer_script {
    const char *reply;
    enum tls_peer_end end;
    enum tls_peer_handshake handshake;
    int version;          /* TLS1_2_VERSION; 0: the highest */
    const char *name;     /* in its certificate; NULL: 127.0.0.1 */
    const char *alpn;     /* what it chooses whatever is offered; NULL: nothing */
    bool is_expired;      /* its certificate */
    uint32_t write_bytes; /* of one record; 0: all */
};

/* In shared memory. */
struct tls_peer_stats {
    _Atomic uint64_t handshake_count, resumed_count, request_count, notified_count;
    char server_name[256]; /* that the last client asked for (SNI) */
};

struct tls_peer {
    pid_t pid;
    uint16_t port; /* on 127.0.0.1 */
    char folder[64], ca_path[96];
    struct tls_peer_stats *stats;
};

/* It listens when this returns. The script must outlive it. Aborts the test when it cannot. */
void tls_peer_open(struct tls_peer *peer, const struct tls_peer_script *script);

/* Until a count of its statistics is so large, or 2 s are over. */
void tls_peer_wait(const _Atomic uint64_t *count, uint64_t wanted);

void tls_peer_close(struct tls_peer *peer);

#endif
