// SPDX-License-Identifier: Apache-2.0
// What the parts of a running trial share.
#ifndef COLLECTOR_RUN_TRIAL_WORK_H
#define COLLECTOR_RUN_TRIAL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/probe/probe.h"
#include "collector/run/check.h"
#include "collector/run/flood.h"
#include "collector/run/trial.h"
#include "collector/run/trial_blobs.h"
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
    struct supervised *server;
    uint16_t port;
    struct check_answer answer;
    struct buf request;
    struct driver *driver;
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

bool trial_stop_is_wanted(const struct trial *trial);
int trial_interrupt_number(const struct trial *trial);

/* Whether the trial must end now: the user wants it, or the server is gone. */
bool trial_step_is_over(struct trial *trial, const char *when);

/* The steps before the load; each sets the next one. errors of the machine */
enum err_code trial_start_run(struct trial *trial, struct err *e) ATTR_MUST_USE;
void trial_ready_run(struct trial *trial);
void trial_settle_run(struct trial *trial);
void trial_check_run(struct trial *trial);

#endif
