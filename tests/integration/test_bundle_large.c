// SPDX-License-Identifier: Apache-2.0
// A large bundle is verified in little memory: `ci/run bench` has the figures of 1 GiB.
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/shell_case.h"

#ifdef __SANITIZE_ADDRESS__
#define MEMORY_KIB_MAX (1 << 20) /* what was freed is kept for a while, and has a shadow */
#else
#define MEMORY_KIB_MAX (64 << 10)
#endif

/* Runs a command of one program and tells how much memory it had at most. */
static long memory_measure(const char *program, const char *command, const char *path)
{
    struct rusage usage;
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        execl(program, program, command, path, (char *)NULL);
        _exit(126);
    }
    cr_assert(pid > 0 && wait4(pid, &status, 0, &usage) == pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %d", command, status);
    return usage.ru_maxrss;
}

Test(bundle_large, of_a_hundred_mib_is_verified_in_less_than_64_mib, .init = shell_case_make,
     .fini = shell_case_remove, .timeout = 240)
{
    char root[2000], line[4000];
    struct stat status;

    cr_assert_not_null(getcwd(root, sizeof(root)));
    snprintf(line, sizeof(line),
             "TACHO_BUILD=$(dirname $TACHO) '%s/tests/bench/evidence.sh' make big.db 100", root);
    shell_case_expect(line);
    shell_case_expect("$TACHO bundle big.db -o o && mv o/*.tar big.tar");
    snprintf(line, sizeof(line), "%s/big.tar", shell_case_folder);
    cr_assert(stat(line, &status) == 0 && status.st_size > (100 << 20));
    long memory_kib = memory_measure(shell_case_program, "verify", line);
    cr_expect_lt(memory_kib, MEMORY_KIB_MAX, "%ld KiB", memory_kib);
}
