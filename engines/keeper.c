// SPDX-License-Identifier: Apache-2.0
// Keeps a server and all that descends from it.
#include "engines/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/base/orphans.h"

#define PROC_ROOT     "/proc"
#define PARENT_GONE   SIGUSR1
#define STATUS_USAGE  2
#define STATUS_FAILED 125 /* as env(1) and timeout(1) have it */
#define STATUS_ABSENT 127

struct keeper {
    char **words;
    pid_t server_pid;
    bool is_daemon, has_ended, is_stopping;
    int status;          /* of the server's first process, as waitpid gives it */
    int64_t deadline_ns; /* of the grace, when it is stopping */
    int64_t grace_ns;
    sigset_t signals;
};

static int failure_print(const char *what)
{
    fprintf(stderr, "tacho-engine: %s: %s\n", what, strerror(errno));
    return STATUS_FAILED;
}

/* --- the server --- */

/* Where nobody types: the writing end stays open in this process. */
static int terminal_open(void)
{
    int main_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (main_fd < 0 || grantpt(main_fd) < 0 || unlockpt(main_fd) < 0) {
        return -1;
    }
    const char *name = ptsname(main_fd);
    return name ? open(name, O_RDWR | O_NOCTTY) : -1;
}

/* The descriptor of the server's standard input; -1 with errno. */
static int input_open(const char *input)
{
    if (strcmp(input, "null") == 0) {
        return open("/dev/null", O_RDONLY);
    }
    return strcmp(input, "terminal") == 0 ? terminal_open() : STDIN_FILENO;
}

__attribute__((noreturn)) static void server_exec(struct keeper *keeper, int input_fd, pid_t parent)
{
    const char *program = keeper->words[KEEPER_PROGRAM];
    sigset_t none;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(STATUS_FAILED);
    }
    if (input_fd != STDIN_FILENO) {
        ioctl(input_fd, TIOCSCTTY, 0); /* of a terminal; otherwise there is none to have */
        dup2(input_fd, STDIN_FILENO);
        close(input_fd);
    }
    if (chdir(keeper->words[KEEPER_FOLDER]) < 0) {
        _exit(failure_print(keeper->words[KEEPER_FOLDER]));
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(program, keeper->words + KEEPER_WORD_COUNT);
    failure_print(program);
    _exit(STATUS_ABSENT);
}

static bool server_start(struct keeper *keeper)
{
    pid_t parent = getpid();
    int input_fd = input_open(keeper->words[KEEPER_INPUT]);

    if (input_fd < 0) {
        return false;
    }
    keeper->server_pid = fork();
    if (keeper->server_pid == 0) {
        server_exec(keeper, input_fd, parent);
    }
    if (input_fd != STDIN_FILENO) {
        close(input_fd);
    }
    return keeper->server_pid > 0;
}

/* --- its end --- */

/* True when there is no child left. */
static bool children_reap(struct keeper *keeper)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == keeper->server_pid) {
            keeper->has_ended = true;
            keeper->status = status;
        }
    }
    return pid < 0 && errno == ECHILD;
}

/* A child that is killed hands its own children to us: until none is left. */
static void everything_kill(struct keeper *keeper)
{
    const struct timespec pause = {.tv_nsec = CLOCK_NS_PER_MS};

    while (!children_reap(keeper)) {
        orphans_signal(PROC_ROOT, SIGKILL);
        sigtimedwait(&keeper->signals, NULL, &pause);
    }
}

static void stop_begin(struct keeper *keeper)
{
    if (keeper->is_stopping) {
        return;
    }
    keeper->is_stopping = true;
    keeper->deadline_ns = clock_monotonic_ns() + keeper->grace_ns;
    if (!keeper->has_ended) {
        kill(-keeper->server_pid, SIGTERM);
    }
    /* Whoever was handed to us, in whatever group; the server once more if it made one of its own.
     */
    orphans_signal(PROC_ROOT, SIGTERM);
}

/* The next signal, or 0 when the grace is over. */
static int signal_wait(const struct keeper *keeper)
{
    int number = -1;

    while (number < 0) {
        int64_t left_ns = keeper->deadline_ns - clock_monotonic_ns();
        struct timespec left = {left_ns / CLOCK_NS_PER_S, left_ns % CLOCK_NS_PER_S};

        if (keeper->is_stopping && left_ns <= 0) {
            return 0;
        }
        number = keeper->is_stopping ? sigtimedwait(&keeper->signals, NULL, &left)
                                     : sigwaitinfo(&keeper->signals, NULL);
    }
    return number;
}

static void left_tell(const struct keeper *keeper)
{
    size_t count = orphans_signal(PROC_ROOT, 0);

    if (!keeper->is_stopping && count > 0) {
        fprintf(stderr,
                "tacho-engine: the command ended while %zu process%s it had started went on; "
                "daemon: true in the plan lets them\n",
                count, count == 1 ? "" : "es");
    }
}

static void keep(struct keeper *keeper)
{
    for (;;) {
        switch (signal_wait(keeper)) {
        case SIGCHLD:
            if (children_reap(keeper)) {
                return;
            }
            if (keeper->has_ended && !keeper->is_daemon && !keeper->is_stopping) {
                left_tell(keeper);
                everything_kill(keeper);
                return;
            }
            break;
        case 0:
        case PARENT_GONE:
            everything_kill(keeper);
            return;
        default:
            stop_begin(keeper);
        }
    }
}

/* As the server ended, so that who waits for us sees it. */
static int status_pass(const struct keeper *keeper)
{
    const struct rlimit no_core = {0, 0};
    sigset_t none;

    if (!WIFSIGNALED(keeper->status)) {
        return WEXITSTATUS(keeper->status);
    }
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(keeper->status), SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    raise(WTERMSIG(keeper->status));
    return STATUS_FAILED;
}

int keeper_run(int count, char **words)
{
    struct keeper keeper = {.words = words};
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, PARENT_GONE};

    if (count <= KEEPER_WORD_COUNT) {
        fprintf(stderr,
                "tacho-engine: " KEEPER_OPTION " is for tacho run, with %d words and a "
                "command\n",
                KEEPER_WORD_COUNT);
        return STATUS_USAGE;
    }
    keeper.is_daemon = strcmp(words[KEEPER_MODE], "daemon") == 0;
    keeper.grace_ns = strtol(words[KEEPER_GRACE], NULL, 10) * CLOCK_NS_PER_MS;
    sigemptyset(&keeper.signals);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        sigaddset(&keeper.signals, numbers[i]);
    }
    if (sigprocmask(SIG_BLOCK, &keeper.signals, NULL) < 0 ||
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
        return failure_print("becoming the reaper of orphans");
    }
    /* Until here it was SIGKILL, which tacho set: the server is not there yet. */
    prctl(PR_SET_PDEATHSIG, PARENT_GONE);
    if (getppid() != (pid_t)strtol(words[KEEPER_PARENT], NULL, 10)) {
        return STATUS_FAILED;
    }
    if (!server_start(&keeper)) {
        return failure_print(strcmp(words[KEEPER_INPUT], "terminal") == 0
                                 ? "starting the server, or opening a terminal for it"
                                 : "starting the server");
    }
    keep(&keeper);
    return status_pass(&keeper);
}
