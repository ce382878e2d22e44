// SPDX-License-Identifier: Apache-2.0
// Numbers as text: printf's digits with the locale taken out, rounded before a unit is chosen.
#include "report/render/number.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/sample.h"
#include "engines/base/attr.h"

#define PLAIN_LIMIT  1e15 /* from here on digits of a double are not exact anyway */
#define DIGITS_NONE  3    /* significant digits of a value that has no interval */
#define DIGITS_LEAST 2    /* of a value above zero, however wide its interval */

static const char narrow_space[] = {'\xe2', '\x80', '\xaf'}; /* U+202F, no break */
static const char minus[] = {'\xe2', '\x88', '\x92'};        /* U+2212 */

/* Copies printf's output and puts a point where the locale has something else. */
static void text_neutralise(const char *raw, char out[NUMBER_TEXT_BYTES])
{
    size_t used = 0;
    bool in_separator = false;

    for (; *raw && used + 1 < NUMBER_TEXT_BYTES; raw++) {
        bool is_own = (*raw >= '0' && *raw <= '9') || *raw == '-' || *raw == '+' || *raw == 'e';

        if (is_own) {
            out[used++] = *raw;
        } else if (!in_separator) {
            out[used++] = '.';
        }
        in_separator = !is_own;
    }
    out[used] = '\0';
}

/* "-0.00" says nothing that "0.00" does not. */
static void text_drop_minus_zero(char *text)
{
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1)) {
        memmove(text, text + 1, strlen(text));
    }
}

static void text_group(char text[NUMBER_TEXT_BYTES])
{
    size_t sign = text[0] == '-';
    size_t digits = strspn(text + sign, "0123456789");
    size_t bytes = strlen(text) + 1;

    if (digits < 5 || bytes + digits > NUMBER_TEXT_BYTES) {
        return;
    }
    for (size_t right = 3; right < digits; right += 3) {
        size_t gap = sign + digits - right;

        memmove(text + gap + sizeof(narrow_space), text + gap, bytes - gap);
        memcpy(text + gap, narrow_space, sizeof(narrow_space));
        bytes += sizeof(narrow_space);
    }
}

/* A hyphen is shorter than a minus, and a line may end after it. */
static void text_set_minus(char text[NUMBER_TEXT_BYTES])
{
    size_t bytes = strlen(text) + 1;

    if (text[0] == '-' && bytes + sizeof(minus) <= NUMBER_TEXT_BYTES) {
        memmove(text + sizeof(minus), text + 1, bytes - 1);
        memcpy(text, minus, sizeof(minus));
    }
}

static const char *format_none(char out[NUMBER_TEXT_BYTES])
{
    memcpy(out, NUMBER_NONE, sizeof(NUMBER_NONE));
    return out;
}

const char *number_format_fixed(double value, int decimals, int grouped,
                                char out[NUMBER_TEXT_BYTES])
{
    char raw[NUMBER_TEXT_BYTES];

    if (!isfinite(value)) {
        return format_none(out);
    }
    if (fabs(value) >= PLAIN_LIMIT) {
        snprintf(raw, sizeof(raw), "%.3e", value);
        text_neutralise(raw, out);
        return out;
    }
    if (decimals < 0) {
        double step = 1;

        for (int i = decimals; i < 0 && step < PLAIN_LIMIT; i++) {
            step *= 10;
        }
        value = round(value / step) * step;
        decimals = 0;
    }
    snprintf(raw, sizeof(raw), "%.*f", decimals > 15 ? 15 : decimals, value);
    text_neutralise(raw, out);
    text_drop_minus_zero(out);
    if (grouped) {
        text_group(out);
        text_set_minus(out);
    }
    return out;
}

/* The decimal exponent after rounding to `digits` digits: 9.96 with 2 digits is 1.0e1. */
static int decimal_exponent(double value, int digits)
{
    char raw[NUMBER_TEXT_BYTES];
    const char *mark;

    snprintf(raw, sizeof(raw), "%.*e", digits - 1, value);
    mark = strchr(raw, 'e');
    return mark ? (int)strtol(mark + 1, NULL, 10) : 0;
}

const char *number_format_significant(double value, int digits, char out[NUMBER_TEXT_BYTES])
{
    assert(digits >= 1);
    if (!isfinite(value)) {
        return format_none(out);
    }
    if (value == 0) {
        return memcpy(out, "0", sizeof("0"));
    }
    return number_format_fixed(value, digits - 1 - decimal_exponent(value, digits), 1, out);
}

/* "0.50" → "0.5", "1.00" → "1": below the first unit a whole number is written as one. */
static void text_trim_zeros(char *text)
{
    size_t length = strlen(text);

    if (!strchr(text, '.')) {
        return;
    }
    while (text[length - 1] == '0') {
        text[--length] = '\0';
    }
    if (text[length - 1] == '.') {
        text[length - 1] = '\0';
    }
}

const char *number_format_given(double value, int digits, char out[NUMBER_TEXT_BYTES])
{
    number_format_significant(value, digits, out);
    text_trim_zeros(out);
    return out;
}

const char *number_format_plain(double value, char out[NUMBER_TEXT_BYTES])
{
    char raw[NUMBER_TEXT_BYTES];

    if (!isfinite(value)) {
        return format_none(out);
    }
    snprintf(raw, sizeof(raw), "%.12g", value);
    text_neutralise(raw, out);
    text_drop_minus_zero(out);
    return out;
}

const char *number_format_integer(int64_t value, char out[NUMBER_TEXT_BYTES])
{
    if (value == METRIC_UNKNOWN) {
        return format_none(out);
    }
    snprintf(out, NUMBER_TEXT_BYTES, "%lld", (long long)value);
    text_group(out);
    text_set_minus(out);
    return out;
}

/* Divides until the rounded text is below the factor, so that 1000.0k cannot be. */
static const char *format_scaled(double value, int decimals, long long factor,
                                 const char *const *suffixes, size_t suffix_count,
                                 char out[NUMBER_TEXT_BYTES])
{
    size_t i = 0;

    if (!isfinite(value)) {
        return format_none(out);
    }
    for (;; i++) {
        number_format_fixed(value, decimals, 0, out);
        if (llabs(strtoll(out, NULL, 10)) < factor || i + 1 == suffix_count) {
            break;
        }
        value /= (double)factor;
    }
    if (i == 0) {
        text_trim_zeros(out);
    }
    strncat(out, suffixes[i], NUMBER_TEXT_BYTES - strlen(out) - 1);
    return out;
}

const char *number_format_si(double value, int decimals, char out[NUMBER_TEXT_BYTES])
{
    static const char *const suffixes[] = {"", "k", "M", "G", "T", "P"};

    return format_scaled(value, decimals, 1000, suffixes, ARRAY_COUNT(suffixes), out);
}

const char *number_format_bytes(double bytes, int decimals, char out[NUMBER_TEXT_BYTES])
{
    static const char *const suffixes[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};

    return format_scaled(bytes, decimals, 1024, suffixes, ARRAY_COUNT(suffixes), out);
}

int number_interval_decimals(double low, double high)
{
    double width = high - low;

    if (!isfinite(width) || width <= 0) {
        return 0;
    }
    return 1 - decimal_exponent(width, 2);
}

static bool interval_exists(double low, double high)
{
    return isfinite(low) && isfinite(high) && high > low;
}

const char *number_format_estimate_value(double value, double low, double high,
                                         char out[NUMBER_TEXT_BYTES])
{
    if (!interval_exists(low, high)) {
        return number_format_significant(value, DIGITS_NONE, out);
    }
    int decimals = number_interval_decimals(low, high);

    /* Of what cannot be below zero an interval much wider than the value would leave a 0. */
    if (value > 0 && low >= 0 && isfinite(value)) {
        int least = DIGITS_LEAST - 1 - decimal_exponent(value, DIGITS_LEAST);

        decimals = least > decimals ? least : decimals;
    }
    return number_format_fixed(value, decimals, 1, out);
}

const char *number_format_interval(double low, double high, char out[NUMBER_TEXT_BYTES])
{
    char low_text[NUMBER_TEXT_BYTES], high_text[NUMBER_TEXT_BYTES];
    int decimals = number_interval_decimals(low, high);

    if (!interval_exists(low, high)) {
        out[0] = '\0';
        return out;
    }
    snprintf(out, NUMBER_TEXT_BYTES, "[%.44s, %.44s]",
             number_format_fixed(low, decimals, 1, low_text),
             number_format_fixed(high, decimals, 1, high_text));
    return out;
}

const char *number_format_estimate(double value, double low, double high, const char *suffix,
                                   char out[NUMBER_TEXT_BYTES])
{
    char value_text[NUMBER_TEXT_BYTES], interval[NUMBER_TEXT_BYTES];

    number_format_estimate_value(value, low, high, value_text);
    number_format_interval(low, high, interval);
    if (!isfinite(value)) {
        return format_none(out);
    }
    snprintf(out, NUMBER_TEXT_BYTES, "%.44s%.8s%s%.92s", value_text, suffix, *interval ? " " : "",
             interval);
    return out;
}
