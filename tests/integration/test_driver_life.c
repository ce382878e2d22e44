// SPDX-License-Identifier: Apache-2.0
// The driver's life: stopping, closing, dead servers, limits, what it may not do while load runs.
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/alloc_count.h"
#include "tests/support/driver_load.h"

/* A20 */
Test(driver_life, refuses_more_connections_than_descriptors)
{
    struct load load = {.connections = 100};
    struct driver_config config;
    struct driver *driver = NULL;
    struct err e = {0};
    struct rlimit usual;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    struct rlimit limit = {.rlim_cur = 64, .rlim_max = usual.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    load_config(&load, 1, &config);
    cr_expect_eq(driver_open(&config, &driver, &e), ERR_LIMIT);
    cr_expect_null(driver);
    cr_expect_not_null(strstr(e.text, "RLIMIT_NOFILE allows 64"), "%s", e.text);
    cr_expect_not_null(strstr(e.text, "100 connections need"), "%s", e.text);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

Test(driver_life, stops_early_when_told)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    load_drive("stop", &script, &(struct load){.window_ns = 5000 * MS, .stop_at_ns = 250 * MS});
    cr_expect_lt(load_result.elapsed_ns, 1000 * MS);
    cr_expect_eq(load_result.interval_count, 4);
    cr_expect_geq(load_result.intervals[2].end_ns, 250 * MS);
    cr_expect_lt(load_result.intervals[2].end_ns, 300 * MS);
    cr_expect_eq(load_result.intervals[3].start_ns, load_result.intervals[2].end_ns);
}

/* A server that is full answers no SYN; the user does not wait for the timeout with it. */
Test(driver_life, gives_up_the_ramp_when_told)
{
    static const volatile sig_atomic_t stop = SIGINT;
    struct load load = {.connections = 8};
    struct driver_config config;
    struct driver *driver = NULL;
    struct err e = {0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t address_bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    cr_assert_eq(listen(fd, 0), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &address_bytes), 0);
    load_config(&load, ntohs(address.sin_port), &config);
    config.timeout_ns = 20000 * MS;
    config.stop = &stop;
    int64_t before_ns = clock_monotonic_ns();
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
    driver_close(driver);
    cr_expect_lt(clock_monotonic_ns() - before_ns, 10000 * MS);
    close(fd);
}

Test(driver_life, counts_refused_connections_of_a_dead_server)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));
    struct load load = {.window_ns = 300 * MS};
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};

    memset(&load_result, 0, sizeof(load_result));
    peer_open(&peer, &script);
    load_config(&load, peer.port, &config);
    config.timeout_ns = 30 * MS; /* of the ramp as well */
    peer_close(&peer);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    load_take(driver, &load, &peer, zero_ns);
    driver_get_totals(driver, &load_result.totals);
    driver_close(driver);
    load_check_sums("dead");
    cr_expect_eq(load_result.totals.connections_established, 0);
    cr_expect_geq(load_outcome_count(OUTCOME_CONNECT_REFUSED), 2);
    cr_expect_leq(load_outcome_count(OUTCOME_CONNECT_REFUSED), 14);
    cr_expect_eq(load_outcome_count(OUTCOME_CONNECT_REFUSED), load_result.totals.started_count);
}

/* driver_close without start, during load and during the drain of a server that hangs */
Test(driver_life, closes_at_once_at_any_time)
{
    static const struct peer_script script = REPLY({.after = PEER_HANG});
    struct load load = {.window_ns = 50 * MS, .timeout_ns = 60000 * MS};

    for (int64_t wait_ms = 0; wait_ms <= 100; wait_ms += 50) {
        struct driver_config config;
        struct driver *driver;
        struct peer peer;
        struct err e = {0};
        const struct clock *clock = clock_system();

        peer_open(&peer, &script);
        load_config(&load, peer.port, &config);
        cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
        if (wait_ms > 0) {
            driver_start(driver, clock_monotonic_ns());
        }
        int64_t end_ns = clock_monotonic_ns() + wait_ms * MS;
        clock->sleep_until_ns(clock->self, end_ns);
        int64_t before_ns = clock_monotonic_ns();
        driver_close(driver);
        cr_expect_lt(clock_monotonic_ns() - before_ns, 500 * MS);
        peer_close(&peer);
    }
    driver_close(NULL);
}

/* A reader that takes nothing for longer than the ring holds: 12 intervals of 50 ms in 8 slots. */
Test(driver_life, folds_intervals_when_nobody_takes_them)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));
    bool any_folded = false;

    load_drive(
        "late reader", &script,
        &(struct load){.window_ns = 600 * MS, .interval_ns = 50 * MS, .take_after_ns = 560 * MS});
    cr_expect_eq(load_result.interval_count, 13);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.peer_responses);
    for (uint32_t i = 0; i < load_result.interval_count; i++) {
        any_folded |= load_result.intervals[i].is_folded;
        cr_expect(i > 6 || !load_result.intervals[i].is_folded, "interval %u had a slot", i);
    }
    cr_expect(any_folded);
}

/* Descriptors that run out during load are a fault of the client and counted as such. */
Test(driver_life, counts_descriptors_that_ran_out)
{
    static const struct peer_script script =
        REPLY(SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
                  .after = PEER_CLOSE));

    load_drive("EMFILE", &script, &(struct load){.nofile_in_load = 3});
    cr_expect_eq(load_outcome_count(OUTCOME_OK), 4);
    cr_expect_geq(load_outcome_count(OUTCOME_CONNECT_NO_FD), 2);
    cr_expect_eq(load_outcome_count(OUTCOME_OK) + load_outcome_count(OUTCOME_CONNECT_NO_FD),
                 load_result.totals.started_count);
}

/* Minor faults of all threads of this process but the calling one (proc_pid_stat(5), field 10). */
static uint64_t thread_faults(void)
{
    DIR *tasks = opendir("/proc/self/task");
    uint64_t sum = 0;

    cr_assert_not_null(tasks);
    for (struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        char path[64];
        char text[512] = "";
        uint64_t faults = 0;

        if (atoi(entry->d_name) == 0 || atoi(entry->d_name) == gettid()) {
            continue;
        }
        snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atoi(entry->d_name));
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        cr_assert_geq(fd, 0);
        cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
        close(fd);
        const char *after_name = strrchr(text, ')');
        cr_assert_not_null(after_name);
        cr_assert_eq(sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %lu", &faults), 1);
        sum += faults;
    }
    closedir(tasks);
    return sum;
}

/* From start to the end of the window the heap is not called; a thread meets no page of its memory
 * for the first time but the few of code that runs first then. */
Test(driver_life, allocates_nothing_while_load_runs)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));
    static struct histogram histogram;
    const struct clock *clock = clock_system();
    struct load load = {.window_ns = 400 * MS};
    struct driver_interval interval;
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};

    peer_open(&peer, &script);
    load_config(&load, peer.port, &config);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
    thread_faults(); /* whatever the first reading of a folder allocates */
    uint64_t faults_before = thread_faults();
    int64_t before = alloc_count();
    cr_assert_neq(before, 0, "calls are not counted");
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    for (int64_t now_ns = 0; now_ns < zero_ns + 390 * MS; now_ns = clock_monotonic_ns()) {
        driver_take(driver, &interval, &histogram);
        clock->sleep_until_ns(clock->self, clock_monotonic_ns() + MS);
    }
    int64_t after = alloc_count();
    uint64_t faults_after = thread_faults();
    driver_close(driver);
    cr_expect_gt(peer.stats->response_count, 0);
    peer_close(&peer);
    cr_expect_eq(after, before, "%ld calls", after - before);
    if (after >= 0) { /* a sanitizer's shadow memory has faults of its own */
        /* Below zero where this thread came back so late that the driver's had ended. */
        int64_t faults = (int64_t)(faults_after - faults_before);
        cr_expect_leq(faults, 32, "%ld faults", faults);
    }
}
