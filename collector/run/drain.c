// SPDX-License-Identifier: Apache-2.0
// Reads a server's output on a thread of its own.
#include "collector/run/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct drain {
    int fd, stop_fd;
    bool is_stopped;
    pthread_t thread;
    pthread_mutex_t lock;
    uint64_t total_bytes;
    size_t head_bytes;
    char head[DRAIN_HEAD_BYTES];
    char tail[DRAIN_TAIL_BYTES]; /* a ring: byte k of the output lies at k mod DRAIN_TAIL_BYTES */
};

static void bytes_keep(struct drain *drain, const char *bytes, size_t length)
{
    size_t room = sizeof(drain->head) - drain->head_bytes;
    size_t kept = length < room ? length : room;

    pthread_mutex_lock(&drain->lock);
    memcpy(drain->head + drain->head_bytes, bytes, kept);
    drain->head_bytes += kept;
    for (size_t i = 0; i < length; i++) {
        drain->tail[(drain->total_bytes + i) % DRAIN_TAIL_BYTES] = bytes[i];
    }
    drain->total_bytes += length;
    pthread_mutex_unlock(&drain->lock);
}

static void *drain_main(void *argument)
{
    struct drain *drain = argument;
    struct pollfd polls[2] = {{.fd = drain->fd, .events = POLLIN},
                              {.fd = drain->stop_fd, .events = POLLIN}};
    char block[16384];
    int late_count = 0; /* blocks read after the stop: a stranger may go on writing for ever */

    while (late_count < 64) {
        if (poll(polls, 2, -1) < 0 && errno != EINTR) {
            return NULL;
        }
        ssize_t count = read(drain->fd, block, sizeof(block));
        late_count += polls[1].revents != 0;
        if (count > 0) {
            bytes_keep(drain, block, (size_t)count);
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR) || polls[1].revents) {
            return NULL;
        }
    }
    return NULL;
}

/* Signals are for the main thread: it is the one that sleeps until a grid point. */
static int thread_start(struct drain *drain)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int status = pthread_create(&drain->thread, NULL, drain_main, drain);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return status;
}

enum err_code drain_open(int fd, struct drain **drain_out, struct err *e)
{
    struct drain *drain = calloc(1, sizeof(*drain));

    if (!drain) {
        close(fd);
        return err_set(e, ERR_LIMIT, "no memory for the server's output");
    }
    drain->fd = fd;
    drain->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&drain->lock, NULL);
    int status = drain->stop_fd < 0 ? errno : thread_start(drain);
    if (status == 0) {
        *drain_out = drain;
        return ERR_OK;
    }
    errno = status;
    err_set_sys(e, "reading the server's output");
    if (drain->stop_fd >= 0) {
        close(drain->stop_fd);
    }
    close(fd);
    pthread_mutex_destroy(&drain->lock);
    free(drain);
    return ERR_SYS;
}

size_t drain_copy_head(struct drain *drain, char *out, size_t capacity)
{
    pthread_mutex_lock(&drain->lock);
    size_t length = drain->head_bytes < capacity ? drain->head_bytes : capacity;
    memcpy(out, drain->head, length);
    pthread_mutex_unlock(&drain->lock);
    return length;
}

size_t drain_copy_tail(struct drain *drain, char *out, size_t capacity)
{
    pthread_mutex_lock(&drain->lock);
    size_t length = capacity < DRAIN_TAIL_BYTES ? capacity : DRAIN_TAIL_BYTES;
    length = drain->total_bytes < length ? (size_t)drain->total_bytes : length;
    for (size_t i = 0; i < length; i++) {
        out[i] = drain->tail[(drain->total_bytes - length + i) % DRAIN_TAIL_BYTES];
    }
    pthread_mutex_unlock(&drain->lock);
    return length;
}

uint64_t drain_get_total(struct drain *drain)
{
    pthread_mutex_lock(&drain->lock);
    uint64_t total_bytes = drain->total_bytes;
    pthread_mutex_unlock(&drain->lock);
    return total_bytes;
}

void drain_stop(struct drain *drain)
{
    uint64_t one = 1;

    if (drain->is_stopped) {
        return;
    }
    while (write(drain->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
    pthread_join(drain->thread, NULL);
    drain->is_stopped = true;
}

void drain_close(struct drain *drain)
{
    if (!drain) {
        return;
    }
    drain_stop(drain);
    close(drain->fd);
    close(drain->stop_fd);
    pthread_mutex_destroy(&drain->lock);
    free(drain);
}
