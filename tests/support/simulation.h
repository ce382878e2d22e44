// SPDX-License-Identifier: Apache-2.0
// How often the verdicts are wrong, counted over sessions whose truth is known.
#ifndef TESTS_SUPPORT_SIMULATION_H
#define TESTS_SUPPORT_SIMULATION_H

#include <stdbool.h>

#include "tests/support/session_model.h"

/* Over sessions. `claimed`: DIFFERENT or SMALL. */
struct simulation_counts {
    int sessions;
    int claimed;                             /* of the first subject */
    int any_claimed;                         /* of any subject: the family */
    int different, equivalent, inconclusive; /* of the first subject */
    int covered;                             /* its 95 % interval holds the true ratio */
    int holds_hl;                            /* so does the Hodges–Lehmann interval */
    int unfit;
    int unsteady;   /* sessions with a remark UNSTEADY */
    int told_apart; /* sessions in which two engines have no letter in common */
};

/* Deterministic by seed. Aborts when the analysis fails. */
struct simulation_counts simulation_run(const struct session_model *model, int sessions,
                                        uint64_t seed);

/* What must hold of a share, with the sampling error of the simulation (three standard errors), but
 * of a floor without: its rows have four times as many sessions. */
enum simulation_bound {
    SIMULATION_AT_MOST,
    SIMULATION_AT_LEAST,
    SIMULATION_NEAR,
    SIMULATION_FLOOR
};
int simulation_sessions(enum simulation_bound bound, int sessions);
bool simulation_holds(int hits, int sessions, enum simulation_bound bound, double share);

/* Models and what must be true of them: the table that ci/run simulate prints. */
enum simulation_quantity {
    SIMULATION_CLAIMED,
    SIMULATION_FAMILY,
    SIMULATION_COVERED,
    SIMULATION_COVERED_HL,
    SIMULATION_EQUIVALENT,
    SIMULATION_UNSTEADY,
    SIMULATION_TOLD_APART
};
struct simulation_row {
    const char *name;
    struct session_model model;
    enum simulation_quantity quantity;
    enum simulation_bound bound;
    double share;
};
extern const struct simulation_row simulation_rows[];
extern const int simulation_row_count;

int simulation_hits(const struct simulation_counts *counts, enum simulation_quantity quantity);

#endif
