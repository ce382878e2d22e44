// SPDX-License-Identifier: Apache-2.0
// Runs foreign code where it can reach nothing: namespaces of its own (users, mounts, processes,
// network, IPC), limits, no privilege to be gained, no environment but what is given. This module
// and its child alone enter namespaces.
#ifndef REPORT_REPRODUCE_SANDBOX_H
#define REPORT_REPRODUCE_SANDBOX_H

#include <signal.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

/* Where the work folder is seen inside, whatever its path is outside. */
#define SANDBOX_WORK "/tmp/tacho"

/* 0: as it is. */
struct sandbox_limits {
    uint64_t cpu_s, file_bytes, memory_bytes, process_count;
};

/*
 * Inside: everything is read-only but the work folder and a small private /tmp that is gone
 * afterwards; /home, /root, /run and the like are empty; of the network there is `lo` alone, up.
 * Called by root, the code runs as a user of this process alone: see sandbox_give; else as the
 * caller.
 */
struct sandbox_config {
    const char *work_folder;        /* absolute, the caller's own */
    const char *folder;             /* to start in, below SANDBOX_WORK; "" for itself */
    const char *const *arguments;   /* NULL-terminated; looked up in PATH */
    int (*run)(void *context);      /* instead of arguments: its result is the exit status */
    void *context;                  /* of run */
    const char *const *environment; /* NULL-terminated: "PATH=/usr/bin:/bin" … */
    int output_fd, error_fd;        /* -1: nowhere */
    int64_t timeout_ns, grace_ns;   /* grace: from the caller's stop to SIGKILL */
    struct sandbox_limits limits;   /* of each process; process_count of all */
    const struct clock *clock;
    const volatile sig_atomic_t *stop; /* a signal's number ends it; NULL: never */
};

enum sandbox_end { SANDBOX_EXITED, SANDBOX_SIGNALLED, SANDBOX_TIMED_OUT, SANDBOX_STOPPED };

struct sandbox_result {
    enum sandbox_end end;
    int status; /* of SANDBOX_EXITED the exit status, of SANDBOX_SIGNALLED the signal */
};

/*
 * Runs one program, or one function in a process of its own, to its end. Whatever it started is
 * gone when this returns, and when the caller is killed. Call it from a program with one thread.
 *
 * errors   ERR_SYS: namespaces are not to be had, with the step that failed; or the program cannot
 *          be executed (sys_errno ENOENT: it is not there)
 */
enum err_code sandbox_run(const struct sandbox_config *config, struct sandbox_result *result_out,
                          struct err *e) ATTR_MUST_USE;

/* Gives a folder and all in it to the user that the code runs as. Called by an ordinary user it
 * does nothing. errors ERR_SYS */
enum err_code sandbox_give(const char *folder, struct err *e) ATTR_MUST_USE;

/* "exit 1", "signal 9", "not ended in time", "stopped". */
#define SANDBOX_TEXT_BYTES 64
void sandbox_format(const struct sandbox_result *result, char out[SANDBOX_TEXT_BYTES]);

#endif
