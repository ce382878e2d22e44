// SPDX-License-Identifier: Apache-2.0
// The process reads from a pipe whose other end only its maker has: the end of it is the end of the
// maker. Everything that the handler of the signals calls may be called there.
#include "report/bundle/work_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/fs.h"

#define GUARD_COUNT_MAX 8
#define TRY_COUNT       100 /* a drawing program that is being stopped may still write */
#define TRY_MS          10

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

/* pid 0: not used */
static struct guard {
    volatile pid_t pid;
    volatile int fd;
} guards[GUARD_COUNT_MAX];

static void pipes_close(void)
{
    for (size_t i = 0; i < GUARD_COUNT_MAX; i++) {
        if (guards[i].pid != 0) {
            close(guards[i].fd);
        }
    }
}

static void guard_wait(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        continue;
    }
}

static void signal_clean(int number)
{
    pipes_close();
    for (size_t i = 0; i < GUARD_COUNT_MAX; i++) {
        if (guards[i].pid != 0) {
            guard_wait(guards[i].pid);
        }
    }
    signal(number, SIG_DFL);
    raise(number); /* it is blocked until the handler returns */
}

static void signals_catch(void)
{
    struct sigaction action = {.sa_handler = signal_clean}, before;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
        sigaddset(&action.sa_mask, signals[i]);
    }
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void work_guard_hold_signals(sigset_t *before_out)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
        sigaddset(&set, signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set, before_out);
}

void work_guard_remove_parents(const char *path, size_t count)
{
    size_t length = strlen(path);
    char parent[PATH_MAX];

    for (; count > 0; count--) {
        while (length > 0 && path[length - 1] != '/') {
            length--;
        }
        while (length > 0 && path[length - 1] == '/') {
            length--;
        }
        if (length == 0 || length >= sizeof(parent)) {
            return;
        }
        memcpy(parent, path, length);
        parent[length] = '\0';
        if (rmdir(parent) != 0) {
            return;
        }
    }
}

/* Signals stay blocked: a Ctrl-C reaches this process as well. */
static _Noreturn void folder_watch(const char *path, size_t parent_count, const int pipe_fds[2])
{
    char byte;

    /* Neither locks nor the other ends of pipes may live on here. */
    if (dup2(pipe_fds[0], 3) != 3) {
        _exit(1);
    }
    close_range(4, ~0U, 0);
    while (read(3, &byte, 1) < 0 && errno == EINTR) {
        continue;
    }
    for (int i = 0; i < TRY_COUNT; i++) {
        if (fs_remove_tree(path, NULL) == ERR_OK && !fs_exists(path)) {
            break;
        }
        poll(NULL, 0, TRY_MS);
    }
    work_guard_remove_parents(path, parent_count);
    _exit(0);
}

enum err_code work_guard_start(const char *path, size_t parent_count, int *guard_out, struct err *e)
{
    int pipe_fds[2], guard = 0;
    sigset_t before;

    while (guard < GUARD_COUNT_MAX && guards[guard].pid != 0) {
        guard++;
    }
    if (guard == GUARD_COUNT_MAX) {
        return err_set(e, ERR_LIMIT, "%s: too many folders of this kind at once", path);
    }
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        return err_set_sys(e, "pipe");
    }
    work_guard_hold_signals(&before);
    pid_t pid = fork();
    if (pid == 0) {
        folder_watch(path, parent_count, pipe_fds);
    }
    enum err_code code = pid < 0 ? err_set_sys(e, "fork") : ERR_OK;
    close(pipe_fds[0]);
    if (code == ERR_OK) {
        guards[guard].fd = pipe_fds[1];
        guards[guard].pid = pid;
        signals_catch();
        *guard_out = guard;
    } else {
        close(pipe_fds[1]);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

void work_guard_end(int guard)
{
    sigset_t before;

    if (guard < 0) {
        return;
    }
    work_guard_hold_signals(&before);
    close(guards[guard].fd);
    guard_wait(guards[guard].pid);
    guards[guard].pid = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
