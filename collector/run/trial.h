// SPDX-License-Identifier: Apache-2.0
// One trial: a fresh server, checked, put under load, sampled, stopped. It knows the store only as
// places to put samples and events.
#ifndef COLLECTOR_RUN_TRIAL_H
#define COLLECTOR_RUN_TRIAL_H

#include <sched.h>
#include <signal.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/plan/plan.h"
#include "collector/run/foreign.h"
#include "collector/run/session.h"
#include "collector/run/supervise.h"
#include "collector/sample.h"
#include "collector/store/replay_source.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

#define TRIAL_REASON_BYTES 256

struct trial_said {
    const char *version;      /* NULL: not known */
    const char *command_json; /* JSON array of words */
    const char *output;
};

/* Where a trial's results go. Both return at once. */
struct trial_sink {
    void *self;
    enum err_code (*sample_put)(void *self, const struct sample *sample, struct err *e);
    /* a warning to keep with the trial */
    enum err_code (*warning_put)(void *self, const char *kind, const char *text, struct err *e);
    /* the same for what is no reason to worry */
    enum err_code (*note_put)(void *self, const char *kind, const char *text, struct err *e);
    /* a phase began, so long ago: start, ready, settle, check, connect, warmup, window, drain, stop
     */
    enum err_code (*phase_put)(void *self, const char *phase, int64_t ago_ns, struct err *e);
    /* what became of one request of a mix in the window; waits for the store, after the load */
    enum err_code (*total_put)(void *self, uint32_t request_index,
                               const struct driver_request_total *total,
                               const struct sample_blob *latency, struct err *e);
    /* what another driver said of the window, or which trial was replayed; likewise */
    enum err_code (*said_put)(void *self, const struct trial_said *said, struct err *e);
    /* for the progress display; left_ns is not known here */
    void (*sample_seen)(void *self, const struct progress_sample *seen);
};

struct trial_config {
    const struct plan *plan; /* times, timeout, limits */
    const struct plan_workload *workload;
    uint32_t connection_count;
    uint32_t rate_per_s;      /* open loop; 0: closed loop */
    struct replay_key replay; /* of a replay: what is played */
    const char *engine_program;
    const struct plan_engine *engine;
    const struct foreign_engine *foreign;       /* NULL: nothing was prepared for it */
    const cpu_set_t *server_cpus, *driver_cpus; /* driver_cpus NULL: the driver is not pinned */
    uint32_t driver_threads;
    int64_t spin_ns;
    bool softirq_is_charged; /* for what is shown while it runs: foreign_cpu_share */
    uint64_t nofile;
    uint32_t padding_bytes;
    const struct clock *clock;
    const volatile sig_atomic_t *stop;
    const struct trial_sink *sink;
};

/* The steps of a trial, in order. */
enum trial_step {
    TRIAL_STEP_START, /* process, its printed port, the port's owner */
    TRIAL_STEP_READY, /* the right status, asked by libcurl */
    TRIAL_STEP_SETTLE,
    TRIAL_STEP_CHECK, /* the whole answer */
    TRIAL_STEP_RAMP,  /* the driver's connections */
    TRIAL_STEP_LOAD,  /* warm-up, window, drain */
    TRIAL_STEP_STOP,
    TRIAL_STEP_ENDED,
};

enum trial_state {
    TRIAL_FINISHED,
    TRIAL_CRASHED,     /* the server ended by itself */
    TRIAL_FAILED,      /* not ready, wrong answer, nothing could be measured */
    TRIAL_INTERRUPTED, /* by the user */
};
extern const char *const trial_state_names[]; /* as in SQL */

struct trial_result {
    enum trial_state state;
    char reason[TRIAL_REASON_BYTES]; /* "" when finished */
    char server_exit[SUPERVISE_EXIT_BYTES];
    int64_t ready_ns; /* METRIC_UNKNOWN where not known, as below */
    int64_t connections_requested, connections_established, connections_served;
    int64_t started_count, server_request_count;
    int64_t recover_ns;                  /* of a flood: from its end to the first right answer */
    char io_reason[DRIVER_REASON_BYTES]; /* why the driver's io was not the plan's; else "" */
    struct tls_total tls;                /* of the driver's connections */
    struct supervise_log log;            /* the caller's: free(log.head) */
    uint64_t ok_count;                   /* in the window */
    double rate_per_s; /* ok requests of the window over its length; 0 when none */
};

/*
 * Runs one trial. What went wrong with the server is a result, not an error.
 *
 * errors   of the machine or the store, after which no further trial makes sense; *result_out is
 * set in any case, and no server process is left
 */
enum err_code trial_run(const struct trial_config *config, struct trial_result *result_out,
                        struct err *e) ATTR_MUST_USE;

#endif
