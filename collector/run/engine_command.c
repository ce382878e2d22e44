// SPDX-License-Identifier: Apache-2.0
// The command line of a built-in engine.
#include "collector/run/engine_command.h"

#include <stdio.h>

void engine_command_init(struct engine_command *command, const struct plan_engine *engine,
                         int counters_fd)
{
    const char *const fixed[] = {"tacho-engine", engine->builtin, "--address",
                                 "127.0.0.1",    "--port",        "0"};
    size_t count = 0;

    for (; count < ARRAY_COUNT(fixed); count++) {
        command->words[count] = fixed[count];
    }
    if (engine->thread_count) {
        snprintf(command->threads, sizeof(command->threads), "%u", engine->thread_count);
        command->words[count++] = "--threads";
        command->words[count++] = command->threads;
    }
    if (engine->extra_work_percent) {
        snprintf(command->extra_work, sizeof(command->extra_work), "%u",
                 engine->extra_work_percent);
        command->words[count++] = "--extra-work";
        command->words[count++] = command->extra_work;
    }
    if (counters_fd >= 0) {
        snprintf(command->counters, sizeof(command->counters), "%d", counters_fd);
        command->words[count++] = "--counters-fd";
        command->words[count++] = command->counters;
    }
    for (size_t i = 0; i < engine->argument_count; i++) {
        command->words[count++] = engine->arguments[i];
    }
    command->words[count] = NULL;
}

void engine_command_format(const char *const *words, struct buf *out)
{
    if (!words[0]) {
        buf_add_text(out, "[");
    }
    for (size_t i = 0; words[i]; i++) {
        buf_add_text(out, i ? ",\"" : "[\"");
        for (const char *at = words[i]; *at; at++) {
            if ((unsigned char)*at < ' ') {
                buf_addf(out, "\\u%04x", (unsigned)(unsigned char)*at);
                continue;
            }
            if (*at == '"' || *at == '\\') {
                buf_add_char(out, '\\');
            }
            buf_add_char(out, *at);
        }
        buf_add_char(out, '"');
    }
    buf_add_char(out, ']');
}
