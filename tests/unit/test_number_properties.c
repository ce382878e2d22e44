// SPDX-License-Identifier: Apache-2.0
// Properties of numbers as text, over random ones of every size; and decimals that Python computed.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/attr.h"
#include "report/render/number.h"
#include "tests/support/prop.h"

/* The number that a text shows, without its groups; *unit_out gets what is behind it. */
static double read_back(const char *text, const char **unit_out)
{
    char digits[NUMBER_TEXT_BYTES];
    size_t length = 0;
    char *end = NULL;

    for (const char *at = text; *at; at++) {
        if (memcmp(at, "\u202f", 3) == 0) {
            at += 2;
        } else if (memcmp(at, "\u2212", 3) == 0) {
            digits[length++] = '-';
            at += 2;
        } else {
            digits[length++] = *at;
        }
    }
    digits[length] = '\0';
    double value = strtod(digits, &end);

    cr_assert(end > digits, "%s is no number", text);
    if (unit_out) {
        *unit_out = text + (strlen(text) - strlen(end));
    }
    return value;
}

/* Of any size that a report may have to show, both signs; some of them close to round ones. */
static double random_value(struct rng *rng)
{
    double value = (rng_unit(rng) + 0.1) * pow(10, (double)rng_below(rng, 22) - 8);

    if (rng_below(rng, 3) == 0) {
        value = pow(10, (double)rng_below(rng, 20) - 6) * (1 + (rng_unit(rng) - 0.5) * 1e-3);
    }
    return rng_below(rng, 4) == 0 ? -value : value;
}

static void expect_no_minus_zero(const char *text, uint64_t seed)
{
    bool is_negative = text[0] == '-' || strncmp(text, "\u2212", 3) == 0;

    cr_expect(!is_negative || strpbrk(text, "123456789"), "seed %llu: %s", (unsigned long long)seed,
              text);
}

/* Half a unit of the last digit away from the value, at most: decimals or significant digits. */
Test(number_properties, a_text_is_as_close_as_its_digits_allow)
{
    for_each_case(rng, 5000, 31)
    {
        double value = random_value(&rng), size = floor(log10(fabs(value)));
        int decimals = (int)rng_below(&rng, 10) - 3, digits = 1 + (int)rng_below(&rng, 12);
        char fixed[NUMBER_TEXT_BYTES], significant[NUMBER_TEXT_BYTES], plain[NUMBER_TEXT_BYTES];

        if (fabs(value) >= 1e14) {
            continue; /* an exponent may stand there */
        }
        double slack = fabs(value) * 1e-15 + 0.5e-15; /* 15 decimals at most */

        number_format_fixed(value, decimals, prop_case % 2, fixed);
        number_format_significant(value, digits, significant);
        number_format_plain(value, plain);
        expect_no_minus_zero(fixed, prop_case_seed);
        expect_no_minus_zero(significant, prop_case_seed);
        cr_expect_leq(fabs(read_back(fixed, NULL) - value), 0.5 * pow(10, -decimals) + slack,
                      "seed %llu: %.17g as %s", (unsigned long long)prop_case_seed, value, fixed);
        cr_expect_leq(fabs(read_back(significant, NULL) - value),
                      0.5 * pow(10, size + 1 - digits) * (1 + 1e-9) + slack,
                      "seed %llu: %.17g as %s", (unsigned long long)prop_case_seed, value,
                      significant);
        cr_expect_leq(fabs(read_back(plain, NULL) - value), 5.1e-12 * fabs(value),
                      "seed %llu: %.17g as %s", (unsigned long long)prop_case_seed, value, plain);
    }
}

/* A larger value never reads as a smaller one. */
Test(number_properties, order_is_kept)
{
    static const char suffixes[] = "kMGTP";

    for_each_case(rng, 5000, 32)
    {
        double low = random_value(&rng), high = low + fabs(low) * rng_unit(&rng) * 0.01;
        int digits = 1 + (int)rng_below(&rng, 6);
        char a[NUMBER_TEXT_BYTES], b[NUMBER_TEXT_BYTES];
        const char *unit;
        double shown[2];

        cr_expect_leq(read_back(number_format_significant(low, digits, a), NULL),
                      read_back(number_format_significant(high, digits, b), NULL),
                      "seed %llu: %s, %s", (unsigned long long)prop_case_seed, a, b);
        cr_expect_leq(read_back(number_format_fixed(low, digits - 3, 1, a), NULL),
                      read_back(number_format_fixed(high, digits - 3, 1, b), NULL),
                      "seed %llu: %s, %s", (unsigned long long)prop_case_seed, a, b);
        for (int i = 0; i < 2; i++) {
            number_format_si(i ? high : low, digits - 1, i ? b : a);
            shown[i] = read_back(i ? b : a, &unit);
            shown[i] *= *unit ? pow(1000, 1 + (double)(strchr(suffixes, *unit) - suffixes)) : 1;
        }
        cr_expect_leq(shown[0], shown[1] + fabs(shown[1]) * 1e-15, "seed %llu: %s, %s",
                      (unsigned long long)prop_case_seed, a, b);
    }
}

/* B07: "1000.0k" and "1024.00 KiB" are 1.0M and 1.00 MiB. */
Test(number_properties, a_unit_never_holds_as_much_as_the_next)
{
    for_each_case(rng, 5000, 33)
    {
        double value = random_value(&rng), size = fabs(random_value(&rng));
        int decimals = (int)rng_below(&rng, 4);
        char text[NUMBER_TEXT_BYTES];
        const char *unit;

        number_format_si(value, decimals, text);
        expect_no_minus_zero(text, prop_case_seed);
        double shown = fabs(read_back(text, &unit));
        cr_expect(shown < 1000, "seed %llu: %.17g as %s", (unsigned long long)prop_case_seed, value,
                  text);
        cr_expect(shown >= 1 || !*unit, "seed %llu: %.17g as %s",
                  (unsigned long long)prop_case_seed, value, text);
        number_format_bytes(size, decimals, text);
        shown = read_back(text, &unit);
        cr_expect(shown < 1024, "seed %llu: %.17g as %s", (unsigned long long)prop_case_seed, size,
                  text);
    }
}

/* The interval's width has two digits at the shown precision, and a value has as many decimals as
 * its interval's ends; one below ten of these steps has more (test_number.c). */
Test(number_properties, an_interval_decides_how_many_digits_are_shown)
{
    for_each_case(rng, 5000, 34)
    {
        double value = fabs(random_value(&rng));
        double half = value * pow(10, -6 * rng_unit(&rng));
        double low = value - half * rng_unit(&rng), high = value + half;
        int decimals = number_interval_decimals(low, high);
        double digits = round((high - low) * pow(10, decimals));
        char text[NUMBER_TEXT_BYTES], number[NUMBER_TEXT_BYTES], want[2 * NUMBER_TEXT_BYTES];

        if (value >= 1e12 || value * pow(10, decimals) < 10) {
            continue; /* a double has no more digits to show */
        }
        cr_expect(digits >= 10 && digits <= 100, "seed %llu: %.17g to %.17g: %d decimals",
                  (unsigned long long)prop_case_seed, low, high, decimals);
        number_format_estimate(value, low, high, "x", text);
        snprintf(want, sizeof(want), "%sx [", number_format_fixed(value, decimals, 1, number));
        snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s, ",
                 number_format_fixed(low, decimals, 1, number));
        snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s]",
                 number_format_fixed(high, decimals, 1, number));
        cr_expect_str_eq(text, want, "seed %llu", (unsigned long long)prop_case_seed);
    }
}

struct decimal {
    double value;
    int places;
    const char *want;
};

static const char *without_groups(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        if (memcmp(at, "\u202f", 3) == 0) {
            at += 2;
        } else if (memcmp(at, "\u2212", 3) == 0) {
            *to++ = '-';
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return text;
}

/* Python 3.11: f"{Decimal(v).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN):f}", the sign of
 * zero taken off; and +Decimal(v) with prec = places, zeros filled up. Decimal(v) is the double's
 * exact value. */
Test(number_properties, decimals_are_those_of_python)
{
    static const struct decimal fixed[] = {{0.125, 2, "0.12"},
                                           {0.375, 2, "0.38"},
                                           {2.675, 2, "2.67"},
                                           {1.005, 2, "1.00"},
                                           {0.5, 0, "0"},
                                           {1.5, 0, "2"},
                                           {2.5, 0, "2"},
                                           {-2.5, 0, "-2"},
                                           {-0.004, 2, "0.00"},
                                           {0.045, 2, "0.04"},
                                           {5e-07, 6, "0.000000"},
                                           {99.995, 2, "100.00"},
                                           {123456.789, 3, "123456.789"},
                                           {0.1, 15, "0.100000000000000"},
                                           {-98765.4321, 1, "-98765.4"},
                                           {281474976710656.1, 3, "281474976710656.125"},
                                           {0.6666666666666666, 12, "0.666666666667"},
                                           {100000000000000.5, 0, "100000000000000"}};
    static const struct decimal significant[] = {{0.00012345, 2, "0.00012"},
                                                 {0.0009996, 3, "0.00100"},
                                                 {9.995, 3, "9.99"},
                                                 {12345.6, 4, "12350"},
                                                 {1234567.0, 3, "1230000"},
                                                 {0.1, 12, "0.100000000000"},
                                                 {0.6666666666666666, 7, "0.6666667"},
                                                 {99.95, 3, "100"},
                                                 {1e-12, 1, "0.000000000001"},
                                                 {7.0, 3, "7.00"},
                                                 {251.0, 1, "300"},
                                                 {349.0, 1, "300"},
                                                 {31415926.5, 5, "31416000"},
                                                 {-0.0625, 1, "-0.06"}};
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(fixed); i++) {
        number_format_fixed(fixed[i].value, fixed[i].places, 1, text);
        cr_expect_str_eq(without_groups(text), fixed[i].want, "fixed %zu", i);
    }
    for (size_t i = 0; i < ARRAY_COUNT(significant); i++) {
        number_format_significant(significant[i].value, significant[i].places, text);
        cr_expect_str_eq(without_groups(text), significant[i].want, "significant %zu", i);
    }
}
