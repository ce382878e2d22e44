// SPDX-License-Identifier: Apache-2.0
// Drives a scripted peer and checks the sums.
#include "tests/support/driver_load.h"

#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <string.h>

enum driver_io load_io;
struct outcome_of_load load_result;
static struct histogram one_interval;

static int64_t or_usual(int64_t value, int64_t usual)
{
    return value ? value : usual;
}

void load_config(const struct load *load, uint16_t port, struct driver_config *config_out)
{
    static struct driver_request request;
    const char *bytes = load->request ? load->request : GET;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    request = (struct driver_request){
        .bytes = bytes,
        .byte_count = strlen(bytes),
        .is_head = load->is_head,
        .expect = {.status = load->status ? load->status : 200,
                   .body_bytes = load->any_body ? -1 : or_usual(load->body_bytes, 4),
                   .body_hash_checked = !load->any_body && load->body_bytes == 0,
                   .body_xxh64 = PONG_XXH64}};
    *config_out = (struct driver_config){
        .address_bytes = sizeof(address),
        .requests = &request,
        .request_count = 1,
        .connection_count = load->connections ? load->connections : 4,
        .thread_count = load->threads ? load->threads : 2,
        .timeout_ns = or_usual(load->timeout_ns, 1500 * MS),
        .connect_rate_per_s = 2000,
        .io = load_io,
        .grid = {.interval_ns = or_usual(load->interval_ns, 100 * MS),
                 .warmup_ns = load->warmup_ns,
                 .window_ns = or_usual(load->window_ns, 200 * MS)},
    };
    memcpy(&config_out->address, &address, sizeof(address));
}

static void interval_keep(const struct driver_interval *interval)
{
    uint64_t sum = 0;

    cr_assert_lt(load_result.interval_count, INTERVAL_LIMIT);
    cr_assert_eq(interval->index, load_result.interval_count, "a gap before interval %u",
                 interval->index);
    load_result.intervals[load_result.interval_count++] = *interval;
    histogram_merge(&load_result.histogram, &one_interval);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (interval->metrics[i] != METRIC_UNKNOWN) {
            load_result.sums[i] += interval->metrics[i];
        }
    }
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        sum += interval->outcomes[i];
    }
    int64_t of_classes = interval->metrics[METRIC_ok_count] +
                         interval->metrics[METRIC_http_error_count] +
                         interval->metrics[METRIC_fault_count];
    cr_expect_eq((int64_t)(sum - interval->outcomes[OUTCOME_IN_FLIGHT_AT_END]), of_classes);
    cr_expect_eq(one_interval.total_count + one_interval.overflow_count,
                 interval->outcomes[OUTCOME_OK]);
}

void load_check_sums(const char *name)
{
    uint64_t of_totals = 0;
    uint64_t of_intervals = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        uint64_t count = 0;
        for (uint32_t k = 0; k < load_result.interval_count; k++) {
            count += load_result.intervals[k].outcomes[i];
        }
        cr_expect_eq(count, load_result.totals.outcomes[i], "%s: %s", name, outcome_infos[i].name);
        of_totals += load_result.totals.outcomes[i];
        of_intervals += count;
    }
    cr_expect_eq(of_totals, load_result.totals.started_count, "%s: %lu outcomes of %lu requests",
                 name, of_totals, load_result.totals.started_count);
    cr_expect_eq(of_intervals, (uint64_t)load_result.sums[METRIC_started_count], "%s", name);
    cr_expect_eq(load_result.intervals[load_result.interval_count - 1].phase, SAMPLE_PHASE_DRAIN);
    cr_expect_eq(
        load_result.intervals[load_result.interval_count - 1].metrics[METRIC_in_flight_count], 0);
}

void load_take(struct driver *driver, const struct load *load, const struct peer *peer,
               int64_t zero_ns)
{
    const struct clock *clock = clock_system();
    struct driver_interval interval;
    bool is_killed = load->kill_signal == 0;
    bool is_stopped = false;

    while (!driver_finished(driver)) {
        int64_t now_ns = clock_monotonic_ns();

        if (!is_killed && now_ns >= zero_ns + load->kill_at_ns) {
            peer_signal(peer, load->kill_signal);
            is_killed = true;
        }
        if (!is_stopped && (driver_is_exhausted(driver) ||
                            (load->stop_at_ns > 0 && now_ns >= zero_ns + load->stop_at_ns))) {
            driver_stop(driver);
            is_stopped = true;
        }
        if (now_ns >= zero_ns + load->take_after_ns &&
            driver_take(driver, &interval, &one_interval)) {
            interval_keep(&interval);
        } else {
            clock->sleep_until_ns(clock->self, now_ns + MS);
        }
    }
}

/* Drives a peer with this script and checks what holds for every load. */
void load_drive(const char *name, const struct peer_script *script, const struct load *load)
{
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};

    memset(&load_result, 0, sizeof(load_result));
    peer_open(&peer, script);
    load_config(load, peer.port, &config);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s: %s", name, e.text);
    struct rlimit usual;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &usual), 0);
    if (load->nofile_in_load) {
        struct rlimit limit = {load->nofile_in_load, usual.rlim_max};
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    load_take(driver, load, &peer, zero_ns);
    driver_get_totals(driver, &load_result.totals);
    driver_close(driver);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &usual), 0); /* a leak checker needs descriptors */
    load_result.elapsed_ns = clock_monotonic_ns() - zero_ns;
    load_result.peer_accepted = peer.stats->accepted_count;
    peer_settle(&peer);
    load_result.peer_requests = peer.stats->request_count;
    load_result.peer_used = peer.stats->used_count;
    load_result.peer_responses = peer.stats->response_count;
    load_result.peer_bytes = peer.stats->sent_bytes;
    peer_close(&peer);
    load_check_sums(name);
    int64_t bound_ns =
        config.grid.warmup_ns + config.grid.window_ns + config.timeout_ns + 1000 * MS;
    cr_expect_lt(load_result.elapsed_ns, bound_ns, "%s: took %ld ms", name,
                 load_result.elapsed_ns / MS);
}

uint64_t load_outcome_count(enum outcome outcome)
{
    return load_result.totals.outcomes[outcome];
}
