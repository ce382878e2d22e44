// SPDX-License-Identifier: Apache-2.0
// What the parts of a running trial share.
#ifndef COLLECTOR_RUN_TRIAL_WORK_H
#define COLLECTOR_RUN_TRIAL_WORK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/probe/probe.h"
#include "collector/run/check.h"
#include "collector/run/flood.h"
#include "collector/run/sampler.h"
#include "collector/run/trial.h"
#include "collector/run/trial_blobs.h"
#include "collector/run/wrk_load.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/counters.h"

struct trial {
    const struct trial_config *config;
    struct plan_times times;
    struct trial_result *result;
    enum trial_step step;
    int counters_fd;
    struct counters_page *counters;
    struct counters_total counters_at_zero;
    struct supervised *server; /* NULL: of a URL */
    pid_t root_pid;            /* of the server's processes; 0: not known */
    int64_t asked_ns;          /* since when its answer is waited for */
    struct plan_request ready; /* what is asked until it is ready */
    uint64_t oom_kill_count;   /* of the machine, when it was started */
    uint16_t port;
    struct check_answer answers[PLAN_REQUEST_COUNT_MAX]; /* to each request of the workload */
    struct net_address sources[PLAN_ADDRESS_COUNT_MAX];
    struct tls_settings tls;
    char ca_path[PATH_MAX];
    struct buf request;    /* the bytes of all of them */
    struct driver *driver; /* NULL: not yet, or wrk */
    struct wrk_load *wrk;  /* in place of the driver; NULL: none */
    struct probe *probe;
    struct flood *flood; /* NULL: none, or not yet */
    struct trial_blobs blobs;
    int64_t grid_zero_ns;
    size_t phase_count; /* of the load, told so far */
};

/* Ends the trial in a state. The first reason is kept: what follows is its consequence. */
void trial_stop(struct trial *trial, enum trial_state state, const char *format, ...)
    ATTR_PRINTF(3, 4);
/* The same for a server that ended, with its exit and its last words. */
void trial_crash(struct trial *trial, const char *when);

/* The load begins: what is counted from here on. */
void trial_load_zero(struct trial *trial, int64_t grid_zero_ns);

/* wrk in place of the driver: instead of the ramp; what gives the sampler its intervals; what it
 * said goes to the sink, or ends the trial as failed. */
enum err_code trial_wrk_open(struct trial *trial, const struct grid *grid,
                             struct err *e) ATTR_MUST_USE;
void trial_wrk_set_ports(struct sampler_ports *ports);
enum err_code trial_wrk_tell(struct trial *trial, struct err *e) ATTR_MUST_USE;

/* Tells the phases that have begun by the sample's start. errors of the sink */
enum err_code trial_phases_tell(struct trial *trial, const struct sample *sample,
                                struct err *e) ATTR_MUST_USE;

/* The load of a replay: the recorded trial's samples, on this run's clock; nothing is started. */
enum err_code trial_replay_run(struct trial *trial, struct grid grid, struct err *e) ATTR_MUST_USE;

bool trial_stop_is_wanted(const struct trial *trial);
int trial_interrupt_number(const struct trial *trial);

/* True when the server has ended; of a URL nobody knows. */
bool trial_server_has_ended(struct trial *trial);

/* Whether the trial must end now: the user wants it, or the server is gone. */
bool trial_step_is_over(struct trial *trial, const char *when);

/* TLS as the engine has it; NULL: it has none. */
const struct tls_settings *trial_tls(const struct trial *trial);
/* Of its workload; a rate that changes does so along the window. */
struct arrivals_config trial_arrivals(const struct trial_config *config, const struct grid *grid);

/* The steps before the load; each sets the next one. errors of the machine */
enum err_code trial_start_run(struct trial *trial, struct err *e) ATTR_MUST_USE;
/* The same step of an engine that is not built in. */
enum err_code trial_foreign_run(struct trial *trial, struct err *e) ATTR_MUST_USE;
/* Whether it was the kernel, for want of memory, that ended the server: so many kills so far. */
uint64_t trial_count_oom_kills(void);
/* False: the trial is over, since the server has not the allocator, the tunables or the preloaded
 * libraries that the plan wants. */
bool trial_process_check(struct trial *trial);
void trial_slice_sleep(const struct trial *trial, int64_t until_ns, int64_t slice_ns);
int64_t trial_ready_within_ns(const struct trial *trial);
void trial_ready_run(struct trial *trial);
void trial_settle_run(struct trial *trial);
void trial_check_run(struct trial *trial);

#endif
