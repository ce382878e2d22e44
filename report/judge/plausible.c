// SPDX-License-Identifier: Apache-2.0
// Rules that hold of the numbers of any benchmark.
#include "report/judge/plausible.h"

#include <math.h>

double plausible_little(double rate_per_s, double mean_ns, double in_flight)
{
    return in_flight > 0 ? rate_per_s * mean_ns / 1e9 / in_flight - 1 : (double)NAN;
}

double plausible_stdev_max(double mean, double low, double high)
{
    return sqrt((high - mean) * (mean - low));
}

double plausible_mean_min(double share, double quantile)
{
    return (1 - share) * quantile;
}

double plausible_mean_max(double share, double quantile, double high)
{
    return share * quantile + (1 - share) * high;
}
