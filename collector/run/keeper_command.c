// SPDX-License-Identifier: Apache-2.0
// The command line that has a program kept by tacho-engine.
#include "collector/run/keeper_command.h"

#include <stdio.h>
#include <unistd.h>

void keeper_command_init(struct keeper_command *command, const struct keeper_settings *settings)
{
    const char **words = command->words;
    size_t count = 2 + KEEPER_WORD_COUNT;

    snprintf(command->grace, sizeof(command->grace), "%lld",
             (long long)(SUPERVISE_GRACE_NS / CLOCK_NS_PER_MS));
    snprintf(command->parent, sizeof(command->parent), "%d", (int)getpid());
    words[0] = "tacho-engine";
    words[1] = KEEPER_OPTION;
    words[2 + KEEPER_INPUT] = plan_input_names[settings->input];
    words[2 + KEEPER_MODE] = settings->is_daemon ? "daemon" : "process";
    words[2 + KEEPER_GRACE] = command->grace;
    words[2 + KEEPER_PARENT] = command->parent;
    words[2 + KEEPER_FOLDER] = settings->folder;
    words[2 + KEEPER_PROGRAM] = settings->program;
    for (size_t i = 0; i < settings->word_count && i < PLAN_COMMAND_COUNT_MAX; i++) {
        words[count++] = settings->words[i];
    }
    words[count] = NULL;
}
