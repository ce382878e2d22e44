// SPDX-License-Identifier: Apache-2.0
// Inside the driver: what all threads recorded for one interval, put together.
#ifndef COLLECTOR_DRIVER_INTERVAL_MERGE_H
#define COLLECTOR_DRIVER_INTERVAL_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/driver/driver.h"
#include "collector/driver/driver_thread.h"

struct interval_merge {
    struct driver_interval *interval;
    struct histogram *latency;
    struct histogram *service, *lag; /* open loop, else NULL */
};

/* Clears everything; what a closed loop does not have becomes METRIC_UNKNOWN. */
void interval_merge_begin(struct interval_merge *merge, uint32_t index);

/* Takes what a thread recorded for the interval; with `takes_all` whatever it still has. */
void interval_merge_thread(struct interval_merge *merge, struct driver_thread *thread,
                           bool takes_all);

/* The metrics that follow from outcomes and histogram. */
void interval_merge_finish(struct interval_merge *merge);

#endif
