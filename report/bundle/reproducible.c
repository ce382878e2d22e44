// SPDX-License-Identifier: Apache-2.0
// Which sessions can be measured again out of their bundle.
#include "report/bundle/reproducible.h"

#include "report/bundle/content.h"
#include "report/query/results_plan.h"

enum err_code reproducible_check_plan(const struct plan *plan, struct err *e)
{
    for (size_t i = 0; i < plan->engine_count; i++) {
        const struct plan_engine *engine = &plan->engines[i];

        if (plan_engine_kind(engine) != PLAN_ENGINE_BUILTIN || engine->allocator) {
            return err_set(e, ERR_FORMAT, "its plan measures \"%.80s\", which %s", engine->name,
                           engine->allocator ? "has an allocator of its own" : "is not built in");
        }
    }
    for (size_t i = 0; i < plan->workload_count; i++) {
        if (plan->workloads[i].driver == PLAN_DRIVER_REPLAY) {
            return err_set(e, ERR_FORMAT,
                           "its plan replays \"%.80s\" from a results file, which measures nothing "
                           "and is not in the bundle",
                           plan->workloads[i].name);
        }
    }
    return ERR_OK;
}

enum err_code reproducible_load_plan(const struct results *results, struct plan **plan_out,
                                     struct err *e)
{
    struct err cause = {0};
    enum err_code code = results_parse_plan(results, CONTENT_PLAN, true, plan_out, &cause);

    /* What this version cannot run is no mistake of the caller. */
    return code == ERR_OK
               ? ERR_OK
               : err_set(e, code == ERR_USAGE || code == ERR_MISMATCH ? ERR_FORMAT : code, "%s",
                         cause.text);
}
