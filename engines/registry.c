// SPDX-License-Identifier: Apache-2.0
// All built-in servers, from engines.def.
#include "engines/engine.h"

#include <string.h>

#include "engines/counters.h"

static const struct engine *const engines[] = {
#define ENGINE(name) &engine_##name,
#include "engines/engines.def"
#undef ENGINE
};

const struct engine *engine_get(size_t index)
{
    return index < ARRAY_COUNT(engines) ? engines[index] : NULL;
}

const struct engine *engine_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(engines); i++) {
        if (strcmp(engines[i]->name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

uint32_t engine_threads_max(const struct engine *engine)
{
    return engine->threads == ENGINE_THREADS_PER_CONNECTION ? 0
           : engine->threads == ENGINE_THREADS_LOOPS        ? COUNTERS_SLOT_COUNT
                                                            : ENGINE_WORKERS_MAX;
}

enum err_code engine_probe(const struct engine *engine, struct err *e)
{
    return engine->probe ? engine->probe(e) : ERR_OK;
}
