// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the only module that does it for reports. Independent of the locale.
#ifndef REPORT_RENDER_NUMBER_H
#define REPORT_RENDER_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_TEXT_BYTES 160   /* an estimate of three numbers with 15 digits on each side */
#define NUMBER_NONE       "n/a" /* what stands for NaN, infinity and unknown values */

/* All below write a NUL-terminated text into `out` (NUMBER_TEXT_BYTES) and return it. What is not
 * finite becomes NUMBER_NONE, minus zero "0". */

/* With a fixed number of decimals; a negative number of decimals rounds to tens, hundreds, …
 * When `grouped`, as pages have it: integer parts of five and more digits are grouped by U+202F,
 * the sign is U+2212. */
const char *number_format_fixed(double value, int decimals, int grouped,
                                char out[NUMBER_TEXT_BYTES]);

/* With `digits` significant digits, never in exponent form below 1e15: 54321 with 3 is 54300. */
const char *number_format_significant(double value, int digits, char out[NUMBER_TEXT_BYTES]);

/* As it was given: at most `digits` significant digits, grouped, without zeros at the end. */
const char *number_format_given(double value, int digits, char out[NUMBER_TEXT_BYTES]);

/* For files: the shortest of at most 12 significant digits ("%.12g" with a point). */
const char *number_format_plain(double value, char out[NUMBER_TEXT_BYTES]);

/* Whole number, grouped; METRIC_UNKNOWN is NUMBER_NONE. */
const char *number_format_integer(int64_t value, char out[NUMBER_TEXT_BYTES]);

/* With a factor of 1000: 999949 and one decimal is "999.9k", 999950 "1.0M". Below 1000 without
 * needless zeros. */
const char *number_format_si(double value, int decimals, char out[NUMBER_TEXT_BYTES]);

/* A size with a factor of 1024: "1.00 MiB", "512 B". */
const char *number_format_bytes(double bytes, int decimals, char out[NUMBER_TEXT_BYTES]);

/* Decimals (negative: tens) that leave two significant digits to the width of an interval. */
int number_interval_decimals(double low, double high);

/* "2.31× [2.25, 2.38]" with a suffix of "×"; only the value when there is no interval. */
const char *number_format_estimate(double value, double low, double high, const char *suffix,
                                   char out[NUMBER_TEXT_BYTES]);

/* The value of an estimate alone, at the precision of its interval, but with two digits at least
 * when the interval does not reach below zero; 3 digits without one. */
const char *number_format_estimate_value(double value, double low, double high,
                                         char out[NUMBER_TEXT_BYTES]);

/* "[2.25, 2.38]"; "" when there is no interval. */
const char *number_format_interval(double low, double high, char out[NUMBER_TEXT_BYTES]);

#endif
