// SPDX-License-Identifier: Apache-2.0
// What tacho doctor found: the preflight's rows, the measured ones, and what follows for a plan.
#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/plan/plan.h"
#include "collector/probe/burn_in.h"
#include "collector/probe/preflight.h"
#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/doctor.h"

#define DIAGNOSIS_ROW_COUNT_MAX (PREFLIGHT_FINDING_COUNT_MAX + 8)
#define DIAGNOSIS_BURN_IN_NS    (5 * CLOCK_NS_PER_S)

struct diagnosis {
    const struct plan *plan;
    bool is_strict;
    struct preflight_row rows[DIAGNOSIS_ROW_COUNT_MAX];
    size_t row_count;
    struct burn_in_clock clock;
    struct burn_in_pieces pieces;
    struct doctor_noise noise;
    struct doctor_outlook outlook;
    size_t warning_count, refusal_count;
};

/* Rows of what was measured; each counts warnings and refusals anew. */
void diagnosis_add_preflight(struct diagnosis *diagnosis, const struct preflight_input *input);
void diagnosis_add_clock(struct diagnosis *diagnosis, const struct burn_in_clock *clock);
void diagnosis_add_burn_in(struct diagnosis *diagnosis, const struct burn_in_pieces *pieces);
/* why NULL: it was measured; else why not. */
void diagnosis_add_noise(struct diagnosis *diagnosis, const struct doctor_noise *noise,
                         const char *why);

/* "FIT", "FIT WITH WARNINGS", "UNFIT" */
const char *diagnosis_verdict(const struct diagnosis *diagnosis);

/* For people, worst first. */
void diagnosis_format_text(const struct diagnosis *diagnosis, struct buf *out);

/* errors ERR_LIMIT: memory */
enum err_code diagnosis_format_json(const struct diagnosis *diagnosis, struct buf *out,
                                    struct err *e) ATTR_MUST_USE;

#endif
