// SPDX-License-Identifier: Apache-2.0
// The built-in engines that a plan may name, made from engines.def.
#include "collector/plan/plan_engines.h"

#include <stdio.h>
#include <string.h>

#include "engines/base/attr.h"
#include "engines/engine.h"

static const char *const engine_names[] = {
#define ENGINE(name) #name,
#include "engines/engines.def"
#undef ENGINE
};

bool plan_engine_is_known(const char *builtin)
{
    for (size_t i = 0; i < ARRAY_COUNT(engine_names); i++) {
        if (strcmp(engine_names[i], builtin) == 0) {
            return strcmp(builtin, PLAN_LIMIT_NAME) != 0;
        }
    }
    return false;
}

uint32_t plan_engine_threads_max(const char *builtin)
{
    const struct engine *engine = engine_find(builtin);

    return engine ? engine_threads_max(engine) : 0;
}

const char *plan_engine_list(char out[PLAN_ENGINE_LIST_BYTES])
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(engine_names) && used < PLAN_ENGINE_LIST_BYTES; i++) {
        if (plan_engine_is_known(engine_names[i])) {
            used += (size_t)snprintf(out + used, PLAN_ENGINE_LIST_BYTES - used, "%s%s",
                                     used ? ", " : "", engine_names[i]);
        }
    }
    return out;
}
