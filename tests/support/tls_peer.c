// SPDX-License-Identifier: Apache-2.0
// The process of the https server, and its certificate.
#include "tests/support/tls_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"

#define PEER_BACKLOG 256
#define DAY_S        (24 * 3600L)

struct peer_process {
    const struct tls_peer_script *script;
    struct tls_peer_stats *stats;
    SSL_CTX *context;
    int listener;
};

struct peer_client {
    const struct peer_process *process;
    int fd;
};

static void demand(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

/* --- the certificate --- */

static void name_add(X509 *certificate, const char *name)
{
    unsigned char address[4];
    char text[300];

    snprintf(text, sizeof(text), "%s:%s", inet_pton(AF_INET, name, address) == 1 ? "IP" : "DNS",
             name);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, text);
    demand(extension && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

/* Signed by itself: who trusts it trusts nobody else. */
static X509 *certificate_make(const struct tls_peer_script *script, EVP_PKEY *key)
{
    static const unsigned char subject[] = "tacho test";
    X509 *certificate = X509_new();
    X509_NAME *name = X509_get_subject_name(certificate);

    demand(X509_set_version(certificate, 2) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * DAY_S) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), script->is_expired ? -DAY_S : DAY_S) !=
               NULL &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, subject, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1);
    name_add(certificate, script->name ? script->name : "127.0.0.1");
    demand(X509_sign(certificate, key, EVP_sha256()) > 0);
    return certificate;
}

static int alpn_choose(SSL *ssl, const unsigned char **out, unsigned char *length,
                       const unsigned char *offered, unsigned offered_bytes, void *self)
{
    const struct tls_peer_script *script = self;

    (void)ssl, (void)offered, (void)offered_bytes;
    *out = (const unsigned char *)script->alpn;
    *length = (unsigned char)strlen(script->alpn);
    return SSL_TLSEXT_ERR_OK;
}

static int server_name_keep(SSL *ssl, int *alert, void *self)
{
    struct tls_peer_stats *stats = self;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);

    (void)alert;
    snprintf(stats->server_name, sizeof(stats->server_name), "%s", name ? name : "");
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *context_make(struct tls_peer *peer, const struct tls_peer_script *script)
{
    union {
        const struct tls_peer_script *given;
        void *taken;
    } self = {.given = script};
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = certificate_make(script, key);
    FILE *file = fopen(peer->ca_path, "w");

    demand(file && PEM_write_X509(file, certificate) == 1 && fclose(file) == 0);
    demand(SSL_CTX_use_certificate(context, certificate) == 1 &&
           SSL_CTX_use_PrivateKey(context, key) == 1);
    if (script->version) {
        demand(SSL_CTX_set_max_proto_version(context, script->version) == 1);
    }
    if (script->alpn) {
        SSL_CTX_set_alpn_select_cb(context, alpn_choose, self.taken);
    }
    SSL_CTX_set_tlsext_servername_callback(context, server_name_keep);
    SSL_CTX_set_tlsext_servername_arg(context, peer->stats);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

/* --- one client --- */

/* Up to the blank line; false: the client is gone. */
static bool request_read(SSL *ssl, struct tls_peer_stats *stats)
{
    static const char blank_line[] = "\r\n\r\n";
    unsigned match = 0;
    char byte;

    while (match < 4) {
        int count = SSL_read(ssl, &byte, 1);
        if (count <= 0) {
            atomic_fetch_add(&stats->notified_count,
                             SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN);
            return false;
        }
        match = byte == blank_line[match] ? match + 1 : byte == '\r';
    }
    atomic_fetch_add(&stats->request_count, 1);
    return true;
}

static bool reply_write(SSL *ssl, const struct tls_peer_script *script)
{
    size_t length = script->reply ? strlen(script->reply) : 0, done = 0;

    while (done < length) {
        size_t rest = length - done;
        size_t count =
            script->write_bytes && script->write_bytes < rest ? script->write_bytes : rest;
        if (SSL_write(ssl, script->reply + done, (int)count) != (int)count) {
            return false;
        }
        done += count;
    }
    return true;
}

static void client_end(SSL *ssl, int fd, enum tls_peer_end end)
{
    static const char garbage[] = "these bytes are no TLS";
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    if (end == TLS_PEER_NOTIFY) {
        SSL_shutdown(ssl);
    } else if (end == TLS_PEER_RESET) {
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    } else if (end == TLS_PEER_GARBAGE) {
        (void)!write(fd, garbage, sizeof(garbage));
    }
}

static void client_serve(const struct peer_process *process, SSL *ssl, int fd)
{
    const struct tls_peer_script *script = process->script;

    if (SSL_accept(ssl) != 1) {
        return;
    }
    atomic_fetch_add(&process->stats->handshake_count, 1);
    atomic_fetch_add(&process->stats->resumed_count, (uint64_t)SSL_session_reused(ssl));
    while (request_read(ssl, process->stats) && reply_write(ssl, script)) {
        if (script->end != TLS_PEER_KEEP) {
            client_end(ssl, fd, script->end);
            return;
        }
    }
}

static void handshake_refuse(const struct peer_process *process, int fd)
{
    static const char plain[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    char bytes[4096];

    (void)!read(fd, bytes, sizeof(bytes));
    if (process->script->handshake == TLS_PEER_PLAIN) {
        (void)!write(fd, plain, sizeof(plain) - 1);
    }
    while (process->script->handshake == TLS_PEER_HANGS && read(fd, bytes, sizeof(bytes)) > 0) {
    }
}

static void *client_run(void *argument)
{
    struct peer_client *client = argument;
    SSL *ssl = SSL_new(client->process->context);

    SSL_set_fd(ssl, client->fd);
    if (client->process->script->handshake == TLS_PEER_SHAKES) {
        client_serve(client->process, ssl, client->fd);
    } else {
        handshake_refuse(client->process, client->fd);
    }
    SSL_free(ssl);
    close(client->fd);
    free(client);
    return NULL;
}

static void peer_run(const struct peer_process *process)
{
    for (;;) {
        struct peer_client *client = malloc(sizeof(*client));
        pthread_t thread;

        demand(client != NULL);
        *client = (struct peer_client){process, accept(process->listener, NULL, NULL)};
        if (client->fd < 0 || pthread_create(&thread, NULL, client_run, client) != 0) {
            _exit(1);
        }
        pthread_detach(thread);
    }
}

/* --- the process --- */

static int tcp_listen(uint16_t *port_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    demand(listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
           listen(listener, PEER_BACKLOG) == 0 &&
           getsockname(listener, (struct sockaddr *)&address, &address_bytes) == 0);
    *port_out = ntohs(address.sin_port);
    return listener;
}

void tls_peer_open(struct tls_peer *peer, const struct tls_peer_script *script)
{
    struct peer_process process = {.script = script};

    *peer = (struct tls_peer){.folder = "/tmp/tacho-tls-XXXXXX"};
    demand(mkdtemp(peer->folder) != NULL);
    snprintf(peer->ca_path, sizeof(peer->ca_path), "%s/ca.pem", peer->folder);
    peer->stats =
        mmap(NULL, sizeof(*peer->stats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    demand(peer->stats != MAP_FAILED);
    process.stats = peer->stats;
    process.listener = tcp_listen(&peer->port);
    process.context = context_make(peer, script);
    peer->pid = fork();
    demand(peer->pid >= 0);
    if (peer->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        peer_run(&process);
    }
    SSL_CTX_free(process.context);
    close(process.listener);
}

void tls_peer_wait(const _Atomic uint64_t *count, uint64_t wanted)
{
    const struct clock *clock = clock_system();
    int64_t end_ns = clock_now_ns(clock) + 2 * CLOCK_NS_PER_S;

    while (atomic_load(count) < wanted && clock_now_ns(clock) < end_ns) {
        clock->sleep_until_ns(clock->self, clock_now_ns(clock) + CLOCK_NS_PER_MS);
    }
}

void tls_peer_close(struct tls_peer *peer)
{
    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, NULL, 0);
    munmap(peer->stats, sizeof(*peer->stats));
    unlink(peer->ca_path);
    rmdir(peer->folder);
}
