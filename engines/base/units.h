// SPDX-License-Identifier: Apache-2.0
// Durations, counts and sizes as people write them: "500ms", "10k", "64KiB". Parsing and formatting
// over the same tables.
#ifndef ENGINES_BASE_UNITS_H
#define ENGINES_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

/*
 * A decimal number with a unit, e.g. "3s", "500ms", "1.5m", "250us", "0s". The unit is required.
 *
 * units    ns us ms s m h
 * ns_out   0 … INT64_MAX; untouched on failure
 * errors   ERR_USAGE: no number, no or unknown unit, negative, too large; the text names what was
 * wrong
 */
enum err_code units_parse_duration(const char *text, int64_t *ns_out, struct err *e) ATTR_MUST_USE;

/*
 * A whole number with an optional factor of 1000: "125", "10k", "2M".
 *
 * errors   ERR_USAGE: as above, or a result that is not whole, or outside [minimum, maximum], or a
 *          0 before another digit
 */
enum err_code units_parse_count(const char *text, int64_t minimum, int64_t maximum, int64_t *out,
                                struct err *e) ATTR_MUST_USE;

/* A size: "64KiB", "1MiB", "4096" (bytes), "64kB" (1000); units in any case. errors as
 * units_parse_count. */
enum err_code units_parse_bytes(const char *text, int64_t *bytes_out, struct err *e) ATTR_MUST_USE;

/*
 * The shortest exact form that units_parse_duration reads back: "3s", "500ms", "1500ms", "0s".
 * Minutes and hours are not used: one spelling for one duration.
 *
 * out      at least UNITS_TEXT_BYTES
 */
#define UNITS_TEXT_BYTES 32
void units_format_duration(int64_t ns, char out[UNITS_TEXT_BYTES]);

/* The form of a word that goes with the count: units_word(n, "trial is", "trials are"). */
static inline const char *units_word(int64_t count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

#endif
