// SPDX-License-Identifier: Apache-2.0
// Runs the event loops of an engine: one a thread, opened before any begins, closed when all ended.
#ifndef ENGINES_LOOPS_H
#define ENGINES_LOOPS_H

#include "engines/engine.h"

struct loops_kind {
    size_t loop_bytes;
    /* Opens the loop of that index; after a failure it is closed all the same. */
    enum err_code (*open)(void *loop, const struct engine_config *config, uint32_t index,
                          struct err *e);
    void (*run)(void *loop); /* until the stop descriptor of the config is readable */
    void (*close)(void *loop);
};

/* errors   ERR_SYS, or those of `open` */
enum err_code loops_run(const struct loops_kind *kind, const struct engine_config *config,
                        struct err *e) ATTR_MUST_USE;

#endif
