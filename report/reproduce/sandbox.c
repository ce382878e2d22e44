// SPDX-License-Identifier: Apache-2.0
// Runs foreign code where it can reach nothing: the caller's side.
#include "report/reproduce/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/run/child.h"
#include "report/reproduce/sandbox_child.h"

#define LOOK_NS   (100 * CLOCK_NS_PER_MS)
#define USER_BASE 0x6E000000u /* beyond any account; with a process id still below 2^31 */

/* A user of this call alone: limits of processes count by user, and nobody has programs of its own.
 */
static uid_t user_choose(void)
{
    return geteuid() == 0 ? USER_BASE + (uid_t)getpid() : geteuid();
}

static void pair_close(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) {
            close(pair[i]);
            pair[i] = -1;
        }
    }
}

static pid_t child_clone(const struct sandbox_launch *launch)
{
    unsigned long flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

    if (!launch->is_root) {
        flags |= CLONE_NEWUSER;
    }
    pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        sandbox_child_run(launch);
    }
    return pid;
}

static enum err_code start_wait(struct sandbox_launch *launch, pid_t pid, struct err *e)
{
    struct child_failure failure;

    if (child_wait_exec(launch->failure, pid, &failure)) {
        return ERR_OK;
    }
    errno = failure.sys_errno;
    return sandbox_child_step_is_exec(failure.step)
               ? err_set_sys(e, "%s", launch->config->arguments[0])
               : err_set_sys(e, "a sandbox cannot be had here: %s",
                             sandbox_child_step_name(failure.step));
}

static bool stop_is_wanted(const struct sandbox_config *config)
{
    return config->stop && *config->stop;
}

/* Waits until `deadline_ns`, or with `heeds_stop` until somebody wants it to end. False: it goes
 * on.
 */
static bool end_wait(const struct sandbox_config *config, pid_t pid, int64_t deadline_ns,
                     bool heeds_stop, int *status_out)
{
    int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool ended = false;

    for (;;) {
        int64_t left_ns = deadline_ns - clock_now_ns(config->clock);
        struct pollfd wait = {.fd = pid_fd, .events = POLLIN};

        ended = waitpid(pid, status_out, WNOHANG) == pid;
        if (ended || left_ns <= 0 || (heeds_stop && stop_is_wanted(config))) {
            break;
        }
        int64_t slice_ns = left_ns < LOOK_NS ? left_ns : LOOK_NS;
        poll(&wait, pid_fd < 0 ? 0 : 1, (int)(slice_ns / CLOCK_NS_PER_MS) + 1);
    }
    if (pid_fd >= 0) {
        close(pid_fd);
    }
    return ended;
}

/* The process is the first of its namespace: its end is that of all others in it. */
static void child_end(const struct sandbox_config *config, pid_t pid,
                      struct sandbox_result *result_out)
{
    int status = 0;

    if (end_wait(config, pid, clock_now_ns(config->clock) + config->timeout_ns, true, &status)) {
        result_out->end = WIFSIGNALED(status) ? SANDBOX_SIGNALLED : SANDBOX_EXITED;
        result_out->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        return;
    }
    result_out->end = stop_is_wanted(config) ? SANDBOX_STOPPED : SANDBOX_TIMED_OUT;
    result_out->status = 0;
    if (result_out->end == SANDBOX_STOPPED && config->grace_ns > 0) {
        kill(pid, (int)*config->stop);
        if (end_wait(config, pid, clock_now_ns(config->clock) + config->grace_ns, false, &status)) {
            return;
        }
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

enum err_code sandbox_run(const struct sandbox_config *config, struct sandbox_result *result_out,
                          struct err *e)
{
    struct sandbox_launch launch = {.config = config,
                                    .is_root = geteuid() == 0,
                                    .user = user_choose(),
                                    .group = geteuid() == 0 ? user_choose() : getegid(),
                                    .failure = {-1, -1},
                                    .alive = {-1, -1}};
    enum err_code code = ERR_OK;
    pid_t pid = -1;

    if (pipe2(launch.failure, O_CLOEXEC) < 0 || pipe2(launch.alive, O_CLOEXEC) < 0) {
        code = err_set_sys(e, "making a sandbox's pipes");
    }
    if (code == ERR_OK) {
        pid = child_clone(&launch);
        code = pid < 0 ? err_set_sys(e, "a sandbox cannot be had here: new namespaces")
                       : start_wait(&launch, pid, e);
    }
    if (code == ERR_OK) {
        child_end(config, pid, result_out);
    }
    pair_close(launch.failure);
    pair_close(launch.alive);
    return code;
}

static int entry_give(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return lchown(path, user_choose(), user_choose());
}

enum err_code sandbox_give(const char *folder, struct err *e)
{
    if (geteuid() == 0 && nftw(folder, entry_give, 16, FTW_PHYS) != 0) {
        return err_set_sys(e, "giving %s to another user", folder);
    }
    return ERR_OK;
}

void sandbox_format(const struct sandbox_result *result, char out[SANDBOX_TEXT_BYTES])
{
    switch (result->end) {
    case SANDBOX_EXITED:
        snprintf(out, SANDBOX_TEXT_BYTES, "exit %d", result->status);
        break;
    case SANDBOX_SIGNALLED:
        snprintf(out, SANDBOX_TEXT_BYTES, "signal %d", result->status);
        break;
    case SANDBOX_TIMED_OUT:
        snprintf(out, SANDBOX_TEXT_BYTES, "not ended in time");
        break;
    case SANDBOX_STOPPED:
        snprintf(out, SANDBOX_TEXT_BYTES, "stopped");
        break;
    }
}
