// SPDX-License-Identifier: Apache-2.0
// The command line that has a program kept by tacho-engine.
#ifndef COLLECTOR_RUN_KEEPER_COMMAND_H
#define COLLECTOR_RUN_KEEPER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/plan/plan_engine.h"
#include "collector/run/supervise.h"
#include "engines/keeper.h"

/* The keeper waits SUPERVISE_GRACE_NS for the server; whoever waits for the keeper waits longer. */
#define KEEPER_GRACE_NS (SUPERVISE_GRACE_NS + 800 * CLOCK_NS_PER_MS)

struct keeper_settings {
    enum plan_input input;
    bool is_daemon;
    const char *folder, *program; /* as paths */
    const char *const *words;     /* of the command, its name the first */
    size_t word_count;
};

struct keeper_command {
    const char *words[2 + KEEPER_WORD_COUNT + PLAN_COMMAND_COUNT_MAX + 1]; /* NULL-terminated */
    char grace[16], parent[16];
};

/* Must be of the process that starts it. Words point into `command` and at the settings' texts. */
void keeper_command_init(struct keeper_command *command, const struct keeper_settings *settings);

#endif
