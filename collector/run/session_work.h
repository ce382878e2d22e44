// SPDX-License-Identifier: Apache-2.0
// What the parts of a running session share.
#ifndef COLLECTOR_RUN_SESSION_WORK_H
#define COLLECTOR_RUN_SESSION_WORK_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "collector/plan/schedule.h"
#include "collector/probe/preflight.h"
#include "collector/run/foreign.h"
#include "collector/run/session.h"
#include "collector/run/session_findings.h"
#include "collector/run/session_places.h"
#include "collector/run/session_preflight.h"
#include "collector/run/session_resume.h"
#include "collector/run/session_rows.h"
#include "collector/run/trial.h"
#include "collector/store/store.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "engines/base/rng.h"

struct session {
    const struct session_config *config;
    const struct progress *progress;
    struct store *store;
    struct schedule schedule;
    struct session_rows rows;
    struct session_setup setup;
    cpu_set_t original_cpus; /* of this process, given back at the end */
    struct session_preflight preflight;
    struct rlimit original_nofile;
    struct rng padding_rng;
    struct buf paddings;
    bool is_unfit;     /* by the preflight */
    int64_t waited_ns; /* for others to end */
    struct buf selection;
    struct session_places places;
    struct session_resume resume;
    struct foreign_set *foreign;
    int64_t opened_ns, opened_wall_ns; /* the clock and the wall time when it was opened */
    int64_t started_ns;
    size_t trial_index;
    size_t begun_count;       /* trials of this sitting */
    int64_t trial_id;         /* of the running trial */
    int64_t trial_started_ns; /* on the clock */
    int64_t cooldown_ns;      /* after it */
    size_t bad_count;         /* trials that crashed, failed or measured nothing */
    char first_bad[TRIAL_REASON_BYTES];
    struct session_findings findings;
};

/* Wall time by the clock since the sitting was opened: who sets the machine's time meanwhile moves
 * no trial out of its session. */
int64_t session_wall_ns(const struct session *session);
bool session_stop_is_wanted(const struct session *session);

/* Time of the sitting's trials when nothing is slow. */
int64_t session_expected_ns(const struct session *session);

/* Every wanted place in its order, until one of them fails for the machine's or the store's sake.
 */
enum err_code session_trials_run(struct session *session, struct err *e) ATTR_MUST_USE;

#endif
