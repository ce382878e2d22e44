// SPDX-License-Identifier: Apache-2.0
// The distribution of one engine's latencies in one cell: all counted trials merged, and how far
// single trials lie from each other.
#ifndef REPORT_JUDGE_LATENCY_PROFILE_H
#define REPORT_JUDGE_LATENCY_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/driver/histogram.h"

/* Shares at which trials are compared: 1 − 1/nines, 16 steps a power of ten up to 99.999 %, then
 * those that tables name. */
#define LATENCY_PROFILE_CURVE_COUNT 81
#define LATENCY_PROFILE_NAMED_COUNT 8 /* 50 75 90 95 99 99.9 99.99 99.999 % */
#define LATENCY_PROFILE_POINT_COUNT (LATENCY_PROFILE_CURVE_COUNT + LATENCY_PROFILE_NAMED_COUNT)

struct latency_profile {
    struct histogram merged; /* the windows of all counted trials */
    size_t trial_count;      /* with at least one request in it */
    int64_t low_ns[LATENCY_PROFILE_POINT_COUNT], high_ns[LATENCY_PROFILE_POINT_COUNT];
};

/* 1/(1 − share) of a point of the curve: 1, 1.15 … 100000. */
double latency_profile_nines(size_t point);
double latency_profile_share(size_t point);

/* The profile is zeroed before its first trial. A histogram without requests changes nothing. */
void latency_profile_add(struct latency_profile *profile, const struct histogram *trial);

#endif
