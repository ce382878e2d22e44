// SPDX-License-Identifier: Apache-2.0
// Which bucket a duration lies in, and which durations a bucket holds: the arithmetic of
// HdrHistogram for unit 1 and 3 digits.
#ifndef COLLECTOR_DRIVER_HISTOGRAM_BUCKET_H
#define COLLECTOR_DRIVER_HISTOGRAM_BUCKET_H

#include <stdint.h>

/* 3 digits need 2·10^3 distinct values: the next power of two is 2048. */
#define BUCKET_SUB_BITS   11
#define BUCKET_SUB_COUNT  (1 << BUCKET_SUB_BITS)
#define BUCKET_HALF_COUNT (BUCKET_SUB_COUNT / 2)

/* value  0 … HISTOGRAM_HIGHEST_NS.   source   HdrHistogram Java, AbstractHistogram.countsArrayIndex
 */
static inline uint32_t bucket_index(int64_t value)
{
    uint64_t bits = (uint64_t)value | (BUCKET_SUB_COUNT - 1);
    uint32_t octave = (uint32_t)(64 - BUCKET_SUB_BITS - __builtin_clzll(bits));

    return octave * BUCKET_HALF_COUNT + (uint32_t)((uint64_t)value >> octave);
}

/* Buckets are 2^this ns wide. */
static inline uint32_t bucket_shift(uint32_t index)
{
    uint32_t half = index / BUCKET_HALF_COUNT;

    return half > 1 ? half - 1 : 0;
}

/* Width in ns of the bucket: how many values are not told apart. */
static inline int64_t bucket_width_ns(uint32_t index)
{
    return INT64_C(1) << bucket_shift(index);
}

static inline int64_t bucket_lowest_ns(uint32_t index)
{
    uint32_t shift = bucket_shift(index);

    return (int64_t)(index - shift * BUCKET_HALF_COUNT) << shift;
}

static inline int64_t bucket_highest_ns(uint32_t index)
{
    return bucket_lowest_ns(index) + bucket_width_ns(index) - 1;
}

static inline int64_t bucket_median_ns(uint32_t index)
{
    return bucket_lowest_ns(index) + bucket_width_ns(index) / 2;
}

#endif
