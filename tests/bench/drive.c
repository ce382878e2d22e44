// SPDX-License-Identifier: Apache-2.0
// Drives one IPv4 address and prints what came of it: a benchmark of the driver itself, built by
// hand.
//
// drive PORT CONNECTIONS THREADS SECONDS [PATH [SPIN_US [epoll|uring|https [whole]]]]; against
// 127.0.0.1; whole: without the series, one interval is the window
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/driver/driver.h"
#include "engines/base/clock.h"

struct result {
    int64_t ok_count, cpu_ns, sleep_count, max_ns;
    int intervals;
};

static void take_all(struct driver *driver, struct result *result, struct histogram *all)
{
    static struct histogram histogram;
    struct driver_interval interval;
    const struct clock *clock = clock_system();

    while (!driver_finished(driver)) {
        if (!driver_take(driver, &interval, &histogram)) {
            clock->sleep_until_ns(clock->self, clock_now_ns(clock) + 5 * CLOCK_NS_PER_MS);
            continue;
        }
        if (interval.phase == SAMPLE_PHASE_WINDOW) {
            result->ok_count += interval.metrics[METRIC_ok_count];
            result->cpu_ns += interval.metrics[METRIC_driver_user_ns] +
                              interval.metrics[METRIC_driver_system_ns] -
                              interval.metrics[METRIC_driver_spin_ns];
            result->sleep_count += interval.metrics[METRIC_driver_sleep_count];
            histogram_merge(all, &histogram);
            result->intervals++;
        }
    }
}

static void print_result(const struct result *result, const struct histogram *all, double seconds,
                         const struct driver_totals *totals)
{
    double ok = result->ok_count > 0 ? (double)result->ok_count : 1;

    printf("req/s %.0f  cpu_us/req %.3f  sleeps/1000 %.1f  p50_us %.1f  p99_us %.1f  max_us %.1f\n",
           (double)result->ok_count / seconds, (double)result->cpu_ns / ok / 1000,
           (double)result->sleep_count * 1000 / ok, (double)histogram_quantile(all, 0.5) / 1000,
           (double)histogram_quantile(all, 0.99) / 1000, (double)all->max_ns / 1000);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (totals->outcomes[i]) {
            printf("  %s %" PRIu64 "\n", outcome_infos[i].name, totals->outcomes[i]);
        }
    }
    printf("  started %" PRIu64 "  established %u  served %u  %s %s\n", totals->started_count,
           totals->connections_established, totals->connections_served,
           totals->io == DRIVER_IO_URING ? "io_uring" : "epoll", totals->io_reason);
    printf("  tls %s %s %" PRIu64 " full\n", totals->tls.version, totals->tls.cipher,
           totals->tls.full_count);
}

int main(int argc, char **argv)
{
    static struct histogram all;
    static char request[1024];
    struct result result = {0};
    struct driver_totals totals;
    struct driver *driver;
    struct err e = {0};

    if (argc < 5) {
        fprintf(stderr, "drive PORT CONNECTIONS THREADS SECONDS [PATH [SPIN_US [epoll|uring|https "
                        "[whole]]]]\n");
        return 2;
    }
    double seconds = atof(argv[4]);
    int64_t window_ns = (int64_t)(seconds * (double)CLOCK_NS_PER_S);
    bool is_whole = argc > 8 && strcmp(argv[8], "whole") == 0;
    int length = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                          argc > 5 ? argv[5] : "/");
    const struct tls_settings tls = {.host = "127.0.0.1", .skips_certificate = true};
    struct driver_config config = {
        .address_bytes = sizeof(struct sockaddr_in),
        .requests = &(struct driver_request){.bytes = request,
                                             .byte_count = (size_t)length,
                                             .expect = {.status = 200, .body_bytes = -1}},
        .request_count = 1,
        .connection_count = (uint32_t)atoi(argv[2]),
        .thread_count = (uint32_t)atoi(argv[3]),
        .timeout_ns = 2 * CLOCK_NS_PER_S,
        .connect_rate_per_s = 2000,
        .grid = {.interval_ns = is_whole ? window_ns : 500 * CLOCK_NS_PER_MS,
                 .window_ns = window_ns},
        .io = argc > 7 && strcmp(argv[7], "uring") == 0 ? DRIVER_IO_URING : DRIVER_IO_EPOLL,
        .tls = argc > 7 && strcmp(argv[7], "https") == 0 ? &tls : NULL,
        .spin_ns = argc > 6 ? atoi(argv[6]) * CLOCK_NS_PER_US : 0,
    };
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(argv[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(&config.address, &address, sizeof(address));
    if (driver_open(&config, &driver, &e) != ERR_OK) {
        fprintf(stderr, "drive: %s\n", e.text);
        return 1;
    }
    driver_start(driver, clock_monotonic_ns() + 10 * CLOCK_NS_PER_MS);
    take_all(driver, &result, &all);
    driver_get_totals(driver, &totals);
    driver_close(driver);
    print_result(&result, &all, seconds, &totals);
    return 0;
}
