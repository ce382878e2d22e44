// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, for what it does or prints: a compiler, dpkg-query.
#ifndef COLLECTOR_RUN_HELPER_H
#define COLLECTOR_RUN_HELPER_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/plan/plan_engine.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

struct helper_config {
    const char *engine_program; /* tacho-engine keeps it: nothing that it starts stays behind */
    const char *program;        /* a path */
    const struct plan_words *words;
    const char *folder; /* where it runs; it is its HOME as well */
    int64_t within_ns;
    const struct clock *clock;
    const volatile sig_atomic_t *stop; /* NULL: never */
};

/*
 * text_out   the first bytes of what it wrote, to both its outputs
 * errors     ERR_SYS: cannot be started; ERR_MISMATCH: another end than status 0, with its last
 *            words; ERR_LIMIT: took too long, or was interrupted
 */
enum err_code helper_run(const struct helper_config *config, char *text_out, size_t capacity,
                         struct err *e) ATTR_MUST_USE;

#endif
