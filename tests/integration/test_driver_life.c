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

/* What a load is made of. */
struct steady_row {
    const char *name;
    enum driver_io io;
    const struct peer_script *script;
    uint32_t pipeline, connection_requests, rate_per_s, mix_count;
    int64_t think_ns;
};

#define STEADY_BODY_BYTES ((size_t)200000)
static char steady_bytes[100 + STEADY_BODY_BYTES];
static const struct peer_script steady_pong = REPLY(SAY(OK_RESPONSE));
static const struct peer_script steady_long = REPLY(SAY(steady_bytes));

static const struct steady_row steady_rows[] = {
    {.name = "epoll", .script = &steady_pong},
    {.name = "uring", .io = DRIVER_IO_URING, .script = &steady_pong},
    {.name = "epoll, long bodies", .script = &steady_long},
    {.name = "uring, long bodies", .io = DRIVER_IO_URING, .script = &steady_long},
    {.name = "epoll, pipeline", .script = &steady_pong, .pipeline = 8},
    {.name = "uring, pipeline", .io = DRIVER_IO_URING, .script = &steady_pong, .pipeline = 8},
    {.name = "epoll, mix", .script = &steady_pong, .mix_count = 2},
    {.name = "uring, mix", .io = DRIVER_IO_URING, .script = &steady_pong, .mix_count = 2},
    {.name = "epoll, think time", .script = &steady_pong, .think_ns = 2 * MS},
    {.name = "uring, think time",
     .io = DRIVER_IO_URING,
     .script = &steady_pong,
     .think_ns = 2 * MS},
    {.name = "epoll, open loop", .script = &steady_pong, .rate_per_s = 2000},
    {.name = "uring, open loop", .io = DRIVER_IO_URING, .script = &steady_pong, .rate_per_s = 2000},
    {.name = "epoll, 10 requests a connection", .script = &steady_pong, .connection_requests = 10},
};

static void steady_config(const struct steady_row *row, uint16_t port,
                          struct driver_config *config_out)
{
    static struct driver_request requests[2];

    load_io = row->io;
    load_config(&(struct load){.interval_ns = 50 * MS, .any_body = true}, port, config_out);
    config_out->grid.warmup_ns = 50 * MS;
    config_out->grid.window_ns = 2000 * MS;
    config_out->pipeline_count = row->pipeline;
    config_out->connection_requests = row->connection_requests;
    config_out->arrivals.rate_per_s = row->rate_per_s;
    config_out->think.mean_ns = row->think_ns;
    if (row->mix_count > 0) {
        requests[0] = requests[1] = config_out->requests[0];
        requests[0].weight = requests[1].weight = 1;
        config_out->requests = requests;
        config_out->request_count = row->mix_count;
    }
}

static void intervals_take(struct driver *driver, int64_t end_ns)
{
    static struct histogram histogram;
    const struct clock *clock = clock_system();
    struct driver_interval interval;

    while (clock_monotonic_ns() < end_ns) {
        driver_take(driver, &interval, &histogram);
        clock->sleep_until_ns(clock->self, clock_monotonic_ns() + MS);
    }
}

static void row_is_steady(const struct steady_row *row)
{
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};
    uint64_t faults = 1, responses = 0;

    peer_open(&peer, row->script);
    steady_config(row, peer.port, &config);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
    thread_faults(); /* whatever the first reading of a folder allocates */
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    intervals_take(driver, zero_ns + 60 * MS); /* the warm-up, in which code runs first */
    /* One of six, each with the end of an interval, whose place was not used before: where the
     * kernel moves pages about, that is a fault as well. */
    for (int attempt = 0; attempt < 6 && (faults || responses == 0); attempt++) {
        uint64_t responses_before = peer.stats->response_count;
        uint64_t faults_before = thread_faults();
        int64_t before = alloc_count();

        cr_assert_neq(before, 0, "calls are not counted");
        intervals_take(driver, clock_monotonic_ns() + 55 * MS);
        int64_t after = alloc_count();
        /* A sanitizer's shadow memory has faults of its own. */
        faults = after >= 0 ? thread_faults() - faults_before : 0;
        cr_expect_eq(after, before, "%s: %ld calls", row->name, (long)(after - before));
        responses = peer.stats->response_count - responses_before;
    }
    cr_expect_gt(responses, 0, "%s: no load", row->name);
    cr_expect_eq(faults, 0, "%s: %lu page faults", row->name, (unsigned long)faults);
    driver_close(driver);
    peer_close(&peer);
}

/* In the window the heap is not called, and no thread of the driver meets a page for the first
 * time. */
Test(driver_life, allocates_nothing_while_load_runs)
{
    int head = snprintf(steady_bytes, sizeof(steady_bytes),
                        "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", STEADY_BODY_BYTES);

    memset(steady_bytes + head, 'b', STEADY_BODY_BYTES);
    for (size_t i = 0; i < sizeof(steady_rows) / sizeof(*steady_rows); i++) {
        row_is_steady(&steady_rows[i]);
    }
}
