// SPDX-License-Identifier: Apache-2.0
// A process between fork and exec.
#include "collector/run/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_TOLD 127
#define STATUS_LOST 126

void child_reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void child_fail(int failure_fd, const struct child_failure *failure)
{
    ssize_t count = write(failure_fd, failure, sizeof(*failure));

    /* Not _exit: a leak checker would look at the parent's memory there. */
    syscall(SYS_exit_group, count == (ssize_t)sizeof(*failure) ? STATUS_TOLD : STATUS_LOST);
    __builtin_unreachable();
}

bool child_wait_exec(int pipe[2], pid_t pid, struct child_failure *failure_out)
{
    struct child_failure failure = {.step = -1, .sys_errno = EIO};
    ssize_t count;

    close(pipe[1]);
    pipe[1] = -1;
    do {
        count = read(pipe[0], &failure, sizeof(failure));
    } while (count < 0 && errno == EINTR);
    if (count == 0) {
        return true;
    }
    waitpid(pid, NULL, 0);
    *failure_out = failure;
    return false;
}
