// SPDX-License-Identifier: Apache-2.0
// Which built-in engines a plan may name: those of engines/engines.def but the calibration engine.
#ifndef COLLECTOR_PLAN_PLAN_ENGINES_H
#define COLLECTOR_PLAN_PLAN_ENGINES_H

#include <stdbool.h>
#include <stdint.h>

/* The calibration engine, which every session runs by itself; neither an engine nor a workload of a
 * plan may bear its name. */
#define PLAN_LIMIT_NAME "limit"

bool plan_engine_is_known(const char *builtin);

/* How many `threads` may be given: its event loops or workers. 0: they come with connections. */
uint32_t plan_engine_threads_max(const char *builtin);

/* "epoll, blocking": for messages. Returns `out`. */
#define PLAN_ENGINE_LIST_BYTES 200
const char *plan_engine_list(char out[PLAN_ENGINE_LIST_BYTES]);

#endif
