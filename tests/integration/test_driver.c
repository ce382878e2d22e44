// SPDX-License-Identifier: Apache-2.0
// The driver against servers that misbehave. In every case the sum of the outcomes is the number of
// started requests.
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/driver_load.h"

#define CHUNKED_HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static char long_head_1500[2000];
static char long_head_64k[66000];
static char longer_head[66000];

/* A head of the longest that there may be, which RESPONSE_HEAD_LIMIT_BYTES says. */
#define HEAD_MOST_BYTES ((size_t)64 * 1024)

#define LONG_BODY_BYTES ((size_t)1 << 20)
#define LONG_HEAD       "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n"
/* As many chunks as one read of the driver never has, of 0x30000 bytes each. */
#define LONG_CHUNK_BYTES ((size_t)0x30000)
static char long_body[sizeof(LONG_HEAD) + LONG_BODY_BYTES];
static char long_chunks[sizeof(CHUNKED_HEAD) + LONG_CHUNK_BYTES + 64];
static char long_request[(8 << 20) + 1]; /* more than the two kernels hold for it */

/* A whole head of so many bytes, and its body. */
static void long_head_fill(char *out, size_t head_bytes)
{
    static const char end[] = "\r\nContent-Length: 4\r\n\r\n";
    size_t length = (size_t)sprintf(out, "HTTP/1.1 200 OK\r\nX-Long: ");

    memset(out + length, 'x', head_bytes - length);
    sprintf(out + head_bytes - strlen(end), "%spong", end);
}

static void long_bytes_fill(void)
{
    size_t length = (size_t)sprintf(long_body, "%s", LONG_HEAD);

    memset(long_body + length, 'b', LONG_BODY_BYTES);
    length = (size_t)sprintf(long_chunks, "%s30000\r\n", CHUNKED_HEAD);
    memset(long_chunks + length, 'c', LONG_CHUNK_BYTES);
    sprintf(long_chunks + length + LONG_CHUNK_BYTES, "\r\n4\r\npong\r\n0\r\n\r\n");
    length = (size_t)sprintf(long_request, "POST / HTTP/1.1\r\nHost: peer\r\nX-Long: ");
    memset(long_request + length, 'r', sizeof(long_request) - 1 - length);
    long_head_fill(long_head_1500, 1500);
    long_head_fill(long_head_64k, HEAD_MOST_BYTES);
    long_head_fill(longer_head, HEAD_MOST_BYTES + 1);
}

#define BIT(outcome) (1U << OUTCOME_##outcome)

struct fault_row {
    const char *name;
    struct peer_script script;
    struct load load;
    uint32_t must; /* outcomes that occur; no other than these and `may` does */
    uint32_t may;
};

/* By the peer's own count: every request that it got is one that was started, every whole answer
 * that it gave is ok where that can be, and of those that it ends by turns each has its share. */
static void counts_check(const struct fault_row *row)
{
    bool any_surplus = row->must == (BIT(OK) | BIT(PROTOCOL_STATUS)); /* goes with the next one */

    /* Where nothing is right the peer may not have read what was given up. Where it answers some,
     * every outcome is exact: what has no answer is a timeout. */
    bool only_hangs = (row->must & BIT(TIMEOUT)) && !(row->must & BIT(OK));

    if (row->may || any_surplus || only_hangs) {
        return;
    }
    cr_expect_eq(load_result.totals.started_count, load_result.peer_requests, "%s", row->name);
    if (row->must & BIT(OK)) {
        cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.peer_responses, "%s", row->name);
        cr_expect_eq((uint64_t)load_result.sums[METRIC_received_bytes], load_result.peer_bytes,
                     "%s", row->name);
    }
    if (row->must == (BIT(OK) | BIT(RESET))) {
        cr_expect_eq(load_outcome_count(OUTCOME_RESET),
                     load_result.peer_requests / row->script.reply_count, "%s", row->name);
    }
}

static void row_check(const struct fault_row *row)
{
    load_drive(row->name, &row->script, &row->load);
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        if (row->must & (1U << i)) {
            cr_expect_gt(load_result.totals.outcomes[i], 0, "%s: no %s", row->name,
                         outcome_infos[i].name);
        } else if (!(row->may & (1U << i))) {
            cr_expect_eq(load_result.totals.outcomes[i], 0, "%s: %lu %s", row->name,
                         load_result.totals.outcomes[i], outcome_infos[i].name);
        }
    }
    counts_check(row);
}

static const struct fault_row fault_rows[] = {
    {"well", REPLY(SAY(OK_RESPONSE)), {0}, BIT(OK), 0},
    {"1.5 KB head", REPLY(SAY(long_head_1500)), {0}, BIT(OK), 0},
    {"64 KB head", REPLY(SAY(long_head_64k)), {0}, BIT(OK), 0},
    {"longer head", REPLY(SAY(longer_head)), {.window_ns = 100 * MS}, BIT(PROTOCOL_LIMIT), 0},
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
    {"truncated body", REPLY(SAY(OK_HEAD "po", .after = PEER_CLOSE)), {0}, BIT(TRUNCATED_BODY), 0},
    {"truncated head",
     REPLY(SAY("HTTP/1.1 200 OK\r\nCont", .after = PEER_CLOSE)),
     {0},
     BIT(TRUNCATED_HEAD),
     0},
    {"garbage", REPLY(SAY("\x01\x02 not at all HTTP\r\n\r\n")), {0}, BIT(PROTOCOL_STATUS), 0},
    {"bad field", REPLY(SAY("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n")), {0}, BIT(PROTOCOL_HEADER), 0},
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
     {.timeout_ns = 300 * MS},
     BIT(OK) | BIT(TIMEOUT),
     0},
    {"hangs inside the body",
     REPLY(SAY(OK_HEAD "p", .after = PEER_HANG)),
     {.timeout_ns = 150 * MS},
     BIT(TIMEOUT),
     0},
    {"never reads",
     {.replies = {{.after = PEER_HANG}}, .reply_count = 1, .never_reads = true},
     {.request = long_request, .window_ns = 250 * MS, .timeout_ns = 50 * MS},
     BIT(TIMEOUT),
     0},
    {"half-closes inside the body",
     REPLY(SAY(OK_HEAD "po", .after = PEER_HALVE)),
     {.window_ns = 100 * MS},
     BIT(TRUNCATED_BODY),
     0},
    {"half-closes when it said so",
     REPLY(SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
               .after = PEER_HALVE)),
     {.window_ns = 100 * MS},
     BIT(OK),
     0},
    /* Long bodies that nobody looks at are thrown away inside the kernel. */
    {"long body",
     REPLY(SAY(long_body)),
     {.window_ns = 100 * MS, .body_bytes = LONG_BODY_BYTES},
     BIT(OK),
     0},
    {"long body of a wrong length",
     REPLY(SAY(long_body)),
     {.window_ns = 100 * MS, .body_bytes = LONG_BODY_BYTES + 1},
     BIT(BODY_LENGTH),
     0},
    {"long and short bodies in turn",
     REPLY(SAY(long_body), SAY(OK_RESPONSE)),
     {.window_ns = 100 * MS, .any_body = true},
     BIT(OK),
     0},
    {"long chunks",
     REPLY(SAY(long_chunks)),
     {.window_ns = 100 * MS, .body_bytes = LONG_CHUNK_BYTES + 4},
     BIT(OK),
     0},
    {"truncated long body",
     REPLY(SAY(long_body, .byte_count = LONG_BODY_BYTES, .after = PEER_CLOSE)),
     {.window_ns = 100 * MS, .any_body = true},
     BIT(TRUNCATED_BODY),
     0},
    {"hangs inside a long body",
     REPLY(SAY(long_body, .byte_count = LONG_BODY_BYTES, .after = PEER_HANG)),
     {.window_ns = 100 * MS, .timeout_ns = 150 * MS, .any_body = true},
     BIT(TIMEOUT),
     0},
    {"RST inside a long body",
     REPLY(SAY(long_body, .byte_count = LONG_BODY_BYTES, .after = PEER_RESET)),
     {.window_ns = 100 * MS, .any_body = true},
     BIT(RESET),
     0},
};

static void check_classifies_every_answer_of_a_misbehaving_server(void)
{
    long_bytes_fill();
    for (size_t i = 0; i < sizeof(fault_rows) / sizeof(fault_rows[0]); i++) {
        row_check(&fault_rows[i]);
    }
}

Test(driver, classifies_every_answer_of_a_misbehaving_server)
{
    check_classifies_every_answer_of_a_misbehaving_server();
}

/* A01 */
static void check_uses_exactly_as_many_sockets_as_it_was_told(void)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    load_drive("7 on 2", &script, &(struct load){.connections = 7, .threads = 2});
    cr_expect_eq(load_result.peer_used, 7);
    cr_expect_eq(load_result.peer_accepted, 7);
    cr_expect_eq(load_result.totals.connections_requested, 7);
    cr_expect_eq(load_result.totals.connections_established, 7);
    cr_expect_eq(load_result.totals.connections_served, 7);
    cr_expect_eq(load_result.intervals[0].metrics[METRIC_connection_count], 7);
    cr_expect_eq(load_result.intervals[0].metrics[METRIC_in_flight_count], 7);
}

Test(driver, uses_exactly_as_many_sockets_as_it_was_told)
{
    check_uses_exactly_as_many_sockets_as_it_was_told();
}

/* A40 */
Test(driver, lowers_its_threads_to_the_connections)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    load_drive("-t 256 -c 1", &script, &(struct load){.connections = 1, .threads = 256});
    cr_expect_eq(load_result.peer_used, 1);
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 0);
}

/* A04: 3 connections each time out at 150, 300, … of 400 ms */
static void check_reports_a_server_that_never_answers(void)
{
    static const struct peer_script script = REPLY({.after = PEER_HANG});

    load_drive("never answers", &script,
               &(struct load){.connections = 3, .timeout_ns = 100 * MS, .window_ns = 400 * MS});
    cr_expect_eq(load_outcome_count(OUTCOME_OK), 0);
    cr_expect_geq(load_outcome_count(OUTCOME_TIMEOUT), 9);
    cr_expect_leq(load_outcome_count(OUTCOME_TIMEOUT), 12);
    cr_expect_eq(histogram_quantile(&load_result.histogram, 0.5), -1);
    for (uint32_t i = 0; i < load_result.interval_count; i++) {
        cr_expect_eq(load_result.intervals[i].metrics[METRIC_latency_max_ns], METRIC_UNKNOWN);
    }
}

Test(driver, reports_a_server_that_never_answers)
{
    check_reports_a_server_that_never_answers();
}

/* A07: requests at 0, 100, 200, 300 ms by each of 4 connections; no late answer counts */
Test(driver, counts_a_late_answer_once_as_a_timeout)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE, .delay_ns = 150 * MS));

    load_drive("late", &script,
               &(struct load){.connections = 4, .timeout_ns = 100 * MS, .window_ns = 400 * MS});
    cr_expect_eq(load_outcome_count(OUTCOME_OK), 0);
    cr_expect_geq(load_outcome_count(OUTCOME_TIMEOUT), 8);
    cr_expect_leq(load_outcome_count(OUTCOME_TIMEOUT), 16);
    cr_expect_eq(load_outcome_count(OUTCOME_TIMEOUT), load_result.totals.started_count);
}

/* A09; each bound of time is checked by load_drive() */
static void check_ends_in_time_when_the_server_dies_or_stops(void)
{
    static const struct peer_script well = REPLY(SAY(OK_RESPONSE));
    static const struct peer_script hangs = {
        .replies = {SAY(OK_RESPONSE), SAY(OK_RESPONSE), SAY(OK_HEAD "p", .after = PEER_HANG)},
        .reply_count = 3,
        .order = PEER_BY_TURN};
    struct load load = {.window_ns = 600 * MS, .timeout_ns = 200 * MS, .kill_at_ns = 200 * MS};

    load_drive("hangs inside the body", &hangs, &load);
    cr_expect_gt(load_outcome_count(OUTCOME_TIMEOUT), 0);

    load.kill_signal = SIGKILL;
    load_drive("SIGKILL", &well, &load);
    uint64_t lost = load_outcome_count(OUTCOME_RESET) + load_outcome_count(OUTCOME_CLOSED_EARLY) +
                    load_outcome_count(OUTCOME_SEND_RESET);
    /* 4 in flight, and as many whose handshake the dying listener's kernel still completed */
    cr_expect_leq(lost, 8);
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 0);
    /* 10 + 20 + 40 + 80 + 160 ms of back-off: 6 attempts a thread in 400 ms; no storm */
    cr_expect_geq(load_outcome_count(OUTCOME_CONNECT_REFUSED), 2);
    cr_expect_leq(load_outcome_count(OUTCOME_CONNECT_REFUSED), 14);

    load.kill_signal = SIGSTOP;
    load_drive("SIGSTOP", &well, &load);
    cr_expect_geq(load_outcome_count(OUTCOME_TIMEOUT), 4);
    cr_expect_eq(load_result.interval_count, 7);
    for (uint32_t i = 0; i < load_result.interval_count; i++) {
        cr_expect_not(load_result.intervals[i].is_folded);
    }
}

Test(driver, ends_in_time_when_the_server_dies_or_stops)
{
    check_ends_in_time_when_the_server_dies_or_stops();
}

/* A11 */
static void check_takes_a_close_after_a_whole_response_for_no_error(void)
{
    static const struct peer_script with_field =
        REPLY(SAY("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\npong",
                  .after = PEER_CLOSE));
    static const struct peer_script old_version =
        REPLY(SAY("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\npong", .after = PEER_CLOSE));
    static const size_t turns[] = {1, 100};
    static struct peer_script without_field = {.order = PEER_BY_TURN};

    load_drive("Connection: close", &with_field, &(struct load){0});
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 8);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.totals.started_count);
    cr_expect_geq(load_result.sums[METRIC_reconnect_count],
                  (int64_t)load_outcome_count(OUTCOME_OK) -
                      load_result.totals.connections_requested);

    load_drive("HTTP/1.0", &old_version, &(struct load){0});
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 8);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.totals.started_count);

    for (size_t k = 0; k < sizeof(turns) / sizeof(*turns); k++) {
        without_field.reply_count = turns[k];
        for (size_t i = 0; i < turns[k]; i++) {
            without_field.replies[i] = (struct peer_reply){
                .bytes = OK_RESPONSE, .after = i < turns[k] - 1 ? PEER_KEEP : PEER_CLOSE};
        }
        load_drive("close unannounced", &without_field, &(struct load){0});
        /* Every whole response is ok. A request that had left before the FIN came is sent again;
         * only one that came between the server's last write and its close is answered with RST. */
        cr_expect_gt(load_outcome_count(OUTCOME_OK), 0);
        cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.peer_responses);
        cr_expect_eq(load_result.totals.started_count - load_outcome_count(OUTCOME_OK),
                     load_outcome_count(OUTCOME_RESET));
        cr_expect_leq(load_outcome_count(OUTCOME_RESET), (uint64_t)load_result.peer_accepted);
        cr_expect_leq(load_result.sums[METRIC_resent_count],
                      load_result.sums[METRIC_reconnect_count]);
    }
}

Test(driver, takes_a_close_after_a_whole_response_for_no_error)
{
    check_takes_a_close_after_a_whole_response_for_no_error();
}

/* A14: 43 bytes of 103 and 42 of 200; only the final one counts */
static void check_skips_interim_responses(void)
{
#define EARLY "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    static const struct peer_script early = REPLY(SAY(EARLY OK_RESPONSE));
    static const struct peer_script seven =
        REPLY(SAY(EARLY EARLY EARLY EARLY EARLY EARLY "HTTP/1.1 100 Continue\r\n\r\n" OK_RESPONSE));
#define FOUR EARLY EARLY EARLY EARLY
    static const struct peer_script too_many = REPLY(SAY(FOUR FOUR FOUR FOUR EARLY OK_RESPONSE));

    load_drive("103", &early, &(struct load){0});
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 0);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.totals.started_count);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.peer_responses);
    cr_expect_eq((uint64_t)load_result.sums[METRIC_received_bytes],
                 load_outcome_count(OUTCOME_OK) * strlen(EARLY OK_RESPONSE));
    load_drive("seven", &seven, &(struct load){0});
    cr_expect_gt(load_outcome_count(OUTCOME_OK), 0);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.totals.started_count);
    load_drive("too many", &too_many, &(struct load){0});
    cr_expect_eq(load_outcome_count(OUTCOME_PROTOCOL_LIMIT), load_result.totals.started_count);
}

Test(driver, skips_interim_responses)
{
    check_skips_interim_responses();
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
        load_drive("short", &script,
                   &(struct load){.window_ns = rows[i].window_ms * MS, .interval_ns = 500 * MS});
        cr_expect_eq(load_result.interval_count, rows[i].count + 1);
        const struct driver_interval *last = &load_result.intervals[rows[i].count - 1];
        cr_expect_eq(last->end_ns - last->start_ns, rows[i].last_ms * MS, "row %zu", i);
        cr_expect_gt(load_result.intervals[0].outcomes[OUTCOME_OK], 0);
    }
}

/* A27 */
static void check_counts_what_the_server_counts(void)
{
    static const struct peer_script script = REPLY(SAY(OK_RESPONSE));

    load_drive("sums", &script,
               &(struct load){.warmup_ns = 150 * MS, .window_ns = 250 * MS, .connections = 5});
    cr_expect_eq(load_result.totals.started_count, load_result.peer_requests);
    cr_expect_eq(load_outcome_count(OUTCOME_OK), load_result.peer_responses);
    cr_expect_eq((uint64_t)load_result.sums[METRIC_received_bytes], load_result.peer_bytes);
    cr_expect_eq((uint64_t)load_result.sums[METRIC_sent_bytes],
                 load_result.totals.started_count * strlen(GET));
    cr_expect_eq(load_result.interval_count, 6); /* 100 + 50, 100 + 100 + 50, drain */
    cr_expect_eq(load_result.intervals[1].phase, SAMPLE_PHASE_WARMUP);
    cr_expect_eq(load_result.intervals[2].phase, SAMPLE_PHASE_WINDOW);
    cr_expect_leq(load_result.intervals[5].outcomes[OUTCOME_OK], 5);
    cr_expect_gt(
        load_result.sums[METRIC_driver_user_ns] + load_result.sums[METRIC_driver_system_ns], 0);
}

Test(driver, counts_what_the_server_counts)
{
    check_counts_what_the_server_counts();
}

/* The same over io_uring, where there is one. */

Test(driver_uring, classifies_every_answer_of_a_misbehaving_server)
{
    load_io = DRIVER_IO_URING;
    check_classifies_every_answer_of_a_misbehaving_server();
}

Test(driver_uring, uses_exactly_as_many_sockets_as_it_was_told)
{
    load_io = DRIVER_IO_URING;
    check_uses_exactly_as_many_sockets_as_it_was_told();
}

Test(driver_uring, takes_a_close_after_a_whole_response_for_no_error)
{
    load_io = DRIVER_IO_URING;
    check_takes_a_close_after_a_whole_response_for_no_error();
}

Test(driver_uring, skips_interim_responses)
{
    load_io = DRIVER_IO_URING;
    check_skips_interim_responses();
}

Test(driver_uring, ends_in_time_when_the_server_dies_or_stops)
{
    load_io = DRIVER_IO_URING;
    check_ends_in_time_when_the_server_dies_or_stops();
}

Test(driver_uring, reports_a_server_that_never_answers)
{
    load_io = DRIVER_IO_URING;
    check_reports_a_server_that_never_answers();
}

Test(driver_uring, counts_what_the_server_counts)
{
    load_io = DRIVER_IO_URING;
    check_counts_what_the_server_counts();
}
