// SPDX-License-Identifier: Apache-2.0
// tacho reproduce: a bundle's claims, measured again on this machine.
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/bundle/bag.h"
#include "report/bundle/fetch.h"
#include "report/bundle/verify.h"
#include "report/cmd.h"
#include "report/cmd_terminal.h"
#include "report/render/render.h"
#include "report/reproduce/reproduce.h"

#define LIST_BYTES_MAX ((size_t)64 << 20)

struct reproduce_options {
    const char *folder, *sha256, *signers_path, *identity, *language;
    bool yes, is_quick, allow_root;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, folder),
     .argument = "DIR",
     .help = "new folder for what comes out (default: NAME-reproduced beside the bundle)"},
    {.long_name = "yes",
     .short_name = 'y',
     .type = OPTION_FLAG,
     .offset = offsetof(struct reproduce_options, yes),
     .help = "run the bundle's commands without asking"},
    {.long_name = "quick",
     .short_name = 'q',
     .type = OPTION_FLAG,
     .offset = offsetof(struct reproduce_options, is_quick),
     .help = "fewer and shorter trials, to see that it works; decides nothing"},
    {.long_name = "allow-root",
     .type = OPTION_FLAG,
     .offset = offsetof(struct reproduce_options, allow_root),
     .help = "go on as root; the bundle's code runs as a user without rights"},
    {.long_name = "sha256",
     .type = OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, sha256),
     .argument = "HEX",
     .help = "SHA-256 that the article prints; without it the origin is not checked"},
    {.long_name = "signers",
     .type = OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, signers_path),
     .argument = "FILE",
     .help = "who may sign: ssh-keygen's allowed signers; BUNDLE.sig must be by one of them"},
    {.long_name = "identity",
     .type = OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, identity),
     .argument = "ID",
     .help = "who of --signers must have signed (default: any of them)"},
    {.long_name = "lang",
     .type = OPTION_TEXT,
     .offset = offsetof(struct reproduce_options, language),
     .argument = "LANGUAGE",
     .help =
         "of what readers get and are asked: en (default) or pt-BR; not of errors, verdict.json"},
};

const struct option_table cmd_reproduce_options = {
    .program = "tacho reproduce",
    .arguments = "BUNDLE|DIR|URL",
    .summary = "verify a bundle, build its engines, run its plan here, judge each claim",
    .details =
        "A URL is fetched into the current folder, as by tacho fetch. The bundle is verified "
        "first\n"
        "(exit status 5). Its engines are built from its sources and\n"
        "served in sandboxes: no network but a loopback interface, nothing written outside of "
        "DIR.\n"
        "VERDICT= REPRODUCED (exit status 0), PARTIAL or NOT_REPRODUCED (1; PARTIAL with nothing\n"
        "refuted 3), INCONCLUSIVE or NOT_COMPARABLE (3), INVALID (4: a wrong answer, no build).",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

/* What the verification hands over, and what becomes of it. */
struct command_run {
    struct reproduce_config config;
    struct reproduction *reproduction;
    struct document *words; /* in the language of readers */
    bool opening_failed;
};

static void notice_print(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "tacho: %s\n", text);
}

static enum err_code bundle_take(const struct verify_result *result, const struct file_tree *tree,
                                 void *context, struct err *e)
{
    struct command_run *run = context;

    run->config.verified = result;
    enum err_code code = reproduce_open(&run->config, tree, &run->reproduction, e);
    run->opening_failed = code != ERR_OK;
    return code;
}

static int verdict_print(const char *word, int status)
{
    printf("VERDICT=%s\n", word);
    return status;
}

/* Whether a person says yes, in English or by the letter that is asked for. */
static bool person_agrees(const struct command_run *run)
{
    const char *question = document_tr(run->words, "Run them? [y/N] ");
    const char *bracket = strchr(question, '[');
    char answer[16] = "";

    fputs(question, stderr);
    return fgets(answer, sizeof(answer), stdin) &&
           (tolower((unsigned char)*answer) == 'y' ||
            (bracket && tolower((unsigned char)*answer) == bracket[1]));
}

static void list_print(const struct command_run *run)
{
    struct buf text;

    buf_init(&text, LIST_BYTES_MAX);
    reproduce_list(run->reproduction, run->words, &text);
    fputs(text.length ? text.bytes : "", stdout);
    fflush(stdout);
    buf_release(&text);
}

static int word_status(const struct replication *replication)
{
    bool is_refused = false;

    switch (replication->word) {
    case REPLICATION_REPRODUCED:
        return EXIT_STATUS_OK;
    case REPLICATION_NOT_REPRODUCED:
        return EXIT_STATUS_NO;
    case REPLICATION_PARTIAL:
        for (size_t i = 0; i < replication->claim_count; i++) {
            is_refused = is_refused || replication->claims[i].word == REPLICATION_NOT_REPRODUCED;
        }
        return is_refused ? EXIT_STATUS_NO : EXIT_STATUS_UNFIT;
    case REPLICATION_INVALID:
        return EXIT_STATUS_INVALID;
    case REPLICATION_INCONCLUSIVE:
    case REPLICATION_NOT_COMPARABLE:
    case REPLICATION_WORD_COUNT:
        break;
    }
    return EXIT_STATUS_UNFIT;
}

static int outcome_print(const struct command_run *run)
{
    const struct reproduce_state *state = reproduce_get_state(run->reproduction);

    fputs(state->text.length ? state->text.bytes : "", stdout);
    printf("Written to %s: verdict.json, reproduction.html, reproduction.md\n", run->config.folder);
    if (*state->bundle_name) {
        printf("Bundle: %s.tar\nSHA-256: %s\n", state->bundle_name, state->bundle_sha256);
    }
    return verdict_print(replication_word_names[state->replication.word],
                         word_status(&state->replication));
}

static int reproduction_run(struct command_run *run, bool yes)
{
    struct err e;

    list_print(run);
    if (reproduce_check_sandbox(run->reproduction, &e) != ERR_OK) {
        fprintf(stderr, "tacho: %s\n", e.text);
        return verdict_print("INCONCLUSIVE", EXIT_STATUS_UNFIT);
    }
    if (!yes && !person_agrees(run)) {
        notice_print(NULL, document_tr(run->words, "nothing was run"));
        return EXIT_STATUS_USAGE;
    }
    cmd_signals_catch();
    if (reproduce_run(run->reproduction, &e) == ERR_OK) {
        return outcome_print(run);
    }
    if (cmd_stop_signal) {
        fprintf(stderr, "tacho: %s\n", e.text);
        return verdict_print("INTERRUPTED", 128 + (int)cmd_stop_signal);
    }
    return cmd_fail(&e);
}

/* What verification or opening refused. */
static int refusal_tell(const struct command_run *run, const struct err *e)
{
    if (run->opening_failed && e->code == ERR_FORMAT) {
        fprintf(stderr, "tacho: %s\n", e->text);
        return verdict_print("NOT_COMPARABLE", EXIT_STATUS_UNFIT);
    }
    return cmd_fail_path(e);
}

/* A bundle that was looked at. */
static int verified_reproduce(struct command_run *run, const struct verify_result *result, bool yes,
                              bool has_sha256)
{
    if (!result->verified) {
        cmd_print_findings(result);
        notice_print(NULL,
                     document_tr(run->words, "the bundle does not verify: nothing of it was run"));
        return verdict_print("REFUSED", EXIT_STATUS_EVIDENCE);
    }
    if (!has_sha256 && !*result->signer) {
        notice_print(NULL, document_tr(run->words,
                                       "the bundle is consistent; its origin was not checked (give "
                                       "--sha256 or --signers)"));
    }
    return reproduction_run(run, yes);
}

static enum err_code words_open(const char *language, struct document **words_out, struct err *e)
{
    struct document *words = document_new();
    enum err_code code =
        words ? document_set_language(words, language ? language : CATALOGUE_ENGLISH, e)
              : err_set(e, ERR_LIMIT, "no memory for what is told");

    if (code == ERR_OK) {
        *words_out = words;
    } else if (words) {
        document_free(words);
    }
    return code;
}

static int bundle_reproduce(const char *path, const struct reproduce_options *options,
                            const char *sha256)
{
    struct command_run run = {
        .config = {.folder = options->folder,
                   .program_version = cmd_version,
                   .is_quick = options->is_quick,
                   .clock = clock_system(),
                   .stop = &cmd_stop_signal,
                   .notice = notice_print,
                   .language = options->language,
                   .text_column_count = cmd_terminal_columns(STDOUT_FILENO, RENDER_TEXT_COLUMNS)}};
    const struct verify_config verify = {.path = path,
                                         .sha256 = sha256,
                                         .signers_path = options->signers_path,
                                         .identity = options->identity,
                                         .policy = VERIFY_POLICY_USUAL,
                                         .program_version = cmd_version,
                                         .temporary_folder = cmd_temporary_folder(),
                                         .take = bundle_take,
                                         .use_context = &run};
    struct verify_result *result = NULL;
    struct err e;
    int status;

    umask(022); /* another user reads it in the sandbox */
    if (words_open(options->language, &run.words, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    status = verify_run(&verify, &result, &e) == ERR_OK
                 ? verified_reproduce(&run, result, options->yes, sha256 != NULL)
                 : refusal_tell(&run, &e);
    reproduce_free(run.reproduction);
    document_free(run.words);
    free(result);
    return status;
}

/* What must hold before anything is read. */
static enum err_code options_check(struct reproduce_options *options,
                                   char sha256_out[DIGEST_HEX_BYTES], struct err *e)
{
    if (options->sha256 && !bag_parse_hex(options->sha256, strlen(options->sha256), sha256_out)) {
        return err_set(e, ERR_USAGE, "--sha256: 64 hex digits are wanted");
    }
    if (cmd_check_language(&options->language, e) != ERR_OK) {
        return e->code;
    }
    if (options->identity && !options->signers_path) {
        return err_set(e, ERR_USAGE, "--identity: --signers is wanted too");
    }
    if (geteuid() == 0 && !options->allow_root) {
        return err_set(e, ERR_USAGE,
                       "code of a bundle should not be run from root; do it as another user, or "
                       "with --allow-root");
    }
    if (!options->yes && isatty(STDIN_FILENO) != 1) {
        return err_set(e, ERR_USAGE,
                       "there is nobody to ask whether the bundle's commands may run; give --yes");
    }
    return ERR_OK;
}

/* A bundle of the web comes into the current folder first; its path, or the one given. */
static const char *bundle_find(const char *given, const char *sha256, struct fetch_result *fetched,
                               int *status_out)
{
    const struct fetch_config config = {.url = given, .folder = ".", .sha256 = sha256};
    struct err e;

    if (!strstr(given, "://")) {
        return given;
    }
    if (fetch_bundle(&config, fetched, &e) == ERR_OK) {
        fprintf(stderr, "tacho: fetched %s\n", fetched->path);
        return fetched->path;
    }
    *status_out = cmd_fetch_fail(&e);
    if (*status_out == EXIT_STATUS_EVIDENCE) {
        verdict_print("REFUSED", EXIT_STATUS_EVIDENCE);
    }
    return NULL;
}

int cmd_reproduce(int argc, char **argv)
{
    struct reproduce_options options = {0};
    char sha256[DIGEST_HEX_BYTES], folder[PATH_MAX];
    const char *path = NULL;
    struct fetch_result fetched;
    int positional_count = 0;
    int status = EXIT_STATUS_OK;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_reproduce_options, argc, argv, &options, &path, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_reproduce_options, stdout);
        return EXIT_STATUS_OK;
    }
    enum err_code code = options_check(&options, sha256, &e);
    if (code == ERR_OK) {
        path = bundle_find(path, options.sha256 ? sha256 : NULL, &fetched, &status);
        if (!path) {
            return status;
        }
    }
    if (code == ERR_OK && !options.folder) {
        code = cmd_default_folder(path, "reproduced", folder, &e);
        options.folder = folder;
    }
    if (code != ERR_OK) {
        return cmd_fail(&e);
    }
    return bundle_reproduce(path, &options, options.sha256 ? sha256 : NULL);
}
