// SPDX-License-Identifier: Apache-2.0
// Buckets of the HDR histogram: recording, merging, quantiles.
#include "collector/driver/histogram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "collector/driver/histogram_bucket.h"

_Static_assert(HISTOGRAM_COUNT == (32 + 1) * BUCKET_HALF_COUNT, "32 octave buckets and one half");
_Static_assert(HISTOGRAM_HIGHEST_NS < (INT64_C(1) << 42), "the 32nd bucket ends at 2^42");

void histogram_clear(struct histogram *histogram)
{
    memset(histogram, 0, sizeof(*histogram));
}

uint32_t histogram_bucket_end(const struct histogram *histogram)
{
    int64_t max_ns =
        histogram->max_ns < HISTOGRAM_HIGHEST_NS ? histogram->max_ns : HISTOGRAM_HIGHEST_NS;

    return bucket_index(max_ns) + 1;
}

void histogram_empty(struct histogram *histogram)
{
    memset(histogram->counts, 0, histogram_bucket_end(histogram) * sizeof(histogram->counts[0]));
    memset(histogram, 0, offsetof(struct histogram, counts));
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static uint32_t count_add_saturated(uint32_t a, uint32_t b)
{
    uint32_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT32_MAX : sum;
}

void histogram_record(struct histogram *histogram, int64_t duration_ns)
{
    assert(duration_ns >= 0);
    if (duration_ns > histogram->max_ns) {
        histogram->max_ns = duration_ns;
    }
    histogram->sum_ns = add_saturated(histogram->sum_ns, duration_ns);
    if (duration_ns > HISTOGRAM_HIGHEST_NS) {
        histogram->overflow_count++;
        return;
    }
    uint32_t *count = &histogram->counts[bucket_index(duration_ns)];
    *count = count_add_saturated(*count, 1);
    histogram->total_count++;
}

void histogram_merge(struct histogram *target, const struct histogram *source)
{
    target->total_count += source->total_count;
    target->overflow_count += source->overflow_count;
    target->sum_ns = add_saturated(target->sum_ns, source->sum_ns);
    if (source->max_ns > target->max_ns) {
        target->max_ns = source->max_ns;
    }
    for (uint32_t i = 0, end = histogram_bucket_end(source); i < end; i++) {
        target->counts[i] = count_add_saturated(target->counts[i], source->counts[i]);
    }
}

/* HdrHistogram takes the next lower double of the percentile, so that a product such as
 * 0.999 * 1000 that is rounded up past a whole number does not skip one value. */
static uint64_t share_rank(double q, uint64_t total_count)
{
    double wanted = ceil(nextafter(q, 0.0) * (double)total_count);

    return wanted < 1 ? 1 : (uint64_t)wanted;
}

/* Only with saturated counts: the last value lies in the last used bucket. */
static int64_t last_used_ns(const struct histogram *histogram)
{
    for (uint32_t i = HISTOGRAM_COUNT; i-- > 0;) {
        if (histogram->counts[i]) {
            return bucket_highest_ns(i);
        }
    }
    return -1;
}

void histogram_quantiles(const struct histogram *histogram, const double *shares, size_t count,
                         int64_t *ns_out)
{
    uint64_t seen = 0;
    uint32_t bucket = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t rank = share_rank(shares[i], histogram->total_count);

        while (bucket < HISTOGRAM_COUNT && seen < rank) {
            seen += histogram->counts[bucket++];
        }
        if (histogram->total_count == 0) {
            ns_out[i] = -1;
        } else {
            assert(bucket > 0); /* a rank is 1 or more */
            ns_out[i] = seen < rank ? last_used_ns(histogram) : bucket_highest_ns(bucket - 1);
        }
    }
}

int64_t histogram_quantile(const struct histogram *histogram, double q)
{
    int64_t ns;

    assert(q >= 0 && q <= 1);
    histogram_quantiles(histogram, &q, 1, &ns);
    return ns;
}

uint64_t histogram_count_within(const struct histogram *histogram, int64_t limit_ns)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < HISTOGRAM_COUNT && bucket_highest_ns(i) <= limit_ns; i++) {
        count += histogram->counts[i];
    }
    return count;
}
