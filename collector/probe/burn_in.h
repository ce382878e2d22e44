// SPDX-License-Identifier: Apache-2.0
// What the machine does with a fixed piece of work, again and again, and what its clock costs.
#ifndef COLLECTOR_PROBE_BURN_IN_H
#define COLLECTOR_PROBE_BURN_IN_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/clock.h"

#define BURN_IN_PIECE_COUNT_MAX 512

struct burn_in_clock {
    double cost_ns;        /* of reading it once */
    int64_t resolution_ns; /* smallest step that was seen; 0: none was */
    uint64_t backward_count;
};

/* Reads the clock some hundred thousand times. */
struct burn_in_clock burn_in_clock_measure(const struct clock *clock);

struct burn_in_pieces {
    size_t count;
    double median_ns;
    double variation;     /* standard deviation over mean; NaN with fewer than two */
    double slowest_ratio; /* slowest over median */
};

/* Repeats a piece of work of about 10 ms for so long, or until `stop` is not 0 (NULL: never). */
struct burn_in_pieces burn_in_run(const struct clock *clock, int64_t duration_ns,
                                  const volatile sig_atomic_t *stop);

/* Pure. Sorts the durations. */
struct burn_in_pieces burn_in_summarise(int64_t *durations_ns, size_t count);

#endif
