// SPDX-License-Identifier: Apache-2.0
// Command lines from tables: one row an option makes the parser, --help and the documentation
// check. Prints only through option_print_help.
#ifndef ENGINES_BASE_OPTIONS_H
#define ENGINES_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engines/base/attr.h"
#include "engines/base/err.h"

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char *, points into argv */
    OPTION_COUNT,    /* int64_t, checked against minimum and maximum */
    OPTION_DURATION, /* int64_t ns */
    OPTION_SECONDS,  /* the same, and a number without a unit is of seconds, as wrk has it */
    OPTION_SIZE,     /* int64_t bytes, at least 1 */
    OPTION_TEXTS,    /* struct option_texts: may be given several times */
};

#define OPTION_TEXT_LIMIT 64
struct option_texts {
    const char *values[OPTION_TEXT_LIMIT]; /* point into argv */
    size_t count;
};

struct option_row {
    const char *long_name; /* without dashes */
    char short_name;       /* 0 when there is none */
    enum option_type type;
    size_t offset;            /* of the field in the caller's struct */
    const char *argument;     /* name of the value in --help, NULL for a flag */
    const char *help;         /* one line; says the default */
    int64_t minimum, maximum; /* OPTION_COUNT only */
};

struct option_table {
    const char *program;   /* "tacho run" */
    const char *arguments; /* "[PLAN]" */
    const char *summary;   /* one line */
    const char *details;   /* more lines for --help, or NULL */
    const struct option_row *rows;
    size_t row_count;
    int positional_minimum, positional_maximum;
};

/*
 * Parses argv[1 … argc-1] into the struct at `values`, which holds the defaults beforehand. Options
 * and positional arguments may be mixed; "--" ends the options; "--name=value" and "--name value"
 * are the same.
 *
 * positional_out        at least positional_maximum pointers into argv
 * positional_count_out  how many were given
 * help_out              true when --help or -h was met; then nothing else is checked
 * errors                ERR_USAGE: unknown option, missing, extra or bad value; the text names it
 */
enum err_code options_parse(const struct option_table *table, int argc, char **argv, void *values,
                            const char **positional_out, int *positional_count_out, bool *help_out,
                            struct err *e) ATTR_MUST_USE;

/* The help text of a table, options with one column of help each. */
void options_print_help(const struct option_table *table, FILE *out);

/* "program<TAB>--long<TAB>-s<TAB>argument<TAB>help" a row, for the documentation check and the
 * completion. */
void options_dump(const struct option_table *table, FILE *out);

#endif
