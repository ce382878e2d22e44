// SPDX-License-Identifier: Apache-2.0
// tacho drive against faults that other load drivers are known for. Each test is named after the
// case that it stands for; times are scaled down.
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/drive_command.h"
#include "tests/support/driver_load.h"
#include "tests/support/engine_process.h"

static const struct peer_script answers = REPLY(SAY(OK_RESPONSE));

Test(drive_cases, a01_connections_that_threads_do_not_divide)
{
    struct peer peer;

    peer_open(&peer, &answers);
    drive_command_run(&drive_run, DRIVE_WORDS("-t2", "-c7", "-d300ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 0);
    cr_expect_eq(drive_number("connections/requested"), 7);
    cr_expect_eq(drive_number("connections/established"), 7);
    cr_expect_eq(drive_number("connections/served"), 7);
    cr_expect_eq(peer.stats->used_count, 7);
    cr_expect_eq(peer.stats->accepted_count, 7);
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

Test(drive_cases, a02_request_counts_that_connections_do_not_divide)
{
    static const struct {
        const char *requests, *connections;
        uint64_t count;
    } rows[] = {{"-n10", "-c3", 10}, {"-n1", "-c200", 1}, {"-n401", "-c400", 401}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct peer peer;
        int64_t before_ns = clock_monotonic_ns();

        peer_open(&peer, &answers);
        drive_command_run(&drive_run, DRIVE_WORDS("-t3", rows[i].requests, rows[i].connections,
                                                  "-d20s", drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        cr_expect_eq(peer.stats->request_count, rows[i].count, "%s", rows[i].requests);
        cr_expect_eq(drive_number("started_count"), (int64_t)rows[i].count);
        cr_expect_eq(drive_number("outcomes/ok"), (int64_t)rows[i].count);
        cr_expect_lt(clock_monotonic_ns() - before_ns, 10000 * MS, "it did not end with the last");
        drive_command_check_outcomes(&drive_run);
        drive_command_release(&drive_run);
        peer_close(&peer);
    }
}

Test(drive_cases, a04_no_request_completes)
{
    static const struct peer_script hangs = REPLY({.after = PEER_HANG});
    struct peer peer;

    peer_open(&peer, &hangs);
    drive_command_run(
        &drive_run, DRIVE_WORDS("-c3", "-d700ms", "--timeout", "200ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 4);
    cr_expect_eq(drive_number("window/ok_count"), 0);
    cr_expect_eq(drive_number("window/goodput_per_s"), 0);
    cr_expect_eq(drive_number("latency/p50_ns"), INT64_MIN);
    cr_expect_eq(drive_number("latency/max_ns"), INT64_MIN);
    cr_expect_geq(drive_number("outcomes/timeout"), 3);
    cr_expect(drive_notice_is_there("no_response"));
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

Test(drive_cases, a05_all_responses_are_errors)
{
    static const struct peer_script not_found =
        REPLY(SAY("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
    struct peer peer;

    peer_open(&peer, &not_found);
    drive_command_run(&drive_run, DRIVE_WORDS("-d300ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 4);
    cr_expect_eq(drive_number("window/goodput_per_s"), 0);
    cr_expect_gt(drive_number("window/raw_per_s"), 0);
    cr_expect_eq(drive_number("outcomes/http_4xx") + drive_number("outcomes/in_flight_at_end"),
                 drive_number("started_count"));
    cr_expect(drive_notice_is_there("all_wrong"));
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

Test(drive_cases, a07_a_late_response_is_a_timeout_and_nothing_else)
{
    static const struct peer_script late = REPLY(SAY(OK_RESPONSE, .delay_ns = 300 * MS));
    struct peer peer;

    peer_open(&peer, &late);
    drive_command_run(
        &drive_run, DRIVE_WORDS("-c4", "-d800ms", "--timeout", "200ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 4);
    cr_expect_eq(drive_number("outcomes/ok"), 0);
    cr_expect_geq(drive_number("outcomes/timeout"), 8);
    cr_expect_leq(drive_number("outcomes/timeout"), 20);
    drive_command_check_outcomes(&drive_run);
    peer_close(&peer);
}

Test(drive_cases, a19_ipv6_literal)
{
    const struct engine_process_options options = {.arguments = DRIVE_WORDS("--address", "::1")};
    struct engine_process engine;
    char url[64];

    engine_process_start(&engine, "epoll", &options);
    snprintf(url, sizeof(url), "http://[::1]:%u/ping", engine.port);
    drive_command_run(&drive_run, DRIVE_WORDS("-d300ms", url));
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    cr_expect_gt(drive_number("window/ok_count"), 0);
    cr_expect_eq(drive_number("outcomes/ok"), drive_number("started_count"));
    cr_expect_eq(engine_process_stop(&engine), 0);
}

/* Names and lengths in ms; a window beyond 500 ms has a second interval of what is left. */
Test(drive_cases, a25_a_duration_shorter_than_an_interval)
{
    static const struct {
        const char *duration;
        int64_t ms;
        size_t interval_count; /* the drain's included */
    } rows[] = {{"100ms", 100, 2}, {"499ms", 499, 2}, {"500ms", 500, 2}, {"501ms", 501, 3}};
    struct peer peer;

    peer_open(&peer, &answers);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        drive_command_run(&drive_run,
                          DRIVE_WORDS("-d", rows[i].duration, drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 0);
        cr_expect_eq(drive_number("window/length_ns"), rows[i].ms * MS);
        cr_expect_eq(json_array_size(json_object_get(drive_run.json, "intervals")),
                     rows[i].interval_count);
        double rate = json_number_value(
            json_object_get(json_object_get(drive_run.json, "window"), "goodput_per_s"));
        double by_hand = (double)drive_number("window/ok_count") * 1000 / (double)rows[i].ms;
        cr_expect_float_eq(rate, by_hand, 0.001);
        drive_command_release(&drive_run);
    }
    peer_close(&peer);
}

/* 250 threads on few CPUs: the window is what one clock says, and so is the rate. */
Test(drive_cases, a26_many_threads_measure_the_time_that_was_asked_for)
{
    struct engine_process engine;
    char url[64];

    engine_process_start(&engine, "epoll", NULL);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ping", engine.port);
    int64_t before_ns = clock_monotonic_ns();
    drive_command_run(&drive_run,
                      DRIVE_WORDS("-t250", "-c1000", "-d1s", "--connect-rate", "20000", url));
    int64_t wall_ns = clock_monotonic_ns() - before_ns;
    cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
    int64_t length_ns = drive_number("window/length_ns");
    cr_expect_geq(length_ns, 980 * MS);
    cr_expect_leq(length_ns, 1020 * MS);
    cr_expect_geq(wall_ns, length_ns, "another clock");
    cr_expect_eq(drive_number("connections/served"), 1000);
    double goodput_per_s = json_number_value(
        json_object_get(json_object_get(drive_run.json, "window"), "goodput_per_s"));
    double most_per_s = (double)drive_number("started_count") * 1e9 / (980 * MS);
    cr_expect_gt(goodput_per_s, 0);
    cr_expect_leq(goodput_per_s, most_per_s, "more than was sent");
    drive_command_check_outcomes(&drive_run);
    cr_expect_eq(engine_process_stop(&engine), 0);
}

Test(drive_cases, a33_headers_that_would_break_the_message_are_refused)
{
    static const char *const headers[] = {"X: \r\nY: z", "no colon", "Content-Length: 3"};
    struct peer peer;

    peer_open(&peer, &answers);
    for (size_t i = 0; i < ARRAY_COUNT(headers); i++) {
        drive_command_run(&drive_run, DRIVE_WORDS("-H", headers[i], drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 2, "%s", headers[i]);
        cr_expect_eq(strncmp(drive_run.error_text, "tacho: header ", 14), 0, "%s",
                     drive_run.error_text);
        drive_command_release(&drive_run);
    }
    cr_expect_eq(peer.stats->accepted_count, 0);
    drive_command_run(&drive_run, DRIVE_WORDS("-H", "Connection:keep-alive", "-H", "host: a",
                                              "-d100ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 0);
    peer_close(&peer);
}

Test(drive_cases, a40_more_threads_than_connections)
{
    struct peer peer;

    peer_open(&peer, &answers);
    drive_command_run(&drive_run,
                      DRIVE_WORDS("-t256", "-c1", "-d200ms", drive_url(peer.port, "/")));
    cr_expect_eq(drive_run.status, 0);
    cr_expect_eq(drive_number("config/threads"), 1);
    cr_expect(drive_notice_is_there("threads_lowered"));
    cr_expect_gt(drive_number("window/ok_count"), 0);
    peer_close(&peer);
}

/* Once, and twice within 100 ms. */
Test(drive_cases, a41_an_interrupt_keeps_what_was_measured)
{
    for (int signal_count = 1; signal_count <= 2; signal_count++) {
        const struct clock *clock = clock_system();
        struct peer peer;

        peer_open(&peer, &answers);
        int64_t before_ns = clock_monotonic_ns();
        drive_command_start(&drive_run, DRIVE_WORDS("-d20s", drive_url(peer.port, "/")));
        while (atomic_load(&peer.stats->response_count) < 100 &&
               clock_monotonic_ns() < before_ns + 10000 * MS) {
            clock->sleep_until_ns(clock->self, clock_monotonic_ns() + MS);
        }
        for (int i = 0; i < signal_count; i++) {
            kill(drive_run.pid, SIGINT);
            clock->sleep_until_ns(clock->self, clock_monotonic_ns() + 20 * MS);
        }
        drive_command_finish(&drive_run);
        cr_expect_eq(drive_run.status, 130);
        cr_expect_lt(clock_monotonic_ns() - before_ns, 15000 * MS);
        cr_expect_str_eq(json_string_value(json_object_get(drive_run.json, "status")),
                         "interrupted");
        cr_expect_gt(drive_number("window/ok_count"), 0);
        cr_expect_lt(drive_number("window/length_ns"), 15000 * MS);
        drive_command_check_outcomes(&drive_run);
        drive_command_release(&drive_run);
        peer_close(&peer);
    }
}

Test(drive_cases, says_what_it_cannot_drive)
{
    static const struct {
        const char *word, *url, *text;
        int status;
    } rows[] = {
        {"--io=uring", "https://127.0.0.1/", "tacho: https needs --io epoll", 2},
        {"-c0", "http://127.0.0.1/", "tacho: --connections: ", 2},
        {"-d0s", "http://127.0.0.1/", "tacho: --duration: ", 2},
        {"-d1.5", "http://127.0.0.1/", "tacho: --duration: ", 2},
        {"--hdr=/nonexistent/log", "http://127.0.0.1/", "tacho: /nonexistent", 2},
        {"-bnothing", "http://127.0.0.1/", "tacho: nothing: ", 2},
        {"-R1k..2k,3k", "http://127.0.0.1/", "tacho: --rate: \"1k..2k,3k\" has steps and a ramp",
         2},
        {"-swrk.lua", "http://127.0.0.1/", "tacho: --script: no Lua here; -m, -H, -b make", 2},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        drive_command_run(&drive_run, DRIVE_WORDS(rows[i].word, rows[i].url));
        cr_expect_eq(drive_run.status, rows[i].status, "%s", rows[i].word);
        cr_expect_eq(strncmp(drive_run.error_text, rows[i].text, strlen(rows[i].text)), 0, "%s",
                     drive_run.error_text);
        cr_expect_str_empty(drive_run.text);
        drive_command_release(&drive_run);
    }
}
