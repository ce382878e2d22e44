// SPDX-License-Identifier: Apache-2.0
// Exact binomial statements, by the incomplete beta function.
#include "report/stats/shares.h"

#include <assert.h>
#include <math.h>

#include "report/stats/distribution.h"

#define POLL_MARGIN_PARTS 20

struct stats_interval shares_interval(uint64_t hits, uint64_t count, double confidence)
{
    struct stats_interval share = {(double)NAN, (double)NAN, (double)NAN};
    double tail = (1 - confidence) / 2;
    double k = (double)hits;
    double n = (double)count;

    assert(hits <= count);
    if (!count) {
        return share;
    }
    share.value = k / n;
    share.low = hits == 0 ? 0 : distribution_beta_quantile(tail, k, n - k + 1);
    share.high = hits == count ? 1 : distribution_beta_quantile(1 - tail, k + 1, n - k);
    return share;
}

/* P(at most `over` of over + under queries are above a bound that the quantile just misses). */
static double miss_probability(uint64_t under, uint64_t over, double quantile)
{
    return distribution_beta_cdf(quantile, (double)under, (double)over + 1);
}

uint64_t shares_under_needed(uint64_t over, double quantile, double confidence)
{
    uint64_t low = 0; /* not enough */
    uint64_t high = 1;

    assert(over <= SHARES_OVER_MAX);
    assert(quantile > 0 && quantile < 1 && confidence > 0 && confidence < 1);
    while (miss_probability(high, over, quantile) > 1 - confidence) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (miss_probability(middle, over, quantile) > 1 - confidence) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

uint64_t shares_poll_count(double quantile, double confidence)
{
    double z = distribution_normal_quantile(0.5 + confidence / 2);
    double margin = (1 - quantile) / POLL_MARGIN_PARTS;

    return (uint64_t)ceil(z * z * quantile * (1 - quantile) / (margin * margin));
}
