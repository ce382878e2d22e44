// SPDX-License-Identifier: Apache-2.0
// The machine of this session beside that of an earlier one, as a section of a session's report.
#ifndef REPORT_COMPOSE_COMPOSE_BASELINE_H
#define REPORT_COMPOSE_COMPOSE_BASELINE_H

#include "report/compose/compose.h"

/*
 * Adds the section behind the machine's facts; nothing when `baseline` is NULL.
 *
 * baseline   the other session's results; needed for this call only
 * errors     ERR_LIMIT: memory
 */
enum err_code compose_baseline(struct compose *compose, const struct results *baseline,
                               struct err *e) ATTR_MUST_USE;

#endif
