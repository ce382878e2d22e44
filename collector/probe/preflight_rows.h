// SPDX-License-Identifier: Apache-2.0
// Every preflight rule as a row: what was found, what would be right, what follows, what mends it.
#ifndef COLLECTOR_PROBE_PREFLIGHT_ROWS_H
#define COLLECTOR_PROBE_PREFLIGHT_ROWS_H

#include "collector/probe/preflight.h"

#define PREFLIGHT_CELL_BYTES 160

struct preflight_row {
    const char *name;  /* the rule's stable word */
    const char *title; /* for people */
    bool is_violated, is_known;
    enum preflight_consequence consequence; /* when it is violated */
    char value[PREFLIGHT_CELL_BYTES];
    char threshold[PREFLIGHT_CELL_BYTES];
    const char *fix; /* NULL: none */
};

/* All rules that concern the plan, in their order. Returns how many there are, at most
 * PREFLIGHT_FINDING_COUNT_MAX. */
size_t preflight_list(const struct preflight_input *input,
                      struct preflight_row rows_out[PREFLIGHT_FINDING_COUNT_MAX]);

#endif
