// SPDX-License-Identifier: Apache-2.0
// The plan of a session, out of its results file.
#include "report/query/results_plan.h"

#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_stored.h"

enum err_code results_parse_plan(const struct results *results, const char *name, bool is_to_run,
                                 struct plan **plan_out, struct err *e)
{
    struct plan_body *bodies = calloc(results->workload_count + 1, sizeof(*bodies));
    size_t count = 0;

    if (!bodies) {
        return err_set(e, ERR_LIMIT, "no memory for the bodies of a plan");
    }
    for (size_t i = 0; i < results->workload_count; i++) {
        const struct results_workload *workload = &results->workloads[i];

        if (workload->body_sha256 && (workload->body || !is_to_run)) {
            bodies[count++] = (struct plan_body){workload->body_sha256, workload->body,
                                                 workload->body ? workload->body_kept_bytes
                                                                : (size_t)workload->body_bytes};
        }
    }
    enum err_code code = plan_parse_stored(name, results->plan_text, strlen(results->plan_text),
                                           bodies, count, plan_out, e);
    free(bodies);
    return code;
}
