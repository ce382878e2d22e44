// SPDX-License-Identifier: Apache-2.0
// Runs a program of this machine as a filter.
#include "report/bundle/filter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"

/* Files in memory instead of pipes: nothing can block, and no writer meets a closed end. */
struct streams {
    int fds[3]; /* standard input, output, error; -1: not open */
};

static void streams_close(struct streams *streams)
{
    for (size_t i = 0; i < ARRAY_COUNT(streams->fds); i++) {
        if (streams->fds[i] >= 0) {
            close(streams->fds[i]);
        }
    }
}

static enum err_code streams_open(struct streams *streams, const struct filter_config *config,
                                  struct err *e)
{
    const char *at = config->input;
    size_t length = config->input_length;

    for (size_t i = 0; i < ARRAY_COUNT(streams->fds); i++) {
        streams->fds[i] = memfd_create("filter", MFD_CLOEXEC);
        if (streams->fds[i] < 0) {
            return err_set_sys(e, "%s", config->arguments[0]);
        }
    }
    while (length) {
        ssize_t count = write(streams->fds[0], at, length);
        if (count < 0 && errno != EINTR) {
            return err_set_sys(e, "%s", config->arguments[0]);
        }
        at += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return lseek(streams->fds[0], 0, SEEK_SET) < 0 ? err_set_sys(e, "%s", config->arguments[0])
                                                   : ERR_OK;
}

static enum err_code stream_read(int fd, struct buf *out, const char *what, struct err *e)
{
    off_t at = 0;

    for (;;) {
        char block[4096];
        ssize_t count = pread(fd, block, sizeof(block), at);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return err_set_sys(e, "%s", what);
        }
        if (count == 0 || out->failed) {
            return buf_check(out, what, e);
        }
        buf_add(out, block, (size_t)count);
        at += count;
    }
}

/* False: it lives on when the time is over. */
static bool child_wait(pid_t pid, unsigned timeout_ms)
{
    int64_t deadline_ns = clock_monotonic_ns() + (int64_t)timeout_ms * CLOCK_NS_PER_MS;
    struct pollfd wanted = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    int count = -1;

    if (wanted.fd < 0) {
        return false;
    }
    for (;;) {
        int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / CLOCK_NS_PER_MS;

        count = poll(&wanted, 1, left_ms > 0 ? (int)left_ms : 0);
        if (count >= 0 || errno != EINTR) {
            break;
        }
    }
    close(wanted.fd);
    return count > 0;
}

static enum err_code child_spawn(const struct filter_config *config, const struct streams *streams,
                                 pid_t *pid_out, struct err *e)
{
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);

    if (number != 0) {
        errno = number;
        return err_set_sys(e, "%s", config->arguments[0]);
    }
    for (int i = 0; i < (int)ARRAY_COUNT(streams->fds) && number == 0; i++) {
        number = posix_spawn_file_actions_adddup2(&actions, streams->fds[i], i);
    }
    if (number == 0) {
        /* posix_spawn takes char *const[] and writes to none of it. */
        union {
            const char *const *given;
            char *const *wanted;
        } arguments = {config->arguments},
          environment = {config->environment ? config->environment : (const char *const *)environ};

        number = posix_spawn(pid_out, config->arguments[0], &actions, NULL, arguments.wanted,
                             environment.wanted);
    }
    posix_spawn_file_actions_destroy(&actions);
    errno = number;
    return number == 0 ? ERR_OK : err_set_sys(e, "%s", config->arguments[0]);
}

static enum err_code child_run(const struct filter_config *config, const struct streams *streams,
                               int *status_out, struct err *e)
{
    pid_t pid = -1;
    int status = 0;
    enum err_code code = child_spawn(config, streams, &pid, e);

    if (code != ERR_OK) {
        return code;
    }
    bool is_over = child_wait(pid, config->timeout_ms);
    if (!is_over) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return err_set_sys(e, "waiting for %s", config->arguments[0]);
        }
    }
    if (!is_over) {
        return err_set(e, ERR_LIMIT, "%s did not end within %u ms and was stopped",
                       config->arguments[0], config->timeout_ms);
    }
    *status_out = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ERR_OK;
}

enum err_code filter_run(const struct filter_config *config, struct buf *output,
                         struct buf *complaint, int *status_out, struct err *e)
{
    struct streams streams = {{-1, -1, -1}};
    int status = 0;
    enum err_code code = streams_open(&streams, config, e);

    if (code == ERR_OK) {
        code = child_run(config, &streams, &status, e);
    }
    if (code == ERR_OK) {
        code = stream_read(streams.fds[1], output, config->arguments[0], e);
    }
    if (code == ERR_OK) {
        code = stream_read(streams.fds[2], complaint, config->arguments[0], e);
    }
    streams_close(&streams);
    if (code == ERR_OK) {
        *status_out = status;
    }
    return code;
}
