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
        const struct plan_workload *workload = &plan->workloads[i];

        if (workload->driver == PLAN_DRIVER_REPLAY) {
            return err_set(e, ERR_FORMAT,
                           "its plan replays \"%.60s\" from %.80s, which is not in the bundle: "
                           "recorded numbers are checked in their own session's bundle",
                           workload->name, workload->replay);
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
