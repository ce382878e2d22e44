// SPDX-License-Identifier: Apache-2.0
// How much of a machine's CPU time neither the server nor tacho had, from the metrics of a sample
// or a window.
#ifndef COLLECTOR_FOREIGN_CPU_H
#define COLLECTOR_FOREIGN_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * As a share of the machine's CPU time, 0 to 1; NaN where a metric that it takes is METRIC_UNKNOWN.
 * The larger of two: busy time less what server and tacho had, which sees a program that lives in
 * the kernel; and time in user mode, where no interrupt is counted, less theirs in user mode, which
 * sees one that computes. Not more than it was, but for the ticks that busy time is counted in,
 * some 1 % of a window of 3 s.
 *
 * softirq_is_charged   (machine_softirq_is_charged) soft interrupts are in the time of the
 *     processes that they came upon. Else they may be nobody's (IRQ_TIME_ACCOUNTING), on loopback
 *     most are the benchmark's own, and they are left out of the busy time.
 */
double foreign_cpu_share(const int64_t *metrics, bool softirq_is_charged);

#endif
