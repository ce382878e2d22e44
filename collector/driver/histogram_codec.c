// SPDX-License-Identifier: Apache-2.0
// The V2 compressed form of HdrHistogram, written and read.
#include "collector/driver/histogram.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "collector/driver/histogram_bucket.h"

/* The high nibble of the last byte is a word size; 1 marks LEB128, as the Java library writes. */
#define COOKIE_PAYLOAD    UINT32_C(0x1c849303)
#define COOKIE_COMPRESSED UINT32_C(0x1c849304)
#define COOKIE_LEB128     UINT32_C(0x10)
#define COOKIE_WORD_MASK  UINT32_C(0xf0)

#define HEADER_BYTES        40
#define OUTER_HEADER_BYTES  8
#define LEB128_BYTES        9
#define PAYLOAD_LIMIT_BYTES ((size_t)HEADER_BYTES + (size_t)HISTOGRAM_COUNT * LEB128_BYTES)

static void u32_store(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void u64_store(uint8_t *out, uint64_t value)
{
    u32_store(out, (uint32_t)(value >> 32));
    u32_store(out + 4, (uint32_t)value);
}

static uint32_t u32_load(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint64_t u64_load(const uint8_t *bytes)
{
    return (uint64_t)u32_load(bytes) << 32 | u32_load(bytes + 4);
}

/* ZigZag LEB128: 7 bits a byte, low ones first; a ninth byte would hold 8. */
static size_t zigzag_store(uint8_t *out, int64_t value)
{
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    size_t length = 0;

    while (rest >= 0x80 && length < LEB128_BYTES - 1) {
        out[length++] = (uint8_t)(rest | 0x80);
        rest >>= 7;
    }
    out[length++] = (uint8_t)rest;
    return length;
}

/* Returns what is behind the value; NULL: it does not end. */
static const uint8_t *zigzag_load(const uint8_t *at, const uint8_t *end, int64_t *value_out)
{
    uint64_t raw = 0;

    for (unsigned i = 0; i < LEB128_BYTES && at < end; i++) {
        uint64_t byte = *at++;
        bool is_last = i == LEB128_BYTES - 1 || byte < 0x80;

        raw |= (i == LEB128_BYTES - 1 ? byte : byte & 0x7f) << (7 * i);
        if (is_last) {
            *value_out = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
            return at;
        }
    }
    return NULL;
}

static uint32_t used_count(const struct histogram *histogram)
{
    uint32_t count = HISTOGRAM_COUNT;

    while (count > 0 && histogram->counts[count - 1] == 0) {
        count--;
    }
    return count;
}

static size_t counts_store(const struct histogram *histogram, uint8_t *out)
{
    uint32_t count = used_count(histogram);
    size_t length = 0;

    for (uint32_t i = 0; i < count;) {
        int64_t zeros = 0;
        while (histogram->counts[i] == 0) { /* ends: the last used bucket is not zero */
            zeros++;
            i++;
        }
        if (zeros > 0) {
            length += zigzag_store(out + length, zeros == 1 ? 0 : -zeros);
        }
        length += zigzag_store(out + length, histogram->counts[i++]);
    }
    return length;
}

static size_t payload_store(const struct histogram *histogram, uint8_t *out)
{
    size_t counts_bytes = counts_store(histogram, out + HEADER_BYTES);
    double ratio = 1.0;
    uint64_t ratio_bits;

    memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
    u32_store(out, COOKIE_PAYLOAD | COOKIE_LEB128);
    u32_store(out + 4, (uint32_t)counts_bytes);
    u32_store(out + 8, 0); /* normalizing index offset */
    u32_store(out + 12, HISTOGRAM_DIGITS);
    u64_store(out + 16, HISTOGRAM_LOWEST_NS);
    u64_store(out + 24, HISTOGRAM_HIGHEST_NS);
    u64_store(out + 32, ratio_bits);
    return HEADER_BYTES + counts_bytes;
}

/* With the fixed codes of deflate (RFC 1951, 3.2.6): about a quarter more bytes, read in half the
 * time, since no codes are made for each of a million samples. Returns the length; 0: zlib refuses.
 */
static size_t payload_deflate(uint8_t *payload, size_t payload_bytes, uint8_t *packed, size_t limit)
{
    z_stream stream = {.next_in = payload,
                       .avail_in = (uInt)payload_bytes,
                       .next_out = packed,
                       .avail_out = (uInt)limit};

    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                     Z_FIXED) != Z_OK) {
        return 0;
    }
    int status = deflate(&stream, Z_FINISH);
    size_t length = stream.total_out;

    deflateEnd(&stream);
    return status == Z_STREAM_END ? length : 0;
}

enum err_code histogram_encode(const struct histogram *histogram, struct buf *out, struct err *e)
{
    /* compressBound holds for stored blocks, which deflate takes where fixed codes were longer. */
    const size_t limit = compressBound(PAYLOAD_LIMIT_BYTES);
    uint8_t *payload = malloc(PAYLOAD_LIMIT_BYTES + OUTER_HEADER_BYTES + limit);
    if (!payload) {
        return err_set(e, ERR_LIMIT, "no memory to encode a histogram");
    }
    uint8_t *packed = payload + PAYLOAD_LIMIT_BYTES;
    size_t length = payload_deflate(payload, payload_store(histogram, payload),
                                    packed + OUTER_HEADER_BYTES, limit);
    enum err_code code = ERR_LIMIT;
    if (length > 0) {
        u32_store(packed, COOKIE_COMPRESSED | COOKIE_LEB128);
        u32_store(packed + 4, (uint32_t)length);
        buf_add(out, packed, OUTER_HEADER_BYTES + length);
        code = buf_check(out, "an encoded histogram", e);
    } else {
        err_set(e, ERR_LIMIT, "zlib cannot compress a histogram");
    }
    free(payload);
    return code;
}

/* The buckets of one histogram that hold something, ascending, and some empty ones. */
struct used_buckets {
    uint32_t count;
    uint32_t indices[HISTOGRAM_COUNT], counts[HISTOGRAM_COUNT];
};

/*
 * Nearly every value is of one byte: twice a count, or odd for a run of empty buckets, which is
 * then one longer than half of it. What it is decides no branch. A single empty bucket may be a
 * count of 0. Returns false: not of this shape.
 */
static bool buckets_load(const uint8_t *at, const uint8_t *end, struct used_buckets *used)
{
    uint32_t index = 0, count = 0;
    int64_t value;

    while (at < end && index < HISTOGRAM_COUNT) {
        uint32_t byte = *at, is_run = byte & 1;

        used->indices[count] = index;
        used->counts[count] = byte >> 1;
        if (__builtin_expect(byte < 0x80, true)) {
            count += 1 - is_run;
            index += 1 + (byte >> 1 & -is_run);
            at++;
            continue;
        }
        at = zigzag_load(at, end, &value);
        if (!at || value > UINT32_MAX || value < -HISTOGRAM_COUNT) {
            return false;
        }
        used->counts[count] = (uint32_t)value;
        count += value >= 0;
        index += value < 0 ? (uint32_t)-value : 1;
    }
    used->count = count;
    return at == end && index <= HISTOGRAM_COUNT;
}

static void buckets_add(const struct used_buckets *used, struct histogram *target)
{
    uint64_t total_count = 0;

    for (uint32_t i = 0; i < used->count; i++) {
        uint32_t count = used->counts[i], *place = &target->counts[used->indices[i]];

        *place = count > UINT32_MAX - *place ? UINT32_MAX : *place + count;
        total_count += count;
    }
    target->total_count += total_count;
    uint32_t last = used->count;

    while (last > 0 && used->counts[last - 1] == 0) {
        last--;
    }
    if (last > 0) {
        int64_t highest_ns = bucket_highest_ns(used->indices[last - 1]);

        target->max_ns = highest_ns > target->max_ns ? highest_ns : target->max_ns;
    }
}

static bool shape_is_ours(const uint8_t *payload, size_t length)
{
    double ratio = 1.0;
    uint64_t ratio_bits;

    memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
    return length >= HEADER_BYTES && (u32_load(payload) & ~COOKIE_WORD_MASK) == COOKIE_PAYLOAD &&
           u32_load(payload + 4) == length - HEADER_BYTES && u32_load(payload + 8) == 0 &&
           u32_load(payload + 12) == HISTOGRAM_DIGITS &&
           u64_load(payload + 16) == HISTOGRAM_LOWEST_NS &&
           u64_load(payload + 24) == HISTOGRAM_HIGHEST_NS && u64_load(payload + 32) == ratio_bits;
}

struct histogram_decoder {
    struct libdeflate_decompressor
        *decompressor; /* for what is whole: faster than zlib's streams */
    struct used_buckets used;
    uint8_t payload[PAYLOAD_LIMIT_BYTES];
};

struct histogram_decoder *histogram_decoder_new(void)
{
    struct histogram_decoder *decoder = malloc(sizeof(*decoder));

    if (decoder) {
        decoder->decompressor = libdeflate_alloc_decompressor();
        if (!decoder->decompressor) {
            free(decoder);
            return NULL;
        }
    }
    return decoder;
}

void histogram_decoder_free(struct histogram_decoder *decoder)
{
    if (decoder) {
        libdeflate_free_decompressor(decoder->decompressor);
        free(decoder);
    }
}

/* Inflates the whole of `bytes`; false unless exactly one zlib stream fills it. */
static bool payload_inflate(struct histogram_decoder *decoder, const uint8_t *bytes, size_t length,
                            size_t *payload_bytes_out)
{
    size_t used_bytes = 0;

    return libdeflate_zlib_decompress_ex(decoder->decompressor, bytes, length, decoder->payload,
                                         sizeof(decoder->payload), &used_bytes,
                                         payload_bytes_out) == LIBDEFLATE_SUCCESS &&
           used_bytes == length;
}

enum err_code histogram_decoder_add(struct histogram_decoder *decoder, const uint8_t *bytes,
                                    size_t length, struct histogram *target, struct err *e)
{
    if (length < OUTER_HEADER_BYTES || length > PAYLOAD_LIMIT_BYTES + OUTER_HEADER_BYTES ||
        (u32_load(bytes) & ~COOKIE_WORD_MASK) != COOKIE_COMPRESSED ||
        u32_load(bytes + 4) != length - OUTER_HEADER_BYTES) {
        return err_set(e, ERR_FORMAT, "no whole V2 compressed histogram");
    }
    size_t payload_bytes = 0;
    if (!payload_inflate(decoder, bytes + OUTER_HEADER_BYTES, length - OUTER_HEADER_BYTES,
                         &payload_bytes)) {
        return err_set(e, ERR_FORMAT, "a histogram's zlib stream is damaged");
    }
    if (!shape_is_ours(decoder->payload, payload_bytes)) {
        return err_set(e, ERR_FORMAT, "a histogram of another shape, or damaged counts");
    }
    /* Looked at whole before anything is added. */
    if (!buckets_load(decoder->payload + HEADER_BYTES, decoder->payload + payload_bytes,
                      &decoder->used)) {
        return err_set(e, ERR_FORMAT, "a histogram of another shape, or damaged counts");
    }
    buckets_add(&decoder->used, target);
    return ERR_OK;
}

enum err_code histogram_decode(const uint8_t *bytes, size_t length, struct histogram *target,
                               struct err *e)
{
    struct histogram_decoder *decoder = histogram_decoder_new();

    if (!decoder) {
        return err_set(e, ERR_LIMIT, "no memory to decode a histogram");
    }
    enum err_code code = histogram_decoder_add(decoder, bytes, length, target, e);

    histogram_decoder_free(decoder);
    return code;
}
