// SPDX-License-Identifier: Apache-2.0
// What a load driver cannot go below: for each answer one recv and one send over epoll, or one
// completion of a multishot receive and one send over io_uring; nothing read of it, nothing counted
// but answers. A short answer comes in one piece over loopback; this client counts pieces.
//
// floor PORT CONNECTIONS SECONDS [PATH [epoll|uring]]; against 127.0.0.1; prints "RATE CPU_US", of
// the whole run
// floor; prints how many ns a system call takes that does nothing: the best of many tries
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/uring_ring.h"

enum { EVENTS_MAX = 512, REQUEST_MAX = 512, ANSWER_MAX = 4096 };
#define SENDING UINT64_MAX /* user_data of a send; of a receive, the socket */

struct request {
    char bytes[REQUEST_MAX];
    size_t length;
};

struct ways { /* epoll, unless there is a ring */
    int epoll_fd;
    struct uring_ring *ring;
};

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void receive_ask(struct uring_ring *ring, int fd)
{
    struct io_uring_sqe *sqe = uring_ring_entry(ring);

    sqe->opcode = IORING_OP_RECV;
    sqe->fd = fd;
    sqe->ioprio = IORING_RECV_MULTISHOT;
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = URING_BUFFER_GROUP;
    sqe->user_data = (uint64_t)fd;
}

static void send_ask(struct uring_ring *ring, int fd, const struct request *request)
{
    struct io_uring_sqe *sqe = uring_ring_entry(ring);

    sqe->opcode = IORING_OP_SEND;
    sqe->fd = fd;
    sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
    sqe->addr = (uint64_t)(uintptr_t)request->bytes;
    sqe->len = (uint32_t)request->length;
    sqe->msg_flags = MSG_NOSIGNAL;
    sqe->user_data = SENDING;
}

// From now on the answers come over epoll or the ring.
static bool answers_want(const struct ways *ways, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (ways->ring) {
        receive_ask(ways->ring, fd);
        return true;
    }
    return epoll_ctl(ways->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

// Connects and asks once.
static bool connection_start(const struct ways *ways, uint16_t port, const struct request *request)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0 &&
           answers_want(ways, fd) &&
           send(fd, request->bytes, request->length, MSG_NOSIGNAL) == (ssize_t)request->length;
}

// Answers of one wait; each is followed by the next request.
static int64_t answers_take(int epoll_fd, const struct request *request)
{
    struct epoll_event events[EVENTS_MAX];
    char answer[ANSWER_MAX];
    int64_t taken = 0;
    int ready = epoll_wait(epoll_fd, events, EVENTS_MAX, 100);

    for (int i = 0; i < ready; i++) {
        if (recv(events[i].data.fd, answer, sizeof answer, MSG_DONTWAIT) > 0 &&
            send(events[i].data.fd, request->bytes, request->length, MSG_DONTWAIT | MSG_NOSIGNAL) >
                0) {
            taken++;
        }
    }
    return taken;
}

// The same over io_uring. A failed send is not followed by an answer, and not by another request.
static int64_t completions_take(struct uring_ring *ring, const struct request *request)
{
    struct io_uring_cqe cqe;
    int64_t taken = 0;

    uring_ring_wait(ring, 100 * CLOCK_NS_PER_MS);
    while (uring_ring_take(ring, &cqe)) {
        if (cqe.flags & IORING_CQE_F_BUFFER) {
            uring_ring_give(ring, cqe.flags);
        }
        if (cqe.user_data == SENDING || cqe.res == 0) {
            continue;
        }
        if (!(cqe.flags & IORING_CQE_F_MORE)) { /* there was no buffer for it */
            receive_ask(ring, (int)cqe.user_data);
        }
        if (cqe.res > 0) {
            send_ask(ring, (int)cqe.user_data, request);
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

static bool ring_start(struct uring_ring *ring)
{
    struct err e = {0};

    if (uring_ring_open(ring, &e) != ERR_OK) {
        fprintf(stderr, "floor: %s\n", e.text);
        return false;
    }
    uring_ring_populate(ring);
    uring_ring_enable(ring);
    return true;
}

static void load_run(const struct ways *ways, const struct request *request, int seconds)
{
    const struct clock *clock = clock_system();
    double cpu_before = cpu_seconds();
    int64_t begin_ns = clock_now_ns(clock), end_ns = begin_ns + seconds * CLOCK_NS_PER_S;
    int64_t count = 0;

    while (clock_now_ns(clock) < end_ns) {
        count += ways->ring ? completions_take(ways->ring, request)
                            : answers_take(ways->epoll_fd, request);
    }
    printf("%.1f %.3f\n", (double)count * CLOCK_NS_PER_S / (double)(clock_now_ns(clock) - begin_ns),
           count ? (cpu_seconds() - cpu_before) * 1e6 / (double)count : 0);
}

int main(int argc, char **argv)
{
    static struct uring_ring ring;
    struct ways ways = {.epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    struct request request;

    if (argc == 1) {
        null_call_print();
        return 0;
    }
    if (argc < 4 || ways.epoll_fd < 0) {
        fprintf(stderr, "floor: PORT CONNECTIONS SECONDS [PATH [epoll|uring]]\n");
        return 2;
    }
    int length =
        snprintf(request.bytes, sizeof request.bytes, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                 argc > 4 ? argv[4] : "/ping");
    if (length >= REQUEST_MAX) {
        fprintf(stderr, "floor: the path is too long\n");
        return 2;
    }
    request.length = (size_t)length;
    if (argc > 5 && strcmp(argv[5], "uring") == 0) {
        if (!ring_start(&ring)) {
            return 1;
        }
        ways.ring = &ring;
    }
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (!connection_start(&ways, (uint16_t)atoi(argv[1]), &request)) {
            perror("floor: no connection");
            return 1;
        }
    }
    load_run(&ways, &request, atoi(argv[3]));
    return 0;
}
