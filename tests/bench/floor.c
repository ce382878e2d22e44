// SPDX-License-Identifier: Apache-2.0
// What a load driver over epoll cannot go below: one recv and one send for each answer, nothing
// read of it, nothing counted but answers. A short answer comes in one piece over loopback; this
// client counts pieces.
//
// floor PORT CONNECTIONS SECONDS [PATH]; against 127.0.0.1; prints "RATE CPU_US", of the whole run
// floor; prints how many ns a system call takes that does nothing: the best of many tries
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engines/base/clock.h"

enum { EVENTS_MAX = 512, REQUEST_MAX = 512, ANSWER_MAX = 4096 };

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Connects, asks once, and adds the socket to the epoll instance.
static bool connection_start(int epoll_fd, uint16_t port, const char *request, size_t length)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0 &&
           epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 &&
           send(fd, request, length, MSG_NOSIGNAL) == (ssize_t)length;
}

// Answers of one wait; each is followed by the next request.
static int64_t answers_take(int epoll_fd, const char *request, size_t length)
{
    struct epoll_event events[EVENTS_MAX];
    char answer[ANSWER_MAX];
    int64_t taken = 0;
    int ready = epoll_wait(epoll_fd, events, EVENTS_MAX, 100);

    for (int i = 0; i < ready; i++) {
        if (recv(events[i].data.fd, answer, sizeof answer, MSG_DONTWAIT) > 0 &&
            send(events[i].data.fd, request, length, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
            taken++;
        }
    }
    return taken;
}

static void null_call_print(void)
{
    enum { TRIES = 200, CALLS = 2000 };
    int64_t best_ns = INT64_MAX;

    for (int i = 0; i < TRIES; i++) {
        int64_t begin_ns = clock_monotonic_ns();

        for (int k = 0; k < CALLS; k++) {
            syscall(SYS_getppid);
        }
        int64_t ns = (clock_monotonic_ns() - begin_ns) / CALLS;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    printf("%lld\n", (long long)best_ns);
}

int main(int argc, char **argv)
{
    const struct clock *clock = clock_system();
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    char request[REQUEST_MAX];
    int64_t count = 0, begin_ns, end_ns;

    if (argc == 1) {
        null_call_print();
        return 0;
    }
    if (argc < 4 || epoll_fd < 0) {
        fprintf(stderr, "floor: PORT CONNECTIONS SECONDS [PATH]\n");
        return 2;
    }
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                          argc > 4 ? argv[4] : "/ping");
    if (length >= REQUEST_MAX) {
        fprintf(stderr, "floor: the path is too long\n");
        return 2;
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (!connection_start(epoll_fd, (uint16_t)atoi(argv[1]), request, (size_t)length)) {
            perror("floor: no connection");
            return 1;
        }
    }
    double cpu_before = cpu_seconds();
    begin_ns = clock_now_ns(clock);
    end_ns = begin_ns + atoi(argv[3]) * CLOCK_NS_PER_S;
    while (clock_now_ns(clock) < end_ns) {
        count += answers_take(epoll_fd, request, (size_t)length);
    }
    printf("%.1f %.3f\n", (double)count * CLOCK_NS_PER_S / (double)(clock_now_ns(clock) - begin_ns),
           count ? (cpu_seconds() - cpu_before) * 1e6 / (double)count : 0);
    return 0;
}
