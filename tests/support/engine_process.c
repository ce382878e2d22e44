// SPDX-License-Identifier: Apache-2.0
// A real tacho-engine for a test.
#include "tests/support/engine_process.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engines/base/clock.h"
#include "engines/engine.h"

enum {
    WORD_COUNT_MAX = 32,
    PATIENCE_MS = 20000, /* a sanitized program on a busy machine */
    STOP_PATIENCE_MS = 5000,
};

static void fail(const char *what)
{
    perror(what);
    abort();
}

size_t engine_process_names(const char *names[ENGINE_PROCESS_NAMES_MAX], bool has_limit)
{
    size_t count = 0;
    struct err e;

    for (size_t i = 0; engine_get(i) && count < ENGINE_PROCESS_NAMES_MAX; i++) {
        if (engine_probe(engine_get(i), &e) != ERR_OK) {
            fprintf(stderr, "skipped: %s: %s\n", engine_get(i)->name, e.text);
        } else if (has_limit || strcmp(engine_get(i)->name, "limit") != 0) {
            names[count++] = engine_get(i)->name;
        }
    }
    return count;
}

const char *engine_process_program(void)
{
    static char path[4096];
    const char *build = getenv("TACHO_BUILD");

    snprintf(path, sizeof(path), "%s/tacho-engine", build ? build : "build/release");
    return path;
}

static size_t words_add(const char **words, size_t count, const char *const *more)
{
    for (; more && *more; more++) {
        if (count + 1 == WORD_COUNT_MAX) {
            abort();
        }
        words[count++] = *more;
    }
    return count;
}

static void child_exec(const char *name, const struct engine_process_options *options,
                       int counters_fd, int output_fd)
{
    char counters_text[16];
    const char *words[WORD_COUNT_MAX] = {0};
    const char *own[] = {engine_process_program(), name,          "--port", "0",
                         "--counters-fd",          counters_text, NULL};
    size_t count = words_add(words, 0, options ? options->wrapper : NULL);

    /* A test that is killed for its time leaves no server behind. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(counters_text, sizeof(counters_text), "%d", counters_fd);
    count = words_add(words, count, own);
    words_add(words, count, options ? options->arguments : NULL);
    fcntl(counters_fd, F_SETFD, 0);
    dup2(output_fd, STDOUT_FILENO);
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null_fd, STDIN_FILENO);
    if (options && options->input == ENGINE_STREAM_CLOSED) {
        close(STDIN_FILENO);
    }
    union {
        const char **constant;
        char **plain;
    } arguments = {.constant = words}; /* execvp does not write to them */
    execvp(words[0], arguments.plain);
    perror(words[0]);
    _exit(127);
}

/* Reads "listening ADDRESS\n" within the time there is. */
static void address_read(struct engine_process *process, int fd)
{
    char line[128];
    size_t length = 0;
    int64_t deadline_ns = clock_monotonic_ns() + PATIENCE_MS * CLOCK_NS_PER_MS;

    while (length < sizeof(line) - 1 && !memchr(line, '\n', length)) {
        struct pollfd watched = {.fd = fd, .events = POLLIN};
        int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / CLOCK_NS_PER_MS;

        if (left_ms <= 0 || poll(&watched, 1, (int)left_ms) < 0) {
            fail("the engine does not listen");
        }
        ssize_t count = read(fd, line + length, sizeof(line) - 1 - length);
        if (count <= 0) {
            fail("the engine said nothing");
        }
        length += (size_t)count;
    }
    line[length] = '\0';
    unsigned port = 0;
    const char *colon = strrchr(line, ':');
    if (sscanf(line, "listening %63s", process->address) != 1 || !colon ||
        sscanf(colon, ":%u", &port) != 1 || port == 0 || port > 65535) {
        fail(line);
    }
    process->port = (uint16_t)port;
}

void engine_process_start(struct engine_process *process, const char *name,
                          const struct engine_process_options *options)
{
    int counters_fd;
    int output[2];

    *process = (struct engine_process){0};
    if (counters_create(&counters_fd, &process->counters, NULL) != ERR_OK ||
        pipe2(output, O_CLOEXEC) < 0) {
        fail("preparing an engine");
    }
    process->pid = fork();
    if (process->pid < 0) {
        fail("fork");
    }
    if (process->pid == 0) {
        child_exec(name, options, counters_fd, output[1]);
    }
    close(output[1]);
    close(counters_fd);
    address_read(process, output[0]);
    /* Whether anybody goes on reading its output makes no difference to a server. */
    close(output[0]);
}

int engine_process_stop(struct engine_process *process)
{
    int64_t deadline_ns = clock_monotonic_ns() + STOP_PATIENCE_MS * CLOCK_NS_PER_MS;
    int status = 0;
    pid_t reaped = 0;

    kill(process->pid, SIGTERM);
    while (reaped == 0 && clock_monotonic_ns() < deadline_ns) {
        reaped = waitpid(process->pid, &status, WNOHANG);
        if (reaped == 0) {
            poll(NULL, 0, 2);
        }
    }
    if (reaped == 0) {
        kill(process->pid, SIGKILL);
        reaped = waitpid(process->pid, &status, 0);
    }
    counters_unmap(process->counters);
    process->counters = NULL;
    return reaped == process->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int engine_process_connect(const struct engine_process *process)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(process->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* With a time limit, connect ends early when the process was stopped for a while; the test's
     * own limit bounds it here. */
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) < 0) {
        fail("connecting to the engine");
    }
    return fd;
}

long engine_process_status(pid_t pid, const char *key)
{
    char path[64], line[256];
    long value = -1;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            value = strtol(line + strlen(key), NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return value;
}

int engine_process_fds(pid_t pid)
{
    char path[64];
    int count = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}
