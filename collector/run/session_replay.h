// SPDX-License-Identifier: Apache-2.0
// Whether a plan's replays can be played: before anything runs.
#ifndef COLLECTOR_RUN_SESSION_REPLAY_H
#define COLLECTOR_RUN_SESSION_REPLAY_H

#include "collector/run/session_places.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Opens the results files that the plan replays, checks them whole, and looks for a recorded trial
 * of each that the plan will play.
 *
 * places   of the session; NULL: all of the plan's
 * errors   ERR_MISMATCH: something to play is not there; those of replay_source.h and schedule_make
 */
enum err_code session_replay_check(const struct session_config *config,
                                   const struct session_places *places,
                                   struct err *e) ATTR_MUST_USE;

#endif
