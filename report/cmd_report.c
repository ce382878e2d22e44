// SPDX-License-Identifier: Apache-2.0
// tacho report: the report of a results file in the forms that were asked for.
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/cmd.h"
#include "report/report.h"

struct report_options {
    const char *folder, *formats;
    bool verdict_required;
};

static const struct option_row rows[] = {
    {.long_name = "output",
     .short_name = 'o',
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, folder),
     .argument = "DIR",
     .help = "folder for the report (default: the results file's name with -report)"},
    {.long_name = "format",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, formats),
     .argument = "LIST",
     .help = "any of html,md,json,csv,plots (default: all)"},
    {.long_name = "require-verdict",
     .short_name = 0,
     .type = OPTION_FLAG,
     .offset = offsetof(struct report_options, verdict_required),
     .help = "exit with 3 when a claim of the plan is INCONCLUSIVE or the session is UNFIT"},
};

const struct option_table cmd_report_options = {
    .program = "tacho report",
    .arguments = "RESULTS.db",
    .summary = "the report of a results file: page, Markdown, JSON, CSV, figures",
    .details =
        "The results file alone decides the bytes: no clock, no network, no environment.\n"
        "Of several sessions in the file, the newest is reported.\n"
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

/* "demo.db" → "demo-report", beside it. */
static enum err_code default_folder(const char *results_path, char out[PATH_MAX], struct err *e)
{
    size_t length = strlen(results_path);

    if (length > 3 && strcmp(results_path + length - 3, ".db") == 0) {
        length -= 3;
    }
    if (snprintf(out, PATH_MAX, "%.*s-report", (int)length, results_path) >= PATH_MAX) {
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

static int fail(const struct err *e)
{
    int status = cmd_fail(e);

    return e->code == ERR_SYS &&
                   (e->sys_errno == ENOENT || e->sys_errno == EACCES || e->sys_errno == ENOTDIR)
               ? EXIT_STATUS_USAGE
               : status;
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

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.folder = NULL, .formats = "html,md,json,csv,plots"};
    const char *results_path = NULL, *notice = NULL;
    struct report_verdict verdict;
    struct report_formats formats;
    char folder[PATH_MAX];
    int positional_count = 0;
    bool help = false;
    struct err e;

    if (options_parse(&cmd_report_options, argc, argv, &options, &results_path, &positional_count,
                      &help, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_report_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (parse_formats(options.formats, &formats, &e) != ERR_OK ||
        (!options.folder && default_folder(results_path, folder, &e) != ERR_OK)) {
        return cmd_fail(&e);
    }
    if (options.folder && !*options.folder) {
        err_set(&e, ERR_USAGE, "--output: the name is empty");
        return cmd_fail(&e);
    }
    const char *target = options.folder ? options.folder : folder;
    if (report_write(results_path, false, target, &formats, &notice, &e) != ERR_OK ||
        report_verdict(results_path, false, &verdict, &e) != ERR_OK) {
        return fail(&e);
    }
    if (notice) {
        fprintf(stderr, "tacho: %s\n", notice);
    }
    printf("%s%s\nVERDICT=%s\n", target, first_file(&formats), verdict.word);
    return verdict_status(&verdict, options.verdict_required);
}
