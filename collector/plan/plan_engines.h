// SPDX-License-Identifier: Apache-2.0
// Which built-in engines a plan may name: the one place of the collector that knows their list.
#ifndef COLLECTOR_PLAN_PLAN_ENGINES_H
#define COLLECTOR_PLAN_PLAN_ENGINES_H

#include <stdbool.h>

/* The calibration engine, which every session runs by itself; neither an engine nor a workload of a
 * plan may bear its name. */
#define PLAN_LIMIT_NAME "limit"

bool plan_engine_is_known(const char *builtin);

/* "epoll, blocking": for messages. */
extern const char plan_engine_list[];

#endif
