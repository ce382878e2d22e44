// SPDX-License-Identifier: Apache-2.0
// The absolute grid of a trial: where each interval begins and ends, and in which phase it lies.
// Pure arithmetic.
#ifndef COLLECTOR_DRIVER_GRID_H
#define COLLECTOR_DRIVER_GRID_H

#include <stdint.h>

#include "collector/sample.h"

/*
 * Grid zero is the start of load. Warm-up intervals come first, then those of the window, then one
 * for the drain. The last interval of the warm-up and of the window may be shorter than interval_ns
 * (a window of 750 ms is 500 + 250).
 */
struct grid {
    int64_t interval_ns; /* > 0 */
    int64_t warmup_ns;   /* >= 0 */
    int64_t window_ns;   /* > 0 */
};

/* Number of intervals before the drain's; the drain's interval has this index. */
uint32_t grid_interval_count(const struct grid *grid);

/* Start of interval `index` in ns from grid zero, for 0 … grid_interval_count: the last one is the
 * start of the drain. */
int64_t grid_start_ns(const struct grid *grid, uint32_t index);

enum sample_phase grid_phase(const struct grid *grid, uint32_t index);

#endif
