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
    FINDING_WRONG_BODIES,     /* value: answers with the right status and a wrong body; limit 0 */
    FINDING_CLIENT_LIMIT, /* value: connections for which the driver had no port or descriptor */
    FINDING_CONNECTIONS,  /* value: connections established, limit: asked for */
    FINDING_UNSERVED,     /* value: share of the connections that ever got a response */
    /* value: server's own count less the driver's; limit: in flight at the end or ended in a fault
     */
    FINDING_COUNT_MISMATCH,
    /* value: share of the machine's CPU time busy for neither server, tacho nor soft interrupts;
     * warn above 0.02, invalid above 0.05 */
    FINDING_FOREIGN_CPU,
    /* value: |X·R/C − 1|; limit 0.03, below 1 the driver's CPU share / C more */
    FINDING_LITTLE,
    FINDING_DRIVER_BOUND, /* warn: the driver's CPUs above 0.8 busy while the server's are not */
    /* value: connections dropped in the window or answered with a cookie, a queue being full */
    FINDING_LISTEN_OVERFLOW,
    FINDING_SAMPLES_MISSING, /* value: gaps in the grid */
    FINDING_SAMPLE_LATE, /* warn: p99 of lateness above 10 ms; value: the latest, ns; invalid: above
                            a sample */
    FINDING_PEAK,        /* warn: highest sample's rate above 1.5 × the mean */
    FINDING_MEAN_ABOVE_P99,   /* warn: value: mean latency, limit: its p99, ns */
    FINDING_LATENCY_OVERFLOW, /* warn: value: ok requests slower than the histogram's range */
    /* open loop: p99 of the lag; value: it, ns; warn above 100 us, invalid above 1 ms and a tenth
     * of the p99 of the response times */
    FINDING_DRIVER_LATE,
    /* open loop: requests sent of those due; limit 0.99; invalid when the server was not saturated
     * and connections were idle: then it is the driver's fault */
    FINDING_RATE,
    FINDING_DURATION,     /* value: length of the window, limit: the plan's, s; warn when 2 % off,
                             invalid when 20 % off */
    FINDING_THROTTLED,    /* value: periods in which a CPU quota stopped the server's group */
    FINDING_THERMAL,      /* value: times that a CPU was slowed down for heat */
    FINDING_STEAL,        /* value: share of the CPU time that the hypervisor took; warn above
                             0.005, invalid above 0.02 */
    FINDING_SWAPPING,     /* value: KiB read from or written to swap by the machine */
    FINDING_MAJOR_FAULTS, /* value: page faults of the server that needed a disk */
    FINDING_OWN_FAULTS,   /* value: those of tacho */
    FINDING_PACKETS_DROPPED, /* value: packets, a CPU's queue being full */
    FINDING_RETRANSMITS,     /* warn: value: TCP segments sent again by the machine */
    FINDING_TIME_WAIT, /* warn: value: sockets closed without TIME_WAIT, there being too many */
    FINDING_FREQUENCY, /* warn: value: range of the CPUs' frequency over its highest; 0.05 */
    /* warn: value: time that the server's threads waited for a CPU over that in which they ran,
     * although there are not more threads than CPUs; limit 0.05 */
    FINDING_RUN_QUEUE,
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

/* The same in parts, for another language: the sentence with "{1}" for the value and "{2}" for the
 * limit, and the two with their units; "" where there is none. */
#define FINDING_NUMBER_BYTES 64
void finding_format_parts(const struct finding *finding, char pattern_out[FINDING_TEXT_BYTES],
                          char value_out[FINDING_NUMBER_BYTES],
                          char limit_out[FINDING_NUMBER_BYTES]);
void finding_pattern(enum finding_kind kind, char out[FINDING_TEXT_BYTES]);

/* What to do about it: one sentence without its full stop. */
const char *finding_advice(enum finding_kind kind);

/* Stable words for JSON: "crashed", "errors" … */
const char *finding_name(enum finding_kind kind);

#endif
