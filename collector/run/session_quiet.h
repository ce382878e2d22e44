// SPDX-License-Identifier: Apache-2.0
// Before a session: waits until what other programs did has died away, up to a limit.
#ifndef COLLECTOR_RUN_SESSION_QUIET_H
#define COLLECTOR_RUN_SESSION_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/probe/preflight.h"
#include "collector/run/session.h"

struct session_quiet {
    const char *proc_root;
    const struct clock *clock;
    int64_t limit_ns; /* 0: does not wait */
    const struct progress *progress;
    const volatile sig_atomic_t *stop; /* NULL: never */
};

/*
 * Looks once a second at what waits for CPU, memory or disk (preflight_read_activity), until
 * nothing is above its rule's threshold, the limit is reached or somebody wants to stop. The input
 * has the last look.
 *
 * returns   how long it waited
 */
int64_t session_wait_quiet(const struct session_quiet *quiet, struct preflight_input *input);

#endif
