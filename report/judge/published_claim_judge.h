// SPDX-License-Identifier: Apache-2.0
// A claim of a source held against the source's own numbers.
#ifndef REPORT_JUDGE_PUBLISHED_CLAIM_JUDGE_H
#define REPORT_JUDGE_PUBLISHED_CLAIM_JUDGE_H

#include "report/judge/published_checks.h"

struct published_claim_result published_claim_judge(const struct published *published,
                                                    const struct published_claim *claim);

#endif
