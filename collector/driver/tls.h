// SPDX-License-Identifier: Apache-2.0
// TLS between a client's socket and its HTTP: OpenSSL with the socket's calls taken out of it, so
// that one receive and one send a request stay one. The only module of the driver that calls it.
#ifndef COLLECTOR_DRIVER_TLS_H
#define COLLECTOR_DRIVER_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

#define TLS_VERSION_BYTES 16
#define TLS_CIPHER_BYTES  64
#define TLS_FAILURE_BYTES 120
/* At most so much is given to one tls_receive: what comes of it fits into 64 KiB. */
#define TLS_WIRE_BYTES (48 * 1024)

/* How a server is spoken to; the texts are kept by reference. */
struct tls_settings {
    const char *host;       /* name or address that its certificate must hold; names: SNI too */
    const char *ca_file;    /* PEM, instead of the system's; NULL: the system's */
    bool skips_certificate; /* whoever it is, is taken for it */
    bool never_resumes;     /* every handshake is a full one */
};

/* What is common to all connections, of all threads. */
struct tls;

/* What the handshakes of a thread came to; zero it to begin. */
struct tls_tally {
    const char *version, *cipher; /* of the first one; NULL: none yet */
    bool is_mixed;                /* others negotiated another version or cipher */
    uint64_t full_count, resumed_count;
    int64_t handshake_ns;            /* all of them together */
    char failure[TLS_FAILURE_BYTES]; /* why the first one failed; "": none did */
    bool is_distrusted;              /* that was the certificate */
    struct ssl_session_st *session;  /* the latest to resume; tls_tally_release */
};

/* The same of all threads. */
struct tls_total {
    char version[TLS_VERSION_BYTES], cipher[TLS_CIPHER_BYTES]; /* "mixed": several; "": none */
    uint64_t full_count, resumed_count;
    int64_t handshake_ns; /* each from the connected socket to its end */
    char failure[TLS_FAILURE_BYTES];
    bool is_distrusted; /* the failure was the certificate */
};

/* One connection. Zero it to begin. */
struct tls_link {
    struct ssl_st *ssl; /* NULL: not open */
    struct tls_tally *tally;
    const char *wire; /* what the socket brought and TLS has not taken */
    size_t wire_bytes;
    uint64_t sent_bytes; /* to the socket; the user may reset it */
    int64_t began_ns;    /* the user's: when the handshake began */
    int fd, send_error;
    bool is_broken; /* nothing more may be written */
};

enum tls_state {
    TLS_DONE,           /* the handshake: over */
    TLS_MORE,           /* all that came was used; more is wanted */
    TLS_CLOSED,         /* the peer said that nothing more follows (close_notify) */
    TLS_BROKEN,         /* an alert, or bytes that are no TLS */
    TLS_BAD_CERTIFICATE /* it is not the peer's that was wanted */
};

/* errors   ERR_USAGE: the file of certificates cannot be read or holds none; ERR_LIMIT */
enum err_code tls_open(const struct tls_settings *settings, struct tls **tls_out,
                       struct err *e) ATTR_MUST_USE;
/* Whether the file is one for ca_file. errors as those of tls_open */
enum err_code tls_check_ca(const char *file, struct err *e) ATTR_MUST_USE;
/* What OpenSSL's number of a certificate's verification means; NULL: nothing is wrong with who
 * signed it. */
const char *tls_verdict_text(long verdict);
/* NULL is accepted. */
void tls_close(struct tls *tls);
void tls_tally_release(struct tls_tally *tally);

/* Over a connected, non-blocking socket, which stays the caller's. False: no memory. */
bool tls_link_open(struct tls *tls, struct tls_tally *tally, int fd,
                   struct tls_link *link) ATTR_MUST_USE;

/* Tells the peer when it can, and frees; nothing when it is not open. */
void tls_link_close(struct tls_link *link);

/* Hands over what the socket brought; it must stay there until TLS_MORE. */
void tls_link_give(struct tls_link *link, const char *wire, size_t wire_bytes);

/* Goes on with the handshake. On failure tally->failure says why. */
enum tls_state tls_link_shake(struct tls_link *link);

/* The handshake that took so long is over: counts it. */
void tls_link_count(struct tls_link *link, int64_t duration_ns);

/* Why the first handshake failed, for one that the socket ended. */
void tls_link_fail(struct tls_link *link, const char *why);

/* Decrypts all that was given. `size`: 64 KiB at least. What came before the end is in *count_out
 * also when there is one. */
enum tls_state tls_link_receive(struct tls_link *link, char *bytes, size_t size, size_t *count_out);

/* As send(2): how much was taken, or -1 with errno, EAGAIN: the same must be given again. */
ssize_t tls_link_send(struct tls_link *link, const char *bytes, size_t length);

#endif
