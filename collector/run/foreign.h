// SPDX-License-Identifier: Apache-2.0
// What the plan's engines need before the first trial, beside tacho-engine: programs, packages,
// allocators, the sources of external engines built in a folder of the session's own.
#ifndef COLLECTOR_RUN_FOREIGN_H
#define COLLECTOR_RUN_FOREIGN_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "collector/digest.h"
#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/clock.h"
#include "engines/base/err.h"

#define FOREIGN_FACT_COUNT_MAX 1024

struct foreign_engine {
    char folder[PATH_MAX];                 /* where it runs */
    char program[PATH_MAX];                /* what is executed */
    char program_sha256[DIGEST_HEX_BYTES]; /* "": not known */
    char preload[PATH_MAX];                /* library of its allocator; "": none */
};

struct foreign_fact {
    char *name, *value; /* value NULL: looked for, not known */
};

struct foreign_set {
    struct foreign_engine items[PLAN_ENGINE_COUNT_MAX]; /* as the plan's engines */
    struct foreign_fact facts[FOREIGN_FACT_COUNT_MAX];
    size_t fact_count;
    char work_folder[PATH_MAX]; /* "": none was made */
};

struct foreign_config {
    const struct plan *plan;
    const bool *wanted; /* as above: the others are not built, found or hashed */
    const char *engine_program;
    const char *temporary_folder; /* where one may be made */
    const struct clock *clock;
    const volatile sig_atomic_t *stop;
};

/*
 * What is not there, as "node needs nodejs; x needs libjemalloc2"; false: everything is. Starts
 * nothing.
 *
 * wanted   of each engine of the plan whether it is looked at, here and below; NULL: all are
 */
bool foreign_find_missing(const struct plan *plan, const bool *wanted, char *text_out,
                          size_t capacity);

/* errors   ERR_USAGE: a `pid` whose tree would have this process in it, or all that have no parent
 */
enum err_code foreign_check_pids(const struct plan *plan, const bool *wanted,
                                 struct err *e) ATTR_MUST_USE;

/*
 * Builds, finds and hashes. foreign_release in any case.
 *
 * errors   ERR_LIMIT: an engine cannot be had here, with its name; ERR_SYS, ERR_USAGE
 */
enum err_code foreign_prepare(const struct foreign_config *config, struct foreign_set **set_out,
                              struct err *e) ATTR_MUST_USE;

/* The engine's place in the plan is its place in the set; NULL for the calibration engine. */
const struct foreign_engine *foreign_of(const struct foreign_set *set, const struct plan *plan,
                                        const struct plan_engine *engine);

/* Removes the folder. NULL is accepted. */
void foreign_release(struct foreign_set *set);

#endif
