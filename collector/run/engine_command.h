// SPDX-License-Identifier: Apache-2.0
// The command line of a built-in engine.
#ifndef COLLECTOR_RUN_ENGINE_COMMAND_H
#define COLLECTOR_RUN_ENGINE_COMMAND_H

#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"

struct engine_command {
    const char *words[16]; /* NULL-terminated; point into this struct or at the caller's name */
    char threads[16], extra_work[16], counters[16];
};

/* thread_count 0: the engine's own default. counters_fd -1: without the page, as it is stored. */
void engine_command_init(struct engine_command *command, const char *builtin, uint32_t thread_count,
                         uint32_t extra_work_percent, int counters_fd);

/* Appends the words as a JSON array. */
void engine_command_format(const struct engine_command *command, struct buf *out);

#endif
