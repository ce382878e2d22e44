// SPDX-License-Identifier: Apache-2.0
// Numbers with units. Expected values: arithmetic by hand.
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "engines/base/units.h"
#include "tests/support/prop.h"

#define BAD (-1)

Test(units, durations_are_read_exactly)
{
    static const struct {
        const char *text;
        int64_t ns; /* BAD: refused */
    } rows[] = {
        {"3s", INT64_C(3000000000)},
        {"500ms", 500000000},
        {"250us", 250000},
        {"7ns", 7},
        {"1.5m", INT64_C(90000000000)},
        {"2h", INT64_C(7200000000000)},
        {"0s", 0},
        {"0.000000001s", 1},
        {"0.1s", 100000000},
        {"9223372036854775807ns", INT64_MAX},
        {"9223372036854775808ns", BAD},
        {"9223372037s", BAD},
        {"0.0000000001s", BAD},
        {"0.5ns", BAD},
        {"3", BAD},
        {"s", BAD},
        {"", BAD},
        {"-1s", BAD},
        {"+1s", BAD},
        {" 1s", BAD},
        {"1s ", BAD},
        {"1 s", BAD},
        {"1.s", BAD},
        {".5s", BAD},
        {"1e3s", BAD},
        {"1sec", BAD},
        {"1S", BAD},
        {"1d", BAD},
        {"0x1s", BAD},
        {"1,5s", BAD},
        {"nans", BAD},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct err e = {0};
        int64_t ns = -7;
        enum err_code code = units_parse_duration(rows[i].text, &ns, &e);

        cr_expect_eq(code, rows[i].ns == BAD ? ERR_USAGE : ERR_OK, "\"%s\"", rows[i].text);
        cr_expect_eq(ns, rows[i].ns == BAD ? -7 : rows[i].ns, "\"%s\": %" PRId64, rows[i].text, ns);
        cr_expect_eq(e.text[0] != '\0', rows[i].ns == BAD, "\"%s\"", rows[i].text);
    }
}

Test(units, counts_keep_to_their_range)
{
    static const struct {
        const char *text;
        int64_t minimum, maximum, count;
    } rows[] = {
        {"125", 0, 1000, 125},
        {"10k", 0, 100000, 10000},
        {"2M", 0, INT64_MAX, 2000000},
        {"1G", 0, INT64_MAX, 1000000000},
        {"1.5k", 0, 2000, 1500},
        {"1.0", 0, 10, 1},
        {"0", 0, 10, 0},
        {"10", 0, 10, 10},
        {"1.5", 0, 10, BAD},
        {"11", 0, 10, BAD},
        {"0", 1, 10, BAD},
        {"080", 0, 100, BAD},
        {"00", 0, 100, BAD},
        {"0.5k", 0, 1000, 500},
        {"1K", 0, INT64_MAX, BAD},
        {"1 k", 0, INT64_MAX, BAD},
        {"", 0, 10, BAD},
        {"9223372036854775807k", 0, INT64_MAX, BAD},
        {"-5", -10, 10, BAD},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int64_t count = -7;
        enum err_code code =
            units_parse_count(rows[i].text, rows[i].minimum, rows[i].maximum, &count, NULL);

        cr_expect_eq(code, rows[i].count == BAD ? ERR_USAGE : ERR_OK, "\"%s\"", rows[i].text);
        cr_expect_eq(count, rows[i].count == BAD ? -7 : rows[i].count, "\"%s\"", rows[i].text);
    }
}

Test(units, sizes_know_both_thousands)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } rows[] = {
        {"4096", 4096},
        {"64KiB", 65536},
        {"1MiB", 1048576},
        {"1GiB", 1073741824},
        {"64kB", 64000},
        {"2MB", 2000000},
        {"5B", 5},
        {"0.5KiB", 512},
        {"64KB", 64000},
        {"64kib", 65536},
        {"1gib", 1073741824},
        {"1Gb", 1000000000},
        {"0.3KiB", BAD},
        {"1G", BAD},
        {"1 GiB", BAD},
        {"64k", BAD},
        {"8589934592GiB", BAD},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int64_t bytes = -7;
        enum err_code code = units_parse_bytes(rows[i].text, &bytes, NULL);

        cr_expect_eq(code, rows[i].bytes == BAD ? ERR_USAGE : ERR_OK, "\"%s\"", rows[i].text);
        cr_expect_eq(bytes, rows[i].bytes == BAD ? -7 : rows[i].bytes, "\"%s\"", rows[i].text);
    }
}

Test(units, a_duration_has_one_spelling)
{
    static const struct {
        int64_t ns;
        const char *text;
    } rows[] = {
        {INT64_C(3000000000), "3s"},
        {500000000, "500ms"},
        {INT64_C(1500000000), "1500ms"},
        {0, "0s"},
        {250000, "250us"},
        {7, "7ns"},
        {INT64_C(90000000000), "90s"},
        {1000001, "1000001ns"},
        {INT64_MAX, "9223372036854775807ns"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        char text[UNITS_TEXT_BYTES];

        units_format_duration(rows[i].ns, text);
        cr_expect_str_eq(text, rows[i].text);
    }
}

Test(units, formatting_and_parsing_are_inverse)
{
    for_each_case(rng, 2000, 3)
    {
        char text[UNITS_TEXT_BYTES];
        int64_t scale = 1;
        int64_t back = -1;

        for (uint64_t i = rng_below(&rng, 10); i > 0; i--) {
            scale *= 10;
        }
        int64_t ns = (int64_t)rng_below(&rng, (uint64_t)(INT64_MAX / scale)) * scale;
        units_format_duration(ns, text);
        cr_expect_eq(units_parse_duration(text, &back, NULL), ERR_OK, "%s", text);
        cr_expect_eq(back, ns, "%s", text);
    }
}

Test(units, the_word_goes_with_the_count)
{
    static const struct {
        int64_t count;
        const char *word;
    } rows[] = {{0, "trials are"}, {1, "trial is"}, {2, "trials are"}, {11, "trials are"}};

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_expect_str_eq(units_word(rows[i].count, "trial is", "trials are"), rows[i].word);
    }
}
