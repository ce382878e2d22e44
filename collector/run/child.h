// SPDX-License-Identifier: Apache-2.0
// What a process between fork and exec does, and what its parent learns of it, in one place for
// every kind of child.
#ifndef COLLECTOR_RUN_CHILD_H
#define COLLECTOR_RUN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "engines/base/attr.h"

/* Which step failed; the numbers are the caller's. */
struct child_failure {
    int step, sys_errno;
};

/* In the child, which may only make system calls. */

/* Every signal as a program expects it: nothing is ignored, caught or blocked. */
void child_reset_signals(void);

/* Tells the parent, whose end of the pipe waits in child_wait_exec, and ends. */
__attribute__((noreturn)) void child_fail(int failure_fd, const struct child_failure *failure);

/*
 * In the parent: waits until the child runs its program, which closes the pipe without a byte.
 *
 * pipe             its writing end is closed here
 * failure_out      step -1: the child ended without a word
 * returns          false: the child has failed, and was waited for
 */
bool child_wait_exec(int pipe[2], pid_t pid, struct child_failure *failure_out) ATTR_MUST_USE;

#endif
