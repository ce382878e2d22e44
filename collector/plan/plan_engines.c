// SPDX-License-Identifier: Apache-2.0
// The built-in engines that a plan may name.
#include "collector/plan/plan_engines.h"

#include <stddef.h>
#include <string.h>

#include "engines/base/attr.h"

static const char *const engine_names[] = {"epoll", "blocking"};
const char plan_engine_list[] = "epoll, blocking";

bool plan_engine_is_known(const char *builtin)
{
    for (size_t i = 0; i < ARRAY_COUNT(engine_names); i++) {
        if (strcmp(engine_names[i], builtin) == 0) {
            return true;
        }
    }
    return false;
}
