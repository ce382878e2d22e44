// SPDX-License-Identifier: Apache-2.0
// tacho report: the report of a results file in the forms that were asked for.
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/bundle/verify.h"
#include "report/cmd.h"
#include "report/report.h"

struct report_options {
    const char *folder, *formats, *session;
    bool verdict_required;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, folder),
     .argument = "DIR",
     .help = "folder for the report (default: the file's name with -report)"},
    {.long_name = "format",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, formats),
     .argument = "LIST",
     .help = "any of html,md,json,csv,plots (default: all)"},
    {.long_name = "session",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, session),
     .argument = "ID",
     .help = "the session whose id begins so (default: the newest; tacho results lists them)"},
    {.long_name = "require-verdict",
     .short_name = 0,
     .type = OPTION_FLAG,
     .offset = offsetof(struct report_options, verdict_required),
     .help = "exit with 3 when a claim of the plan is INCONCLUSIVE or the session is UNFIT"},
};

const struct option_table cmd_report_options = {
    .program = "tacho report",
    .arguments = "RESULTS.db|BUNDLE|DIR",
    .summary = "the report of a results file: page, Markdown, JSON, CSV, figures",
    .details =
        "The results file alone decides the bytes: no clock, no network, no environment.\n"
        "Of several sessions in the file, the newest is reported unless --session names one.\n"
        "Of a bundle, or the folder that was in one, the results are verified first (V0 … V9 of\n"
        "tacho verify; exit status 5) and nothing is executed.\n"
        "Prints the path of the report and, last, VERDICT= with NOTHING MEASURED or UNFIT; else,\n"
        "when the plan makes claims, REFUTED, INCONCLUSIVE or SUPPORTED; else VALID or VALID WITH\n"
        "WARNINGS. Exit status 1: a claim is refuted.",
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

static enum err_code parse_formats(const char *list, struct report_formats *formats_out,
                                   struct err *e)
{
    struct report_formats formats = {false, false, false, false, false};
    const struct {
        const char *name;
        bool *flag;
    } known[] = {{"html", &formats.html},
                 {"md", &formats.markdown},
                 {"json", &formats.json},
                 {"csv", &formats.csv},
                 {"plots", &formats.plots}};

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ","), found = ARRAY_COUNT(known);

        for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
            if (strlen(known[i].name) == length && memcmp(at, known[i].name, length) == 0) {
                found = i;
            }
        }
        if (found == ARRAY_COUNT(known)) {
            return err_set(e, ERR_USAGE, "--format %.60s: it is a list of html,md,json,csv,plots",
                           list);
        }
        *known[found].flag = true;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    *formats_out = formats;
    return ERR_OK;
}

/* "demo.db" → "demo-report", beside it; "NAME-ID.tar" and the folder "NAME-ID/" likewise. */
static enum err_code default_folder(const char *path, char out[PATH_MAX], struct err *e)
{
    static const char *const endings[] = {".db", ".tar"};
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    if (length && path[length - 1] == '.' && (length == 1 || strchr("./", path[length - 2]))) {
        return err_set(e, ERR_USAGE, "%.200s: --output is wanted: this folder has no name", path);
    }
    for (size_t i = 0; i < ARRAY_COUNT(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && memcmp(path + length - ending, endings[i], ending) == 0) {
            length -= ending;
        }
    }
    if (snprintf(out, PATH_MAX, "%.*s-report", (int)length, path) >= PATH_MAX) {
        return err_set(e, ERR_USAGE, "the path of the results file is too long");
    }
    return ERR_OK;
}

/* The file that a person opens first. */
static const char *first_file(const struct report_formats *formats)
{
    if (formats->html) {
        return "/report.html";
    }
    if (formats->markdown) {
        return "/report.md";
    }
    return formats->json ? "/report.json" : "";
}

static int verdict_status(const struct report_verdict *verdict, bool required)
{
    if (verdict->refuted_count > 0) {
        return EXIT_STATUS_NO;
    }
    if (!required) {
        return EXIT_STATUS_OK;
    }
    if (verdict->is_nothing) {
        return EXIT_STATUS_INVALID;
    }
    return verdict->is_unfit || verdict->inconclusive_count > 0 || verdict->claims_unreadable
               ? EXIT_STATUS_UNFIT
               : EXIT_STATUS_OK;
}

/* One report: what it is made of and what came out. */
struct job {
    const char *folder, *notice, *session;
    struct report_formats formats;
    struct report_verdict verdict;
    bool immutable;
};

/* As verify_config's `use`. */
static enum err_code job_do(const char *results_path, void *context, struct err *e)
{
    struct job *job = context;
    const struct report_source source = {results_path, job->session, job->immutable};
    enum err_code code = report_write(&source, job->folder, &job->formats, &job->notice, e);

    return code == ERR_OK ? report_verdict(&source, &job->verdict, e) : code;
}

/* The report of a bundle's results; EXIT_STATUS_OK when they verify. */
static int bundle_report(const char *path, struct job *job)
{
    const struct verify_config config = {.path = path,
                                         .program_version = cmd_version,
                                         .temporary_folder = cmd_temporary_folder(),
                                         .use = job_do,
                                         .use_context = job};
    struct verify_result *result = NULL;
    struct err e;

    job->immutable = true;
    if (verify_run(&config, &result, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    cmd_print_findings(result);
    int status = result->finding_count ? EXIT_STATUS_EVIDENCE : EXIT_STATUS_OK;
    free(result);
    return status;
}

static int file_report(const char *path, struct job *job)
{
    struct err e;

    return job_do(path, job, &e) == ERR_OK ? EXIT_STATUS_OK : cmd_fail_path(&e);
}

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.folder = NULL, .formats = "html,md,json,csv,plots"};
    const char *path = NULL;
    struct job job = {0};
    char folder[PATH_MAX];
    int positional_count = 0;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_report_options, argc, argv, &options, &path, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_report_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (parse_formats(options.formats, &job.formats, &e) != ERR_OK ||
        (!options.folder && default_folder(path, folder, &e) != ERR_OK)) {
        return cmd_fail(&e);
    }
    if (options.folder && !*options.folder) {
        err_set(&e, ERR_USAGE, "--output: the name is empty");
        return cmd_fail(&e);
    }
    job.folder = options.folder ? options.folder : folder;
    job.session = options.session;
    int status = cmd_is_bundle(path) ? bundle_report(path, &job) : file_report(path, &job);
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    if (job.notice) {
        fprintf(stderr, "tacho: %s\n", job.notice);
    }
    printf("%s%s\nVERDICT=%s\n", job.folder, first_file(&job.formats), job.verdict.word);
    return verdict_status(&job.verdict, options.verdict_required);
}
