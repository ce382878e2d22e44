// SPDX-License-Identifier: Apache-2.0
// The built-in servers as processes: what clients, the collector and a shell see of them.
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/buf.h"
#include "engines/base/clock.h"
#include "engines/engine.h"
#include "tests/support/engine_process.h"

#define PING  "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
#define CLOSE "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

/* All that can run here; http_names without limit. */
static const char *all_names[ENGINE_PROCESS_NAMES_MAX], *http_names[ENGINE_PROCESS_NAMES_MAX];
static size_t all_count, http_count;

static void names_set(void)
{
    all_count = engine_process_names(all_names, true);
    http_count = engine_process_names(http_names, false);
}

TestSuite(engines, .init = names_set);

static bool has_loops(const char *name)
{
    return engine_find(name)->threads == ENGINE_THREADS_LOOPS;
}

/* One answer as a client reads it. */
struct answer {
    int status;
    struct buf head, body;
    bool is_whole;
};

static void answer_release(struct answer *answer)
{
    buf_release(&answer->head);
    buf_release(&answer->body);
}

static size_t body_length(const char *head)
{
    const char *field = strcasestr(head, "\r\nContent-Length: ");

    return field ? strtoul(field + 18, NULL, 10) : 0;
}

/* A read with a time limit ends early when the process was stopped for a while. */
static ssize_t socket_read(int fd, char *bytes, size_t length)
{
    return TEMP_FAILURE_RETRY(recv(fd, bytes, length, 0));
}

/* Reads one final answer and not a byte more. */
static void answer_read(int fd, bool is_head, struct answer *answer)
{
    char c;

    *answer = (struct answer){0};
    buf_init(&answer->head, 65536);
    buf_init(&answer->body, (size_t)4 << 20);
    while (!strstr(answer->head.bytes, "\r\n\r\n")) {
        if (socket_read(fd, &c, 1) != 1) {
            return;
        }
        buf_add_char(&answer->head, c);
    }
    if (sscanf(answer->head.bytes, "HTTP/1.1 %d ", &answer->status) != 1) {
        return;
    }
    if (answer->status == 100) {
        answer_release(answer);
        answer_read(fd, is_head, answer);
        return;
    }
    size_t left = is_head ? 0 : body_length(answer->head.bytes);
    while (left) {
        char block[65536];
        ssize_t count = socket_read(fd, block, left < sizeof(block) ? left : sizeof(block));
        if (count <= 0) {
            return;
        }
        buf_add(&answer->body, block, (size_t)count);
        left -= (size_t)count;
    }
    answer->is_whole = true;
}

static void all_send(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t count = send(fd, bytes, length, MSG_NOSIGNAL);
        if (count <= 0) {
            return;
        }
        bytes += count;
        length -= (size_t)count;
    }
}

static void text_send(int fd, const char *text)
{
    all_send(fd, text, strlen(text));
}

static void answer_expect(int fd, int status, const char *body, const char *what)
{
    struct answer answer;

    answer_read(fd, false, &answer);
    cr_expect(answer.is_whole && answer.status == status, "%s: status %d, head \"%s\"", what,
              answer.status, answer.head.bytes);
    if (body) {
        cr_expect_str_eq(answer.body.bytes, body, "%s: body \"%s\"", what, answer.body.bytes);
    }
    answer_release(&answer);
}

static bool is_at_end(int fd)
{
    char c;

    return socket_read(fd, &c, 1) == 0;
}

/* Waits until the counters say so, 5 s at most: an answer is counted right after it is sent. */
static struct counters_total counters_wait(const struct engine_process *process, uint64_t requests,
                                           uint64_t closed)
{
    struct counters_total total;
    int64_t deadline_ns = clock_monotonic_ns() + 5 * CLOCK_NS_PER_S;

    do {
        counters_read(process->counters, &total);
        if (total.request_count >= requests && total.closed_count >= closed) {
            break;
        }
        poll(NULL, 0, 5);
    } while (clock_monotonic_ns() < deadline_ns);
    return total;
}

static void ping_pipelined(int fd, const char *name)
{
    struct buf input;

    buf_init(&input, 65536);
    for (int i = 0; i < 16; i++) {
        buf_add_text(&input, PING);
    }
    all_send(fd, input.bytes, input.length);
    for (int i = 0; i < 16; i++) {
        answer_expect(fd, 200, "pong", name);
    }
    buf_release(&input);
}

Test(engines, each_answers_ping_pipelined_split_and_half_closed, .timeout = 60)
{
    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        const char *name = all_names[n];

        engine_process_start(&process, name, NULL);
        int fd = engine_process_connect(&process);
        text_send(fd, PING);
        answer_expect(fd, 200, "pong", name);
        ping_pipelined(fd, name);
        for (const char *at = PING; *at; at++) {
            all_send(fd, at, 1);
        }
        answer_expect(fd, 200, "pong", name);
        /* A half close behind the request: the answer comes whole, then the end. */
        text_send(fd, PING PING);
        shutdown(fd, SHUT_WR);
        answer_expect(fd, 200, "pong", name);
        answer_expect(fd, 200, "pong", name);
        cr_expect(is_at_end(fd), "%s: no end after a half close", name);
        close(fd);
        struct counters_total total = counters_wait(&process, 20, 1);
        cr_expect_eq(total.request_count, 20, "%s: %lu", name, total.request_count);
        cr_expect_eq(total.accepted_count, 1, "%s", name);
        cr_expect_eq(total.closed_count, 1, "%s", name);
        cr_expect_eq(total.error_count, 0, "%s", name);
        cr_expect_eq(total.received_bytes, 20 * strlen(PING), "%s", name);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", name);
    }
}

/* Bodies in order differ, so an answer out of order would show. */
static void echo_in_order(int fd, const char *name)
{
    struct buf input;
    char body[16];

    buf_init(&input, 65536);
    for (int i = 0; i < 16; i++) {
        snprintf(body, sizeof(body), "body%02d", i);
        buf_addf(&input, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n%s", body);
    }
    all_send(fd, input.bytes, input.length);
    for (int i = 0; i < 16; i++) {
        snprintf(body, sizeof(body), "body%02d", i);
        answer_expect(fd, 200, body, name);
    }
    buf_release(&input);
}

/* The last `tail_bytes` come later than the others. */
static void echo_large(int fd, const char *name, size_t length, bool is_chunked, size_t tail_bytes)
{
    struct buf input, body;
    struct answer answer;

    buf_init(&input, (size_t)8 << 20);
    buf_init(&body, (size_t)2 << 20);
    for (size_t i = 0; i < length; i++) {
        buf_add_char(&body, (char)(i * 7919 >> 3));
    }
    buf_add_text(&input, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\n");
    if (is_chunked) {
        buf_add_text(&input, "Transfer-Encoding: chunked\r\n\r\n");
        for (size_t at = 0; at < length;) {
            size_t size = length - at < 3333 ? length - at : 3333;
            buf_addf(&input, "%zx;e=1\r\n", size);
            buf_add(&input, body.bytes + at, size);
            buf_add_text(&input, "\r\n");
            at += size;
        }
        buf_add_text(&input, "0\r\nX: y\r\n\r\n");
    } else {
        buf_addf(&input, "Content-Length: %zu\r\n\r\n", length);
        buf_add(&input, body.bytes, body.length);
    }
    all_send(fd, input.bytes, input.length - tail_bytes);
    if (tail_bytes) {
        poll(NULL, 0, 5);
        all_send(fd, input.bytes + input.length - tail_bytes, tail_bytes);
    }
    answer_read(fd, false, &answer);
    cr_expect(answer.is_whole && answer.body.length == length &&
                  memcmp(answer.body.bytes, body.bytes, length) == 0,
              "%s: %zu bytes chunked %d: status %d, %zu bytes", name, length, is_chunked,
              answer.status, answer.body.length);
    cr_expect(strstr(answer.head.bytes, "Content-Type: a/b\r\n"), "%s", name);
    answer_release(&answer);
    buf_release(&input);
    buf_release(&body);
}

Test(engines, each_http_engine_echoes_bodies_and_answers_errors, .timeout = 60)
{
    for (size_t n = 0; n < http_count; n++) {
        struct engine_process process;
        struct answer answer;
        const char *name = http_names[n];

        engine_process_start(&process, name, NULL);
        int fd = engine_process_connect(&process);
        echo_in_order(fd, name);
        for (int is_chunked = 0; is_chunked < 2; is_chunked++) {
            echo_large(fd, name, 1, is_chunked, 0);
            echo_large(fd, name, 65536, is_chunked, 0);
            echo_large(fd, name, 1 << 20, is_chunked, 0);
            echo_large(fd, name, 65536, is_chunked, 100);
            echo_large(fd, name, 1 << 18, is_chunked, 40000);
        }
        text_send(fd, "HEAD /ping HTTP/1.1\r\nHost: a\r\n\r\n" PING);
        answer_read(fd, true, &answer);
        cr_expect(answer.status == 200 && body_length(answer.head.bytes) == 4, "%s", name);
        answer_release(&answer);
        answer_expect(fd, 200, "pong", name);
        text_send(fd, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
        answer_expect(fd, 404, NULL, name);
        text_send(fd, "POST /ping HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
        answer_expect(fd, 405, NULL, name);
        text_send(fd, CLOSE);
        answer_expect(fd, 200, "pong", name);
        cr_expect(is_at_end(fd), "%s: Connection: close", name);
        close(fd);
        struct counters_total total = counters_wait(&process, 31, 1);
        cr_expect_eq(total.request_count, 31, "%s: %lu", name, total.request_count);
        cr_expect_eq(total.error_count, 2, "%s: %lu", name, total.error_count);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", name);
    }
}

/* The server closes while the client is still sending: a reset must not overtake the answer. */
Test(engines, an_error_answer_survives_what_the_client_still_sends, .timeout = 60)
{
    for (size_t n = 0; n < http_count; n++) {
        struct engine_process process;
        static char rest[400000];

        memset(rest, 'x', sizeof(rest));
        engine_process_start(&process, http_names[n], NULL);
        for (int i = 0; i < 20; i++) {
            int fd = engine_process_connect(&process);

            text_send(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
            all_send(fd, rest, sizeof(rest));
            poll(NULL, 0, 5);
            all_send(fd, rest, sizeof(rest));
            answer_expect(fd, 413, NULL, http_names[n]);
            cr_expect(is_at_end(fd), "%s: reset, not end", http_names[n]);
            close(fd);
        }
        cr_expect_eq(engine_process_stop(&process), 0);
    }
}

/* A client that sends and never reads: the server must stop reading, and keep only so much. */
Test(engines, a_client_that_never_reads_does_not_grow_the_server, .timeout = 60)
{
    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        struct buf input;

        engine_process_start(&process, all_names[n], NULL);
        int fd = engine_process_connect(&process);
        buf_init(&input, (size_t)1 << 20);
        while (input.length < 500000) {
            buf_add_text(&input, PING);
        }
        long before_kib = engine_process_status(process.pid, "VmRSS:");
        fcntl(fd, F_SETFL, O_NONBLOCK);
        size_t sent_bytes = 0;
        bool is_full = false;
        for (int quiet = 0; sent_bytes < (size_t)200 << 20 && !is_full;) {
            size_t offset = sent_bytes % strlen(PING);
            ssize_t count = send(fd, input.bytes + offset, input.length - offset, MSG_NOSIGNAL);
            sent_bytes += count > 0 ? (size_t)count : 0;
            quiet = count > 0 ? 0 : quiet + 1;
            is_full = quiet > 50;
            if (count <= 0) {
                poll(NULL, 0, 10);
            }
        }
        long after_kib = engine_process_status(process.pid, "VmRSS:");
        cr_expect(is_full, "%s took %zu bytes without an end", all_names[n], sent_bytes);
        cr_expect_lt(after_kib - before_kib, 8 << 10, "%s grew by %ld KiB", all_names[n],
                     after_kib - before_kib);
        /* Once it reads, every answer comes, in whole. */
        fcntl(fd, F_SETFL, 0);
        size_t request_count = sent_bytes / strlen(PING);
        size_t received_bytes = 0;
        shutdown(fd, SHUT_WR);
        for (ssize_t count = 1; count > 0;) {
            static char block[1 << 20];
            count = socket_read(fd, block, sizeof(block));
            received_bytes += count > 0 ? (size_t)count : 0;
        }
        struct counters_total total = counters_wait(&process, request_count, 1);
        cr_expect_eq(total.request_count, request_count, "%s: %lu of %zu", all_names[n],
                     total.request_count, request_count);
        cr_expect_eq(total.sent_bytes, received_bytes, "%s", all_names[n]);
        close(fd);
        buf_release(&input);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", all_names[n]);
    }
}

Test(engines, three_hundred_connections_leave_nothing_behind, .timeout = 120)
{
    enum { COUNT = 300 };
    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        int fds[COUNT];
        const char *name = all_names[n];

        engine_process_start(&process, name, NULL);
        int first = engine_process_connect(&process);
        text_send(first, PING);
        answer_expect(first, 200, "pong", name);
        close(first);
        counters_wait(&process, 1, 1);
        int fds_before = engine_process_fds(process.pid);
        for (int i = 0; i < COUNT; i++) {
            fds[i] = engine_process_connect(&process);
            text_send(fds[i], PING);
        }
        for (int i = 0; i < COUNT; i++) {
            answer_expect(fds[i], 200, "pong", name);
            close(fds[i]);
        }
        struct counters_total total = counters_wait(&process, COUNT + 1, COUNT + 1);
        cr_expect_eq(total.request_count, COUNT + 1, "%s", name);
        cr_expect_eq(total.accepted_count, COUNT + 1, "%s", name);
        cr_expect_eq(total.closed_count, COUNT + 1, "%s", name);
        cr_expect_eq(engine_process_fds(process.pid), fds_before, "%s", name);
        for (int i = 0; i < 500 && strcmp(name, "blocking") == 0; i++) {
            if (engine_process_status(process.pid, "Threads:") == 1) {
                break;
            }
            poll(NULL, 0, 10);
        }
        if (strcmp(name, "blocking") == 0) {
            cr_expect_eq(engine_process_status(process.pid, "Threads:"), 1);
        }
        cr_expect_eq(engine_process_stop(&process), 0, "%s", name);
    }
}

Test(engines, sigterm_ends_each_promptly_with_connections_open, .timeout = 60)
{
    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        int fds[20];

        engine_process_start(&process, all_names[n], NULL);
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            fds[i] = engine_process_connect(&process);
            text_send(fds[i], i % 2 ? PING : "GET /pi");
        }
        int64_t begin_ns = clock_monotonic_ns();
        cr_expect_eq(engine_process_stop(&process), 0, "%s", all_names[n]);
        cr_expect_lt(clock_monotonic_ns() - begin_ns, 2 * CLOCK_NS_PER_S, "%s", all_names[n]);
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            close(fds[i]);
        }
    }
}

Test(engines, standard_input_makes_no_difference, .timeout = 60)
{
    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        struct engine_process_options options = {.input = ENGINE_STREAM_CLOSED};

        engine_process_start(&process, all_names[n], &options);
        int fd = engine_process_connect(&process);
        text_send(fd, PING);
        answer_expect(fd, 200, "pong", all_names[n]);
        close(fd);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", all_names[n]);
    }
}

Test(engines, several_loops_share_one_port, .timeout = 60)
{
    static const char *const arguments[] = {"--threads", "4", NULL};

    for (size_t n = 0; n < all_count; n++) {
        if (!has_loops(all_names[n])) {
            continue;
        }
        struct engine_process process;
        struct engine_process_options options = {.arguments = arguments};
        int fds[64];
        int used_slots = 0;

        engine_process_start(&process, all_names[n], &options);
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            fds[i] = engine_process_connect(&process);
            text_send(fds[i], PING);
        }
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            answer_expect(fds[i], 200, "pong", all_names[n]);
            close(fds[i]);
        }
        cr_expect_eq(engine_process_status(process.pid, "Threads:"), 4, "%s", all_names[n]);
        counters_wait(&process, 64, 64);
        for (int i = 0; i < COUNTERS_SLOT_COUNT; i++) {
            used_slots += process.counters->slots[i].request_count > 0;
        }
        /* 64 connections miss one of four sockets with probability 4 * 0.75^64 = 4e-8. */
        cr_expect_eq(used_slots, 4, "%s: %d", all_names[n], used_slots);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", all_names[n]);
    }
}

/* With room for few descriptors, accepting pauses instead of spinning, and goes on later. */
Test(engines, running_out_of_descriptors_neither_spins_nor_loses_connections, .timeout = 60)
{
    static const char *const wrapper[] = {"prlimit", "--nofile=24:24", NULL};
    /* One loop: with two, the connections of one could hold all descriptors while this client waits
     * for the other. */
    static const char *const one_thread[] = {"--threads", "1", NULL};

    for (size_t n = 0; n < all_count; n++) {
        struct engine_process process;
        struct engine_process_options options = {
            .wrapper = wrapper, .arguments = has_loops(all_names[n]) ? one_thread : NULL};
        int fds[40];
        char path[64];
        unsigned long ticks[2] = {0};

        engine_process_start(&process, all_names[n], &options);
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            fds[i] = engine_process_connect(&process);
            text_send(fds[i], PING);
        }
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)process.pid);
        for (int round = 0; round < 2; round++) {
            unsigned long user = 0, system = 0;
            poll(NULL, 0, round ? 1000 : 100);
            FILE *file = fopen(path, "re");
            cr_assert_not_null(file);
            cr_expect_eq(fscanf(file,
                                "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                                &user, &system),
                         2);
            fclose(file);
            ticks[round] = user + system;
        }
        cr_expect_lt(ticks[1] - ticks[0], (unsigned long)sysconf(_SC_CLK_TCK) / 4,
                     "%s: busy for %lu ticks of a second", all_names[n], ticks[1] - ticks[0]);
        for (size_t i = 0; i < ARRAY_COUNT(fds); i++) {
            answer_expect(fds[i], 200, "pong", all_names[n]);
            close(fds[i]);
        }
        cr_expect_eq(engine_process_stop(&process), 0, "%s", all_names[n]);
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Address space for a few stacks only. (Sanitizers need more of it than there is.) */
Test(engines, blocking_answers_503_when_threads_run_out, .timeout = 60)
{
    static const char *const wrapper[] = {"prlimit", "--as=33554432", NULL};
    struct engine_process process;
    struct engine_process_options options = {.wrapper = wrapper};
    enum { COUNT = 400 };
    static int fds[COUNT];
    int ok_count = 0, refused_count = 0;

    engine_process_start(&process, "blocking", &options);
    for (int i = 0; i < COUNT; i++) {
        struct answer answer;

        fds[i] = engine_process_connect(&process);
        text_send(fds[i], PING);
        answer_read(fds[i], false, &answer);
        ok_count += answer.status == 200;
        refused_count += answer.status == 503 && is_at_end(fds[i]);
        answer_release(&answer);
    }
    cr_expect_gt(ok_count, 0);
    cr_expect_gt(refused_count, 0);
    cr_expect_eq(ok_count + refused_count, COUNT, "%d + %d", ok_count, refused_count);
    for (int i = 0; i < COUNT; i++) {
        close(fds[i]);
    }
    counters_wait(&process, COUNT, (uint64_t)ok_count);
    int fd = engine_process_connect(&process);
    text_send(fd, PING);
    answer_expect(fd, 200, "pong", "after the others have gone");
    close(fd);
    cr_expect_eq(engine_process_stop(&process), 0);
}
#endif
