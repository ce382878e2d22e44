// SPDX-License-Identifier: Apache-2.0
// A server that is warm asks nothing more of the machine: no memory of the heap, no page.
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/app/routes.h"
#include "engines/base/net.h"
#include "engines/engine.h"
#include "tests/support/alloc_count.h"
#include "tests/support/engine_process.h"

#define PING "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n"

enum {
    CONNECTION_COUNT = 32,
    PIPELINE_COUNT = 16,
    ROUND_COUNT = 40, /* 40 * 32 * 16 are 20,480 requests */
};

static void all_send(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t count = TEMP_FAILURE_RETRY(send(fd, bytes, length, MSG_NOSIGNAL));

        cr_assert_gt(count, 0);
        bytes += count;
        length -= (size_t)count;
    }
}

/* Reads so many answers, told by their bodies; allocates nothing itself. */
static void answers_read(int fd, size_t wanted)
{
    char bytes[8192];
    size_t matched = 0, found = 0;

    while (found < wanted) {
        ssize_t count = TEMP_FAILURE_RETRY(recv(fd, bytes, sizeof(bytes), 0));

        cr_assert_gt(count, 0);
        for (ssize_t i = 0; i < count; i++) {
            matched = bytes[i] == "\r\n\r\npong"[matched] ? matched + 1 : bytes[i] == '\r';
            if (matched == 8) {
                found++;
                matched = 0;
            }
        }
    }
}

static void rounds_run(const int *fds, int round_count)
{
    static char pings[PIPELINE_COUNT * sizeof(PING)];
    size_t length = strlen(PING) * PIPELINE_COUNT;

    for (int i = 0; i < PIPELINE_COUNT; i++) {
        memcpy(pings + (size_t)i * strlen(PING), PING, strlen(PING));
    }
    for (int round = 0; round < round_count; round++) {
        for (int i = 0; i < CONNECTION_COUNT; i++) {
            all_send(fds[i], pings, length);
        }
        for (int i = 0; i < CONNECTION_COUNT; i++) {
            answers_read(fds[i], PIPELINE_COUNT);
        }
    }
}

static void connections_open(const struct engine_process *process, int *fds)
{
    for (int i = 0; i < CONNECTION_COUNT; i++) {
        fds[i] = engine_process_connect(process);
    }
}

static void connections_close(const int *fds)
{
    for (int i = 0; i < CONNECTION_COUNT; i++) {
        close(fds[i]);
    }
}

/* An engine in this process, where allocations are counted, on a thread of its own. */
struct inside {
    const struct engine *engine;
    struct engine_config config;
    int listen_fd;
    _Atomic uint32_t open_count;
    enum err_code code;
};

static void *inside_run(void *argument)
{
    struct inside *inside = argument;

    inside->code = inside->engine->run(&inside->config, NULL);
    return NULL;
}

/* What the heap was asked for during 20,480 requests. */
static int64_t allocations_count(const char *name)
{
    struct inside inside = {.engine = engine_find(name)};
    struct net_address address;
    struct engine_process process = {0};
    struct counters_total total;
    int counters_fd, fds[CONNECTION_COUNT];
    pthread_t thread;
    int64_t at_first = alloc_count();

    cr_assert_eq(net_parse("127.0.0.1", 0, &address, NULL), ERR_OK);
    cr_assert_eq(net_listen(&address, 128, false, &inside.listen_fd, &address, NULL), ERR_OK);
    process.port = net_port(&address);
    cr_assert_eq(counters_create(&counters_fd, &process.counters, NULL), ERR_OK);
    bool has_threads = inside.engine->threads != ENGINE_THREADS_PER_CONNECTION;
    inside.config = (struct engine_config){
        .listen_fds = &inside.listen_fd,
        .listen_count = 1,
        .stop_fd = eventfd(0, EFD_CLOEXEC),
        .thread_count =
            has_threads ? inside.engine->threads_default + !inside.engine->threads_default : 0,
        .queue_count = ENGINE_QUEUE_COUNT,
        .idle_seconds = 60,
        .head_seconds = 10,
        .open_count = &inside.open_count,
        .counters = process.counters,
    };
    cr_assert_eq(pthread_create(&thread, NULL, inside_run, &inside), 0);
    connections_open(&process, fds);
    rounds_run(fds, ROUND_COUNT);
    int64_t before = alloc_count();
    cr_expect_gt(before, at_first, "%s: opening asks for memory, so this does not count", name);
    rounds_run(fds, ROUND_COUNT);
    int64_t count = alloc_count() - before;
    connections_close(fds);
    do {
        poll(NULL, 0, 2);
        counters_read(process.counters, &total);
    } while (total.closed_count < CONNECTION_COUNT);
    cr_assert_eq(write(inside.config.stop_fd, &(uint64_t){1}, 8), 8);
    pthread_join(thread, NULL);
    cr_expect_eq(inside.code, ERR_OK);
    counters_unmap(process.counters);
    close(counters_fd);
    close(inside.config.stop_fd);
    close(inside.listen_fd);
    return count;
}

Test(steady, pings_ask_nothing_of_the_heap, .timeout = 60)
{
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t count = engine_process_names(names, true);

    if (alloc_count() < 0) {
        cr_skip_test("allocations cannot be counted here");
    }
    app_init(APP_SEED_DEFAULT);
    for (size_t n = 0; n < count; n++) {
        int64_t allocated = allocations_count(names[n]);

        cr_expect_eq(allocated, 0, "%s: %ld allocations", names[n], (long)allocated);
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* (A sanitizer has shadows of its own.) minflt and majflt, which are what getrusage says of the
 * process (proc(5)). */
static unsigned long faults_read(pid_t pid)
{
    char path[64];
    unsigned long minor = 0, major = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file);
    cr_expect_eq(
        fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major), 2);
    fclose(file);
    return minor + major;
}

Test(steady, pings_touch_no_new_page, .timeout = 60)
{
    const char *names[ENGINE_PROCESS_NAMES_MAX];
    size_t count = engine_process_names(names, true);

    for (size_t n = 0; n < count; n++) {
        struct engine_process process;
        int fds[CONNECTION_COUNT];

        engine_process_start(&process, names[n], NULL);
        connections_open(&process, fds);
        rounds_run(fds, 2 * ROUND_COUNT);
        unsigned long faults = 1;
        /* One of three: where the kernel moves pages about, that is a fault as well. */
        for (int attempt = 0; attempt < 3 && faults; attempt++) {
            unsigned long before = faults_read(process.pid);
            rounds_run(fds, ROUND_COUNT);
            faults = faults_read(process.pid) - before;
        }
        cr_expect_eq(faults, 0, "%s: %lu page faults", names[n], faults);
        connections_close(fds);
        cr_expect_eq(engine_process_stop(&process), 0, "%s", names[n]);
    }
}
#endif
