// SPDX-License-Identifier: Apache-2.0
// tacho bundle: the evidence of a results file in one archive.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engines/base/units.h"
#include "report/bundle/bundle.h"
#include "report/cmd.h"

struct bundle_options {
    const char *folder, *key_path;
    bool skip_scan;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct bundle_options, folder),
     .argument = "DIR",
     .help = "folder for the bundle (default: the current one)"},
    {.long_name = "sign",
     .type = OPTION_TEXT,
     .offset = offsetof(struct bundle_options, key_path),
     .argument = "KEY",
     .help = "sign with this key by ssh-keygen; writes NAME-ID.tar.sig"},
    {.long_name = "no-scan",
     .type = OPTION_FLAG,
     .offset = offsetof(struct bundle_options, skip_scan),
     .help = "seal without looking for private keys, tokens and folders of persons"},
};

const struct option_table cmd_bundle_options = {
    .program = "tacho bundle",
    .arguments = "RESULTS.db",
    .summary = "the evidence of a results file in one archive with its SHA-256",
    .details = "Writes NAME-ID.tar, NAME-ID.tar.sha256 and NAME-ID.publish.{md,html,json}. The "
               "results file alone "
               "decides the bytes:\nno clock, no environment. The same file gives the same "
               "SHA-256 with the same tacho, SQLite and gnuplot.\n"
               "Of several sessions in the file, the newest is reported; the file goes in whole.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

/* The bundle is what it is all the same; who publishes it should know before a reader does. */
static void refusals_print(const struct bundle_result *result)
{
    for (size_t i = 0; i < result->refusal_count && i < BUNDLE_REFUSAL_COUNT_MAX; i++) {
        fprintf(stderr, "tacho: %s %s: %s\n", result->refusals[i].stage, result->refusals[i].code,
                result->refusals[i].text);
    }
    if (result->refusal_count > BUNDLE_REFUSAL_COUNT_MAX) {
        size_t more_count = result->refusal_count - BUNDLE_REFUSAL_COUNT_MAX;

        fprintf(stderr, "tacho: %zu more finding%s\n", more_count,
                units_word((int64_t)more_count, "", "s"));
    }
    if (result->rows_disagree) {
        fprintf(stderr, "tacho: sealed, but `tacho verify` refuses it: its rows do not agree; "
                        "measure anew\n");
    } else if (result->refusal_count) {
        fprintf(stderr, "tacho: sealed, but `tacho verify` refuses it for that without the options "
                        "named there; its README says so\n");
    }
}

int cmd_bundle(int argc, char **argv)
{
    struct bundle_options options = {.folder = "."};
    const char *results_path = NULL;
    struct bundle_result result;
    int positional_count = 0;
    bool help = false;
    struct buf text;
    struct err e;

    if (options_parse(&cmd_bundle_options, argc, argv, &options, &results_path, &positional_count,
                      &help, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_bundle_options, stdout);
        return EXIT_STATUS_OK;
    }
    const struct bundle_config config = {.results_path = results_path,
                                         .folder = options.folder,
                                         .program_version = cmd_version,
                                         .skip_scan = options.skip_scan,
                                         .key_path = options.key_path};
    if (bundle_write(&config, &result, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    if (*result.notice) {
        fprintf(stderr, "tacho: %s\n", result.notice);
    }
    refusals_print(&result);
    if (!result.has_sources) {
        fprintf(stderr, "tacho: measured by another program: the engines' sources are left out\n");
    }
    buf_init(&text, 65536);
    bundle_format_snippet(&result, NULL, &text);
    fputs(text.bytes, stdout);
    buf_release(&text);
    printf("VERDICT=SEALED\n");
    return EXIT_STATUS_OK;
}
