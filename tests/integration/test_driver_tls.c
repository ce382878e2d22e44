// SPDX-License-Identifier: Apache-2.0
// The driver over TLS: what ends a handshake and a connection, whom it trusts, what it resumes.
#include <criterion/criterion.h>

#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/drive_command.h"
#include "tests/support/driver_load.h"
#include "tests/support/tls_peer.h"

#define CLOSE_FRAMED "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npong"

struct tls_row {
    const char *name;
    struct tls_peer_script script;
    struct load load;
    enum outcome want;   /* of every request but those that a close crossed */
    const char *version; /* that was negotiated; NULL: no handshake ended well */
    const char *failure; /* a part of the reason; NULL: none failed */
    const char *host;    /* NULL: 127.0.0.1 */
    bool trusts_system;  /* not the peer's certificate */
    bool is_insecure, never_resumes;
};

/* No connection of a row that wants a fault in connecting comes about: its ramp is given up. */
static bool has_ramp(const struct tls_row *row)
{
    return row->version != NULL;
}

/* A short patience: nothing here is slow. */
static void row_drive(const struct tls_row *row)
{
    static const volatile sig_atomic_t stop = 1;
    struct tls_settings tls = {.host = row->host ? row->host : "127.0.0.1",
                               .skips_certificate = row->is_insecure,
                               .never_resumes = row->never_resumes};
    struct driver_config config;
    struct driver *driver;
    struct tls_peer peer;
    struct err e = {0};

    memset(&load_result, 0, sizeof(load_result));
    tls_peer_open(&peer, &row->script);
    load_config(&row->load, peer.port, &config);
    config.timeout_ns = row->load.timeout_ns ? row->load.timeout_ns : 300 * MS;
    config.grid.window_ns = 3000 * MS; /* on a busy machine; it ends with the last request */
    config.request_limit = has_ramp(row) ? 40 : 4;
    config.tls = &tls;
    config.stop = has_ramp(row) ? NULL : &stop;
    tls.ca_file = row->trusts_system || row->is_insecure ? NULL : peer.ca_path;
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s: %s", row->name, e.text);
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    load_take(driver, &row->load, NULL, zero_ns);
    driver_get_totals(driver, &load_result.totals);
    driver_close(driver);
    load_result.peer_requests = peer.stats->request_count;
    load_check_sums(row->name);
    tls_peer_close(&peer);
}

static void row_check(const struct tls_row *row)
{
    const struct driver_totals *totals = &load_result.totals;

    row_drive(row);
    cr_expect_gt(totals->outcomes[row->want], 0, "%s", row->name);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        cr_expect(i == (int)row->want || totals->outcomes[i] == 0, "%s: %lu %s", row->name,
                  totals->outcomes[i], outcome_infos[i].name);
    }
    cr_expect_str_eq(totals->tls.version, row->version ? row->version : "", "%s", row->name);
    cr_expect(row->failure ? strstr(totals->tls.failure, row->failure) != NULL
                           : totals->tls.failure[0] == '\0',
              "%s: \"%s\"", row->name, totals->tls.failure);
}

/* Names of failures are OpenSSL's; those of certificates as `openssl verify` prints them. */
Test(driver_tls, classifies_every_end_of_a_handshake_and_of_a_connection)
{
    static const struct tls_row rows[] = {
        {"TLS 1.3", {.reply = OK_RESPONSE}, {0}, OUTCOME_OK, .version = "TLSv1.3"},
        {"TLS 1.2",
         {.reply = OK_RESPONSE, .version = TLS1_2_VERSION},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.2"},
        {"a record a byte",
         {.reply = OK_RESPONSE, .write_bytes = 1},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.3"},
        {"a name",
         {.reply = OK_RESPONSE, .name = "peer.example"},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.3",
         .host = "peer.example"},
        {"another name",
         {.reply = OK_RESPONSE, .name = "other.example"},
         {0},
         OUTCOME_TLS_CERTIFICATE,
         .failure = "hostname mismatch",
         .host = "peer.example"},
        {"another address",
         {.reply = OK_RESPONSE, .name = "127.0.0.2"},
         {0},
         OUTCOME_TLS_CERTIFICATE,
         .failure = "IP address mismatch"},
        {"expired",
         {.reply = OK_RESPONSE, .is_expired = true},
         {0},
         OUTCOME_TLS_CERTIFICATE,
         .failure = "certificate has expired"},
        {"signed by itself",
         {.reply = OK_RESPONSE},
         {0},
         OUTCOME_TLS_CERTIFICATE,
         .failure = "self-signed certificate",
         .trusts_system = true},
        {"insecure",
         {.reply = OK_RESPONSE, .name = "other.example", .is_expired = true},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.3",
         .is_insecure = true},
        {"plain HTTP",
         {.handshake = TLS_PEER_PLAIN},
         {0},
         OUTCOME_TLS_HANDSHAKE,
         .failure = "wrong version number"},
        {"closes in the handshake",
         {.handshake = TLS_PEER_CLOSES},
         {0},
         OUTCOME_TLS_HANDSHAKE,
         .failure = "the server closed the connection"},
        {"hangs in the handshake",
         {.handshake = TLS_PEER_HANGS},
         {.timeout_ns = 60 * MS},
         OUTCOME_CONNECT_TIMEOUT,
         .version = NULL},
        {"another protocol",
         {.reply = OK_RESPONSE, .alpn = "h2"},
         {0},
         OUTCOME_TLS_HANDSHAKE,
         .failure = "bad extension"},
        {"the right protocol",
         {.reply = OK_RESPONSE, .alpn = "http/1.1"},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.3"},
        {"ends with the connection, as said",
         {.reply = CLOSE_FRAMED, .end = TLS_PEER_NOTIFY},
         {0},
         OUTCOME_OK,
         .version = "TLSv1.3"},
        {"ends with the connection, cut",
         {.reply = CLOSE_FRAMED, .end = TLS_PEER_CUT},
         {0},
         OUTCOME_TRUNCATED_BODY,
         .version = "TLSv1.3"},
        {"a body that is cut",
         {.reply = OK_HEAD "po", .end = TLS_PEER_CUT},
         {0},
         OUTCOME_TRUNCATED_BODY,
         .version = "TLSv1.3"},
        {"a body that ends too early",
         {.reply = OK_HEAD "po", .end = TLS_PEER_NOTIFY},
         {0},
         OUTCOME_TRUNCATED_BODY,
         .version = "TLSv1.3"},
        {"a head that is cut",
         {.reply = "HTTP/1.1 200 OK\r\nConte", .end = TLS_PEER_CUT},
         {0},
         OUTCOME_TRUNCATED_HEAD,
         .version = "TLSv1.3"},
        {"no answer, a close",
         {.end = TLS_PEER_NOTIFY},
         {0},
         OUTCOME_CLOSED_EARLY,
         .version = "TLSv1.3"},
        {"no answer, a reset", {.end = TLS_PEER_RESET}, {0}, OUTCOME_RESET, .version = "TLSv1.3"},
        {"no TLS after the handshake",
         {.reply = "HTTP/1.1 200 OK\r\nConte", .end = TLS_PEER_GARBAGE},
         {0},
         OUTCOME_TLS_BROKEN,
         .version = "TLSv1.3"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        row_check(&rows[i]);
    }
}

/* It says Connection: close; by TLS as well, or not at all (RFC 9112, 9.8). */
Test(driver_tls, takes_a_close_after_a_whole_response_for_no_error)
{
    static const char reply[] =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong";
    static const struct tls_row rows[] = {
        {"cut", {.reply = reply, .end = TLS_PEER_CUT}, {0}, OUTCOME_OK, .version = "TLSv1.3"},
        {"said", {.reply = reply, .end = TLS_PEER_NOTIFY}, {0}, OUTCOME_OK, .version = "TLSv1.3"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        row_check(&rows[i]);
        cr_expect_gt(load_result.sums[METRIC_reconnect_count], 0, "%s", rows[i].name);
    }
}

static const char *https_url(const struct tls_peer *peer)
{
    static char url[64];

    snprintf(url, sizeof(url), "https://127.0.0.1:%u/", peer->port);
    return url;
}

/* A connection a request: what the peer resumed is what the driver counts, under both versions. */
Test(driver_tls, resumes_sessions_unless_it_is_told_not_to)
{
    static const struct {
        struct tls_peer_script script;
        const char *word;
        bool resumes;
    } rows[] = {{{.reply = OK_RESPONSE}, "--insecure", true},
                {{.reply = OK_RESPONSE, .version = TLS1_2_VERSION}, "--insecure", true},
                {{.reply = OK_RESPONSE}, "--tls-no-reuse", false},
                {{.reply = OK_RESPONSE, .version = TLS1_2_VERSION}, "--tls-no-reuse", false}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct tls_peer peer;

        tls_peer_open(&peer, &rows[i].script);
        drive_command_run(&drive_run,
                          DRIVE_WORDS("-n", "60", "-d20s", "-c2", "-t1", "--insecure", rows[i].word,
                                      "--requests-per-connection", "1", https_url(&peer)));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        drive_command_check_outcomes(&drive_run);
        int64_t full = drive_number("tls/full_count"), resumed = drive_number("tls/resumed_count");
        cr_expect_eq(drive_number("outcomes/ok"), 60);
        /* The first two may come before a session; two handshakes may be cut off by the end: over
         * for one side only. */
        cr_expect_leq(llabs(full + resumed - (int64_t)peer.stats->handshake_count), 2, "row %zu",
                      i);
        cr_expect_leq(llabs(resumed - (int64_t)peer.stats->resumed_count), 2, "row %zu", i);
        cr_expect(rows[i].resumes ? full >= 1 && full <= 2 && resumed >= 58 : resumed == 0,
                  "row %zu: %ld", i, resumed);
        cr_expect_gt(drive_number("tls/handshake_ns"), 0);
        /* Every connection that the driver ended, it ended by close_notify. */
        tls_peer_wait(&peer.stats->notified_count, 58);
        cr_expect_geq(peer.stats->notified_count, 58, "row %zu: %lu", i,
                      peer.stats->notified_count);
        drive_command_release(&drive_run);
        tls_peer_close(&peer);
    }
}

Test(driver_tls, names_the_host_that_it_wants_and_no_address)
{
    static const struct tls_peer_script script = {.reply = OK_RESPONSE, .name = "localhost"};
    struct tls_peer peer;
    char url[64];

    tls_peer_open(&peer, &script);
    snprintf(url, sizeof(url), "https://localhost:%u/", peer.port);
    drive_command_run(&drive_run, DRIVE_WORDS("-n", "10", "-c1", "--cacert", peer.ca_path, url));
    cr_expect_eq(drive_number("outcomes/ok"), 10, "%s", drive_run.error_text);
    cr_expect_str_eq(peer.stats->server_name, "localhost");
    drive_command_release(&drive_run);
    drive_command_run(&drive_run, DRIVE_WORDS("-n", "10", "-c1", "--insecure", https_url(&peer)));
    cr_expect_eq(drive_number("outcomes/ok"), 10, "%s", drive_run.error_text);
    cr_expect_str_eq(peer.stats->server_name, "");
    drive_command_release(&drive_run);
    tls_peer_close(&peer);
}

Test(driver_tls, refuses_what_does_not_go_together)
{
    static const struct {
        const char *words[4], *text;
    } rows[] = {
        {{"--io", "uring", "https://127.0.0.1:1/"}, "https needs --io epoll"},
        {{"--insecure", "http://127.0.0.1:1/"}, "are for https:// URLs"},
        {{"--cacert", "/nowhere/ca.pem", "https://127.0.0.1:1/"}, "/nowhere/ca.pem: No such file"},
        {{"--cacert", "/dev/null", "https://127.0.0.1:1/"}, "/dev/null: not a regular file"},
        {{"--cacert", "/etc/passwd", "https://127.0.0.1:1/"}, "/etc/passwd: no file with"},
        {{"--cacert=ca.pem", "--insecure", "https://127.0.0.1:1/"}, "leave out --cacert"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        drive_command_run(&drive_run, rows[i].words);
        cr_expect_eq(drive_run.status, 2, "row %zu", i);
        cr_expect(strstr(drive_run.error_text, rows[i].text), "row %zu: %s", i,
                  drive_run.error_text);
    }
}
