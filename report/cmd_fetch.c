// SPDX-License-Identifier: Apache-2.0
// tacho fetch: a bundle from the web, verified.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/bundle/bag.h"
#include "report/bundle/fetch.h"
#include "report/bundle/verify.h"
#include "report/cmd.h"

struct fetch_options {
    const char *folder, *sha256;
    int64_t bytes_max; /* 0: as much as verify takes */
    bool insecure_http;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct fetch_options, folder),
     .argument = "DIR",
     .help = "folder for the bundle (default: the current one)"},
    {.long_name = "sha256",
     .type = OPTION_TEXT,
     .offset = offsetof(struct fetch_options, sha256),
     .argument = "HEX",
     .help = "SHA-256 that the article prints; nothing else is kept"},
    {.long_name = "max-size",
     .type = OPTION_SIZE,
     .offset = offsetof(struct fetch_options, bytes_max),
     .argument = "SIZE",
     .help = "most bytes that are taken (default: 1GiB)"},
    {.long_name = "insecure-http",
     .type = OPTION_FLAG,
     .offset = offsetof(struct fetch_options, insecure_http),
     .help = "take http from other machines too"},
};

const struct option_table cmd_fetch_options = {
    .program = "tacho fetch",
    .arguments = "URL",
    .summary = "a bundle from the web by its SHA-256, then verified",
    .details = "Only https, and http of this machine. A transfer that was cut is gone on with when "
               "the server still has the\nsame file. Exit status 2: the server answers 4xx; 5: a "
               "web page, not the bundle that --sha256 names, or\none that does not verify; 70: no "
               "connection, a cut, or the server answers 5xx.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

int cmd_fetch_fail(const struct err *e)
{
    int status = cmd_fail(e);

    return e->code == ERR_MISMATCH || e->code == ERR_FORMAT || e->code == ERR_LIMIT
               ? EXIT_STATUS_EVIDENCE
               : status;
}

static int bundle_fetch(const struct fetch_config *config)
{
    struct fetch_result result;
    struct err e;

    if (fetch_bundle(config, &result, &e) != ERR_OK) {
        return cmd_fetch_fail(&e);
    }
    printf("%s: %" PRIu64 " bytes", result.path, result.bytes);
    if (result.resumed_bytes) {
        printf(", %" PRIu64 " of them from an earlier try", result.resumed_bytes);
    }
    putchar('\n');
    const struct verify_config verify = {.path = result.path,
                                         .sha256 = config->sha256,
                                         .policy = VERIFY_POLICY_USUAL,
                                         .bytes_max = (size_t)config->bytes_max,
                                         .program_version = cmd_version,
                                         .temporary_folder = cmd_temporary_folder()};
    return cmd_verify_bundle(&verify, false);
}

int cmd_fetch(int argc, char **argv)
{
    struct fetch_options options = {.folder = "."};
    char sha256[DIGEST_HEX_BYTES];
    const char *url = NULL;
    int positional_count = 0;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_fetch_options, argc, argv, &options, &url, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_fetch_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (options.sha256 && !bag_parse_hex(options.sha256, strlen(options.sha256), sha256)) {
        err_set(&e, ERR_USAGE, "--sha256: 64 hex digits are wanted");
        return cmd_fail(&e);
    }
    const struct fetch_config config = {.url = url,
                                        .folder = options.folder,
                                        .sha256 = options.sha256 ? sha256 : NULL,
                                        .insecure_http = options.insecure_http,
                                        .bytes_max = (uint64_t)options.bytes_max};
    return bundle_fetch(&config);
}
