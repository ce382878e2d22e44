// SPDX-License-Identifier: Apache-2.0
// Which places of a schedule a sitting runs, and the how-manieth attempt each of them is.
#ifndef COLLECTOR_RUN_SESSION_PLACES_H
#define COLLECTOR_RUN_SESSION_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/plan/schedule.h"
#include "collector/run/session.h"
#include "collector/store/store_past.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

struct session_place {
    bool is_wanted;
    int64_t attempt_index;
};

struct session_places {
    const struct schedule *schedule; /* the caller's */
    struct session_place *items;     /* one for each of its entries */
    size_t wanted_count;
    bool engines_wanted[PLAN_ENGINE_COUNT_MAX]; /* as the plan's engines: one that a place starts */
    bool is_replay; /* no place is measured: each plays a recorded trial */
};

/*
 * All places, or those that config->only names with the calibration of their load points.
 *
 * places_out   session_places_release
 * errors       ERR_USAGE: no engine or workload of the plan has that name; ERR_LIMIT: memory
 */
enum err_code session_places_make(const struct session_config *config,
                                  const struct schedule *schedule,
                                  struct session_places *places_out, struct err *e) ATTR_MUST_USE;

/* Takes out what was finished before; what was tried and not finished gets the next attempt. */
void session_places_drop_done(struct session_places *places, const struct store_past *past);

void session_places_release(struct session_places *places);

#endif
