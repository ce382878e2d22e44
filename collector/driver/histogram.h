// SPDX-License-Identifier: Apache-2.0
// HDR histograms of durations in ns with 3 significant digits, and the V2 wire form that public
// HdrHistogram libraries read.
#ifndef COLLECTOR_DRIVER_HISTOGRAM_H
#define COLLECTOR_DRIVER_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

/* Fixed shape: 1 ns … 1 h, 3 digits: 2048 linear buckets, then 1024 an octave. */
#define HISTOGRAM_LOWEST_NS  INT64_C(1)
#define HISTOGRAM_HIGHEST_NS INT64_C(3600000000000)
#define HISTOGRAM_DIGITS     3
#define HISTOGRAM_COUNT      33792 /* buckets: (32 + 1) halves of 1024; asserted by the code */

struct histogram {
    uint64_t total_count;    /* values recorded within the range */
    uint64_t overflow_count; /* values above HISTOGRAM_HIGHEST_NS: counted, in no bucket */
    int64_t max_ns;          /* exact largest value, overflow included; 0 when empty */
    int64_t sum_ns;          /* exact sum of all values; saturates at INT64_MAX */
    uint32_t counts[HISTOGRAM_COUNT];
};

/* Zeroes it. A histogram is plain memory: allocate it anywhere, copy it with memcpy. */
void histogram_clear(struct histogram *histogram);

/* Buckets from this one on are empty. */
uint32_t histogram_bucket_end(const struct histogram *histogram);

/* Empties one that was cleared before: of its many buckets most were never used. */
void histogram_empty(struct histogram *histogram);

/* Records one duration; negative is a programmer's mistake (assert). About 2 ns, no branch on the
 * bucket. */
void histogram_record(struct histogram *histogram, int64_t duration_ns);

/* Adds `source` to `target`; equal to having recorded both in one. Counts saturate at UINT32_MAX.
 */
void histogram_merge(struct histogram *target, const struct histogram *source);

/*
 * The value below or at which a share q of the recorded values lies: the highest value equivalent
 * to the bucket that holds the ceil(q·n)-th value (HdrHistogram's ValueAtPercentile).
 *
 * q        in [0, 1]
 * returns  ns; -1 when nothing was recorded
 */
int64_t histogram_quantile(const struct histogram *histogram, double q);

/* The same of several shares, ascending, in one walk through the buckets. */
void histogram_quantiles(const struct histogram *histogram, const double *shares, size_t count,
                         int64_t *ns_out);

/* How many of the recorded values lie in buckets that end at or below `limit_ns`. */
uint64_t histogram_count_within(const struct histogram *histogram, int64_t limit_ns);

/*
 * Appends the V2 compressed form (cookie 0x1c849304, zlib; payload cookie 0x1c849303, ZigZag LEB128
 * counts).
 *
 * source   HdrHistogram Java, AbstractHistogram.encodeIntoCompressedByteBuffer
 * errors   ERR_LIMIT: the buffer or zlib's memory is too small
 */
enum err_code histogram_encode(const struct histogram *histogram, struct buf *out,
                               struct err *e) ATTR_MUST_USE;

/*
 * Reads the V2 compressed form of a histogram with this shape and adds it to `target`. The form has
 * no exact largest value, so max_ns is that of a bucket, and no sum: sum_ns stays as it was.
 * Foreign bytes: bounds are checked everywhere.
 *
 * errors   ERR_FORMAT: wrong cookie, other shape, truncated, trailing or overlong data; target
 * untouched
 */
enum err_code histogram_decode(const uint8_t *bytes, size_t length, struct histogram *target,
                               struct err *e) ATTR_MUST_USE;

/* What many decodings share: histogram_decoder_add is histogram_decode without its allocations.
 * NULL: no memory. */
struct histogram_decoder;
struct histogram_decoder *histogram_decoder_new(void) ATTR_MUST_USE;
void histogram_decoder_free(struct histogram_decoder *decoder); /* NULL is accepted */
enum err_code histogram_decoder_add(struct histogram_decoder *decoder, const uint8_t *bytes,
                                    size_t length, struct histogram *target,
                                    struct err *e) ATTR_MUST_USE;

#endif
