// SPDX-License-Identifier: Apache-2.0
// What the preflight looks at, of a session that is about to begin.
#ifndef COLLECTOR_RUN_SESSION_PREFLIGHT_H
#define COLLECTOR_RUN_SESSION_PREFLIGHT_H

#include <limits.h>
#include <sched.h>

#include "collector/probe/preflight.h"
#include "collector/run/session_places.h"
#include "engines/base/attr.h"

struct session_preflight {
    struct preflight_input input;       /* points into this struct and the config */
    cpu_set_t server_cpus, driver_cpus; /* of the plan; unset where it names none */
    char folder[PATH_MAX];
    char engine_refusal[ERR_TEXT_BYTES + 64], replay_refusal[ERR_TEXT_BYTES];
};

/*
 * places   of the session; NULL: all of the plan's
 * errors   ERR_SYS: the CPUs or the limits of this process cannot be read; ERR_USAGE: a CPU list of
 *          the plan
 */
enum err_code session_preflight_read(const struct session_config *config,
                                     const struct session_places *places,
                                     struct session_preflight *out, struct err *e) ATTR_MUST_USE;

#endif
