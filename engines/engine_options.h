// SPDX-License-Identifier: Apache-2.0
// The command line of tacho-engine.
#ifndef ENGINES_ENGINE_OPTIONS_H
#define ENGINES_ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "engines/base/options.h"

struct engine_settings {
    int64_t port, thread_count, backlog, seed, counters_fd, extra_work_percent;
    int64_t connections_max, queue_count, idle_seconds, head_seconds, body_bytes_per_s;
    const char *address;
    bool lists, shows_version, checks_allocator;
};

extern const struct option_table engine_options;
extern const struct engine_settings engine_settings_usual; /* where nothing is said */

/*
 * Whether a server would come of these words: the program's and the engine's name, and options.
 *
 * errors   ERR_USAGE: an option that it has not, a bad value, or one that prints something and ends
 */
enum err_code engine_options_check(size_t word_count, const char *const *words,
                                   struct err *e) ATTR_MUST_USE;

#endif
