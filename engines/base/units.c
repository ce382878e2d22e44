// SPDX-License-Identifier: Apache-2.0
// Numbers with units: one table a kind of unit, one parser over all tables.
#include "engines/base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DIGITS_SURE 19 /* INT64_MAX has so many: what has fewer is never too large */

struct unit {
    const char *name;
    int64_t scale;
};

static const struct unit duration_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", INT64_C(60) * 1000000000},
    {"h", INT64_C(3600) * 1000000000},
    {NULL, 0},
};

static const struct unit count_units[] = {
    {"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {NULL, 0},
};

static const struct unit byte_units[] = {
    {"", 1},          {"B", 1},         {"kB", 1000},     {"MB", 1000000}, {"GB", 1000000000},
    {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {NULL, 0},
};

/* Of sizes "gib" can be nothing but GiB; of counts and durations "m" is not "M". */
static const struct unit *unit_find(const struct unit *units, const char *name)
{
    bool any_case = units == byte_units;

    for (; units->name; units++) {
        if ((any_case ? strcasecmp(units->name, name) : strcmp(units->name, name)) == 0) {
            return units;
        }
    }
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits[.digits] as an exact fraction; returns the first byte after it, NULL when there is
 * no number. */
static const char *decimal_read(const char *text, int64_t *whole, int64_t *fraction,
                                int64_t *divisor)
{
    const char *p = text;

    *whole = 0;
    *fraction = 0;
    *divisor = 1;
    if (!is_digit(*p)) {
        return NULL;
    }
    for (; is_digit(*p); p++) {
        if (__builtin_mul_overflow(*whole, 10, whole) ||
            __builtin_add_overflow(*whole, *p - '0', whole)) {
            return NULL;
        }
    }
    if (*p != '.') {
        return p;
    }
    p++;
    if (!is_digit(*p)) {
        return NULL;
    }
    for (; is_digit(*p); p++) {
        if (*divisor >= INT64_C(1000000000)) {
            return NULL;
        }
        *fraction = *fraction * 10 + (*p - '0');
        *divisor *= 10;
    }
    return p;
}

/* value = (whole + fraction / divisor) * scale, refused when it is not whole or does not fit. */
static bool scale_exact(int64_t whole, int64_t fraction, int64_t divisor, int64_t scale,
                        int64_t *out)
{
    int64_t scaled_whole;
    int64_t scaled_fraction;

    if (__builtin_mul_overflow(whole, scale, &scaled_whole) ||
        __builtin_mul_overflow(fraction, scale, &scaled_fraction) ||
        scaled_fraction % divisor != 0 ||
        __builtin_add_overflow(scaled_whole, scaled_fraction / divisor, out)) {
        return false;
    }
    return true;
}

static enum err_code scaled_parse(const char *text, const struct unit *units, const char *what,
                                  const char *example, int64_t *out, struct err *e)
{
    int64_t whole;
    int64_t fraction;
    int64_t divisor;
    const char *unit_name = decimal_read(text, &whole, &fraction, &divisor);

    if (!unit_name && strspn(text, "0123456789") >= DIGITS_SURE) {
        return err_set(e, ERR_USAGE, "\"%.40s\" is too large for a %s", text, what);
    }
    if (!unit_name) {
        return err_set(e, ERR_USAGE, "\"%.40s\" is not a %s; write it like %s", text, what,
                       example);
    }
    const struct unit *unit = unit_find(units, unit_name);
    if (!unit) {
        return err_set(e, ERR_USAGE, "\"%.40s\" has %s unit; write the %s like %s", text,
                       *unit_name ? "an unknown" : "no", what, example);
    }
    if (!scale_exact(whole, fraction, divisor, unit->scale, out)) {
        return err_set(e, ERR_USAGE, "\"%.40s\" is too large or too fine for a %s", text, what);
    }
    return ERR_OK;
}

enum err_code units_parse_duration(const char *text, int64_t *ns_out, struct err *e)
{
    int64_t ns;
    enum err_code code = scaled_parse(text, duration_units, "duration", "3s or 500ms", &ns, e);

    if (code == ERR_OK) {
        *ns_out = ns;
    }
    return code;
}

enum err_code units_parse_count(const char *text, int64_t minimum, int64_t maximum, int64_t *out,
                                struct err *e)
{
    int64_t count;
    enum err_code code = scaled_parse(text, count_units, "whole number", "125 or 10k", &count, e);

    if (code != ERR_OK) {
        return code;
    }
    if (text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        return err_set(e, ERR_USAGE, "%s begins with 0, which some read as octal; write %" PRId64,
                       text, count);
    }
    if (count < minimum || count > maximum) {
        return err_set(e, ERR_USAGE, "%s is outside %" PRId64 " to %" PRId64, text, minimum,
                       maximum);
    }
    *out = count;
    return ERR_OK;
}

enum err_code units_parse_bytes(const char *text, int64_t *bytes_out, struct err *e)
{
    int64_t bytes;
    enum err_code code =
        scaled_parse(text, byte_units, "size", "4096, 64KiB, 2MiB or 1GiB", &bytes, e);

    if (code == ERR_OK) {
        *bytes_out = bytes;
    }
    return code;
}

void units_format_duration(int64_t ns, char out[UNITS_TEXT_BYTES])
{
    static const struct unit exact_units[] = {
        {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

    for (size_t i = 0; i < ARRAY_COUNT(exact_units); i++) {
        if (ns % exact_units[i].scale == 0) {
            snprintf(out, UNITS_TEXT_BYTES, "%" PRId64 "%s", ns / exact_units[i].scale,
                     exact_units[i].name);
            return;
        }
    }
}
