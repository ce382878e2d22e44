// SPDX-License-Identifier: Apache-2.0
// Shapes of a load: pipelining, connections that end after so many requests, unix sockets.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/fs.h"
#include "tests/support/drive_command.h"
#include "tests/support/driver_load.h"
#include "tests/support/engine_process.h"
#include "tests/support/namespaces.h"

static const struct peer_script answers = REPLY(SAY(OK_RESPONSE));

/* A36: every response is counted once, with its bytes and a time of its own. The engine pipelines
 * as well, so that one read holds many responses and cuts some. */
Test(driver_shapes, a36_pipelining_counts_every_response)
{
    static const int64_t response_bytes = (int64_t)sizeof(OK_RESPONSE) - 1;
    struct peer peer;

    peer_open(&peer, &answers);
    drive_command_run(&drive_run, DRIVE_WORDS("--pipeline", "16", "-t2", "-c3", "-n", "10007",
                                              "-d20s", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_expect_eq(drive_number("outcomes/ok"), 10007);
    cr_expect_eq(peer.stats->request_count, 10007);
    cr_expect_eq(drive_number("window/received_bytes"), 10007 * response_bytes);
    cr_expect_gt(drive_number("latency/p50_ns"), 0);
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

Test(driver_shapes, pipelining_on_a_real_server)
{
    struct engine_process engine;

    engine_process_start(&engine, "epoll", NULL);
    drive_command_run(&drive_run, DRIVE_WORDS("--pipeline", "32", "-t1", "-c8", "-d500ms",
                                              drive_url(engine.port, "/ping")));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_expect_eq(drive_number("outcomes/ok"), drive_number("started_count"));
    /* 8 · 32 on the way: a request waits for those before it (Little: X·R = 256). */
    double rate = (double)drive_number("window/goodput_per_s");
    double mean_s = (double)drive_number("latency/mean_ns") / 1e9;
    cr_expect_float_eq(rate * mean_s / 256, 1, 0.1, "%g/s of %g s", rate, mean_s);
    drive_command_check_outcomes(&drive_run);
    cr_expect_eq(engine_process_stop(&engine), 0);
}

/* The server ends the connection after its third answer: the others on the way were not answered.
 */
Test(driver_shapes, a_close_ends_what_was_pipelined_behind_it)
{
    static const struct peer_script script = {
        .replies = {SAY(OK_RESPONSE), SAY(OK_RESPONSE),
                    SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
                        .after = PEER_CLOSE)},
        .reply_count = 3,
        .order = PEER_BY_TURN};
    struct peer peer;

    peer_open(&peer, &script);
    drive_command_run(&drive_run, DRIVE_WORDS("--pipeline", "8", "-t1", "-c1", "-n", "80", "-d20s",
                                              drive_url(peer.port, "/")));
    /* 3 of 8, ten times; the reset that a close with unread requests becomes may overtake answers.
     */
    long long ok = (long long)drive_number("outcomes/ok");
    cr_expect(ok > 0 && ok <= 30, "%lld", ok);
    cr_expect_eq(ok + (long long)(drive_number("outcomes/closed_early") +
                                  drive_number("outcomes/reset") +
                                  drive_number("outcomes/send_reset")),
                 80);
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

/* With a body that on TCP would be thrown away inside the kernel. */
Test(driver_shapes, drives_a_unix_socket)
{
    static char body[300 * 1024];
    static struct peer_script script = {.reply_count = 1};
    char folder[] = "/tmp/tacho-shapes-XXXXXX";
    char path[64], url[96];
    struct peer peer;

    int head =
        snprintf(body, sizeof(body), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", 250 * 1024);
    script.replies[0] = (struct peer_reply){.bytes = body, .byte_count = (size_t)head + 250 * 1024};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/peer.sock", folder);
    snprintf(url, sizeof(url), "unix:%s:/ping", path);
    script.socket_path = path;
    peer_open(&peer, &script);
    drive_command_run(&drive_run, DRIVE_WORDS("-t2", "-c3", "-n20", "-d20s", url));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_expect_eq(drive_number("outcomes/ok"), 20);
    cr_expect_eq(drive_number("window/received_bytes"), 20 * (head + 250 * 1024));
    cr_expect_eq(peer.stats->request_count, 20);
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* What the window says of request `index` of a mix. */
static int64_t part_number(size_t index, const char *outer, const char *key)
{
    const json_t *part = json_array_get(json_object_get(drive_run.json, "requests"), index);

    return json_integer_value(json_object_get(outer ? json_object_get(part, outer) : part, key));
}

/* 1000 = 100 rounds of 9 and 1 cards in one thread: exactly 900 and 100, over both ways of input
 * and output, with the answers of each held to its own. */
Test(driver_shapes, a_mix_sends_each_request_as_often_as_its_weight_says)
{
    static const char *const ios[] = {"epoll", "uring"};
    static char body[70000];
    char folder[] = "/tmp/tacho-shapes-XXXXXX", path[64];
    struct engine_process engine;
    int64_t post_bytes = 0;

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/body", folder);
    cr_assert_eq(fs_write_file(path, body, 9000, NULL), ERR_OK);
    engine_process_start(&engine, "epoll", NULL);
    for (size_t i = 0; i < ARRAY_COUNT(ios); i++) {
        drive_command_run(&drive_run,
                          DRIVE_WORDS("--request", "9 GET /ping", "--request", "1 POST /upload",
                                      "-b", path, "--io", ios[i], "-t1", "-c7", "-n1000", "-d20s",
                                      drive_url(engine.port, "/")));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        cr_expect_eq(part_number(0, "outcomes", "ok"), 900);
        cr_expect_eq(part_number(1, "outcomes", "ok"), 100);
        cr_expect_eq(part_number(0, NULL, "started_count"), 900);
        cr_expect_eq(part_number(0, NULL, "sent_bytes") + part_number(1, NULL, "sent_bytes"),
                     drive_number("window/sent_bytes"));
        cr_expect_eq(part_number(0, NULL, "received_bytes") +
                         part_number(1, NULL, "received_bytes"),
                     drive_number("window/received_bytes"));
        post_bytes = part_number(1, NULL, "request_bytes");
        cr_expect_eq(part_number(1, NULL, "sent_bytes"), 100 * post_bytes);
        drive_command_check_outcomes(&drive_run);
    }
    cr_expect(post_bytes > 9000 && post_bytes < 9500, "%lld", (long long)post_bytes);
    cr_expect_eq(engine_process_stop(&engine), 0);
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
}

/* 4 connections that pause 50 ms: each asks at most 1 + 600 / 50 times in 600 ms; a server that
 * closes each connection, or has it closed, changes nothing. */
Test(driver_shapes, connections_pause_between_a_response_and_the_next_request)
{
    static const struct peer_script closes = {
        .replies = {SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
                        .after = PEER_CLOSE)},
        .reply_count = 1};
    static const struct {
        const struct peer_script *script;
        const char *io, *kind, *per_connection;
    } rows[] = {{&answers, "epoll", "constant", "1000"},
                {&answers, "uring", "constant", "1"},
                {&closes, "epoll", "constant", "1000"},
                {&answers, "epoll", "exponential", "1"}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        bool is_constant = strcmp(rows[i].kind, "constant") == 0;
        struct peer peer;

        peer_open(&peer, rows[i].script);
        drive_command_run(&drive_run,
                          DRIVE_WORDS("--think-time", "50ms", "--think-kind", rows[i].kind, "--io",
                                      rows[i].io, "--requests-per-connection",
                                      rows[i].per_connection, "--source", "127.0.0.7", "-t2", "-c4",
                                      "-d600ms", drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        int64_t count = drive_number("started_count");
        /* Exponential: 48 expected, with a deviation of 7. */
        cr_expect(count >= (is_constant ? 12 : 6) && count <= (is_constant ? 4 * 13 : 100),
                  "row %zu: %lld", i, (long long)count);
        cr_expect_eq(drive_number("outcomes/ok"), count, "row %zu", i);
        cr_expect_lt(drive_number("latency/p50_ns"), 40 * 1000000, "row %zu", i);
        drive_command_check_outcomes(&drive_run);
        peer_close(&peer);
    }
}

/* No more connections than requests / K, and not one request more on any of them. */
Test(driver_shapes, opens_a_new_connection_every_k_requests)
{
    static const struct {
        const char *limit;
        uint64_t accepted;
    } rows[] = {{"1", 600}, {"4", 150}, {"200", 3}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct peer peer;

        peer_open(&peer, &answers);
        drive_command_run(&drive_run,
                          DRIVE_WORDS("--requests-per-connection", rows[i].limit, "-t1", "-c3",
                                      "-n600", "-d20s", drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        cr_expect_eq(drive_number("outcomes/ok"), 600);
        cr_expect_eq(peer.stats->request_count, 600);
        /* The ramp's 3 may be joined by those opened for requests that no longer came. */
        cr_expect_geq(peer.stats->accepted_count, rows[i].accepted, "%s", rows[i].limit);
        cr_expect_leq(peer.stats->accepted_count, rows[i].accepted + 3, "%s", rows[i].limit);
        cr_expect_geq(peer.stats->used_count, rows[i].accepted); /* the last ones may carry fewer */
        cr_expect_leq(peer.stats->used_count, rows[i].accepted + 2);
        drive_command_check_outcomes(&drive_run);
        drive_command_release(&drive_run);
        peer_close(&peer);
    }
}

static const char *io_name(void)
{
    return json_string_value(json_object_get(json_object_get(drive_run.json, "driver"), "io"));
}

/* Long bodies are thrown away inside the kernel: pipelined, and in turn with short ones, as many
 * bytes come over both ways of input and output as the server sent. */
Test(driver_shapes, long_bodies_are_counted_over_both)
{
    static const struct {
        const char *words[4], *path;
        int64_t least_bytes;
    } rows[] = {
        {{"--pipeline", "4", "--expect", "200"}, "/bytes/700000", 60 * 700000},
        {{"--request", "1 GET /bytes/700000", "--request", "1 GET /ping"}, "/", 30 * 700000}};
    static const char *const ios[] = {"epoll", "uring"};
    struct engine_process engine;

    engine_process_start(&engine, "epoll", NULL);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int64_t received_bytes[ARRAY_COUNT(ios)];

        for (size_t k = 0; k < ARRAY_COUNT(ios); k++) {
            const char *const *words = rows[i].words;

            drive_command_run(&drive_run, DRIVE_WORDS("--io", ios[k], words[0], words[1], words[2],
                                                      words[3], "-t1", "-c3", "-n60", "-d20s",
                                                      drive_url(engine.port, rows[i].path)));
            cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
            cr_expect_eq(drive_number("outcomes/ok"), 60, "row %zu %s", i, ios[k]);
            received_bytes[k] = drive_number("window/received_bytes");
            drive_command_check_outcomes(&drive_run);
            drive_command_release(&drive_run);
        }
        cr_expect_geq(received_bytes[0], rows[i].least_bytes);
        cr_expect_eq(received_bytes[0], received_bytes[1], "row %zu", i);
    }
    cr_expect_eq(engine_process_stop(&engine), 0);
}

/* Where there is no io_uring it is epoll, and that is said; the numbers hold for both. A request of
 * 20 KiB may not fit into a socket at once: always epoll. */
Test(driver_shapes, over_io_uring_or_with_a_word_on_why_not)
{
    struct engine_process engine;
    struct counters_total total;
    char path[] = "/tmp/tacho-body-XXXXXX";
    static char body[20 * 1024];
    int fd = mkstemp(path);

    engine_process_start(&engine, "epoll", NULL);
    drive_command_run(&drive_run, DRIVE_WORDS("--io=uring", "-t2", "-c7", "-n5000", "-d20s",
                                              drive_url(engine.port, "/ping")));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_expect_eq(drive_number("outcomes/ok"), 5000);
    counters_read(engine.counters, &total);
    cr_expect_eq(total.request_count, 5000);
    cr_expect_neq(strcmp(io_name(), "uring") == 0, drive_notice_is_there("io_fallback"));
    drive_command_release(&drive_run);

    cr_assert_eq(write(fd, body, sizeof(body)), (ssize_t)sizeof(body));
    close(fd);
    drive_command_run(&drive_run, DRIVE_WORDS("--io=uring", "-c1", "-n10", "-d20s", "-b", path,
                                              drive_url(engine.port, "/upload")));
    cr_expect_eq(drive_number("outcomes/ok"), 10, "%s", drive_run.error_text);
    cr_expect_str_eq(io_name(), "epoll");
    cr_expect(drive_notice_is_there("io_fallback"));
    drive_command_check_outcomes(&drive_run);
    unlink(path);
    cr_expect_eq(engine_process_stop(&engine), 0);
}

/* 101 ports are at most 101 connections from one address to one server; two addresses have them
 * twice. */
Test(driver_shapes, several_source_addresses_have_ports_of_their_own)
{
    struct engine_process engine;

    if (!namespaces_limit_ports("2")) {
        cr_skip_test("no permission for a network namespace");
    }
    engine_process_start(&engine, "epoll", NULL);
    drive_command_run(&drive_run, DRIVE_WORDS("--source=127.0.0.2", "-t2", "-c150", "-d200ms",
                                              "--timeout=300ms", drive_url(engine.port, "/ping")));
    cr_expect_leq(drive_number("connections/established"), 101, "%s", drive_run.error_text);
    cr_expect(drive_notice_is_there("connections_missing"));
    drive_command_release(&drive_run);
    drive_command_run(&drive_run, DRIVE_WORDS("--source=127.0.0.3", "--source=127.0.0.4", "-t2",
                                              "-c150", "-d200ms", drive_url(engine.port, "/ping")));
    cr_expect_eq(drive_number("connections/established"), 150, "%s", drive_run.error_text);
    cr_expect_eq(drive_number("outcomes/ok") + drive_number("outcomes/in_flight_at_end"),
                 drive_number("started_count"));
    drive_command_release(&drive_run);
    cr_expect_eq(engine_process_stop(&engine), 0);
}

Test(driver_shapes, refuses_a_source_address_that_cannot_be)
{
    static const char *const rows[][2] = {{"192.0.2.1", "is no address of this machine"},
                                          {"::1", "cannot reach the server's kind of address"},
                                          {"unix:/x", "cannot reach the server's kind of address"},
                                          {"here", "here"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        drive_command_run(&drive_run,
                          DRIVE_WORDS("http://127.0.0.1:1/", "--source", rows[i][0], "-d1s"));
        cr_expect_eq(drive_run.status, 2, "%s", rows[i][0]);
        cr_expect_not_null(strstr(drive_run.error_text, rows[i][1]), "%s", drive_run.error_text);
        drive_command_release(&drive_run);
    }
}
