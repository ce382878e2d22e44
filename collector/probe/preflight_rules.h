// SPDX-License-Identifier: Apache-2.0
// Inside the preflight: the rules as tables.
#ifndef COLLECTOR_PROBE_PREFLIGHT_RULES_H
#define COLLECTOR_PROBE_PREFLIGHT_RULES_H

#include "collector/probe/preflight.h"
#include "engines/base/attr.h"

enum preflight_state {
    PREFLIGHT_FINE,
    PREFLIGHT_VIOLATED,
    PREFLIGHT_UNKNOWN,
    PREFLIGHT_NO_CONCERN
};

struct preflight_rule {
    const char *name, *title;
    enum preflight_consequence consequence, strict;
    /* Fills in value and threshold. */
    enum preflight_state (*show)(const struct preflight_input *input, struct preflight_row *row);
    const char *why, *fix;
};

/* Of the plan, of this program and of what it may use. */
extern const struct preflight_rule preflight_plan_rules[];
extern const size_t preflight_plan_rule_count;

/* Of the machine: what it does just now, and its network. */
extern const struct preflight_rule preflight_machine_rules[];
extern const size_t preflight_machine_rule_count;

/* Of a fact of the machine. */
enum preflight_test {
    PREFLIGHT_TEST_NONE,  /* recorded alone */
    PREFLIGHT_TEST_IS,    /* one of the words of `wanted`, with '|' between them */
    PREFLIGHT_TEST_LACKS, /* without the text */
};
struct preflight_fact_rule {
    const char *name, *title, *fact;
    enum preflight_test test;
    const char *wanted;
    const char *threshold; /* for people; NULL: `wanted` */
    enum preflight_consequence consequence, strict;
    const char *why, *fix;
};
extern const struct preflight_fact_rule preflight_fact_rules[];
extern const size_t preflight_fact_rule_count;

/* Fills a cell. */
void preflight_put(char cell[PREFLIGHT_CELL_BYTES], const char *format, ...) ATTR_PRINTF(2, 3);

static inline enum preflight_state preflight_violated_if(bool is_violated)
{
    return is_violated ? PREFLIGHT_VIOLATED : PREFLIGHT_FINE;
}

#endif
