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

#include "report/article/article.h"
#include "report/cmd.h"
#include "report/cmd_terminal.h"
#include "report/forms/form.h"
#include "report/render/render.h"
#include "report/report.h"
#include "report/report_folder.h"
#include "report/report_published.h"

struct report_options {
    const char *folder, *language, *session, *article;
    struct option_texts formats, published, baselines;
    bool print, verdict_required;
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
     .type = OPTION_TEXTS,
     .offset = offsetof(struct report_options, formats),
     .argument = "LIST",
     .help = "which of the forms below, with commas between them (default: all); may be given "
             "several times"},
    {.long_name = "article",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, article),
     .argument = "DIR",
     .help =
         "make this folder for an article: figures of 84 and 174 mm (SVG, PDF, PNG), tables and "
         "text in Markdown, HTML and LaTeX, and the bundle; no report unless -o or --format is "
         "given"},
    {.long_name = "lang",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, language),
     .argument = "LANGUAGE",
     .help = "of what readers get: en (default) or pt-BR; files for programs stay the same"},
    {.long_name = "session",
     .short_name = 0,
     .type = OPTION_TEXT,
     .offset = offsetof(struct report_options, session),
     .argument = "ID",
     .help = "the session whose id begins so (default: the newest; tacho results lists them)"},
    {.long_name = "print",
     .short_name = 'p',
     .type = OPTION_FLAG,
     .offset = offsetof(struct report_options, print),
     .help = "print the report as text, as wide as the terminal; writes no files unless -o or "
             "--format is given"},
    {.long_name = "published",
     .short_name = 0,
     .type = OPTION_TEXTS,
     .offset = offsetof(struct report_options, published),
     .argument = "FILE",
     .help = "published numbers (JSON) to stand beside the measured ones; may be given several "
             "times"},
    {.long_name = "baseline",
     .short_name = 0,
     .type = OPTION_TEXTS,
     .offset = offsetof(struct report_options, baselines),
     .argument = "FILE.db|BUNDLE",
     .help = "an earlier session: what differs between its machine and programs and this one's"},
    {.long_name = "require-verdict",
     .short_name = 0,
     .type = OPTION_FLAG,
     .offset = offsetof(struct report_options, verdict_required),
     .help = "exit with 3 when a claim of the plan is INCONCLUSIVE or the session is UNFIT"},
};

const struct option_table cmd_report_options = {
    .program = "tacho report",
    .arguments = "RESULTS.db|BUNDLE|DIR|PUBLISHED.json",
    .summary = "the report of a results file, in every form that people and programs read",
    .details =
        "The results file alone decides the bytes: no clock, no network, no environment.\n"
        "Of several sessions in the file, the newest is reported unless --session names one.\n"
        "Of a bundle, or the folder that was in one, the results are verified first (V0 … V9 of\n"
        "tacho verify, and of V10 that the rows agree; exit status 5) and nothing is executed.\n"
        "Prints the path of the report and, last, VERDICT= with NOTHING MEASURED or UNFIT; else,\n"
        "when the plan makes claims, REFUTED, INCONCLUSIVE or SUPPORTED; else VALID or VALID WITH\n"
        "WARNINGS. Exit status 1: a claim is refuted.\n"
        "An article is made of a session that may be quoted: of one that is UNFIT or has NOTHING\n"
        "MEASURED there is none (exit status 3). Its folder appears whole or not at all.\n"
        "Of published numbers (datasets/published), what a careful reader notices: VERDICT= with\n"
        "CONTRADICTORY (exit status 1), QUESTIONABLE, PLAUSIBLE or NOT CHECKABLE.\n"
        "Forms:\n"
#define FORM(name, first_file, is_for_reader, help) "  " #name ": " help "\n"
#include "report/forms/forms.def"
#undef FORM
    ,
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

/* A file of JSON: published numbers. */
static bool is_published(const char *path)
{
    struct stat status;
    char bytes[64];

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    ssize_t count = pread(fd, bytes, sizeof(bytes) - 1, 0);
    close(fd);
    bytes[count > 0 ? count : 0] = '\0';
    return bytes[strspn(bytes, " \t\r\n")] == '{';
}

/* The file that a person opens first. */
static const char *first_file(uint64_t set)
{
    static const enum form_id order[] = {FORM_html, FORM_md};

    for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
        if (set & UINT64_C(1) << order[i]) {
            return forms[order[i]].first_file;
        }
    }
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (set & UINT64_C(1) << i) {
            return forms[i].first_file;
        }
    }
    return "";
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
    struct report_config config;
    char notice[FORM_NOTICE_BYTES]; /* "": nothing to say */
    struct report_verdict verdict;
    struct article_config article; /* folder NULL: none is wanted */
    struct article_evidence evidence;
    bool is_unquotable;  /* the session may have no article */
    char left[NAME_MAX]; /* a file of an earlier report that stays; "": none */
};

/* Writes a report by `make` into its folder, where it appears when it is whole. */
static enum err_code job_write(struct job *job, enum err_code (*make)(struct job *, struct err *),
                               struct err *e)
{
    const char *target = job->config.folder;
    struct report_folder folder;

    if (!job->config.forms) {
        return make(job, e);
    }
    enum err_code code = report_folder_open(&folder, target, e);
    if (code != ERR_OK) {
        return code;
    }
    job->config.folder = folder.path;
    code = make(job, e);
    job->config.folder = target;
    if (code == ERR_OK) {
        code = report_folder_place(&folder, job->config.forms, e);
    }
    if (code != ERR_OK || !report_folder_find_left(&folder, job->config.forms, job->left)) {
        *job->left = '\0';
    }
    report_folder_close(&folder);
    return code;
}

static enum err_code measured_write(struct job *job, struct err *e)
{
    return report_write(&job->config, &job->verdict, job->notice, e);
}

static enum err_code published_write(struct job *job, struct err *e)
{
    return report_published_write(&job->config, cmd_version, &job->verdict.word, e);
}

/* As verify_config's `use`. */
static enum err_code job_do(const char *results_path, void *context, struct err *e)
{
    struct job *job = context;

    job->config.results_path = results_path;
    enum err_code code = job_write(job, measured_write, e);
    if (code == ERR_OK && job->article.folder) {
        job->article.results_path = results_path;
        job->article.immutable = job->config.immutable;
        job->article.session = job->config.session;
        job->article.language = job->config.language;
        job->article.published = job->config.published;
        job->article.published_count = job->config.published_count;
        code = article_write(&job->article, job->notice, e);
        job->is_unquotable = code == ERR_MISMATCH;
    }
    return code;
}

/* The archive that an article of its results names. */
static enum err_code evidence_take(const char *path, struct article_evidence *evidence,
                                   struct err *e)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    struct stat status;

    if (length < 5 || length - 4 >= sizeof(evidence->name) ||
        strcmp(name + length - 4, ".tar") != 0) {
        return err_set(e, ERR_USAGE,
                       "--article %.200s: an article names an archive; give a results file or a "
                       "bundle NAME-ID.tar",
                       path);
    }
    if (stat(path, &status) != 0) {
        return err_set_sys(e, "%.200s", path);
    }
    snprintf(evidence->name, sizeof(evidence->name), "%.*s", (int)(length - 4), name);
    evidence->archive_bytes = (uint64_t)status.st_size;
    return digest_file(path, evidence->archive_sha256, e);
}

/* The report of a bundle's results; EXIT_STATUS_OK when they verify. */
static int bundle_report(const char *path, struct job *job)
{
    struct err e;

    job->config.immutable = true;
    job->article.evidence = &job->evidence;
    if (job->article.folder && evidence_take(path, &job->evidence, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    return cmd_use_bundle(path, job_do, job);
}

static int file_report(const char *path, struct job *job)
{
    struct err e;

    return job_do(path, job, &e) == ERR_OK ? EXIT_STATUS_OK : cmd_fail_path(&e);
}

/* The report of published numbers; sets the word of the verdict. */
static int published_report(const char *path, struct job *job)
{
    struct err e;

    job->config.results_path = path;
    if (job->article.folder) {
        err_set(&e, ERR_USAGE, "--article: %.200s is published already; name a results file", path);
        return cmd_fail(&e);
    }
    if (job_write(job, published_write, &e) != ERR_OK) {
        return cmd_fail_path(&e);
    }
    return EXIT_STATUS_OK;
}

/* One number has no interval: where a verdict is demanded there is none. */
static int published_status(const struct report_verdict *verdict, bool required)
{
    if (strcmp(verdict->word, "CONTRADICTORY") == 0) {
        return EXIT_STATUS_NO;
    }
    return required ? EXIT_STATUS_UNFIT : EXIT_STATUS_OK;
}

/* What was written, or the report itself, and the verdict. */
static void job_print(const struct job *job)
{
    if (*job->notice) {
        fprintf(stderr, "tacho: %s\n", job->notice);
    }
    if (*job->left) {
        fprintf(stderr,
                "tacho: %s/%s is of an earlier report: it is not of these forms, and stays as it "
                "is\n",
                job->config.folder, job->left);
    }
    if (job->config.text_out) {
        fputs(job->config.text_out->bytes, stdout);
    }
    if (job->config.forms) {
        printf("%s/%s\n", job->config.folder, first_file(job->config.forms));
    }
    if (job->article.folder) {
        printf("%s/article.md\n", job->article.folder);
    }
    printf("VERDICT=%s\n", job->verdict.word);
}

/* Whatever the path names; returns the exit status. */
static int job_run(const char *path, struct job *job, bool required)
{
    bool has_published = is_published(path);
    int status = has_published         ? published_report(path, job)
                 : cmd_is_bundle(path) ? bundle_report(path, job)
                                       : file_report(path, job);

    if (job->is_unquotable) {
        return EXIT_STATUS_UNFIT;
    }
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    job_print(job);
    return has_published ? published_status(&job->verdict, required)
                         : verdict_status(&job->verdict, required);
}

/* The article's folder is not there, and the report's is none of it. */
static enum err_code article_read(const struct report_options *options, const char *folder,
                                  struct err *e)
{
    enum err_code code = options->article ? article_check_folder(options->article, e) : ERR_OK;

    return code == ERR_OK && options->article && (options->folder || options->formats.count > 0)
               ? article_check_report(options->article, folder, e)
               : code;
}

/* Published numbers have neither sessions nor a machine that could differ; a session has one
 * baseline. */
static enum err_code check_beside(const struct report_options *options, const char *path,
                                  struct err *e)
{
    const char *name = options->session           ? "--session"
                       : options->baselines.count ? "--baseline"
                                                  : NULL;

    if (options->baselines.count > 1) {
        return err_set(e, ERR_USAGE,
                       "--baseline: given %zu times, and a report compares with one session; make "
                       "a report for each",
                       options->baselines.count);
    }
    return name && is_published(path)
               ? err_set(e, ERR_USAGE,
                         "%s: %.200s is published and has no sessions; leave the option out", name,
                         path)
               : ERR_OK;
}

/* `folder` is where the default one's name is kept. */
static enum err_code config_read(const struct report_options *options, const char *path,
                                 char folder[PATH_MAX], struct report_config *config, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < options->formats.count && code == ERR_OK; i++) {
        uint64_t set = 0;

        code = form_parse(options->formats.values[i], &set, e);
        config->forms = i == 0 ? set : config->forms | set;
    }
    if (code == ERR_OK && options->session && !*options->session) {
        code = err_set(e, ERR_USAGE,
                       "--session: the id is empty; leave the option out for the newest session");
    }
    if (code == ERR_OK && !options->folder) {
        code = cmd_default_folder(path, "report", folder, e);
    }
    if (code == ERR_OK && options->folder && !*options->folder) {
        code = err_set(e, ERR_USAGE, "--output: the name is empty");
    }
    if (code == ERR_OK) {
        code = check_beside(options, path, e);
    }
    config->session = options->session;
    config->folder = options->folder ? options->folder : folder;
    return code == ERR_OK ? article_read(options, config->folder, e) : code;
}

/* The files of --published, for as long as the report is written. */
struct beside_files {
    struct published *loaded[OPTION_TEXT_LIMIT];
    const struct published *shown[OPTION_TEXT_LIMIT];
    size_t count;
};

static enum err_code beside_load(const struct option_texts *paths, const char *positional,
                                 struct beside_files *files, struct err *e)
{
    if (paths->count > 0 && is_published(positional)) {
        return err_set(e, ERR_USAGE,
                       "--published: %.200s is published as well; name a results file or a bundle",
                       positional);
    }
    for (; files->count < paths->count; files->count++) {
        enum err_code code =
            published_load(paths->values[files->count], &files->loaded[files->count], e);
        if (code != ERR_OK) {
            return code;
        }
        files->shown[files->count] = files->loaded[files->count];
    }
    return ERR_OK;
}

static void beside_free(struct beside_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        published_free(files->loaded[i]);
    }
}

/* An earlier session. */
struct baseline {
    struct results *results;
    bool immutable; /* out of a bundle */
};

static enum err_code baseline_load(const char *results_path, void *context, struct err *e)
{
    struct baseline *baseline = context;

    return results_load(results_path, baseline->immutable, &baseline->results, e);
}

/* With what stands beside the session. */
static int job_run_beside(const char *path, const struct report_options *options, struct job *job)
{
    struct beside_files files = {.count = 0};
    struct baseline baseline = {0};
    struct err e;
    enum err_code code = beside_load(&options->published, path, &files, &e);
    int status = code == ERR_OK ? EXIT_STATUS_OK : cmd_fail_path(&e);

    if (status == EXIT_STATUS_OK && options->baselines.count) {
        status = cmd_use_results(options->baselines.values[0], &baseline.immutable, baseline_load,
                                 &baseline);
    }
    if (status == EXIT_STATUS_OK) {
        job->config.baseline = baseline.results;
        job->config.published = files.shown;
        job->config.published_count = files.count;
        status = job_run(path, job, options->verdict_required);
        job->config.published = NULL;
        job->article.published = NULL;
    }
    results_free(baseline.results);
    beside_free(&files);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct report_options options = {.folder = NULL};
    const char *path = NULL;
    struct job job = {.config = {.forms = FORM_ALL}, .verdict = {.word = ""}};
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
    if (config_read(&options, path, folder, &job.config, &e) != ERR_OK ||
        cmd_check_language(&options.language, &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    job.config.language = options.language;
    job.article.folder = options.article;
    job.article.program_version = cmd_version;
    if ((options.article || options.print) && !options.folder && options.formats.count == 0) {
        job.config.forms = 0;
    }
    struct buf text;
    buf_init(&text, FORM_BYTES_MAX);
    if (options.print) {
        job.config.text_out = &text;
        job.config.text_column_count = cmd_terminal_columns(STDOUT_FILENO, RENDER_TEXT_COLUMNS);
    }
    int status = job_run_beside(path, &options, &job);
    buf_release(&text);
    return status;
}
