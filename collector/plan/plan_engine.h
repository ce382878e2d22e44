// SPDX-License-Identifier: Apache-2.0
// An engine of a plan: which server, and how it is started.
#ifndef COLLECTOR_PLAN_PLAN_ENGINE_H
#define COLLECTOR_PLAN_PLAN_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#define PLAN_VARIABLE_COUNT_MAX 16
#define PLAN_ARGUMENT_COUNT_MAX 16

/* A variable of an engine's environment. */
struct plan_variable {
    const char *name, *value;
};

struct plan_engine {
    const char *name;            /* unique in the plan; any UTF-8 */
    const char *builtin;         /* name of a built-in engine */
    uint32_t thread_count;       /* 0: the engine's own default */
    uint32_t extra_work_percent; /* busy work beside its own, of its CPU time */
    struct plan_variable variables[PLAN_VARIABLE_COUNT_MAX]; /* beside those it always gets */
    size_t variable_count;
    const char *arguments[PLAN_ARGUMENT_COUNT_MAX]; /* after those it always gets */
    size_t argument_count;
};

#endif
