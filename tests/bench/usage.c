// SPDX-License-Identifier: Apache-2.0
// Runs a program and prints to standard error what it used: "SECONDS MIB CPU_SECONDS", wall time,
// peak memory and CPU time.
//
// usage PROGRAM [ARGUMENT...]; exits as the program does
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"

static double timeval_seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argument_count, char **arguments)
{
    const struct clock *clock = clock_system();
    int64_t begin_ns = clock_now_ns(clock);
    struct rusage usage;
    int status = 0;

    if (argument_count < 2) {
        fprintf(stderr, "usage: bench-usage PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    pid_t pid = fork();
    if (pid == 0) {
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
        perror("bench-usage");
        return 1;
    }
    fprintf(stderr, "%.3f %.2f %.3f\n", (double)(clock_now_ns(clock) - begin_ns) / CLOCK_NS_PER_S,
            (double)usage.ru_maxrss / 1024,
            timeval_seconds(usage.ru_utime) + timeval_seconds(usage.ru_stime));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
