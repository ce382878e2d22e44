// SPDX-License-Identifier: Apache-2.0
// More clients than a server has workers, connections or queue for: everybody is answered or told.
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "tests/support/engine_process.h"

#define PING  "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"
#define DELAY "GET /delay/100 HTTP/1.1\r\nHost: a\r\n\r\n"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RSS_GROWTH_KIB_MAX (256L << 10) /* sanitizers keep what was freed */
#else
#define RSS_GROWTH_KIB_MAX (6L << 10)
#endif
/* Of a thread of uring: the buffers that the kernel fills in turn are all there after a while. */
#define URING_GROWTH_KIB_MAX (6L << 10)
/* Of any thread: its stack, its arena and the C library's cache, once it has worked. */
#define THREAD_GROWTH_KIB_MAX 128L
/* Of blocking: the C library keeps 40 MiB of stacks for the next threads, a third of them touched.
 */
#define STACKS_GROWTH_KIB_MAX (14L << 10)

/* All but the one that starves connections on purpose. */
static size_t fair_names(const char *names[ENGINE_PROCESS_NAMES_MAX])
{
    size_t count = engine_process_names(names, true), kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], "pool_sticky") != 0) {
            names[kept++] = names[i];
        }
    }
    return kept;
}

struct outcome {
    unsigned ok_count, refused_count, silent_count, broken_count;
};

static void descriptors_raise(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Reads what there is and keeps the status of the first answer; -1: no whole answer. */
static int status_read(int fd)
{
    char text[1024];
    size_t length = 0;
    int status = -1;

    do {
        ssize_t count = TEMP_FAILURE_RETRY(recv(fd, text + length, sizeof(text) - 1 - length, 0));
        if (count <= 0) {
            return errno == EAGAIN && count < 0 ? 0 : -1;
        }
        length += (size_t)count;
        text[length] = '\0';
    } while (!strstr(text, "\r\n\r\n"));
    return sscanf(text, "HTTP/1.1 %d ", &status) == 1 ? status : -1;
}

/* Opens `count` connections and sends on each before the first answer is read. */
static struct outcome crowd_ask(const struct engine_process *process, int *fds, size_t count,
                                const char *request)
{
    struct outcome outcome = {0};

    for (size_t i = 0; i < count; i++) {
        fds[i] = engine_process_connect(process);
        send(fds[i], request, strlen(request), MSG_NOSIGNAL);
    }
    for (size_t i = 0; i < count; i++) {
        int status = status_read(fds[i]);

        outcome.ok_count += status == 200;
        outcome.refused_count += status == 503;
        outcome.silent_count += status == 0;
        outcome.broken_count += status != 200 && status != 503 && status != 0;
    }
    return outcome;
}

static void crowd_close(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        close(fds[i]);
    }
}

static int ping_status(const struct engine_process *process)
{
    int fd = engine_process_connect(process);

    send(fd, PING, strlen(PING), MSG_NOSIGNAL);
    int status = status_read(fd);
    close(fd);
    return status;
}

/* What a server holds. */
struct holdings {
    long threads, fds, rss_kib;
};

static struct holdings holdings_read(const struct engine_process *process)
{
    return (struct holdings){engine_process_status(process->pid, "Threads:"),
                             engine_process_fds(process->pid),
                             engine_process_status(process->pid, "VmRSS:")};
}

/* Waits for threads, descriptors and memory to be back, at most the 2 s that are promised. */
static void recovery_expect(const struct engine_process *process, const char *name,
                            struct holdings before)
{
    int64_t deadline_ns = clock_monotonic_ns() + 2 * CLOCK_NS_PER_S;
    long most_kib = before.rss_kib + RSS_GROWTH_KIB_MAX + THREAD_GROWTH_KIB_MAX * before.threads +
                    (strcmp(name, "uring") == 0 ? URING_GROWTH_KIB_MAX * before.threads : 0) +
                    (strcmp(name, "blocking") == 0 ? STACKS_GROWTH_KIB_MAX : 0);
    struct holdings now;

    do {
        poll(NULL, 0, 20);
        now = holdings_read(process);
    } while ((now.threads > before.threads || now.fds > before.fds || now.rss_kib > most_kib) &&
             clock_monotonic_ns() < deadline_ns);
    cr_expect_leq(now.threads, before.threads, "%s: %ld threads, not %ld", name, now.threads,
                  before.threads);
    cr_expect_leq(now.fds, before.fds, "%s: %ld descriptors, not %ld", name, now.fds, before.fds);
    cr_expect_leq(now.rss_kib, most_kib, "%s: %ld KiB, from %ld", name, now.rss_kib,
                  before.rss_kib);
    cr_expect_eq(ping_status(process), 200, "%s: no pong afterwards", name);
}

/* 2048 at once, all of them kept open. */
Test(overload, everybody_is_answered_or_refused, .timeout = 120)
{
    enum { COUNT = 2048 };
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t name_count = fair_names(names);
    static int fds[COUNT];

    descriptors_raise();
    for (size_t n = 0; n < name_count; n++) {
        struct engine_process process;

        engine_process_start(&process, names[n], NULL);
        cr_expect_eq(ping_status(&process), 200);
        struct holdings before = holdings_read(&process);
        struct outcome outcome = crowd_ask(&process, fds, COUNT, PING);
        cr_expect_eq(outcome.ok_count + outcome.refused_count, COUNT,
                     "%s: %u answered, %u refused, %u silent, %u broken", names[n],
                     outcome.ok_count, outcome.refused_count, outcome.silent_count,
                     outcome.broken_count);
        /* Those that need no thread a connection have no reason to refuse. */
        cr_expect(strcmp(names[n], "blocking") == 0 || outcome.ok_count == COUNT, "%s: %u",
                  names[n], outcome.ok_count);
        crowd_close(fds, COUNT);
        /* A thread of blocking may just be ending for the ping. */
        recovery_expect(&process, names[n], before);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
    }
}

/* Half a body of 1 MiB, which the server keeps until the rest would come. */
static void upload_begin(int fd)
{
    static const char head[] =
        "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n";
    static const char body[64 << 10];

    send(fd, head, strlen(head), MSG_NOSIGNAL);
    for (int i = 0; i < 8; i++) {
        send(fd, body, sizeof(body), MSG_NOSIGNAL);
    }
}

/* Waves of connections that ask and go away without reading; the last holds 80 MiB, in few. */
Test(overload, a_flood_leaves_nothing_behind, .timeout = 120)
{
    enum { COUNT = 500, WAVE_COUNT = 8, UPLOAD_COUNT = 160 };
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t name_count = fair_names(names);
    static int fds[COUNT];

    descriptors_raise();
    for (size_t n = 0; n < name_count; n++) {
        struct engine_process process;

        engine_process_start(&process, names[n], NULL);
        cr_expect_eq(ping_status(&process), 200);
        struct holdings before = holdings_read(&process);
        for (int wave = 0; wave < WAVE_COUNT; wave++) {
            for (size_t i = 0; i < COUNT; i++) {
                fds[i] = engine_process_connect(&process);
                send(fds[i], PING, i % 3 ? strlen(PING) : i % strlen(PING), MSG_NOSIGNAL);
            }
            crowd_close(fds, COUNT);
        }
        for (size_t i = 0; i < UPLOAD_COUNT; i++) {
            fds[i] = engine_process_connect(&process);
            upload_begin(fds[i]);
        }
        crowd_close(fds, UPLOAD_COUNT);
        recovery_expect(&process, names[n], before);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
    }
}

/* Two workers and eight clients that stay: what sticky means, and what fair does about it. */
Test(overload, sticky_workers_starve_and_fair_ones_serve_everybody, .timeout = 60)
{
    enum { COUNT = 8 };
    static const char *const arguments[] = {"--threads", "2", NULL};
    static const struct {
        const char *name;
        unsigned ok_count;
    } rows[] = {{"pool_sticky", 2}, {"pool", COUNT}};
    int fds[COUNT];

    for (size_t n = 0; n < ARRAY_COUNT(rows); n++) {
        struct engine_process process;
        struct engine_process_options options = {.arguments = arguments};
        unsigned answered = 0;

        engine_process_start(&process, rows[n].name, &options);
        for (size_t i = 0; i < COUNT; i++) {
            fds[i] = engine_process_connect(&process);
            send(fds[i], PING, strlen(PING), MSG_NOSIGNAL);
        }
        /* Long enough for 8 pings many times over; the starved ones are silent whatever one waits.
         */
        for (int round = 0; round < 2; round++) {
            poll(NULL, 0, 500);
        }
        for (size_t i = 0; i < COUNT; i++) {
            char text[1024];
            answered += recv(fds[i], text, sizeof(text), MSG_DONTWAIT) > 0;
        }
        cr_expect_eq(answered, rows[n].ok_count, "%s: %u", rows[n].name, answered);
        crowd_close(fds, COUNT);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", rows[n].name);
    }
}

/* One worker that is busy, and room for one more to wait: the others are told at once. */
Test(overload, a_full_queue_is_a_503, .timeout = 60)
{
    enum { COUNT = 12 };
    static const char *const arguments[] = {"--threads", "1", "--queue", "1", NULL};
    static const char *const names[] = {"reactor", "pool_sticky"};
    int fds[COUNT];

    for (size_t n = 0; n < ARRAY_COUNT(names); n++) {
        struct engine_process process;
        struct engine_process_options options = {.arguments = arguments};
        struct counters_total total;

        engine_process_start(&process, names[n], &options);
        fds[0] = engine_process_connect(&process);
        send(fds[0], DELAY, strlen(DELAY), MSG_NOSIGNAL);
        poll(NULL, 0, 30);
        struct outcome outcome = crowd_ask(&process, fds + 1, COUNT - 1,
                                           "GET /ping HTTP/1.1\r\nHost: a\r\nConnection: "
                                           "close\r\n\r\n");
        cr_expect_eq(status_read(fds[0]), 200, "%s", names[n]);
        cr_expect_gt(outcome.refused_count, 0, "%s", names[n]);
        cr_expect_eq(outcome.broken_count, 0, "%s: %u", names[n], outcome.broken_count);
        cr_expect_eq(outcome.refused_count + outcome.ok_count + outcome.silent_count, COUNT - 1);
        counters_read(process.counters, &total);
        cr_expect_eq(total.error_count, outcome.refused_count, "%s", names[n]);
        crowd_close(fds, COUNT);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
    }
}

Test(overload, connections_above_the_limit_are_refused_and_counted, .timeout = 60)
{
    enum { COUNT = 12, LIMIT = 5, REFUSED_MS_MAX = 700 };
    static const char *const arguments[] = {"--max-connections", "5", NULL};
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t name_count = fair_names(names);
    int fds[COUNT];

    for (size_t n = 0; n < name_count; n++) {
        struct engine_process process;
        struct engine_process_options options = {.arguments = arguments};
        struct counters_total total;

        engine_process_start(&process, names[n], &options);
        struct outcome outcome = crowd_ask(&process, fds, COUNT, PING);
        cr_expect_eq(outcome.ok_count, LIMIT, "%s: %u", names[n], outcome.ok_count);
        cr_expect_eq(outcome.refused_count, COUNT - LIMIT, "%s: %u", names[n],
                     outcome.refused_count);
        counters_read(process.counters, &total);
        cr_expect_eq(total.error_count, COUNT - LIMIT, "%s", names[n]);
        cr_expect_eq(total.accepted_count, COUNT, "%s", names[n]);
        crowd_close(fds, COUNT);
        /* The room is free again as soon as the server noticed, and who was refused is not kept for
         * longer than its client. */
        int64_t end_ns = clock_monotonic_ns() + REFUSED_MS_MAX * CLOCK_NS_PER_MS;
        do {
            poll(NULL, 0, 10);
            counters_read(process.counters, &total);
        } while (total.closed_count < COUNT && clock_monotonic_ns() < end_ns);
        cr_expect_eq(total.closed_count, COUNT, "%s: %lu", names[n], total.closed_count);
        cr_expect_eq(ping_status(&process), 200, "%s", names[n]);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
    }
}

/* What one server is asked, all servers at once: the waits are the same. */
struct slow {
    struct engine_process process;
    int head, silent, stopped_body, slow_body, good_body;
};

#define BODY_HEAD "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n"

static int slow_open(const struct engine_process *process, const char *bytes)
{
    int fd = engine_process_connect(process);

    send(fd, bytes, strlen(bytes), MSG_NOSIGNAL);
    return fd;
}

static void slow_begin(struct slow *slow, const char *name)
{
    static const char *const arguments[] = {
        "--head-timeout", "1", "--idle-timeout", "3", "--body-rate", "60", NULL};
    struct engine_process_options options = {.arguments = arguments};

    engine_process_start(&slow->process, name, &options);
    slow->head = slow_open(&slow->process, "GET /p");
    slow->silent = slow_open(&slow->process, "");
    slow->stopped_body = slow_open(&slow->process, BODY_HEAD "x");
    slow->slow_body = slow_open(&slow->process, BODY_HEAD);
    slow->good_body = slow_open(&slow->process, BODY_HEAD);
}

/* A body of 900 bytes in 9 s is 100 B/s; one byte each time is 2 B/s. */
static void bodies_send(const struct slow *slow, int turn)
{
    char part[50];

    memset(part, 'x', sizeof(part));
    send(slow->good_body, part, sizeof(part), MSG_NOSIGNAL);
    /* Not for longer: the server is gone, and its reset would take the answer along. */
    if (turn < 14) {
        send(slow->slow_body, part, 1, MSG_NOSIGNAL);
    }
}

static bool is_at_end(int fd)
{
    char text[1024];

    while (recv(fd, text, sizeof(text), 0) > 0) {
    }
    return recv(fd, text, 1, 0) == 0;
}

static void slow_expect(struct slow *slow, const char *name)
{
    char c;

    cr_expect_eq(status_read(slow->head), 408, "%s: a head", name);
    cr_expect(is_at_end(slow->head), "%s: more behind the 408", name);
    cr_expect_eq(recv(slow->silent, &c, 1, 0), 0, "%s: silence is not ended", name);
    cr_expect_eq(status_read(slow->stopped_body), 408, "%s: a body that stops", name);
    cr_expect_eq(status_read(slow->slow_body), 408, "%s: a body that trickles", name);
    cr_expect(is_at_end(slow->slow_body), "%s: more behind the 408", name);
    cr_expect_eq(status_read(slow->good_body), 200, "%s: a body at more than the rate", name);
    crowd_close(
        (int[]){slow->head, slow->silent, slow->stopped_body, slow->slow_body, slow->good_body}, 5);
    cr_expect_eq(engine_process_stop(&slow->process), 0, "%s", name);
}

/* Unfinished heads and slow bodies are told 408 after their time; a silent connection is closed
 * without a word. */
Test(overload, slowness_is_a_408_and_silence_is_an_end, .timeout = 90)
{
    struct slow slows[ENGINE_PROCESS_NAMES_MAX];
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t count = engine_process_names(names, false);
    char text[64];

    for (size_t n = 0; n < count; n++) {
        slow_begin(&slows[n], names[n]);
    }
    for (int turn = 0; turn < 18; turn++) {
        poll(NULL, 0, 500);
        for (size_t n = 0; n < count; n++) {
            bodies_send(&slows[n], turn);
            cr_expect(turn > 0 || recv(slows[n].head, text, 1, MSG_DONTWAIT) < 0, "%s: early",
                      names[n]);
            cr_expect(turn > 6 || recv(slows[n].slow_body, text, 1, MSG_PEEK | MSG_DONTWAIT) < 0,
                      "%s: 408 in turn %d", names[n], turn);
        }
    }
    for (size_t n = 0; n < count; n++) {
        slow_expect(&slows[n], names[n]);
    }
}

/* On a server that does nothing else, where each byte alone wakes it. */
Test(overload, a_head_that_drips_is_a_408, .timeout = 60)
{
    static const char *const arguments[] = {"--head-timeout", "1", NULL};
    struct engine_process_options options = {.arguments = arguments};
    struct engine_process processes[ENGINE_PROCESS_NAMES_MAX];
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    int fds[ENGINE_PROCESS_NAMES_MAX];
    bool is_answered[ENGINE_PROCESS_NAMES_MAX] = {false};
    size_t count = engine_process_names(names, false);
    char c;

    for (size_t n = 0; n < count; n++) {
        engine_process_start(&processes[n], names[n], &options);
        fds[n] = slow_open(&processes[n], "GET /");
    }
    for (int turn = 0; turn < 25; turn++) {
        poll(NULL, 0, 200);
        for (size_t n = 0; n < count; n++) {
            is_answered[n] = is_answered[n] || recv(fds[n], &c, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
            if (!is_answered[n]) {
                send(fds[n], "x", 1, MSG_NOSIGNAL);
            }
        }
    }
    for (size_t n = 0; n < count; n++) {
        cr_expect(is_answered[n], "%s: no end in 5 s", names[n]);
        cr_expect(!is_answered[n] || status_read(fds[n]) == 408, "%s", names[n]);
        close(fds[n]);
        cr_expect_eq(engine_process_stop(&processes[n]), 0, "%s", names[n]);
    }
}
