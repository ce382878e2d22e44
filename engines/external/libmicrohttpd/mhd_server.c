// SPDX-License-Identifier: Apache-2.0
// Answers /ping with GNU libmicrohttpd, one thread on epoll, until SIGTERM.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct MHD_Response *pong, *absent;

static enum MHD_Result answer(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_data_size, void **state)
{
    static int seen;

    (void)self, (void)method, (void)version, (void)upload_data;
    if (!*state) { /* the head alone: the body comes with the next calls */
        *state = &seen;
        return MHD_YES;
    }
    if (*upload_data_size > 0) {
        *upload_data_size = 0;
        return MHD_YES;
    }
    return strcmp(url, "/ping") == 0 ? MHD_queue_response(connection, MHD_HTTP_OK, pong)
                                     : MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, absent);
}

static struct MHD_Response *text_make(const char *text)
{
    union {
        const char *given;
        void *taken; /* libmicrohttpd only reads it */
    } bytes = {.given = text};

    return MHD_create_response_from_buffer(strlen(text), bytes.taken, MHD_RESPMEM_PERSISTENT);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sigset_t signals;
    int number = 0;

    address.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0));
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    pong = text_make("pong");
    absent = text_make("not here");
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, ntohs(address.sin_port), NULL, NULL,
        answer, NULL, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 20000u,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096u, MHD_OPTION_END);
    if (!daemon) {
        fprintf(stderr, "mhd_server: it does not start\n");
        return 1;
    }
    sigwait(&signals, &number);
    MHD_stop_daemon(daemon);
    return 0;
}
