// SPDX-License-Identifier: Apache-2.0
// The open loop: what is due is sent whatever the server does, and a stall shows in the latencies.
#include <criterion/criterion.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/drive_command.h"
#include "tests/support/driver_load.h"

static const struct peer_script answers = REPLY(SAY(OK_RESPONSE));

/* scheduled = started - connect_* + shed + backlog; here no attempt to connect fails. */
static void schedule_check(void)
{
    cr_expect_eq(drive_number("window/scheduled_count"), drive_number("window/started_count") +
                                                             drive_number("window/shed_count") +
                                                             drive_number("window/backlog_count"));
}

Test(driver_open, a03_a_rate_smaller_than_the_threads)
{
    static const struct {
        const char *rate, *threads, *connections, *duration;
        int64_t count;
    } rows[] = {{"-R1", "-t8", "-c8", "-d2s", 2},
                {"-R3", "-t2", "-c2", "-d1s", 3},
                {"-R100", "-t7", "-c7", "-d1s", 100}};
    struct peer peer;

    peer_open(&peer, &answers);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint64_t before = peer.stats->request_count;

        drive_command_run(&drive_run,
                          DRIVE_WORDS(rows[i].rate, rows[i].threads, rows[i].connections,
                                      rows[i].duration, drive_url(peer.port, "/")));
        cr_expect_eq(drive_run.status, 0, "%s", drive_run.error_text);
        cr_expect_eq(drive_number("window/scheduled_count"), rows[i].count);
        cr_expect_leq(llabs((long long)(peer.stats->request_count - before) - rows[i].count), 1);
        schedule_check();
        drive_command_release(&drive_run);
    }
    peer_close(&peer);
}

/* Stops the peer from stop_ms to go_ms of the load. */
static void load_with_stall(const char *const *words, struct peer *peer, int64_t stop_ms,
                            int64_t go_ms)
{
    const struct clock *clock = clock_system();

    drive_command_start(&drive_run, words);
    int64_t begin_ns = clock_monotonic_ns();
    while (peer->stats->request_count == 0 && clock_monotonic_ns() < begin_ns + 10000 * MS) {
        clock->sleep_until_ns(clock->self, clock_monotonic_ns() + MS / 4);
    }
    int64_t zero_ns = clock_monotonic_ns();
    while (clock_monotonic_ns() < zero_ns + stop_ms * MS) {
        clock->sleep_until_ns(clock->self, zero_ns + stop_ms * MS);
    }
    peer_signal(peer, SIGSTOP);
    while (clock_monotonic_ns() < zero_ns + go_ms * MS) {
        clock->sleep_until_ns(clock->self, zero_ns + go_ms * MS);
    }
    peer_signal(peer, SIGCONT);
    drive_command_finish(&drive_run);
}

/*
 * A31 and the acceptance number of the design, scaled to 3 s: a stall of S in a window of T at any
 * rate gives latencies that fall from S to 0 evenly over the requests due in it, so the quantile q
 * is S - T·(1 - q): with S = 0.5 s and T = 3 s, p90 is 0.2 s, p95 0.35 s, and p75 is untouched.
 * Other programs share the CPUs of a test: the bounds are wider than those of ci/run bench.
 */
Test(driver_open, a31_a_stall_shows_in_the_quantiles)
{
    struct peer peer;

    peer_open(&peer, &answers);
    load_with_stall(DRIVE_WORDS("-R1000", "-t1", "-c16", "-d3s", drive_url(peer.port, "/")), &peer,
                    1000, 1500);
    cr_expect_eq(drive_run.status, 0);
    cr_expect_float_eq((double)drive_number("latency/p90_ns"), 200e6, 50e6);
    cr_expect_float_eq((double)drive_number("latency/p95_ns"), 350e6, 50e6);
    cr_expect_lt(drive_number("latency/p75_ns"), 100 * MS);
    cr_expect_geq(drive_number("latency/max_ns"), 490 * MS);
    cr_expect_lt(drive_number("latency/max_ns"), 650 * MS);
    /* The service times hide it: 16 requests waited, 16 connections having one each. */
    cr_expect_lt(drive_number("service/p95_ns"), 100 * MS);
    cr_expect_str_eq(
        json_string_value(json_object_get(json_object_get(drive_run.json, "latency"), "kind")),
        "response");
    schedule_check();
    peer_close(&peer);
}

/* The same stall in a closed loop is a handful of slow requests, and the result says so. */
Test(driver_open, a31_a_closed_loop_says_that_it_does_not_see_this)
{
    struct peer peer;
    size_t i = 0;
    json_t *notice = NULL;
    bool is_said = false;

    peer_open(&peer, &answers);
    load_with_stall(DRIVE_WORDS("-t1", "-c4", "-d1500ms", drive_url(peer.port, "/")), &peer, 500,
                    900);
    cr_expect_lt(drive_number("latency/p99_ns"), 200 * MS);
    cr_expect_geq(drive_number("latency/max_ns"), 350 * MS);
    json_array_foreach(json_object_get(drive_run.json, "notices"), i, notice)
    {
        is_said |=
            strcmp(json_string_value(json_object_get(notice, "kind")), "coordinated_omission") == 0;
    }
    cr_expect(is_said);
    cr_expect(json_is_null(json_object_get(drive_run.json, "lag")));
    peer_close(&peer);
}

/* A08: five times more than the server can do. The backlog grows, latencies pass the timeout, which
 * counts from sending, and both are said. */
Test(driver_open, a08_overload_shows_its_backlog)
{
    static const struct peer_script slow = REPLY(SAY(OK_RESPONSE, .delay_ns = 20 * MS));
    struct peer peer;

    peer_open(&peer, &slow); /* 2 connections, 20 ms each: at most 100/s */
    drive_command_run(&drive_run, DRIVE_WORDS("-R500", "-c2", "-d1500ms", "--timeout", "200ms",
                                              drive_url(peer.port, "/")));
    cr_expect_eq(drive_number("window/scheduled_count"), 750);
    cr_expect_geq(drive_number("window/backlog_count"), 590);
    cr_expect_gt(drive_number("latency/max_ns"), 200 * MS);
    cr_expect_eq(drive_number("outcomes/timeout"), 0);
    schedule_check();
    drive_command_release(&drive_run);
    drive_command_run(&drive_run, DRIVE_WORDS("-R500", "-c2", "-d1500ms", "--deadline", "50ms",
                                              drive_url(peer.port, "/")));
    cr_expect_geq(drive_number("window/shed_count"), 500);
    cr_expect_leq(drive_number("window/backlog_count"), 50);
    schedule_check();
    peer_close(&peer);
}

Test(driver_open, poisson_arrivals_come_at_the_rate)
{
    struct peer peer;

    peer_open(&peer, &answers);
    drive_command_run(&drive_run, DRIVE_WORDS("-R2000", "-t2", "-c64", "-d1s", "--arrivals",
                                              "poisson", "--seed", "5", drive_url(peer.port, "/")));
    /* A Poisson count of mean 2000 lies within 5 standard deviations. */
    cr_expect_float_eq((double)drive_number("window/scheduled_count"), 2000, 5 * sqrt(2000));
    schedule_check();
    peer_close(&peer);
}
