// SPDX-License-Identifier: Apache-2.0
// What speaks against a trial, with the numbers that led to it.
#ifndef REPORT_JUDGE_FINDING_H
#define REPORT_JUDGE_FINDING_H

#include <stdbool.h>

/* Why a trial is not counted or needs a remark. "warn" never takes a trial out of the estimates. */
enum finding_kind {
    FINDING_CRASHED,          /* the server ended during the trial */
    FINDING_INTERRUPTED,      /* stopped by the user, or the program was killed */
    FINDING_FAILED,           /* could not be carried out (reason in the trial) */
    FINDING_NOTHING_MEASURED, /* no ok request in the window */
    FINDING_ERRORS,           /* value: share of failed requests in the window, limit 0.001 */
    FINDING_CONNECTIONS,      /* value: connections established, limit: asked for */
    FINDING_UNSERVED,         /* value: share of the connections that ever got a response */
    /* value: server's own count less the driver's; limit: in flight at the end or ended in a fault
     */
    FINDING_COUNT_MISMATCH,
    /* value: share of the machine's CPU time busy for neither server, tacho nor soft interrupts;
     * warn above 0.02, invalid above 0.05 */
    FINDING_FOREIGN_CPU,
    /* value: |X·R/C − 1|; limit 0.03, below 1 the driver's CPU share / C more */
    FINDING_LITTLE,
    FINDING_DRIVER_BOUND,    /* warn: the driver's CPUs above 0.8 busy while the server's are not */
    FINDING_LISTEN_OVERFLOW, /* value: connections dropped in the window, accept queue full */
    FINDING_SAMPLES_MISSING, /* value: gaps in the grid */
    FINDING_SAMPLE_LATE,     /* warn: p99 of lateness above 10 ms; value: the latest, ns */
    FINDING_PEAK,            /* warn: highest sample's rate above 1.5 × the mean */
    FINDING_DRIVER_LATE,     /* warn: open loop: p99 of the lag above 100 us; value: it, ns */
    FINDING_RATE,            /* warn: open loop: requests sent of those due; limit 0.99 */
    FINDING_KIND_COUNT
};

struct finding {
    enum finding_kind kind;
    bool invalidates; /* true: the trial is not counted; false: a warning */
    double value, limit;
};

/* One sentence with the numbers filled in, for tables: "0.50 % of the requests failed (limit
 * 0.10 %)". Returns `out`. */
#define FINDING_TEXT_BYTES 200
const char *finding_format(const struct finding *finding, char out[FINDING_TEXT_BYTES]);

/* Stable words for JSON: "crashed", "errors" … */
extern const char *const finding_names[FINDING_KIND_COUNT];

#endif
