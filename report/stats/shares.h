// SPDX-License-Identifier: Apache-2.0
// Shares of a whole: how sure a count of rare events is.
#ifndef REPORT_STATS_SHARES_H
#define REPORT_STATS_SHARES_H

#include <stdint.h>

#include "report/stats/summary.h"

/*
 * Exact interval of a probability from `hits` in `count` independent tries.
 *
 * hits      <= count
 * returns   value hits/count; all NaN when count is 0
 * source    Clopper and Pearson 1934
 */
struct stats_interval shares_interval(uint64_t hits, uint64_t count, double confidence);

/*
 * Queries below a latency bound that are enough, beside `over` queries above it, to say that the
 * quantile is below the bound: the smallest h whose binomial tail is at most 1 − confidence.
 *
 * over        0 … SHARES_OVER_MAX
 * quantile    that is claimed, e.g. 0.99
 * confidence  e.g. 0.99
 * source      MLPerf inference rules, "early stopping criterion"
 */
#define SHARES_OVER_MAX 1000000
uint64_t shares_under_needed(uint64_t over, double quantile, double confidence);

/*
 * Queries that estimate a quantile with a margin: the fixed count that MLPerf asked for before it
 * had early stopping, z²·q(1 − q)/margin²
 * with a margin of (1 − q)/20.
 *
 * source      MLPerf inference rules
 */
uint64_t shares_poll_count(double quantile, double confidence);

#endif
