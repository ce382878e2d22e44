// SPDX-License-Identifier: Apache-2.0
// A fixed number of threads that run one function until it returns.
#ifndef ENGINES_WORKERS_H
#define ENGINES_WORKERS_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * Runs `run` once for each of `count` states, the first one in the calling thread, and returns when
 * all have returned. None begins before all threads exist.
 *
 * states   an array of `count` objects of `state_bytes` each
 * errors   ERR_SYS: a thread could not be made; then nothing was run
 */
enum err_code workers_run(void (*run)(void *state), void *states, size_t state_bytes, size_t count,
                          struct err *e) ATTR_MUST_USE;

#endif
