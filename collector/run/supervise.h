// SPDX-License-Identifier: Apache-2.0
// Starts and stops servers under test: this module alone makes processes. A server has a session
// and process group of its own, dies with this program, has its output drained, and leaves no
// process behind.
#ifndef COLLECTOR_RUN_SUPERVISE_H
#define COLLECTOR_RUN_SUPERVISE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

#define SUPERVISE_GRACE_NS          (5 * CLOCK_NS_PER_S) /* from SIGTERM to SIGKILL */
#define SUPERVISE_PADDING_BYTES_MAX 4095
#define SUPERVISE_EXIT_BYTES        32

struct supervise_config {
    const char *program;
    const char *const *arguments;          /* NULL-terminated, arguments[0] included */
    const struct plan_variable *variables; /* of the plan, beside those it always gets */
    size_t variable_count;
    const cpu_set_t *cpus; /* CPUs of the server */
    uint64_t nofile;       /* soft RLIMIT_NOFILE, at most the hard one; 0: leave */
    const char *preload;   /* LD_PRELOAD; NULL: none */
    int64_t grace_ns;      /* from SIGTERM to SIGKILL; 0: SUPERVISE_GRACE_NS */
    int counters_fd;       /* inherited under its own number; -1: none */
    uint32_t
        padding_bytes; /* length of a variable that moves the stack: one layout is one sample */
    const struct clock *clock;
};

struct supervised;

/* Makes this process the one that orphans are handed to. Once, before the first start. */
enum err_code supervise_init(struct err *e) ATTR_MUST_USE;

/*
 * Starts a server. Call it from the program's main thread: the kernel ties the parent-death signal
 * to the thread that forked.
 *
 * The environment is PATH, LANG, TZ of ours, LC_ALL=C and TACHO_PADDING, and what the plan names,
 * which goes before those. Standard input is a pipe
 * that stays open and silent.
 *
 * errors   ERR_SYS: the program cannot be started, with the step that failed
 */
enum err_code supervise_start(const struct supervise_config *config, struct supervised **out,
                              struct err *e) ATTR_MUST_USE;

pid_t supervise_pid(const struct supervised *server);

/* When exec succeeded, on the clock given. */
int64_t supervise_started_ns(const struct supervised *server);

/*
 * Looks whether the server printed "listening ADDRESS:PORT". Does not wait.
 *
 * returns  true: *port_out is set
 */
bool supervise_find_port(struct supervised *server, uint16_t *port_out);

/* True when the server has ended; it is reaped then. Does not wait. */
bool supervise_has_ended(struct supervised *server);

/*
 * SIGTERM to the group, SIGKILL after SUPERVISE_GRACE_NS, and to whatever else descends from us;
 * everything is reaped. Safe to call twice.
 */
void supervise_stop(struct supervised *server);

/* "exit 0", "signal 9", or "" while it runs. */
const char *supervise_exit(const struct supervised *server);

/* True when it ended before supervise_stop asked it to. */
bool supervise_ended_early(const struct supervised *server);

/* The last bytes of what the server wrote, as log_line_make has it. */
void supervise_copy_log_tail(struct supervised *server, char *out, size_t capacity);

/* The first and the last bytes of what the server wrote; what lies between was not kept. */
struct supervise_log {
    uint64_t written_bytes; /* in all */
    char *head, *tail;      /* one allocation, the head's: free(head) */
    size_t head_bytes, tail_bytes;
};

/*
 * Of a server that was stopped.
 *
 * log_out  written_bytes 0 and head NULL when it wrote nothing
 * errors   ERR_LIMIT: memory
 */
enum err_code supervise_take_log(struct supervised *server, struct supervise_log *log_out,
                                 struct err *e) ATTR_MUST_USE;

/* Stops and frees. NULL is accepted. */
void supervise_free(struct supervised *server);

#endif
