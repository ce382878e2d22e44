// SPDX-License-Identifier: Apache-2.0
// What a thread a connection costs when it does nothing else: no HTTP, no clock, no counters, one
// read and one send of a fixed answer. Nothing of that model can cost less than this.
//
// bare; prints "listening ADDRESS", ends by a signal
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engines/base/net.h"

#define ANSWER      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npong"
#define STACK_BYTES ((size_t)128 << 10)

static void *connection_serve(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char bytes[1024];

    /* A request is one read here: no pipelining, no bodies. */
    while (recv(fd, bytes, sizeof(bytes), 0) > 0 &&
           send(fd, ANSWER, sizeof(ANSWER) - 1, MSG_NOSIGNAL) > 0) {
    }
    close(fd);
    return NULL;
}

int main(void)
{
    struct net_address address;
    char text[NET_TEXT_BYTES];
    pthread_attr_t attributes;
    struct err e;
    int listen_fd;

    if (net_parse("127.0.0.1", 0, &address, &e) != ERR_OK ||
        net_listen(&address, 4096, false, &listen_fd, &address, &e) != ERR_OK) {
        fprintf(stderr, "bare: %s\n", e.text);
        return 1;
    }
    net_format(&address, text);
    printf("listening %s\n", text);
    fflush(stdout);
    sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}); /* as the engine does */
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (struct pollfd ready = {.fd = listen_fd, .events = POLLIN}; poll(&ready, 1, -1) > 0;) {
        int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
        pthread_t thread;

        if (fd >= 0 &&
            pthread_create(&thread, &attributes, connection_serve, (void *)(intptr_t)fd) != 0) {
            close(fd);
        }
    }
    return 1;
}
