// SPDX-License-Identifier: Apache-2.0
// TLS by OpenSSL. Each connection has a BIO that reads what the caller received and writes to the
// socket.
#include "collector/driver/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engines/base/fs.h"

static const unsigned char alpn_http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

struct tls {
    SSL_CTX *context;
    BIO_METHOD *method;
    const struct tls_settings *settings;
    bool host_is_address;
};

/* --- between OpenSSL and the socket --- */

static int wire_read(BIO *bio, char *bytes, int size)
{
    struct tls_link *link = BIO_get_data(bio);
    size_t count = link->wire_bytes < (size_t)size ? link->wire_bytes : (size_t)size;

    BIO_clear_retry_flags(bio);
    if (count == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    memcpy(bytes, link->wire, count);
    link->wire += count;
    link->wire_bytes -= count;
    return (int)count;
}

static int wire_write(BIO *bio, const char *bytes, int length)
{
    struct tls_link *link = BIO_get_data(bio);
    ssize_t count = send(link->fd, bytes, (size_t)length, MSG_NOSIGNAL);

    BIO_clear_retry_flags(bio);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        BIO_set_retry_write(bio);
        return -1;
    }
    if (count < 0) {
        link->send_error = errno;
        return -1;
    }
    link->sent_bytes += (uint64_t)count;
    return (int)count;
}

static long wire_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method_new(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket");

    if (method && BIO_meth_set_read(method, wire_read) && BIO_meth_set_write(method, wire_write) &&
        BIO_meth_set_ctrl(method, wire_control)) {
        return method;
    }
    BIO_meth_free(method);
    return NULL;
}

/* --- what all connections share --- */

/* A session that can be resumed, mostly one that the server sends behind the handshake. */
static int session_keep(SSL *ssl, SSL_SESSION *session)
{
    struct tls_link *link = SSL_get_app_data(ssl);

    SSL_SESSION_free(link->tally->session);
    link->tally->session = session;
    return 1; /* it is ours now */
}

static bool context_set(struct tls *tls)
{
    SSL_CTX *context = tls->context;
    bool resumes = !tls->settings->never_resumes;

    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(
        context, resumes ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL : SSL_SESS_CACHE_OFF);
    if (resumes) {
        SSL_CTX_sess_set_new_cb(context, session_keep);
    }
    SSL_CTX_set_verify(context,
                       tls->settings->skips_certificate ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_alpn_protos(context, alpn_http11, sizeof(alpn_http11)) == 0;
}

static enum err_code ca_load(SSL_CTX *context, const char *file, struct err *e)
{
    enum err_code code = fs_check_regular(file, 0, e);

    if (code == ERR_OK && SSL_CTX_load_verify_file(context, file) != 1) {
        ERR_clear_error();
        return err_set(e, ERR_USAGE, "%.180s: no file with certificates in PEM", file);
    }
    return code;
}

enum err_code tls_check_ca(const char *file, struct err *e)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    enum err_code code =
        context ? ca_load(context, file, e) : err_set(e, ERR_LIMIT, "OpenSSL cannot be set up");

    SSL_CTX_free(context);
    return code;
}

/* "Unspecified" is what it is before it was looked at. */
const char *tls_verdict_text(long verdict)
{
    return verdict == X509_V_OK || verdict == X509_V_ERR_UNSPECIFIED
               ? NULL
               : X509_verify_cert_error_string(verdict);
}

static enum err_code certificates_load(struct tls *tls, struct err *e)
{
    if (tls->settings->skips_certificate) {
        return ERR_OK;
    }
    if (tls->settings->ca_file) {
        return ca_load(tls->context, tls->settings->ca_file, e);
    }
    return SSL_CTX_set_default_verify_paths(tls->context) == 1
               ? ERR_OK
               : err_set(e, ERR_LIMIT, "the system's certificates cannot be read");
}

enum err_code tls_open(const struct tls_settings *settings, struct tls **tls_out, struct err *e)
{
    unsigned char address[sizeof(struct in6_addr)];
    struct tls *tls = calloc(1, sizeof(*tls));

    if (!tls) {
        return err_set(e, ERR_LIMIT, "no memory for TLS");
    }
    tls->settings = settings;
    tls->host_is_address = inet_pton(AF_INET, settings->host, address) == 1 ||
                           inet_pton(AF_INET6, settings->host, address) == 1;
    tls->method = method_new();
    tls->context = SSL_CTX_new(TLS_client_method());
    enum err_code code = ERR_OK;
    if (!tls->method || !tls->context || !context_set(tls)) {
        code = err_set(e, ERR_LIMIT, "OpenSSL cannot be set up");
    } else {
        code = certificates_load(tls, e);
    }
    if (code != ERR_OK) {
        tls_close(tls);
        return code;
    }
    *tls_out = tls;
    return ERR_OK;
}

void tls_close(struct tls *tls)
{
    if (tls) {
        SSL_CTX_free(tls->context);
        BIO_meth_free(tls->method);
        free(tls);
    }
}

void tls_tally_release(struct tls_tally *tally)
{
    SSL_SESSION_free(tally->session);
    tally->session = NULL;
}

/* --- one connection --- */

/* Whom the certificate must be of; a name is also told to the server (RFC 6066: no addresses). */
static bool host_set(const struct tls *tls, SSL *ssl)
{
    const char *host = tls->settings->host;

    if (tls->host_is_address) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
    }
    /* The macro takes no const, and changes nothing. */
    return SSL_set1_host(ssl, host) == 1 &&
           SSL_set_tlsext_host_name(ssl, (char *)(uintptr_t)host) == 1;
}

/* OpenSSL marks a session of TLS 1.3 as used up when it was offered: so that is a copy. The ticket
 * is offered again until a newer one is there, which servers without a memory of it accept. */
static void session_offer(SSL *ssl, const SSL_SESSION *latest)
{
    SSL_SESSION *session = latest ? SSL_SESSION_dup(latest) : NULL;

    if (session) {
        (void)SSL_set_session(ssl, session);
        SSL_SESSION_free(session);
    }
}

bool tls_link_open(struct tls *tls, struct tls_tally *tally, int fd, struct tls_link *link)
{
    SSL *ssl = SSL_new(tls->context);
    BIO *bio = BIO_new(tls->method);

    if (!ssl || !bio || !host_set(tls, ssl)) {
        SSL_free(ssl);
        BIO_free(bio);
        ERR_clear_error();
        return false;
    }
    *link = (struct tls_link){.ssl = ssl, .tally = tally, .fd = fd};
    BIO_set_data(bio, link);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, link);
    SSL_set_connect_state(ssl);
    session_offer(ssl, tally->session);
    return true;
}

void tls_link_close(struct tls_link *link)
{
    if (!link->ssl) {
        return;
    }
    if (!link->is_broken && SSL_is_init_finished(link->ssl)) {
        (void)SSL_shutdown(link->ssl);
    }
    /* Else the session, which is as good as before, would not be resumed again. */
    SSL_set_shutdown(link->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(link->ssl);
    ERR_clear_error();
    link->ssl = NULL;
    link->wire_bytes = 0;
}

void tls_link_give(struct tls_link *link, const char *wire, size_t wire_bytes)
{
    link->wire = wire;
    link->wire_bytes = wire_bytes;
}

void tls_link_fail(struct tls_link *link, const char *why)
{
    struct tls_tally *tally = link->tally;

    link->is_broken = true;
    if (tally->failure[0] == '\0') {
        snprintf(tally->failure, sizeof(tally->failure), "%s", why ? why : "the socket broke");
    }
}

enum tls_state tls_link_shake(struct tls_link *link)
{
    int status = SSL_do_handshake(link->ssl);

    if (status == 1) {
        return TLS_DONE;
    }
    if (SSL_get_error(link->ssl, status) == SSL_ERROR_WANT_READ) {
        return TLS_MORE;
    }
    long verdict = SSL_get_verify_result(link->ssl);
    bool is_unwanted = verdict != X509_V_OK && SSL_get_verify_mode(link->ssl) != SSL_VERIFY_NONE;
    const char *why = is_unwanted ? X509_verify_cert_error_string(verdict)
                                  : ERR_reason_error_string(ERR_peek_last_error());
    link->tally->is_distrusted |= is_unwanted && link->tally->failure[0] == '\0';
    tls_link_fail(link, why);
    ERR_clear_error();
    return is_unwanted ? TLS_BAD_CERTIFICATE : TLS_BROKEN;
}

void tls_link_count(struct tls_link *link, int64_t duration_ns)
{
    struct tls_tally *tally = link->tally;
    const char *version = SSL_get_version(link->ssl);
    const char *cipher = SSL_get_cipher_name(link->ssl);

    if (SSL_session_reused(link->ssl)) {
        tally->resumed_count++;
    } else {
        tally->full_count++;
    }
    tally->handshake_ns += duration_ns;
    if (!tally->version) {
        tally->version = version;
        tally->cipher = cipher;
    }
    tally->is_mixed |= strcmp(tally->version, version) != 0 || strcmp(tally->cipher, cipher) != 0;
}

enum tls_state tls_link_receive(struct tls_link *link, char *bytes, size_t size, size_t *count_out)
{
    size_t total = 0, count = 0;
    int status = 1;

    while (total < size && (status = SSL_read_ex(link->ssl, bytes + total, size - total, &count))) {
        total += count;
    }
    *count_out = total;
    if (status == 1) {
        return TLS_MORE; /* full: with all that was given, as TLS_WIRE_BYTES sees to */
    }
    switch (SSL_get_error(link->ssl, status)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: /* an answer of TLS's own waits for room: it goes with the next */
        return TLS_MORE;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_CLOSED;
    default:
        ERR_clear_error();
        link->is_broken = true;
        return TLS_BROKEN;
    }
}

ssize_t tls_link_send(struct tls_link *link, const char *bytes, size_t length)
{
    size_t total = 0, count = 0;

    while (total < length) {
        int status = SSL_write_ex(link->ssl, bytes + total, length - total, &count);
        if (status == 1) {
            total += count;
            continue;
        }
        if (SSL_get_error(link->ssl, status) == SSL_ERROR_WANT_WRITE) {
            errno = EAGAIN;
            return total > 0 ? (ssize_t)total : -1;
        }
        link->is_broken = true;
        errno = link->send_error ? link->send_error : EPROTO;
        ERR_clear_error();
        return -1;
    }
    return (ssize_t)total;
}
