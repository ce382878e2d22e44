// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end.
#include "collector/run/helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/run/keeper_command.h"
#include "collector/run/supervise.h"

#define LOOK_NS (2 * CLOCK_NS_PER_MS)

static enum err_code end_wait(const struct helper_config *config, struct supervised *server,
                              struct err *e)
{
    const struct clock *clock = config->clock;
    int64_t deadline_ns = clock_now_ns(clock) + config->within_ns;
    char tail[300];

    while (!supervise_has_ended(server)) {
        int64_t now_ns = clock_now_ns(clock);

        if (config->stop && *config->stop) {
            return err_set(e, ERR_LIMIT, "%s: interrupted", config->words->items[0]);
        }
        if (now_ns >= deadline_ns) {
            return err_set(e, ERR_LIMIT, "%s: not done after %lld s", config->words->items[0],
                           (long long)(config->within_ns / CLOCK_NS_PER_S));
        }
        clock->sleep_until_ns(clock->self, now_ns + LOOK_NS);
    }
    supervise_stop(server);
    if (strcmp(supervise_exit(server), "exit 0") == 0) {
        return ERR_OK;
    }
    supervise_copy_log_tail(server, tail, sizeof(tail));
    return err_set(e, ERR_MISMATCH, "%s: %s%s%s", config->words->items[0], supervise_exit(server),
                   tail[0] ? "; it wrote: " : "", tail);
}

static void text_copy(struct supervised *server, char *text_out, size_t capacity)
{
    struct supervise_log log;

    text_out[0] = '\0';
    if (supervise_take_log(server, &log, NULL) == ERR_OK && log.head) {
        snprintf(text_out, capacity, "%.*s", (int)log.head_bytes, log.head);
        free(log.head);
    }
}

enum err_code helper_run(const struct helper_config *config, char *text_out, size_t capacity,
                         struct err *e)
{
    const struct plan_variable home = {"HOME", config->folder};
    struct keeper_command command;
    const struct keeper_settings settings = {.input = PLAN_INPUT_NULL,
                                             .folder = config->folder,
                                             .program = config->program,
                                             .words = config->words->items,
                                             .word_count = config->words->count};
    struct supervised *server = NULL;

    keeper_command_init(&command, &settings);
    const struct supervise_config supervise = {.program = config->engine_program,
                                               .arguments = command.words,
                                               .variables = &home,
                                               .variable_count = 1,
                                               .grace_ns = KEEPER_GRACE_NS,
                                               .counters_fd = -1,
                                               .clock = config->clock};
    enum err_code code = supervise_start(&supervise, &server, e);
    if (code != ERR_OK) {
        return code;
    }
    code = end_wait(config, server, e);
    supervise_stop(server);
    text_copy(server, text_out, capacity);
    supervise_free(server);
    return code;
}
