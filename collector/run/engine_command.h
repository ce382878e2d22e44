// SPDX-License-Identifier: Apache-2.0
// The command line of a built-in engine.
#ifndef COLLECTOR_RUN_ENGINE_COMMAND_H
#define COLLECTOR_RUN_ENGINE_COMMAND_H

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"

struct engine_command {
    const char *words[16 + PLAN_ARGUMENT_COUNT_MAX]; /* NULL-terminated; point into this struct or
                                                        at the engine's texts */
    char threads[16], extra_work[16], counters[16];
};

/* counters_fd -1: without the page, as it is stored. */
void engine_command_init(struct engine_command *command, const struct plan_engine *engine,
                         int counters_fd);

/* Appends words, NULL at the end, as a JSON array. */
void engine_command_format(const char *const *words, struct buf *out);

#endif
