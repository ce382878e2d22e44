// SPDX-License-Identifier: Apache-2.0
#include <criterion/criterion.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "collector/driver/histogram.h"
#include "collector/driver/histogram_bucket.h"
#include "engines/base/attr.h"
#include "tests/support/edge_buf.h"
#include "tests/support/prop.h"

static struct histogram first, second, both; /* too large for a stack; each test is a process */

/* Values of HdrHistogram's own Java tests for (3600000000, 3): lowestEquivalentValue,
 * highestEquivalentValue, medianEquivalentValue, sizeOfEquivalentValueRange. */
Test(histogram, has_the_buckets_of_hdrhistogram)
{
    static const struct {
        int64_t value, lowest, median, highest;
    } rows[] = {
        {0, 0, 0, 0},
        {1, 1, 1, 1},
        {4, 4, 4, 4},
        {2047, 2047, 2047, 2047},
        {2500, 2500, 2501, 2501},
        {4000, 4000, 4001, 4001},
        {8000, 8000, 8002, 8003},
        {8180, 8180, 8182, 8183},
        {8191, 8188, 8190, 8191},
        {8193, 8192, 8196, 8199},
        {9995, 9992, 9996, 9999},
        {10007, 10000, 10004, 10007},
        {10008, 10008, 10012, 10015},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t index = bucket_index(rows[i].value);
        cr_expect_eq(bucket_lowest_ns(index), rows[i].lowest, "row %zu", i);
        cr_expect_eq(bucket_median_ns(index), rows[i].median, "row %zu", i);
        cr_expect_eq(bucket_highest_ns(index), rows[i].highest, "row %zu", i);
    }
    cr_expect_lt(bucket_index(HISTOGRAM_HIGHEST_NS), HISTOGRAM_COUNT);
    for (uint32_t i = 1; i < HISTOGRAM_COUNT; i++) {
        cr_expect_eq(bucket_lowest_ns(i), bucket_highest_ns(i - 1) + 1, "bucket %u", i);
        cr_expect_eq(bucket_index(bucket_lowest_ns(i)), i);
        cr_expect_eq(bucket_index(bucket_highest_ns(i)), i);
    }
}

/* 1 … 10000 once each: rank r is the value r, rounded up to the end of its bucket: width 4 from
 * 4096, 8 from 8192. */
Test(histogram, gives_the_value_at_a_percentile)
{
    static const struct {
        double q;
        int64_t want;
    } rows[] = {{0, 1},        {0.0001, 1},    {0.1, 1000},      {0.2, 2000},
                {0.25, 2501},  {0.5, 5003},    {0.9, 9007},      {0.99, 9903},
                {0.999, 9991}, {0.9999, 9999}, {0.99999, 10007}, {1, 10007}};

    cr_expect_eq(histogram_quantile(&first, 0.5), -1);
    for (int64_t value = 1; value <= 10000; value++) {
        histogram_record(&first, value);
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_eq(histogram_quantile(&first, rows[i].q), rows[i].want, "q %g: %ld", rows[i].q,
                     histogram_quantile(&first, rows[i].q));
    }
    cr_expect_eq(first.max_ns, 10000);
    cr_expect_eq(first.sum_ns, 50005000);
}

/* A29: 0, 1, max, max + 1, 2^63 - 1; a negative duration ends the program. */
Test(histogram, never_clamps_silently)
{
    static const int64_t values[] = {0, 1, HISTOGRAM_HIGHEST_NS, HISTOGRAM_HIGHEST_NS + 1,
                                     INT64_MAX};

    for (size_t i = 0; i < 5; i++) {
        histogram_record(&first, values[i]);
    }
    cr_expect_eq(first.total_count, 3);
    cr_expect_eq(first.overflow_count, 2);
    cr_expect_eq(first.max_ns, INT64_MAX);
    cr_expect_eq(first.sum_ns, INT64_MAX);
    /* 3.6e12 lies in [2^41, 2^42): buckets of 2^31 ns; 3.6e12 / 2^31 = 1676.38 */
    cr_expect_eq(histogram_quantile(&first, 1), INT64_C(1677) * 2147483648 - 1);
}

Test(histogram, refuses_a_negative_duration, .signal = SIGABRT)
{
    /* The line that assert prints looks like a failure among the results. */
    cr_assert_not_null(freopen("/dev/null", "w", stderr));
    histogram_record(&first, -1);
}

Test(histogram, merges_as_if_recorded_in_one)
{
    for_each_case(rng, 20, 11)
    {
        histogram_clear(&first);
        histogram_clear(&second);
        histogram_clear(&both);
        for (int i = 0; i < 500; i++) {
            int64_t value = (int64_t)(rng_next(&rng) >> (1 + rng_below(&rng, 63)));
            histogram_record(i % 3 ? &first : &second, value);
            histogram_record(&both, value);
        }
        histogram_merge(&first, &second);
        cr_expect_eq(memcmp(&first, &both, sizeof(both)), 0, "seed %lu", prop_case_seed);
    }
    histogram_clear(&first);
    histogram_record(&first, 5); /* values below 128 have a bucket each */
    first.counts[5] = UINT32_MAX - 1;
    second = first;
    histogram_merge(&first, &second);
    cr_expect_eq(first.counts[5], UINT32_MAX);
}

static size_t hex_read(const char *hex, uint8_t *out)
{
    size_t length = strlen(hex) / 2;

    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        out[i] = (uint8_t)byte;
    }
    return length;
}

/* 1, 1000, 1000, 65537, 1000000 and one hour, encoded by this code. hdr-histogram-js 3.0.1 reads it
 * as total 6, p50 1000, p99 and maximum 3601330077695. */
#define BLOB                                                                                       \
    "1c84931400000030789c9369992cccc0c0c0cf0001cc509a11c87433d8b180c1fe035484e9343fcbda04a6fd764c" \
    "976f33310100b38508fa"

Test(histogram, reads_a_blob_as_other_decoders_do)
{
    uint8_t bytes[200];
    size_t length = hex_read(BLOB, bytes);
    struct err e = {0};

    cr_assert_eq(histogram_decode(bytes, length, &first, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(first.total_count, 6);
    cr_expect_eq(histogram_quantile(&first, 0.5), 1000);
    cr_expect_eq(histogram_quantile(&first, 0.99), INT64_C(3601330077695));
    cr_expect_eq(first.max_ns, INT64_C(3601330077695));
    cr_expect_eq(first.counts[bucket_index(1000)], 2);
}

Test(histogram, decodes_what_it_encoded)
{
    struct err e = {0};
    struct buf blob;

    buf_init(&blob, 1 << 20);
    for_each_case(rng, 50, 3)
    {
        int count = (int)rng_below(&rng, 300);

        buf_clear(&blob);
        histogram_clear(&first);
        histogram_clear(&second);
        for (int i = 0; i < count; i++) {
            first.counts[rng_below(&rng, HISTOGRAM_COUNT)] =
                (uint32_t)(rng_next(&rng) >> (32 + rng_below(&rng, 31)));
        }
        cr_assert_eq(histogram_encode(&first, &blob, &e), ERR_OK);
        cr_assert_eq(histogram_decode((const uint8_t *)blob.bytes, blob.length, &second, &e),
                     ERR_OK, "seed %lu: %s", prop_case_seed, e.text);
        cr_expect_eq(memcmp(first.counts, second.counts, sizeof(first.counts)), 0);
    }
    buf_release(&blob);
}

Test(histogram, decodings_add_up_and_a_damaged_one_adds_nothing)
{
    uint8_t bytes[200];
    size_t length = hex_read(BLOB, bytes);
    struct histogram_decoder *decoder = histogram_decoder_new();
    int64_t ns[4];
    struct err e = {0};

    cr_assert_not_null(decoder);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(histogram_decoder_add(decoder, bytes, length, &first, &e), ERR_OK);
        cr_expect_eq(histogram_decoder_add(decoder, bytes, length - 1, &first, &e), ERR_FORMAT);
    }
    histogram_decoder_free(decoder);
    cr_expect_eq(first.total_count, 18); /* three times 1, 1000, 1000, 65537, 1000000, one hour */
    cr_expect_eq(first.counts[bucket_index(1000)], 6);
    /* Of 18 the first is rank 1; 0.1 is rank 2, 0.5 rank 9, 1 rank 18. */
    histogram_quantiles(&first, (const double[]){0, 0.1, 0.5, 1}, 4, ns);
    cr_expect_eq(ns[0], 1);
    cr_expect_eq(ns[1], 1);
    cr_expect_eq(ns[2], 1000);
    cr_expect_eq(ns[3], INT64_C(3601330077695));
}

/* The V2 form with these bytes for its counts, which are any. Returns its length. */
static size_t blob_make(const uint8_t *counts, size_t count, uint8_t blob[400])
{
    uint8_t bytes[200], payload[200];
    uLongf payload_bytes = sizeof(payload), packed_bytes = 392;
    size_t length = hex_read(BLOB, bytes);

    cr_assert_eq(uncompress(payload, &payload_bytes, bytes + 8, (uLong)length - 8), Z_OK);
    payload[7] = (uint8_t)count;
    memcpy(payload + 40, counts, count);
    cr_assert_eq(compress(blob + 8, &packed_bytes, payload, 40 + (uLong)count), Z_OK);
    memcpy(blob, bytes, 6);
    blob[6] = (uint8_t)(packed_bytes >> 8);
    blob[7] = (uint8_t)packed_bytes;
    return 8 + packed_bytes;
}

/* ZigZag LEB128: 2n for a count n, 2n − 1 for n empty buckets. */
Test(histogram, counts_that_are_damaged_or_too_large_leave_the_others_right)
{
    static const struct {
        uint8_t bytes[16];
        size_t count;
        enum err_code code;
        uint64_t total_count;
    } rows[] = {
        {{2, 4, 3, 6}, 4, ERR_OK, 6},
        {{2, 4, 0x80}, 3, ERR_FORMAT, 0},                                  /* does not end */
        {{2, 4, 0xfe, 0xff, 0xff, 0xff, 0x1f, 2}, 8, ERR_OK, 0x100000003}, /* 2^32 − 1 */
        {{2, 4, 0x80, 0x80, 0x80, 0x80, 0x20}, 7, ERR_FORMAT, 0},          /* 2^32 */
        {{2, 4, 0x81, 0x90, 0x04}, 5, ERR_FORMAT, 0},                      /* 33793 buckets */
        {{2, 0xfd, 0x8f, 0x04, 4}, 5, ERR_FORMAT, 0},                      /* 33791, and one more */
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        uint8_t blob[400];
        size_t length = blob_make(rows[i].bytes, rows[i].count, blob);
        struct err e;

        histogram_clear(&first);
        histogram_record(&first, 0);
        histogram_record(&first, 2);
        memcpy(&second, &first, sizeof(second));
        cr_expect_eq(histogram_decode(blob, length, &first, &e), rows[i].code, "row %zu", i);
        cr_expect_eq(first.total_count, 2 + rows[i].total_count, "row %zu", i);
        if (rows[i].code != ERR_OK) {
            cr_expect_eq(memcmp(&first, &second, sizeof(first)), 0, "row %zu", i);
            continue;
        }
        cr_expect_eq(first.counts[0], 2, "row %zu", i);
        cr_expect_eq(first.counts[1], 2, "row %zu", i);
        cr_expect_eq(first.counts[2], i == 0 ? 1 : UINT32_MAX, "row %zu", i);
        cr_expect_eq(first.counts[i == 0 ? 4 : 3], i == 0 ? 3 : 1, "row %zu", i);
    }
}

Test(histogram, refuses_damaged_blobs)
{
    uint8_t bytes[200];
    size_t length = hex_read(BLOB, bytes);
    struct err e = {0};
    int accepted_count = 0;

    for (size_t cut = 0; cut < length; cut++) {
        struct edge_buf edge;

        edge_buf_init(&edge, bytes, cut);
        cr_expect_eq(histogram_decode((const uint8_t *)edge.bytes, cut, &first, &e), ERR_FORMAT,
                     "cut at %zu", cut);
        edge_buf_release(&edge);
    }
    for_each_case(rng, 2000, 5)
    {
        struct edge_buf edge;

        edge_buf_init(&edge, bytes, length);
        edge.bytes[rng_below(&rng, length)] ^= (char)(1U << rng_below(&rng, 8));
        if (histogram_decode((const uint8_t *)edge.bytes, length, &second, &e) == ERR_OK) {
            accepted_count++; /* only a flip in the ignored word-size nibble of the cookie can be */
        }
        edge_buf_release(&edge);
    }
    bytes[length] = 0;
    cr_expect_eq(histogram_decode(bytes, length + 1, &first, &e), ERR_FORMAT, "trailing byte");
    cr_expect_lt(accepted_count, 100);
    cr_expect_eq(first.total_count, 0, "the target is untouched");
}

/* Well-formed streams (made with Python's zlib) that are not of this shape. */
Test(histogram, refuses_another_shape)
{
    static const struct {
        const char *what, *hex;
    } rows[] = {
        {"2 digits, as jHiccup writes", "1c84931400000030789c9369992cccc0c0c0cf00014c509a918181d9cd"
                                        "60c70206fb0f3099d3fc2c6b1398f6db315dbecdc40400b35d08f9"},
        {"24 h", "1c84931400000031789c9369992cccc0c0c0cf0001cc509a9181c16fca447f0606fb0f5011a6d3fc2"
                 "c6b1398f6db315dbecdc40400b47d08eb"},
        {"unit 1000", "1c8493140000002f789c9369992cccc0c0c0cf0001cc50ea0510bb19ec58c060ff012ac3749a"
                      "9f656d02d37e3ba6cbb7999800d0c809e4"},
        {"index offset 1, as hdr-histogram-js writes (the counts are the same bytes as ours)",
         "1c84931400000034789c9369992cccc0c0c0cfc0c0c0c8c0c0c0cc00018c0c0ccc6e063b1630c0f94ca7f959d"
         "62630edb763ba7c9b890900997807cd"},
        {"ratio 2", "1c8493140000002f789c9369992cccc0c0c0cf0001cc509a11c87433d8b180c1012ac0c0749a9f"
                    "656d02d37e3ba6cbb79998009efc080b"},
        {"V1 payload", "1c84931400000030789c936999ccc8c0c0c0cf0001cc501a28c6ec66b0630183fd07a808d36"
                       "97e96b5094cfbed982edf66620200afdd08e8"},
        {"more zeros than buckets", "1c84931400000024789c9369992cccc0c0c0c90001cc509a11c87433d8b180"
                                    "c1fe0344e03f0c0000a3290d4b"},
        {"a count above 32 bits", "1c84931400000024789c9369992cccc0c0c0c60001cc509a11c87433d8b180c1"
                                  "fe0344a001041c0073250711"},
        {"a count cut short",
         "1c84931400000022789c9369992cccc0c0c0c80001cc501ac8677633d8b180c1fe0344a00100532604cc"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t bytes[200];
        size_t length = hex_read(rows[i].hex, bytes);
        struct err e = {0};

        cr_expect_eq(histogram_decode(bytes, length, &first, &e), ERR_FORMAT, "%s", rows[i].what);
        cr_expect_not_null(strstr(e.text, "another shape"), "%s: %s", rows[i].what, e.text);
    }
    cr_expect_eq(first.total_count, 0);
}
