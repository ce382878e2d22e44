// SPDX-License-Identifier: Apache-2.0
// tacho verify: whether a bundle is what it says.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/bundle/bag.h"
#include "report/bundle/verify.h"
#include "report/bundle/verify_json.h"
#include "report/cmd.h"

struct verify_options {
    const char *sha256, *signers_path, *identity;
    int64_t bytes_max; /* 0: the usual limits */
    struct verify_policy policy;
    bool json;
};

static const struct option_row rows[] = {
    {.long_name = "sha256",
     .type = OPTION_TEXT,
     .offset = offsetof(struct verify_options, sha256),
     .argument = "HEX",
     .help = "SHA-256 that the article prints; without it the origin is not checked"},
    {.long_name = "signers",
     .type = OPTION_TEXT,
     .offset = offsetof(struct verify_options, signers_path),
     .argument = "FILE",
     .help = "who may sign: ssh-keygen's allowed signers; BUNDLE.sig must be by one of them"},
    {.long_name = "identity",
     .type = OPTION_TEXT,
     .offset = offsetof(struct verify_options, identity),
     .argument = "ID",
     .help = "who of --signers must have signed (default: any of them)"},
    {.long_name = "min-trials",
     .type = OPTION_COUNT,
     .offset = offsetof(struct verify_options, policy.trials_min),
     .minimum = 0,
     .maximum = 1000000,
     .argument = "N",
     .help = "finished trials that each engine must have in each cell that was begun (default: 1)"},
    {.long_name = "min-window",
     .type = OPTION_DURATION,
     .offset = offsetof(struct verify_options, policy.window_min_ns),
     .argument = "TIME",
     .help = "measured time that each finished trial must have (default: the plan's window)"},
    {.long_name = "spacing",
     .type = OPTION_COUNT,
     .offset = offsetof(struct verify_options, policy.spacing_percent),
     .minimum = 0,
     .maximum = 100,
     .argument = "PERCENT",
     .help = "how far a sample's length may be from the plan's (default: 10)"},
    {.long_name = "allow-gaps",
     .type = OPTION_FLAG,
     .offset = offsetof(struct verify_options, policy.allow_gaps),
     .help = "take finished trials in which samples are missing, or not on their grid"},
    {.long_name = "allow-failed",
     .type = OPTION_FLAG,
     .offset = offsetof(struct verify_options, policy.allow_failed),
     .help = "take sessions with trials that failed, e.g. by a wrong answer"},
    {.long_name = "no-policy",
     .type = OPTION_FLAG,
     .offset = offsetof(struct verify_options, policy.is_off),
     .help = "do not ask whether enough was measured (V11)"},
    {.long_name = "max-size",
     .type = OPTION_SIZE,
     .offset = offsetof(struct verify_options, bytes_max),
     .argument = "SIZE",
     .help = "of the bundle and of each file in it (default: 1GiB, 512MiB a file)"},
    {.long_name = "json",
     .type = OPTION_FLAG,
     .offset = offsetof(struct verify_options, json),
     .help = "write the outcome as one JSON object and nothing else"},
};

const struct option_table cmd_verify_options = {
    .program = "tacho verify",
    .arguments = "BUNDLE|DIR",
    .summary = "whether a bundle is what it says; the report is made again and compared",
    .details = "Nothing of the bundle is executed. Exit status 0: VERDICT=VERIFIED; "
               "5: VERDICT=REFUSED.\nFindings are \"STAGE CODE: text\" on standard error; stages "
               "and codes do not change.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

/* What a level of the report means to a reader. */
static const char *level_text(const char *level)
{
    static const char *const texts[][2] = {
        {"bytes", "the same bytes in every format"},
        {"but-figures", "the same bytes but for the pictures, which were not compared"},
        {"numbers",
         "the same numbers by another tacho (report.json, claims.json); all else not compared"},
        {"none", "NOT THE SAME numbers: another tacho"}};

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        if (strcmp(texts[i][0], level) == 0) {
            return texts[i][1];
        }
    }
    return level;
}

static void stages_print(const struct verify_result *result, const struct verify_config *config)
{
    for (size_t i = 0; verify_stages[i].code; i++) {
        const char *state = verify_get_state(config, result, i);

        if (strcmp(state, "not-asked") == 0) {
            state = strcmp(verify_stages[i].code, "V1") == 0   ? "not asked (--sha256)"
                    : strcmp(verify_stages[i].code, "V8") == 0 ? "not asked (--signers)"
                                                               : "not asked (--no-policy)";
        } else if (strcmp(state, "failed") == 0) {
            state = "FAILED";
        } else if (strcmp(state, "not-reached") == 0) {
            state = "not reached";
        } else if (strcmp(state, "partly") == 0 || strcmp(state, "differs") == 0) {
            state = level_text(result->report_level);
        }
        printf("%-4s %-32s %s\n", verify_stages[i].code, verify_stages[i].name, state);
    }
}

/* What is known of who made the bundle. */
static void origin_print(const struct verify_result *result, const struct verify_config *config)
{
    if (*result->signer) {
        printf("Signed by: %s, %s\n", result->signer, result->signer_key);
    }
    if (config->sha256) {
        puts("internally consistent, and the archive that --sha256 names");
    } else if (*result->signer) {
        puts("internally consistent, and signed by one whom --signers names");
    } else {
        puts("internally consistent, origin not checked (give --sha256 or --signers)");
    }
}

static void result_print(const struct verify_result *result, const struct verify_config *config)
{
    cmd_print_findings(result);
    stages_print(result, config);
    for (size_t i = 0; i < result->note_count; i++) {
        printf("note: %s\n", result->notes[i]);
    }
    if (*result->archive_sha256) {
        printf("SHA-256: %s\n", result->archive_sha256);
    }
    if (result->report_level) {
        printf("Report made again: %s\n", level_text(result->report_level));
    }
    if (result->verified) {
        printf("Bundle id: %s\nSamples digest: %s\n", result->id, result->samples_digest);
        origin_print(result, config);
    }
    printf("VERDICT=%s\n", result->verified ? "VERIFIED" : "REFUSED");
}

static enum err_code json_print(const struct verify_result *result,
                                const struct verify_config *config, struct err *e)
{
    struct buf text;

    buf_init(&text, (size_t)1 << 20);
    enum err_code code = verify_format_json(config, result, &text, e);
    if (code == ERR_OK) {
        fputs(text.bytes, stdout);
    }
    buf_release(&text);
    return code;
}

int cmd_verify_bundle(const struct verify_config *config, bool json)
{
    struct verify_result *result = NULL;
    struct err e;

    if (verify_run(config, &result, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    int status = result->verified ? EXIT_STATUS_OK : EXIT_STATUS_EVIDENCE;
    if (!json) {
        result_print(result, config);
    } else if (json_print(result, config, &e) != ERR_OK) {
        status = cmd_fail(&e);
    }
    free(result);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    struct verify_options options = {.policy = VERIFY_POLICY_USUAL};
    char sha256[DIGEST_HEX_BYTES];
    const char *path = NULL;
    int positional_count = 0;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_verify_options, argc, argv, &options, &path, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_verify_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (options.sha256 && !bag_parse_hex(options.sha256, strlen(options.sha256), sha256)) {
        err_set(&e, ERR_USAGE, "--sha256: 64 hex digits are wanted");
        return cmd_fail(&e);
    }
    if (options.identity && !options.signers_path) {
        err_set(&e, ERR_USAGE, "--identity: --signers is wanted too");
        return cmd_fail(&e);
    }
    const struct verify_config config = {.policy = options.policy,
                                         .bytes_max = (size_t)options.bytes_max,
                                         .path = path,
                                         .sha256 = options.sha256 ? sha256 : NULL,
                                         .signers_path = options.signers_path,
                                         .identity = options.identity,
                                         .program_version = cmd_version,
                                         .temporary_folder = cmd_temporary_folder()};
    return cmd_verify_bundle(&config, options.json);
}
