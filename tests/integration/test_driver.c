// SPDX-License-Identifier: Apache-2.0
// The driver against servers that misbehave. In every case the sum of the outcomes is the number of
// started requests.
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "collector/driver/driver.h"
#include "engines/base/clock.h"
#include "tests/support/scripted_peer.h"

#define MS             CLOCK_NS_PER_MS
#define INTERVAL_LIMIT 64
#define GET            "GET / HTTP/1.1\r\nHost: peer\r\n\r\n"
#define OK_HEAD        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
#define OK_RESPONSE    OK_HEAD "pong"
/* printf pong | xxhsum -H1 */
#define PONG_XXH64 UINT64_C(0x79fb150e408c989f)

struct load {
    const char *request; /* NULL: GET */
    bool is_head;
    int status; /* 0: 200 */
    uint32_t connections, threads;
    int64_t window_ns, warmup_ns, interval_ns, timeout_ns; /* 0: the usual */
    int kill_signal; /* sent to the peer at kill_at_ns of the load */
    int64_t kill_at_ns;
    int64_t stop_at_ns; /* driver_stop; 0: never */
    bool any_body;
};

struct outcome_of_load {
    struct driver_totals totals;
    struct driver_interval intervals[INTERVAL_LIMIT];
    struct histogram histogram; /* of all intervals */
    uint32_t interval_count;
    int64_t elapsed_ns; /* from grid zero to the end of driver_close */
    int64_t sums[METRIC_COUNT];
    uint64_t peer_requests, peer_used, peer_accepted, peer_responses, peer_bytes;
};

static struct outcome_of_load result; /* too large for a stack; each test is a process */
static struct histogram one_interval;

static int64_t or_usual(int64_t value, int64_t usual)
{
    return value ? value : usual;
}

static void config_fill(struct driver_config *config, const struct load *load, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    *config = (struct driver_config){
        .address_bytes = sizeof(address),
        .request = load->request ? load->request : GET,
        .request_bytes = strlen(load->request ? load->request : GET),
        .request_is_head = load->is_head,
        .expect = {.status = load->status ? load->status : 200,
                   .body_bytes = load->any_body ? -1 : 4,
                   .body_hash_checked = !load->any_body,
                   .body_xxh64 = PONG_XXH64},
        .connection_count = load->connections ? load->connections : 4,
        .thread_count = load->threads ? load->threads : 2,
        .timeout_ns = or_usual(load->timeout_ns, 150 * MS),
        .connect_rate_per_s = 2000,
        .grid = {.interval_ns = or_usual(load->interval_ns, 100 * MS),
                 .warmup_ns = load->warmup_ns,
                 .window_ns = or_usual(load->window_ns, 200 * MS)},
    };
    memcpy(&config->address, &address, sizeof(address));
}

static void interval_keep(const struct driver_interval *interval)
{
    uint64_t sum = 0;

    cr_assert_lt(result.interval_count, INTERVAL_LIMIT);
    cr_assert_eq(interval->index, result.interval_count, "a gap before interval %u",
                 interval->index);
    result.intervals[result.interval_count++] = *interval;
    histogram_merge(&result.histogram, &one_interval);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (interval->metrics[i] != METRIC_UNKNOWN) {
            result.sums[i] += interval->metrics[i];
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

static void sums_check(const char *name)
{
    uint64_t of_totals = 0;
    uint64_t of_intervals = 0;

    for (int i = 0; i < OUTCOME_COUNT; i++) {
        uint64_t count = 0;
        for (uint32_t k = 0; k < result.interval_count; k++) {
            count += result.intervals[k].outcomes[i];
        }
        cr_expect_eq(count, result.totals.outcomes[i], "%s: %s", name, outcome_infos[i].name);
        of_totals += result.totals.outcomes[i];
        of_intervals += count;
    }
    cr_expect_eq(of_totals, result.totals.started_count, "%s: %lu outcomes of %lu requests", name,
                 of_totals, result.totals.started_count);
    cr_expect_eq(of_intervals, (uint64_t)result.sums[METRIC_started_count], "%s", name);
    cr_expect_eq(result.intervals[result.interval_count - 1].phase, SAMPLE_PHASE_DRAIN);
    cr_expect_eq(result.intervals[result.interval_count - 1].metrics[METRIC_in_flight_count], 0);
}

static void intervals_take(struct driver *driver, const struct load *load, const struct peer *peer,
                           int64_t zero_ns)
{
    const struct clock *clock = clock_system();
    struct driver_interval interval;
    bool is_killed = load->kill_signal == 0;
    bool is_stopped = load->stop_at_ns == 0;

    while (!driver_finished(driver)) {
        int64_t now_ns = clock_monotonic_ns();

        if (!is_killed && now_ns >= zero_ns + load->kill_at_ns) {
            peer_signal(peer, load->kill_signal);
            is_killed = true;
        }
        if (!is_stopped && now_ns >= zero_ns + load->stop_at_ns) {
            driver_stop(driver);
            is_stopped = true;
        }
        if (driver_take(driver, &interval, &one_interval)) {
            interval_keep(&interval);
        } else {
            clock->sleep_until_ns(clock->self, now_ns + MS);
        }
    }
}

/* Drives a peer with this script and checks what holds for every load. */
static void drive(const char *name, const struct peer_script *script, const struct load *load)
{
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};

    memset(&result, 0, sizeof(result));
    peer_open(&peer, script);
    config_fill(&config, load, peer.port);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s: %s", name, e.text);
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    intervals_take(driver, load, &peer, zero_ns);
    driver_get_totals(driver, &result.totals);
    driver_close(driver);
    result.elapsed_ns = clock_monotonic_ns() - zero_ns;
    result.peer_requests = peer.stats->request_count;
    result.peer_used = peer.stats->used_count;
    result.peer_accepted = peer.stats->accepted_count;
    result.peer_responses = peer.stats->response_count;
    result.peer_bytes = peer.stats->sent_bytes;
    peer_close(&peer);
    sums_check(name);
    int64_t bound_ns =
        config.grid.warmup_ns + config.grid.window_ns + config.timeout_ns + 1000 * MS;
    cr_expect_lt(result.elapsed_ns, bound_ns, "%s: took %ld ms", name, result.elapsed_ns / MS);
}

static uint64_t outcome_count(enum outcome outcome)
{
    return result.totals.outcomes[outcome];
}

static char long_head_1500[2000];
static char long_head_40k[42000];

static void long_head_fill(char *out, size_t value_bytes)
{
    size_t length = (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nX-Long: ");

    memset(out + length, 'x', value_bytes);
    strcpy(out + length + value_bytes, "\r\nContent-Length: 4\r\n\r\npong");
}

/* A script of these replies, and one reply. */
#define REPLY(...)                                                                                 \
    {                                                                                              \
        .replies = {__VA_ARGS__},                                                                  \
        .reply_count =                                                                             \
            sizeof((const struct peer_reply[]){__VA_ARGS__}) / sizeof(struct peer_reply)           \
    }
#define SAY(...)                                                                                   \
    {                                                                                              \
        .bytes = __VA_ARGS__                                                                       \
    }
#define BIT(outcome) (1U << OUTCOME_##outcome)

struct fault_row {
    const char *name;
    struct peer_script script;
    struct load load;
    uint32_t must; /* outcomes that occur; no other than these and `may` does */
    uint32_t may;
};

static void row_check(const struct fault_row *row)
{
    drive(row->name, &row->script, &row->load);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (row->must & (1U << i)) {
            cr_expect_gt(result.totals.outcomes[i], 0, "%s: no %s", row->name,
                         outcome_infos[i].name);
        } else if (!(row->may & (1U << i))) {
            cr_expect_eq(result.totals.outcomes[i], 0, "%s: %lu %s", row->name,
                         result.totals.outcomes[i], outcome_infos[i].name);
        }
    }
}

#define CHUNKED_HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

Test(driver, classifies_every_answer_of_a_misbehaving_server)
{
    static const struct fault_row rows[] = {
        {"well", REPLY(SAY(OK_RESPONSE)), {0}, BIT(OK), 0},
        {"1.5 KB head", REPLY(SAY(long_head_1500)), {0}, BIT(OK), 0},
        {"40 KB head", REPLY(SAY(long_head_40k)), {0}, BIT(OK), 0},
        /* A05 */
        {"always 404",
         REPLY(SAY("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\npong")),
         {0},
         BIT(HTTP_4XX),
         0},
        {"always 503",
         REPLY(SAY("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")),
         {0},
         BIT(HTTP_5XX),
         0},
        {"wrong length",
         REPLY(SAY("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\npon")),
         {0},
         BIT(BODY_LENGTH),
         0},
        {"wrong bytes", REPLY(SAY(OK_HEAD "pang")), {0}, BIT(BODY_HASH), 0},
        {"truncated body",
         REPLY(SAY(OK_HEAD "po", .after = PEER_CLOSE)),
         {0},
         BIT(TRUNCATED_BODY),
         0},
        {"truncated head",
         REPLY(SAY("HTTP/1.1 200 OK\r\nCont", .after = PEER_CLOSE)),
         {0},
         BIT(TRUNCATED_HEAD),
         0},
        {"garbage", REPLY(SAY("\x01\x02 not at all HTTP\r\n\r\n")), {0}, BIT(PROTOCOL_STATUS), 0},
        {"bad field",
         REPLY(SAY("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n")),
         {0},
         BIT(PROTOCOL_HEADER),
         0},
        {"closes at once", REPLY({.after = PEER_CLOSE}), {0}, BIT(CLOSED_EARLY), BIT(RESET)},
        /* A13: a server's RST is no premature end */
        {"RST every fifth",
         REPLY(SAY(OK_RESPONSE), SAY(OK_RESPONSE), SAY(OK_RESPONSE), SAY(OK_RESPONSE),
               {.after = PEER_RESET}),
         {0},
         BIT(OK) | BIT(RESET),
         0},
        {"101", REPLY(SAY("HTTP/1.1 101 Switching\r\n\r\n")), {0}, BIT(HTTP_1XX), 0},
        {"byte by byte", REPLY(SAY(OK_RESPONSE, .is_trickled = true)), {0}, BIT(OK), 0},
        /* A16 */
        {"chunked, extensions, trailer, byte by byte",
         REPLY(SAY(CHUNKED_HEAD "1;x=y\r\np\r\n0003 \r\nong\r\n0\r\nETag: \"a\"\r\n\r\n",
                   .is_trickled = true)),
         {0},
         BIT(OK),
         0},
        {"chunk size too large",
         REPLY(SAY(CHUNKED_HEAD "FFFFFFFFFFFFFFFF\r\npong")),
         {0},
         BIT(PROTOCOL_CHUNK),
         0},
        /* A17 */
        {"framed by close",
         REPLY(SAY("HTTP/1.1 200 OK\r\n\r\npong", .after = PEER_CLOSE)),
         {0},
         BIT(OK),
         0},
        /* A15 */
        {"HEAD",
         REPLY(SAY("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n")),
         {.request = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", .is_head = true},
         BIT(OK),
         0},
        {"204 with a length",
         REPLY(SAY("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n")),
         {.status = 204, .any_body = true},
         BIT(OK),
         0},
        {"204 with a body",
         REPLY(SAY("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nwrong")),
         {.status = 204, .any_body = true},
         BIT(OK) | BIT(PROTOCOL_STATUS),
         0},
        {"304 chunked",
         REPLY(SAY("HTTP/1.1 304 Not\r\nTransfer-Encoding: chunked\r\n\r\n")),
         {.status = 304, .any_body = true},
         BIT(OK),
         0},
        {"hangs half",
         {.replies = {SAY(OK_RESPONSE), {.after = PEER_HANG}},
          .reply_count = 2,
          .order = PEER_BY_CONNECTION},
         {0},
         BIT(OK) | BIT(TIMEOUT),
         0},
        {"hangs inside the body",
         REPLY(SAY(OK_HEAD "p", .after = PEER_HANG)),
         {0},
         BIT(TIMEOUT),
         0},
    };

    long_head_fill(long_head_1500, 1500);
    long_head_fill(long_head_40k, 40 * 1024);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row_check(&rows[i]);
    }
}

/* A01 */
Test(driver, uses_exactly_as_many_sockets_as_it_was_told)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    drive("7 on 2", &script, &(struct load){.connections = 7, .threads = 2});
    cr_expect_eq(result.peer_used, 7);
    cr_expect_eq(result.peer_accepted, 7);
    cr_expect_eq(result.totals.connections_requested, 7);
    cr_expect_eq(result.totals.connections_established, 7);
    cr_expect_eq(result.totals.connections_served, 7);
    cr_expect_eq(result.intervals[0].metrics[METRIC_connection_count], 7);
    cr_expect_eq(result.intervals[0].metrics[METRIC_in_flight_count], 7);
}

/* A40 */
Test(driver, lowers_its_threads_to_the_connections)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    drive("-t 256 -c 1", &script, &(struct load){.connections = 1, .threads = 256});
    cr_expect_eq(result.peer_used, 1);
    cr_expect_gt(outcome_count(OUTCOME_OK), 0);
}

/* A04: 3 connections each time out at 150, 300, … of 400 ms */
Test(driver, reports_a_server_that_never_answers)
{
    static const struct peer_script script = REPLY({.after = PEER_HANG});

    drive("never answers", &script,
          &(struct load){.connections = 3, .timeout_ns = 100 * MS, .window_ns = 400 * MS});
    cr_expect_eq(outcome_count(OUTCOME_OK), 0);
    cr_expect_geq(outcome_count(OUTCOME_TIMEOUT), 9);
    cr_expect_leq(outcome_count(OUTCOME_TIMEOUT), 12);
    cr_expect_eq(histogram_quantile(&result.histogram, 0.5), -1);
    for (uint32_t i = 0; i < result.interval_count; i++) {
        cr_expect_eq(result.intervals[i].metrics[METRIC_latency_max_ns], METRIC_UNKNOWN);
    }
}

/* A07: requests at 0, 100, 200, 300 ms by each of 4 connections; no late answer counts */
Test(driver, counts_a_late_answer_once_as_a_timeout)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE, .delay_ns = 150 * MS));

    drive("late", &script,
          &(struct load){.connections = 4, .timeout_ns = 100 * MS, .window_ns = 400 * MS});
    cr_expect_eq(outcome_count(OUTCOME_OK), 0);
    cr_expect_geq(outcome_count(OUTCOME_TIMEOUT), 8);
    cr_expect_leq(outcome_count(OUTCOME_TIMEOUT), 16);
    cr_expect_eq(outcome_count(OUTCOME_TIMEOUT), result.totals.started_count);
}

/* A09; each bound of time is checked by drive() */
Test(driver, ends_in_time_when_the_server_dies_or_stops)
{
    static const struct peer_script well = REPLY(SAY(OK_RESPONSE));
    static const struct peer_script hangs = {
        .replies = {SAY(OK_RESPONSE), SAY(OK_RESPONSE), SAY(OK_HEAD "p", .after = PEER_HANG)},
        .reply_count = 3,
        .order = PEER_BY_TURN};
    struct load load = {.window_ns = 600 * MS, .timeout_ns = 200 * MS, .kill_at_ns = 200 * MS};

    drive("hangs inside the body", &hangs, &load);
    cr_expect_gt(outcome_count(OUTCOME_TIMEOUT), 0);

    load.kill_signal = SIGKILL;
    drive("SIGKILL", &well, &load);
    uint64_t lost = outcome_count(OUTCOME_RESET) + outcome_count(OUTCOME_CLOSED_EARLY) +
                    outcome_count(OUTCOME_SEND_RESET);
    cr_expect_leq(lost, 4);
    cr_expect_gt(outcome_count(OUTCOME_OK), 0);
    /* 10 + 20 + 40 + 80 + 160 ms of back-off: 6 attempts a thread in 400 ms; no storm */
    cr_expect_geq(outcome_count(OUTCOME_CONNECT_REFUSED), 2);
    cr_expect_leq(outcome_count(OUTCOME_CONNECT_REFUSED), 14);

    load.kill_signal = SIGSTOP;
    drive("SIGSTOP", &well, &load);
    cr_expect_geq(outcome_count(OUTCOME_TIMEOUT), 4);
    cr_expect_eq(result.interval_count, 7);
    for (uint32_t i = 0; i < result.interval_count; i++) {
        cr_expect_not(result.intervals[i].is_folded);
    }
}

/* A11 */
Test(driver, takes_a_close_after_a_whole_response_for_no_error)
{
    static const struct peer_script with_field =
        REPLY(SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
                  .after = PEER_CLOSE));
    static const struct peer_script old_version =
        REPLY(SAY("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\npong", .after = PEER_CLOSE));
    static struct peer_script without_field = {.reply_count = 100, .order = PEER_BY_TURN};

    drive("Connection: close", &with_field, &(struct load){0});
    cr_expect_gt(outcome_count(OUTCOME_OK), 8);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.totals.started_count);
    cr_expect_geq(result.sums[METRIC_reconnect_count],
                  (int64_t)outcome_count(OUTCOME_OK) - result.totals.connections_requested);

    drive("HTTP/1.0", &old_version, &(struct load){0});
    cr_expect_gt(outcome_count(OUTCOME_OK), 8);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.totals.started_count);

    for (size_t i = 0; i < 100; i++) {
        without_field.replies[i] =
            (struct peer_reply){.bytes = OK_RESPONSE, .after = i < 99 ? PEER_KEEP : PEER_CLOSE};
    }
    drive("close unannounced", &without_field, &(struct load){0});
    /* Every whole response is ok. A request that had left before the FIN came is no response: it
     * is closed_early or, when the server's kernel answered it with RST, reset or send_reset. */
    cr_expect_eq(outcome_count(OUTCOME_OK), result.peer_responses);
    uint64_t crossed = result.totals.started_count - outcome_count(OUTCOME_OK);
    cr_expect_leq(crossed, (uint64_t)result.peer_accepted);
    cr_expect_eq(crossed, outcome_count(OUTCOME_CLOSED_EARLY) + outcome_count(OUTCOME_RESET) +
                              outcome_count(OUTCOME_SEND_RESET));
}

/* A14: 43 bytes of 103 and 42 of 200; only the final one counts */
Test(driver, skips_interim_responses)
{
#define EARLY "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    static const struct peer_script early = REPLY(SAY(EARLY OK_RESPONSE));
    static const struct peer_script seven =
        REPLY(SAY(EARLY EARLY EARLY EARLY EARLY EARLY "HTTP/1.1 100 Continue\r\n\r\n" OK_RESPONSE));
#define FOUR EARLY EARLY EARLY EARLY
    static const struct peer_script too_many = REPLY(SAY(FOUR FOUR FOUR FOUR EARLY OK_RESPONSE));

    drive("103", &early, &(struct load){0});
    cr_expect_gt(outcome_count(OUTCOME_OK), 0);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.totals.started_count);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.peer_responses);
    cr_expect_eq((uint64_t)result.sums[METRIC_received_bytes],
                 outcome_count(OUTCOME_OK) * strlen(EARLY OK_RESPONSE));
    drive("seven", &seven, &(struct load){0});
    cr_expect_gt(outcome_count(OUTCOME_OK), 0);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.totals.started_count);
    drive("too many", &too_many, &(struct load){0});
    cr_expect_eq(outcome_count(OUTCOME_PROTOCOL_LIMIT), result.totals.started_count);
}

/* A20 */
Test(driver, refuses_more_connections_than_descriptors)
{
    struct load load = {.connections = 100};
    struct driver_config config;
    struct driver *driver = NULL;
    struct err e = {0};
    struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};

    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    config_fill(&config, &load, 1);
    cr_expect_eq(driver_open(&config, &driver, &e), ERR_LIMIT);
    cr_expect_null(driver);
    cr_expect_not_null(strstr(e.text, "RLIMIT_NOFILE allows 64"), "%s", e.text);
    cr_expect_not_null(strstr(e.text, "100 connections need"), "%s", e.text);
}

/* A25 */
Test(driver, gives_the_real_length_of_short_intervals)
{
    static const struct {
        int64_t window_ms;
        uint32_t count;
        int64_t last_ms;
    } rows[] = {{100, 1, 100}, {499, 1, 499}, {500, 1, 500}, {501, 2, 1}};
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    for (size_t i = 0; i < 4; i++) {
        drive("short", &script,
              &(struct load){.window_ns = rows[i].window_ms * MS, .interval_ns = 500 * MS});
        cr_expect_eq(result.interval_count, rows[i].count + 1);
        const struct driver_interval *last = &result.intervals[rows[i].count - 1];
        cr_expect_eq(last->end_ns - last->start_ns, rows[i].last_ms * MS, "row %zu", i);
        cr_expect_gt(result.intervals[0].outcomes[OUTCOME_OK], 0);
    }
}

/* A27 */
Test(driver, counts_what_the_server_counts)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    drive("sums", &script,
          &(struct load){.warmup_ns = 150 * MS, .window_ns = 250 * MS, .connections = 5});
    cr_expect_eq(result.totals.started_count, result.peer_requests);
    cr_expect_eq(outcome_count(OUTCOME_OK), result.peer_responses);
    cr_expect_eq((uint64_t)result.sums[METRIC_received_bytes], result.peer_bytes);
    cr_expect_eq((uint64_t)result.sums[METRIC_sent_bytes],
                 result.totals.started_count * strlen(GET));
    cr_expect_eq(result.interval_count, 6); /* 100 + 50, 100 + 100 + 50, drain */
    cr_expect_eq(result.intervals[1].phase, SAMPLE_PHASE_WARMUP);
    cr_expect_eq(result.intervals[2].phase, SAMPLE_PHASE_WINDOW);
    cr_expect_leq(result.intervals[5].outcomes[OUTCOME_OK], 5);
    cr_expect_gt(result.sums[METRIC_driver_user_ns] + result.sums[METRIC_driver_system_ns], 0);
}

Test(driver, stops_early_when_told)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    drive("stop", &script, &(struct load){.window_ns = 5000 * MS, .stop_at_ns = 250 * MS});
    cr_expect_lt(result.elapsed_ns, 1000 * MS);
    cr_expect_eq(result.interval_count, 4);
    cr_expect_geq(result.intervals[2].end_ns, 250 * MS);
    cr_expect_lt(result.intervals[2].end_ns, 300 * MS);
    cr_expect_eq(result.intervals[3].start_ns, result.intervals[2].end_ns);
}

Test(driver, counts_refused_connections_of_a_dead_server)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));
    struct load load = {.window_ns = 300 * MS};
    struct driver_config config;
    struct driver *driver;
    struct peer peer;
    struct err e = {0};

    memset(&result, 0, sizeof(result));
    peer_open(&peer, &script);
    config_fill(&config, &load, peer.port);
    config.timeout_ns = 30 * MS; /* of the ramp as well */
    peer_close(&peer);
    cr_assert_eq(driver_open(&config, &driver, &e), ERR_OK, "%s", e.text);
    int64_t zero_ns = clock_monotonic_ns() + 2 * MS;
    driver_start(driver, zero_ns);
    intervals_take(driver, &load, &peer, zero_ns);
    driver_get_totals(driver, &result.totals);
    driver_close(driver);
    sums_check("dead");
    cr_expect_eq(result.totals.connections_established, 0);
    cr_expect_geq(outcome_count(OUTCOME_CONNECT_REFUSED), 2);
    cr_expect_leq(outcome_count(OUTCOME_CONNECT_REFUSED), 14);
    cr_expect_eq(outcome_count(OUTCOME_CONNECT_REFUSED), result.totals.started_count);
}

/* driver_close without start, during load and during the drain of a server that hangs */
Test(driver, closes_at_once_at_any_time)
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
        config_fill(&config, &load, peer.port);
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
