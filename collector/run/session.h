// SPDX-License-Identifier: Apache-2.0
// One execution of a plan: preflight, every trial of the schedule in order, all of it stored.
// Library code: prints nothing itself.
#ifndef COLLECTOR_RUN_SESSION_H
#define COLLECTOR_RUN_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

/* What a sample says while the session runs. */
struct progress_sample {
    const char *phase;        /* "warmup", "window" */
    double rate_per_s;        /* of ok requests */
    int64_t p99_ns;           /* of the interval; -1: none */
    int64_t error_count;      /* answers that were not right, requests without one */
    double foreign_cpu_share; /* of the machine's CPU time, for neither server nor tacho; NaN: not
                                 known */
    int64_t left_ns;          /* of the session */
};
/* All but left_ns. softirq_is_charged: see foreign_cpu_share. */
struct sample;
struct progress_sample session_progress_make(const struct sample *sample, int64_t p99_ns,
                                             bool softirq_is_charged);

/* Told what happens, as it happens; the front door draws it. Any member may be NULL. */
struct progress {
    void *self;
    void (*session_begins)(void *self, const struct plan *plan, size_t trial_count,
                           int64_t expected_ns);
    void (*trial_begins)(void *self, size_t trial_index, const char *engine, const char *workload,
                         uint32_t connection_count);
    /* for others to end; at first, and then once a second */
    void (*waits)(void *self, const char *why, int64_t left_ns);
    /* so long ago: phases of the load are told with their first sample */
    void (*phase_begins)(void *self, size_t trial_index, const char *phase, int64_t ago_ns);
    void (*sample_taken)(void *self, const struct progress_sample *seen); /* once a sample */
    void (*trial_ended)(void *self, size_t trial_index, const char *state, const char *reason,
                        double rate_per_s);
    void (*notice)(void *self,
                   const char *text); /* one line: a warning of the preflight, a change of limits */
};

enum session_result {
    SESSION_FINISHED,    /* every trial finished with at least one ok request */
    SESSION_REPLAYED,    /* likewise, and every one was a replay: nothing was measured */
    SESSION_UNFIT,       /* refused by the preflight: nothing was measured (exit 3) */
    SESSION_INVALID,     /* at least one trial crashed, failed or measured nothing (exit 4) */
    SESSION_INTERRUPTED, /* by `stop`; what there was is stored (exit 128 + signal) */
    SESSION_FAILED,      /* the machine or the store failed: see the error (exit 70, or 4 for a full
                            disk) */
};

struct session_config {
    const struct plan *plan;
    const char *results_path;
    const char *engine_program; /* path of tacho-engine */
    const char *program_version;
    const char *temporary_folder; /* where external engines are built; NULL: /tmp */
    /* CPUs of the plan that this process may not use: true, then a warning and nothing is pinned
     * (the built-in plan, which must run everywhere); false, then a refusal (a user's plan means
     * what it says) */
    bool pinning_optional;
    /* How long to wait for other programs to end; 0: not at all, and they refuse nothing. */
    int64_t quiet_limit_ns;
    bool is_quick; /* a fact of the session: too short for more than a description */
    /* Where the preflight refuses: go on as far as that can be, and stamp the session. */
    bool is_forced;
    /* Go on with the newest session of this plan in the file: run what has no finished trial. */
    bool resumes;
    const char *const *only; /* "ENGINE" or "ENGINE:WORKLOAD": run these and their calibration */
    size_t only_count;       /* 0: everything */
    const struct clock *clock;
    const struct progress *progress; /* NULL: silent */
    const volatile sig_atomic_t
        *stop; /* set to a signal's number by the caller's handler; NULL: never */
};

/*
 * Runs the plan and stores it. Leaves no process behind, whatever happens.
 *
 * returns   how it ended; *e says why for all but SESSION_FINISHED and SESSION_REPLAYED
 */
enum session_result session_run(const struct session_config *config, struct err *e) ATTR_MUST_USE;

#endif
