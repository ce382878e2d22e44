// SPDX-License-Identifier: Apache-2.0
// Whether what was recorded is what a measurement of this plan records: stage V11 asks, and the
// README of a bundle says so beforehand.
#ifndef REPORT_BUNDLE_POLICY_H
#define REPORT_BUNDLE_POLICY_H

#include <stddef.h>

#include "collector/plan/plan.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"
#include "report/bundle/verify.h"
#include "report/query/results.h"

struct policy_look {
    const struct verify_policy *policy;
    const struct plan *plan; /* of the session; NULL: this version cannot read it */
    void (*tell)(void *self, const char *code, const char *text); /* of each finding */
    void *self;
};

/* A trial's own samples, which must be loaded. */
void policy_check_trial(const struct policy_look *look, const struct results *results,
                        size_t trial_index);

/* All but samples. errors ERR_LIMIT: memory */
enum err_code policy_check_session(const struct policy_look *look, const struct results *results,
                                   struct err *e) ATTR_MUST_USE;

#endif
