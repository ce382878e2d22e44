// SPDX-License-Identifier: Apache-2.0
// A server under test that misbehaves.
#include "tests/support/fake_engine.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/counters.h"
#include "tests/support/engine_process.h"

#define FLAG             "--fake-engine"
#define CONNECTION_LIMIT 1024
#define LATE_NS          (350 * CLOCK_NS_PER_MS)
#define WARM_NS          (300 * CLOCK_NS_PER_MS)
#define NOISE_BYTES      (20 << 20)

struct fake {
    const char *mode;
    int number, port;
    int64_t started_ns;
    struct counters_page *counters;
    struct pollfd polls[CONNECTION_LIMIT]; /* the first one listens */
    size_t poll_count;
    int64_t request_count;
    int64_t
        load_ns; /* when the third request came: the first two ask whether it is ready and right */
    bool is_late;
};

static bool mode_is(const struct fake *fake, const char *mode)
{
    return strcmp(fake->mode, mode) == 0;
}

static void noise_print(void)
{
    char line[1024];

    memset(line, 'n', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (size_t i = 0; i < NOISE_BYTES / sizeof(line); i++) {
        (void)!write(i % 2 ? STDOUT_FILENO : STDERR_FILENO, line, sizeof(line));
    }
}

/* Stops, and is woken by a child half a second later. */
static void process_pause(void)
{
    pid_t self = getpid();

    if (fork() == 0) {
        usleep(500000);
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void late_act(struct fake *fake)
{
    struct rlimit no_core = {0, 0};

    fake->is_late = true;
    if (mode_is(fake, "segv")) {
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    } else if (mode_is(fake, "exit")) {
        _exit(0);
    } else if (mode_is(fake, "stop")) {
        process_pause();
    }
}

static void connection_drop(struct fake *fake, size_t index)
{
    close(fake->polls[index].fd);
    fake->polls[index] = fake->polls[--fake->poll_count];
}

/* False: the connection is gone. */
static bool request_answer(struct fake *fake, size_t index)
{
    static const char right[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong";
    static const char wrong[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    bool is_load = ++fake->request_count > 2;
    bool is_cold = mode_is(fake, "warming") && clock_monotonic_ns() - fake->started_ns < WARM_NS;
    const char *answer = (is_load && mode_is(fake, "error")) || is_cold ? wrong : right;

    if (fake->request_count == 3) {
        fake->load_ns = clock_monotonic_ns();
        if (mode_is(fake, "noise")) {
            noise_print();
        }
    }
    if (mode_is(fake, "mute") || (is_load && mode_is(fake, "hang")) ||
        (fake->is_late && mode_is(fake, "hang_late"))) {
        return true;
    }
    if (is_load && mode_is(fake, "close")) {
        connection_drop(fake, index);
        return false;
    }
    if (fake->counters) {
        counters_add(&fake->counters->slots[0].request_count, 1);
    }
    size_t length = strlen(answer) - (mode_is(fake, "begun") ? strlen("pong") : 0);
    (void)!send(fake->polls[index].fd, answer, length, MSG_NOSIGNAL);
    return true;
}

/* The driver sends a small request in one piece, and the next one after the answer. */
static void connection_serve(struct fake *fake, size_t index)
{
    char request[4096];
    ssize_t count = recv(fake->polls[index].fd, request, sizeof(request), MSG_DONTWAIT);

    if (count > 0) {
        request_answer(fake, index);
    } else if (count == 0 || errno != EAGAIN) {
        connection_drop(fake, index);
    }
}

__attribute__((noreturn)) static void fake_serve(struct fake *fake)
{
    for (;;) {
        poll(fake->polls, fake->poll_count, 10);
        if (fake->load_ns && !fake->is_late && clock_monotonic_ns() - fake->load_ns >= LATE_NS) {
            late_act(fake);
        }
        for (size_t i = fake->poll_count; i-- > 1;) {
            if (fake->polls[i].revents) {
                connection_serve(fake, i);
            }
        }
        if (fake->polls[0].revents && fake->poll_count < CONNECTION_LIMIT) {
            int fd = accept(fake->polls[0].fd, NULL, NULL);
            fake->polls[fake->poll_count] = (struct pollfd){.fd = fd, .events = POLLIN};
            fake->poll_count += fd >= 0;
        }
    }
}

static void port_tell(const struct fake *fake, unsigned port)
{
    if (mode_is(fake, "silent")) {
        return;
    }
    if (mode_is(fake, "noise_first")) {
        noise_print();
    }
    port = mode_is(fake, "wrong_port") ? 1 : port;
    port = mode_is(fake, "foreign_port") ? (unsigned)fake->number : port;
    printf("listening 127.0.0.1:%u\n", port);
    fflush(stdout);
}

static void stubborn_begin(void)
{
    signal(SIGTERM, SIG_IGN);
    if (fork() == 0) {
        setsid();
        for (;;) {
            pause();
        }
    }
}

__attribute__((noreturn)) static void fake_run(struct fake *fake, int counters_fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)fake->port)};
    socklen_t address_bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

    fake->started_ns = clock_monotonic_ns();
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 1024) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &address_bytes) < 0) {
        _exit(99);
    }
    if (counters_fd >= 0 && counters_map(counters_fd, &fake->counters, NULL) != ERR_OK) {
        _exit(98);
    }
    if (mode_is(fake, "stubborn")) {
        stubborn_begin();
    }
    fake->polls[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    fake->poll_count = 1;
    port_tell(fake, ntohs(address.sin_port));
    fake_serve(fake);
}

/* Before main: PROGRAM --fake-engine MODE NUMBER REAL tacho-engine NAME OPTION… */
__attribute__((constructor)) static void fake_engine_begin(int argc, char **argv)
{
    static struct fake fake;
    int counters_fd = -1;

    if (argc < 7 || strcmp(argv[1], FLAG) != 0) {
        return;
    }
    if (strcmp(argv[6], "epoll") != 0) {
        execv(argv[4], argv + 5);
        _exit(97);
    }
    for (int i = 7; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--counters-fd") == 0) {
            counters_fd = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--port") == 0) {
            fake.port = atoi(argv[i + 1]);
        }
    }
    fake.mode = argv[2];
    fake.number = atoi(argv[3]);
    fake_run(&fake, counters_fd);
}

void fake_engine_write(const char *path, const char *mode, int number)
{
    char own_path[PATH_MAX] = "", real_path[PATH_MAX];
    FILE *file = fopen(path, "w");

    cr_assert(file && readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) > 0);
    cr_assert(realpath(engine_process_program(), real_path));
    fprintf(file, "#!/bin/sh\nexec '%s' " FLAG " %s %d '%s' tacho-engine \"$@\"\n", own_path, mode,
            number, real_path);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(path, 0755), 0);
}
