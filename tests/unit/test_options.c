// SPDX-License-Identifier: Apache-2.0
// Command lines from tables.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "engines/base/options.h"

struct values {
    bool quiet;
    const char *output;
    int64_t count, time_ns, bytes;
};

static const struct option_row rows[] = {
    {"quiet", 'q', OPTION_FLAG, offsetof(struct values, quiet), NULL, "says less", 0, 0},
    {"output", 'o', OPTION_TEXT, offsetof(struct values, output), "FILE", "where to", 0, 0},
    {"count", 0, OPTION_COUNT, offsetof(struct values, count), "N", "how many", 1, 10000},
    {"time", 't', OPTION_DURATION, offsetof(struct values, time_ns), "TIME", "how long", 0, 0},
    {"wait", 'w', OPTION_SECONDS, offsetof(struct values, time_ns), "TIME", "as long", 0, 0},
    {"size", 0, OPTION_SIZE, offsetof(struct values, bytes), "SIZE", "how large", 0, 0},
};

static const struct option_table table = {
    .program = "prog",
    .arguments = "[FILE]",
    .summary = "Does it.",
    .details = "More.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 2,
};

/* Parses "a b c" as words; returns the code. */
static enum err_code line_parse(const char *line, struct values *values, const char **positional,
                                int *count, bool *help, struct err *e)
{
    static char text[256];
    char *words[20] = {text};
    int word_count = 1;

    snprintf(text, sizeof(text), "prog %s", line);
    strtok(text, " ");
    for (char *word; (word = strtok(NULL, " "));) {
        words[word_count++] = word;
    }
    return options_parse(&table, word_count, words, values, positional, count, help, e);
}

Test(options, of_every_spelling_are_understood)
{
    static const struct {
        const char *line;
        struct values want;
        int positional_count;
    } cases[] = {
        {"a", {false, "-", 5, 0, 0}, 1},
        {"-q a", {true, "-", 5, 0, 0}, 1},
        {"a --quiet b", {true, "-", 5, 0, 0}, 2},
        {"-o x a", {false, "x", 5, 0, 0}, 1},
        {"-ox a", {false, "x", 5, 0, 0}, 1},
        {"--output x a", {false, "x", 5, 0, 0}, 1},
        {"--output=x a", {false, "x", 5, 0, 0}, 1},
        {"--output= a", {false, "", 5, 0, 0}, 1},
        {"--output=x=y a", {false, "x=y", 5, 0, 0}, 1},
        {"--count 2k a", {false, "-", 2000, 0, 0}, 1},
        {"-t 3s a", {false, "-", 5, INT64_C(3000000000), 0}, 1},
        {"-w10 a", {false, "-", 5, INT64_C(10000000000), 0}, 1},
        {"--wait 500ms a", {false, "-", 5, INT64_C(500000000), 0}, 1},
        {"--size 2gib a", {false, "-", 5, 0, INT64_C(2147483648)}, 1},
        {"-- -q --help", {false, "-", 5, 0, 0}, 2},
        {"-o -- a", {false, "--", 5, 0, 0}, 1},
        {"- a", {false, "-", 5, 0, 0}, 2},
        {"--count 1 --count 2 a", {false, "-", 2, 0, 0}, 1},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct values values = {.output = "-", .count = 5};
        const char *positional[2];
        int count = 0;
        bool help = false;
        struct err e = {0};

        cr_expect_eq(line_parse(cases[i].line, &values, positional, &count, &help, &e), ERR_OK,
                     "%s: %s", cases[i].line, e.text);
        cr_expect_eq(values.quiet, cases[i].want.quiet, "%s", cases[i].line);
        cr_expect_str_eq(values.output, cases[i].want.output, "%s", cases[i].line);
        cr_expect_eq(values.count, cases[i].want.count, "%s", cases[i].line);
        cr_expect_eq(values.bytes, cases[i].want.bytes, "%s", cases[i].line);
        cr_expect_eq(values.time_ns, cases[i].want.time_ns, "%s", cases[i].line);
        cr_expect_eq(count, cases[i].positional_count, "%s: %d", cases[i].line, count);
        cr_expect_not(help);
    }
}

Test(options, that_are_wrong_are_named)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"--nothing a", "unknown option --nothing"},
        {"-x a", "unknown option -x"},
        {"--outpu x a", "unknown option --outpu"},
        {"--quiet=yes a", "takes no value"},
        {"-qo a", "takes no value"},
        {"a --output", "--output needs a value (FILE)"},
        {"a -o", "-o needs a value (FILE)"},
        {"--count x a", "--count: "},
        {"--count 0 a", "outside 1 to 10000"},
        {"--count 10001 a", "outside 1 to 10000"},
        {"--time 3 a", "--time: "},
        {"--wait 1.5 a", "--wait: "},
        {"--wait 99999999999 a", "--wait: "},
        {"--wait 99999999999999999999999999999999999 a", "--wait: "},
        {"--size 1G a", "--size: \"1G\" has an unknown unit"},
        {"--size 0 a", "--size: at least 1 byte"},
        {"", "an argument is missing"},
        {"a b c", "unexpected argument \"c\""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct values values = {0};
        const char *positional[2];
        int count = 0;
        bool help = false;
        struct err e = {0};

        cr_expect_eq(line_parse(cases[i].line, &values, positional, &count, &help, &e), ERR_USAGE,
                     "%s", cases[i].line);
        cr_expect(strstr(e.text, cases[i].part), "%s: %s", cases[i].line, e.text);
    }
}

Test(options, ask_for_help_before_anything_is_missing)
{
    struct values values = {0};
    const char *positional[2];
    int count = 0;
    bool help = false;

    cr_expect_eq(line_parse("--help", &values, positional, &count, &help, NULL), ERR_OK);
    cr_expect(help);
    cr_expect_eq(line_parse("a b -h", &values, positional, &count, &help, NULL), ERR_OK);
    cr_expect(help);
}

Test(options, are_printed_from_the_same_table)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    options_print_help(&table, out);
    fclose(out);
    cr_expect_str_eq(text, "usage: prog [options] [FILE]\n\nDoes it.\n\noptions:\n"
                           "  -q, --quiet                 says less\n"
                           "  -o, --output FILE           where to\n"
                           "      --count N               how many\n"
                           "  -t, --time TIME             how long\n"
                           "  -w, --wait TIME             as long\n"
                           "      --size SIZE             how large\n\nMore.\n");
    free(text);
    text = NULL;
    out = open_memstream(&text, &length);
    options_dump(&table, out);
    fclose(out);
    cr_expect(strstr(text, "prog\t--output\t-o\tFILE\twhere to\n"), "%s", text);
    free(text);
}
