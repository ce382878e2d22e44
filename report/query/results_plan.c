// SPDX-License-Identifier: Apache-2.0
// The plan of a session, out of its results file.
#include "report/query/results_plan.h"

#include <stdlib.h>
#include <string.h>

#include "collector/plan/plan_stored.h"

static void body_add(const struct results_request *request, bool is_to_run,
                     struct plan_body *bodies, size_t *count)
{
    if (request->body_sha256 && (request->body || !is_to_run)) {
        bodies[(*count)++] = (struct plan_body){request->body_sha256, request->body,
                                                request->body ? request->body_kept_bytes
                                                              : (size_t)request->body_bytes};
    }
}

enum err_code results_parse_plan(const struct results *results, const char *name, bool is_to_run,
                                 struct plan **plan_out, struct err *e)
{
    size_t request_count = results->workload_count + results->request_count;
    struct plan_body *bodies = calloc(request_count + 1, sizeof(*bodies));
    size_t count = 0;

    if (!bodies) {
        return err_set(e, ERR_LIMIT, "no memory for the bodies of a plan");
    }
    for (size_t i = 0; i < results->workload_count; i++) {
        body_add(&results->workloads[i].request, is_to_run, bodies, &count);
    }
    for (size_t i = 0; i < results->request_count; i++) {
        body_add(&results->requests[i], is_to_run, bodies, &count);
    }
    enum err_code code = plan_parse_stored(name, results->plan_text, strlen(results->plan_text),
                                           bodies, count, plan_out, e);
    free(bodies);
    return code;
}
