// SPDX-License-Identifier: Apache-2.0
// Stage V11: whether enough was measured.
#include "report/bundle/policy.h"
#include "report/bundle/verify_work.h"
#include "report/query/results_pass.h"
#include "report/query/results_plan.h"

static void finding_take(void *self, const char *code, const char *text)
{
    verify_add_finding(self, code, "%s", text);
}

static enum err_code trial_visit(void *self, const struct results *results, size_t trial_index,
                                 struct err *e)
{
    (void)e;
    policy_check_trial(self, results, trial_index);
    return ERR_OK;
}

enum err_code verify_policy(struct verify_work *work, struct err *e)
{
    struct policy_look look = {.policy = &work->config->policy, .tell = finding_take, .self = work};
    const struct results_pass pass = {.visit = trial_visit, .self = &look, .is_checked = true};
    struct results *again = NULL;
    struct plan *plan = NULL;

    if (look.policy->is_off) {
        return ERR_OK;
    }
    if (results_parse_plan(work->results, "plan", false, &plan, NULL) == ERR_OK) {
        look.plan = plan;
    }
    enum err_code code = policy_check_session(&look, work->results, e);
    if (code == ERR_OK) {
        code = results_load_each(work->results_path, true, &pass, &again, e);
    }
    if (code == ERR_OK) {
        results_free(again);
    }
    plan_free(plan);
    return code;
}
