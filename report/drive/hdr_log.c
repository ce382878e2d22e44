// SPDX-License-Identifier: Apache-2.0
// Lines of an HdrHistogram log.
#include "report/drive/hdr_log.h"

#include <inttypes.h>

#include "engines/base/clock.h"

#define ENCODED_BYTES_MAX (1 << 20)

/* source   RFC 4648, section 4 */
static void base64_add(const uint8_t *bytes, size_t length, struct buf *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        const char quad[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              left > 1 ? letters[group >> 6 & 63] : '=',
                              left > 2 ? letters[group & 63] : '='};
        buf_add(out, quad, sizeof(quad));
    }
}

static void seconds_add(int64_t ns, struct buf *out)
{
    int64_t ms = (ns + CLOCK_NS_PER_MS / 2) / CLOCK_NS_PER_MS;

    buf_addf(out, "%" PRId64 ".%03" PRId64, ms / 1000, ms % 1000);
}

void hdr_log_begin(int64_t started_utc_ns, const char *what, struct buf *out)
{
    char utc[CLOCK_TEXT_BYTES];

    clock_format_utc(started_utc_ns, utc);
    buf_addf(out, "#[%s; times in ns]\n#[Histogram log format version 1.3]\n#[StartTime: ", what);
    seconds_add(started_utc_ns, out);
    buf_addf(out,
             " (seconds since epoch), %s]\n"
             "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
             "\"Interval_Compressed_Histogram\"\n",
             utc);
}

enum err_code hdr_log_add(const char *tag, int64_t start_ns, int64_t end_ns,
                          const struct histogram *histogram, struct buf *out, struct err *e)
{
    struct buf encoded;

    buf_init(&encoded, ENCODED_BYTES_MAX);
    enum err_code code = histogram_encode(histogram, &encoded, e);
    if (code == ERR_OK) {
        if (tag) {
            buf_addf(out, "Tag=%s,", tag);
        }
        seconds_add(start_ns, out);
        buf_add_char(out, ',');
        seconds_add(end_ns - start_ns, out);
        buf_addf(out, ",%.3f,", (double)histogram->max_ns / (double)CLOCK_NS_PER_MS);
        base64_add((const uint8_t *)encoded.bytes, encoded.length, out);
        buf_add_char(out, '\n');
        code = buf_check(out, "the histogram log", e);
    }
    buf_release(&encoded);
    return code;
}
