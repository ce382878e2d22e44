// SPDX-License-Identifier: Apache-2.0
// Asks the kernel in a child, which then ends.
#include "tests/support/namespaces.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

bool namespaces_are_for_users(void)
{
    int status = 0;
    pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid == 0) {
        bool is_user = geteuid() != 0 || (setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                                          setresuid(NOBODY, NOBODY, NOBODY) == 0);
        _exit(is_user && unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return status == 0;
}
