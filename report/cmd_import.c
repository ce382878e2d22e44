// SPDX-License-Identifier: Apache-2.0
// tacho import: what another load generator printed, as published numbers.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/cmd.h"
#include "report/import/import_wrk.h"
#include "report/published/published.h"

#define FILES_MAX 64

struct import_options {
    const char *output, *title;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct import_options, output),
     .argument = "OUT.json",
     .help = "the published numbers (default: standard output)"},
    {.long_name = "title",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct import_options, title),
     .argument = "TEXT",
     .help = "title of its report (default: the names of the engines)"},
};

const struct option_table cmd_import_options = {
    .program = "tacho import",
    .arguments = "wrk FILE...",
    .summary = "what wrk printed, as published numbers for tacho report",
    .details =
        "One run a file; its engine is named after the file. KB, MB and GB of wrk are\n"
        "1024-based. What wrk could not compute (-nan%, 0.00us of nothing) is left out, and so\n"
        "is, with a warning, what has no unit and what is not wrk's. Nothing is measured:\n"
        "tacho report OUT.json says what the numbers are worth.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 2,
    .positional_maximum = 1 + FILES_MAX,
};

static enum err_code write_out(const struct import_options *options, const struct buf *json,
                               struct err *e)
{
    if (options->output) {
        return fs_write_file(options->output, json->bytes, json->length, e);
    }
    fwrite(json->bytes, 1, json->length, stdout);
    return ERR_OK;
}

/* Each line of them as a message. */
static void print_warnings(const struct buf *warnings)
{
    for (const char *line = warnings->bytes; *line;) {
        const char *end = strchrnul(line, '\n');

        fprintf(stderr, "tacho: %.*s\n", (int)(end - line), line);
        line = *end ? end + 1 : end;
    }
}

int cmd_import(int argc, char **argv)
{
    struct import_options options = {0};
    const char *positional[1 + FILES_MAX] = {NULL};
    struct buf json, warnings;
    int positional_count = 0;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_import_options, argc, argv, &options, positional, &positional_count,
                      &help, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_import_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (strcmp(positional[0], "wrk") != 0) {
        err_set(&e, ERR_USAGE, "\"%.60s\" is no tool whose output is known; name wrk",
                positional[0]);
        return cmd_fail(&e);
    }
    buf_init(&json, PUBLISHED_TEXT_BYTES_MAX);
    buf_init(&warnings, PUBLISHED_TEXT_BYTES_MAX);
    enum err_code code = import_wrk(positional + 1, (size_t)positional_count - 1, options.title,
                                    &json, &warnings, &e);
    print_warnings(&warnings);
    if (code == ERR_OK) {
        code = write_out(&options, &json, &e);
    }
    if (code == ERR_OK && options.output) {
        printf("%s\n", options.output);
    }
    buf_release(&json);
    buf_release(&warnings);
    return code == ERR_OK ? EXIT_STATUS_OK : cmd_fail_path(&e);
}
