// SPDX-License-Identifier: Apache-2.0
// How much of a machine's CPU time neither the server nor tacho had, from the metrics of a sample
// or a window.
#ifndef COLLECTOR_FOREIGN_CPU_H
#define COLLECTOR_FOREIGN_CPU_H

#include <stdint.h>

/*
 * As a share of the machine's CPU time, 0 to 1; NaN where a metric that it takes is METRIC_UNKNOWN.
 * Never more than it was, for soft interrupts, on loopback the benchmark's own, are part of the
 * processes' time or nobody's, as the kernel was built (IRQ_TIME_ACCOUNTING). So it is the larger
 * of two lower bounds: busy time without soft interrupts, less what server and tacho had; and time
 * in user mode, where no interrupt is counted, less theirs in user mode. The first sees a program
 * that lives in the kernel, the second one that computes.
 */
double foreign_cpu_share(const int64_t *metrics);

#endif
