// SPDX-License-Identifier: Apache-2.0
// Runs the event loops of an engine.
#include "engines/loops.h"

#include <assert.h>
#include <stdlib.h>

#include "engines/workers.h"

enum err_code loops_run(const struct loops_kind *kind, const struct engine_config *config,
                        struct err *e)
{
    char *loops = calloc(config->thread_count, kind->loop_bytes);
    enum err_code code = loops ? ERR_OK : err_set_sys(e, "opening the event loops");
    uint32_t opened = 0;

    assert(config->listen_count == config->thread_count);
    while (code == ERR_OK && opened < config->thread_count) {
        code = kind->open(loops + opened * kind->loop_bytes, config, opened, e);
        opened++;
    }
    if (code == ERR_OK) {
        code = workers_run(kind->run, loops, kind->loop_bytes, config->thread_count, e);
    }
    while (opened > 0) {
        opened--;
        kind->close(loops + opened * kind->loop_bytes);
    }
    free(loops);
    return code;
}
