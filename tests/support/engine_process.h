// SPDX-License-Identifier: Apache-2.0
// A real tacho-engine for a test: started from TACHO_BUILD on a free port, stopped and reaped.
// Every wait is bounded; a failure aborts the test.
#ifndef TESTS_SUPPORT_ENGINE_PROCESS_H
#define TESTS_SUPPORT_ENGINE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engines/counters.h"

struct engine_process {
    pid_t pid;
    uint16_t port;
    char address[64];               /* as printed: "127.0.0.1:8080" */
    struct counters_page *counters; /* the server counts here */
};

enum engine_stream {
    ENGINE_STREAM_USUAL,  /* standard input /dev/null, standard output a pipe */
    ENGINE_STREAM_CLOSED, /* the descriptor does not exist */
};

struct engine_process_options {
    const char *const *arguments; /* more of them, NULL at the end; may be NULL */
    enum engine_stream input;
    const char *const *wrapper; /* a command that runs the engine: {"prlimit", …, NULL}, or NULL */
};

#define ENGINE_PROCESS_NAMES_MAX 16

/* The names of the servers that can run here; returns how many. The rest are named on standard
 * error.
 *
 * has_limit   with the calibration engine, which knows no HTTP
 */
size_t engine_process_names(const char *names[ENGINE_PROCESS_NAMES_MAX], bool has_limit);

/* Starts `name` with --port 0 and a counters page and waits until it listens; `options` may be
 * NULL. */
void engine_process_start(struct engine_process *process, const char *name,
                          const struct engine_process_options *options);

/* SIGTERM, at most 5 s of patience, then SIGKILL. Returns the exit status, -1 when a signal ended
 * it. */
int engine_process_stop(struct engine_process *process);

/* A blocking connection with time limits of 5 s, TCP_NODELAY. */
int engine_process_connect(const struct engine_process *process);

/* "BUILD/tacho-engine", BUILD from TACHO_BUILD or build/release. */
const char *engine_process_program(void);

/* The number after `key` ("VmRSS:", "Threads:") in the status of a process; -1 when it is gone. */
long engine_process_status(pid_t pid, const char *key);

/* Entries of its folder of descriptors, "." and ".." included; 0 when it is gone. */
int engine_process_fds(pid_t pid);

#endif
