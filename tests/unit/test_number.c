// SPDX-License-Identifier: Apache-2.0
// Numbers as text. Expected values are those of the fault reports B07 and B08, or by hand.
#include <criterion/criterion.h>
#include <math.h>

#include "collector/sample.h"
#include "report/render/number.h"

Test(number, rounds_before_it_chooses_a_unit)
{
    /* B07: "1000.0k" must not be. */
    static const struct {
        double value;
        int decimals;
        const char *want;
    } rows[] = {
        {999949, 1, "999.9k"}, {999950, 1, "1.0M"}, {999994, 2, "999.99k"}, {999999, 2, "1.00M"},
        {1, 1, "1"},           {0.5, 1, "0.5"},     {-0.0, 1, "0"},         {1e9, 2, "1.00G"},
        {0, 2, "0"},           {999.96, 1, "1.0k"}, {-1500, 1, "-1.5k"},    {NAN, 1, "n/a"},
        {INFINITY, 1, "n/a"},  {12.5, 1, "12.5"},
    };
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_str_eq(number_format_si(rows[i].value, rows[i].decimals, text), rows[i].want,
                         "row %zu", i);
    }
}

Test(number, sizes_have_a_factor_of_1024_and_say_so)
{
    /* B07, B08 */
    static const struct {
        double bytes;
        const char *want;
    } rows[] = {{1048575, "1.00 MiB"}, {1024, "1.00 KiB"}, {1000, "1000 B"},
                {1023, "1023 B"},      {0, "0 B"},         {1536, "1.50 KiB"}};
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cr_expect_str_eq(number_format_bytes(rows[i].bytes, 2, text), rows[i].want, "row %zu", i);
    }
}

Test(number, keeps_two_digits_of_the_intervals_width)
{
    /* Widths by hand: 0.13 keeps 2 decimals, 800 tens, 1.0 one decimal. */
    static const struct {
        double value, low, high;
        const char *want;
    } rows[] = {
        {2.3146, 2.25, 2.38, "2.31\xc3\x97 [2.25, 2.38]"},
        {54321.9, 53921, 54721,
         "54\xe2\x80\xaf"
         "320\xc3\x97 [53\xe2\x80\xaf"
         "920, 54\xe2\x80\xaf"
         "720]"},
        {10.04, 9.5, 10.5, "10.0\xc3\x97 [9.5, 10.5]"},
        /* Wider than the value: rounded to it nothing would be left. */
        {13411, 10, 1.8e7,
         "13\xe2\x80\xaf"
         "000\xc3\x97 [0, 18\xe2\x80\xaf"
         "000\xe2\x80\xaf"
         "000]"},
        {20.04, 0.29, 1400, "20\xc3\x97 [0, 1400]"},
        {0.0312, 0.004, 1.3, "0.031\xc3\x97 [0.0, 1.3]"},
        {0.0312, -1.2, 1.3,
         "0.0\xc3\x97 [\xe2\x88\x92"
         "1.2, 1.3]"}, /* may be nothing */
        {2.3146, NAN, NAN, "2.31\xc3\x97"},
        {2.3146, 2.3146, 2.3146, "2.31\xc3\x97"},
        {NAN, NAN, NAN, "n/a"},
        {INFINITY, NAN, NAN, "n/a"},
    };
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        number_format_estimate(rows[i].value, rows[i].low, rows[i].high, "\xc3\x97", text);
        cr_expect_str_eq(text, rows[i].want, "row %zu: %s", i, text);
    }
}

Test(number, has_no_minus_zero_and_no_nan)
{
    char text[NUMBER_TEXT_BYTES];

    cr_expect_str_eq(number_format_fixed(-0.001, 2, 0, text), "0.00");
    cr_expect_str_eq(number_format_fixed(-0.0, 0, 0, text), "0");
    cr_expect_str_eq(number_format_fixed(-12.345, 1, 0, text), "-12.3");
    cr_expect_str_eq(number_format_fixed(-12.345, 1, 1, text), "\u221212.3"); /* in pages */
    cr_expect_str_eq(number_format_fixed(-123456, 0, 1, text), "\u2212123\u202f456");
    cr_expect_str_eq(number_format_plain(-12.5, text), "-12.5");
    cr_expect_str_eq(number_format_fixed(NAN, 2, 0, text), "n/a");
    cr_expect_str_eq(number_format_fixed(-INFINITY, 2, 0, text), "n/a");
    cr_expect_str_eq(number_format_plain(-0.0, text), "0");
    cr_expect_str_eq(number_format_given(4477.74, 12, text), "4477.74");
    cr_expect_str_eq(number_format_given(22.0, 12, text), "22");
    cr_expect_str_eq(number_format_given(30, 12, text), "30");
    cr_expect_str_eq(number_format_given(190629.72, 12, text), "190\u202f629.72");
    cr_expect_str_eq(number_format_given(642.81 / 1024, 6, text), "0.627744");
    cr_expect_str_eq(number_format_given(0, 6, text), "0");
    cr_expect_str_eq(number_format_given((double)NAN, 6, text), "n/a");
    cr_expect_str_eq(number_format_significant(-0.0, 3, text), "0");
    cr_expect_str_eq(number_format_integer(METRIC_UNKNOWN, text), "n/a");
}

Test(number, rounds_to_significant_digits)
{
    static const struct {
        double value;
        int digits;
        const char *want;
    } rows[] = {{54321, 3,
                 "54\xe2\x80\xaf"
                 "300"},
                {0.0012345, 3, "0.00123"},
                {9.996, 3, "10.0"},
                {999.6, 3, "1000"},
                {1.5, 3, "1.50"},
                {123456, 2,
                 "120\xe2\x80\xaf"
                 "000"}};
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        number_format_significant(rows[i].value, rows[i].digits, text);
        cr_expect_str_eq(text, rows[i].want, "row %zu: %s", i, text);
    }
    cr_expect_str_eq(number_format_integer(1234567, text), "1\xe2\x80\xaf"
                                                           "234\xe2\x80\xaf"
                                                           "567");
    cr_expect_str_eq(number_format_integer(-1234, text), "\u22121234");
}

Test(number, fits_whatever_a_double_holds)
{
    static const double values[] = {1e308, -1e308, 5e-324, 1e15, 123456789012345.0, -1e-300};
    char text[NUMBER_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        number_format_fixed(values[i], 6, 1, text);
        cr_expect_lt(strlen(text), NUMBER_TEXT_BYTES);
        number_format_estimate(values[i], values[i] - 1e300, values[i] + 1e300, "\xc3\x97", text);
        cr_expect_lt(strlen(text), NUMBER_TEXT_BYTES);
        number_format_si(values[i], 2, text);
        cr_expect_lt(strlen(text), NUMBER_TEXT_BYTES);
    }
}
