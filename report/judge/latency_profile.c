// SPDX-License-Identifier: Apache-2.0
// Latency profiles: trials are added one by one, none is kept.
#include "report/judge/latency_profile.h"

#include "engines/base/attr.h"

static const double named_shares[LATENCY_PROFILE_NAMED_COUNT] = {0.5,  0.75,  0.9,    0.95,
                                                                 0.99, 0.999, 0.9999, 0.99999};

/* By table so that no libm bit decides: 10^(k/16). */
double latency_profile_nines(size_t point)
{
    static const double sixteenths[16] = {1,          1.15478198, 1.33352143, 1.53992653,
                                          1.77827941, 2.05352503, 2.37137371, 2.73841963,
                                          3.16227766, 3.65174127, 4.21696503, 4.86967525,
                                          5.62341325, 6.49381632, 7.49894209, 8.65964323};
    double power = 1;

    for (size_t i = 0; i < point / 16; i++) {
        power *= 10;
    }
    return power * sixteenths[point % 16];
}

double latency_profile_share(size_t point)
{
    return point < LATENCY_PROFILE_CURVE_COUNT ? 1 - 1 / latency_profile_nines(point)
                                               : named_shares[point - LATENCY_PROFILE_CURVE_COUNT];
}

void latency_profile_add(struct latency_profile *profile, const struct histogram *trial)
{
    double shares[LATENCY_PROFILE_POINT_COUNT];
    int64_t ns[LATENCY_PROFILE_POINT_COUNT];

    if (trial->total_count == 0) {
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(shares); i++) {
        shares[i] = latency_profile_share(i);
    }
    histogram_quantiles(trial, shares, LATENCY_PROFILE_CURVE_COUNT, ns);
    histogram_quantiles(trial, named_shares, LATENCY_PROFILE_NAMED_COUNT,
                        ns + LATENCY_PROFILE_CURVE_COUNT);
    for (size_t i = 0; i < ARRAY_COUNT(ns); i++) {
        bool is_first = profile->trial_count == 0;

        profile->low_ns[i] = is_first || ns[i] < profile->low_ns[i] ? ns[i] : profile->low_ns[i];
        profile->high_ns[i] = is_first || ns[i] > profile->high_ns[i] ? ns[i] : profile->high_ns[i];
    }
    histogram_merge(&profile->merged, trial);
    profile->trial_count++;
}
