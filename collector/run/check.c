// SPDX-License-Identifier: Apache-2.0
// One request by libcurl.
#include "collector/run/check.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "collector/driver/target.h"
#include "engines/base/clock.h"

enum err_code check_init(struct err *e)
{
    CURLcode status = curl_global_init(CURL_GLOBAL_DEFAULT);

    if (status != CURLE_OK) {
        return err_set(e, ERR_SYS, "libcurl: %s", curl_easy_strerror(status));
    }
    return ERR_OK;
}

static size_t body_take(char *bytes, size_t size, size_t count, void *self)
{
    struct buf *body = self;

    buf_add(body, bytes, size * count);
    return body->failed ? 0 : size * count;
}

/* libcurl's progress callback; another value than 0 ends the transfer. */
static int progress_look(void *self, curl_off_t download_total, curl_off_t downloaded,
                         curl_off_t upload_total, curl_off_t uploaded)
{
    const struct check_cancel *cancel = self;

    (void)download_total, (void)downloaded, (void)upload_total, (void)uploaded;
    return cancel->is_wanted(cancel->self);
}

static void cancel_set(CURL *curl, const struct check_cancel *cancel)
{
    /* libcurl takes no pointer to const, and only hands it back. */
    union {
        const struct check_cancel *given;
        void *taken;
    } self = {.given = cancel};

    if (cancel) {
        curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress_look);
        curl_easy_setopt(curl, CURLOPT_XFERINFODATA, self.taken);
    }
}

/* Wherever the name leads, the server is on this machine. */
static void server_set(CURL *curl, const struct check_server *server, struct curl_slist *way)
{
    char url[TARGET_HOST_BYTES + 32];

    /* The path goes as it is, not through libcurl's clean-up of "..". */
    snprintf(url, sizeof(url), "http%s://%s:%u/", server->tls ? "s" : "", server->host,
             server->port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    if (server->tls) {
        curl_easy_setopt(curl, CURLOPT_CONNECT_TO, way);
    }
    if (server->tls && server->tls->skips_certificate) {
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    } else if (server->tls && server->tls->ca_file) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, server->tls->ca_file);
    }
}

static void request_set(CURL *curl, const struct plan_request *request, int64_t timeout_ns)
{
    long timeout_ms = (long)(timeout_ns / CLOCK_NS_PER_MS);

    curl_easy_setopt(curl, CURLOPT_REQUEST_TARGET, request->path);
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* whatever the environment says */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "tacho");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms > 0 ? timeout_ms : 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_take);
    if (strcmp(request->method, "HEAD") == 0) {
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    } else if (strcmp(request->method, "POST") == 0) {
        curl_easy_setopt(curl, CURLOPT_POST, 1L);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes);
    }
}

static enum err_code answer_make(CURL *curl, const struct buf *body,
                                 struct check_answer *answer_out, struct err *e)
{
    struct check_answer answer = {.body_bytes = body->length,
                                  .body_xxh64 = XXH64(body->bytes, body->length, 0)};
    long status = 0;

    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    answer.status = (int)status;
    enum err_code code = digest_bytes(body->bytes, body->length, answer.body_sha256, e);
    if (code == ERR_OK) {
        *answer_out = answer;
    }
    return code;
}

/* libcurl has one sentence for all that is wrong with a certificate. */
static enum err_code distrust_set(CURL *curl, const struct check_server *server, struct err *e)
{
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    const char *why = NULL;
    long verdict = 0;

    /* Other libraries have other numbers. */
    if (library && strncmp(library, "OpenSSL", strlen("OpenSSL")) == 0) {
        curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &verdict);
        why = tls_verdict_text(verdict);
    }
    return why ? err_set(e, ERR_MISMATCH,
                         "its certificate is refused: %s; \"tls: { ca: FILE }\" says whom to trust",
                         why)
               : err_set(
                     e, ERR_MISMATCH,
                     "its certificate is refused: it is not one for %.100s; \"tls: { host: … }\" "
                     "says whose it is",
                     server->host);
}

/* The first line of an answer came, or more. */
static bool has_begun(CURL *curl)
{
    long head_bytes = 0;

    return curl_easy_getinfo(curl, CURLINFO_HEADER_SIZE, &head_bytes) == CURLE_OK && head_bytes > 0;
}

static enum err_code failure_set(CURL *curl, CURLcode status, const struct check_server *server,
                                 struct err *e)
{
    switch (status) {
    case CURLE_PEER_FAILED_VERIFICATION:
        return distrust_set(curl, server, e);
    case CURLE_SSL_CACERT_BADFILE:
        return err_set(e, ERR_MISMATCH, "%.200s: no file with certificates in PEM",
                       server->tls->ca_file ? server->tls->ca_file : "the system's certificates");
    case CURLE_SSL_CONNECT_ERROR:
        return err_set(e, ERR_FORMAT, "the TLS handshake failed; is it a server of https?");
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        return err_set(e, ERR_SYS, "%s: %s",
                       has_begun(curl) ? "an answer began and did not end" : "no answer",
                       curl_easy_strerror(status));
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
        return err_set(e, ERR_SYS, "no answer: %s", curl_easy_strerror(status));
    case CURLE_WRITE_ERROR:
        return err_set(e, ERR_LIMIT, "the body is larger than %zu bytes", CHECK_BODY_BYTES_MAX);
    default:
        return err_set(e, ERR_FORMAT, "%s", curl_easy_strerror(status));
    }
}

enum err_code check_fetch(const struct plan_request *request, const struct check_server *server,
                          int64_t timeout_ns, const struct check_cancel *cancel,
                          struct check_answer *answer_out, struct err *e)
{
    char to[32];
    struct buf body;
    CURL *curl = curl_easy_init();

    if (!curl) {
        return err_set(e, ERR_LIMIT, "no memory for libcurl");
    }
    buf_init(&body, CHECK_BODY_BYTES_MAX);
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    struct curl_slist *more =
        headers ? curl_slist_append(headers, "Content-Type: application/octet-stream") : NULL;
    snprintf(to, sizeof(to), "::127.0.0.1:%u", server->port);
    struct curl_slist *way = curl_slist_append(NULL, to);
    enum err_code code = ERR_OK;
    if (!more || !way) {
        code = err_set(e, ERR_LIMIT, "no memory for libcurl");
    } else {
        server_set(curl, server, way);
        request_set(curl, request, timeout_ns);
        cancel_set(curl, cancel);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
        if (strcmp(request->method, "POST") == 0) {
            curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        }
        CURLcode status = curl_easy_perform(curl);
        code = status == CURLE_OK ? answer_make(curl, &body, answer_out, e)
                                  : failure_set(curl, status, server, e);
    }
    curl_slist_free_all(headers);
    curl_slist_free_all(way);
    curl_easy_cleanup(curl);
    buf_release(&body);
    return code;
}

enum err_code check_compare(const struct plan_request *request, const struct check_answer *answer,
                            struct err *e)
{
    const struct plan_expect *expect = &request->expect;
    bool is_head = strcmp(request->method, "HEAD") == 0;

    if (answer->status != expect->status) {
        return err_set(e, ERR_MISMATCH, "status %d, the plan expects %d", answer->status,
                       expect->status);
    }
    if (is_head) {
        return ERR_OK;
    }
    if (expect->body_bytes >= 0 && answer->body_bytes != (uint64_t)expect->body_bytes) {
        return err_set(e, ERR_MISMATCH, "a body of %llu bytes, the plan expects %lld",
                       (unsigned long long)answer->body_bytes, (long long)expect->body_bytes);
    }
    if (expect->body_sha256 && strcmp(answer->body_sha256, expect->body_sha256) != 0) {
        return err_set(e, ERR_MISMATCH, "a body with SHA-256 %s, the plan expects %s",
                       answer->body_sha256, expect->body_sha256);
    }
    return ERR_OK;
}
