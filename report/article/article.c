// SPDX-License-Identifier: Apache-2.0
// The folder of an article: seal, compose for two widths, draw, write, and only then put in place.
#include "report/article/article.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/article/article_parts.h"
#include "report/bundle/work_folder.h"
#include "report/compose/compose_beside.h"
#include "report/forms/drawing.h"
#include "report/judge/analysis_load.h"
#include "report/judge/comparison_rows.h"
#include "report/query/results_pass.h"
#include "report/render/render.h"

#define SHORT_DIGITS 16 /* of a SHA-256 in captions; the section on the evidence has it whole */

static const struct {
    const char *name;
    unsigned width_px;
} widths[] = {{"single", FIGURE_WIDTH_SINGLE_PX}, {"double", FIGURE_WIDTH_DOUBLE_PX}};

/* What is measured, loaded once. */
struct source {
    struct results *results;
    struct analysis *analysis;
    struct history *history; /* of earlier sessions; NULL: none */
    char digest[DIGEST_HEX_BYTES];
};

static enum err_code source_load(const struct article_config *config, struct source *source,
                                 struct err *e)
{
    const struct results_pass pass = {.session = config->session, .digest_hex = source->digest};
    enum err_code code = analysis_load(config->results_path, config->immutable, &pass,
                                       &source->results, &source->analysis, e);

    if (code == ERR_OK &&
        (source->analysis->trust == TRUST_UNFIT || source->analysis->trust == TRUST_NOTHING)) {
        code =
            err_set(e, ERR_MISMATCH,
                    "the session is %s: its numbers are not for quoting, so there is nothing for "
                    "an article; tacho report says why",
                    trust_names[source->analysis->trust]);
    }
    return code == ERR_OK ? history_make(config->results_path, config->immutable, source->analysis,
                                         &source->history, e)
                          : code;
}

static enum err_code compose_width(const struct article *article, const struct source *source,
                                   unsigned width_px, struct compose *compose, struct err *e)
{
    const struct article_config *config = article->config;
    const struct compose_config as = {.language = config->language,
                                      .history = source->history,
                                      .figure_width_px = width_px,
                                      .is_article = true};
    enum err_code code = compose_make_as(&as, source->analysis, source->digest, compose, e);

    if (code != ERR_OK) {
        return code;
    }
    code = compose_beside(compose, config->published, config->published_count, e);
    if (code == ERR_OK) {
        article_add_evidence(&article->evidence, compose);
        document_finish(compose->document);
        code = document_check(compose->document, e);
    }
    if (code != ERR_OK) {
        compose_release(compose);
    }
    return code;
}

/* figures/NAME.csv, for programs and so in English, whatever the language of the article. */
static enum err_code write_numbers(const struct article *article, const struct source *source,
                                   struct err *e)
{
    const struct compose_config as = {.history = source->history};
    struct compose english;
    enum err_code code = compose_make_as(&as, source->analysis, source->digest, &english, e);
    struct buf out;

    if (code != ERR_OK) {
        return code;
    }
    buf_init(&out, FORM_BYTES_MAX);
    for (size_t i = 0; i < english.plot_count && code == ERR_OK; i++) {
        char name[128];

        if (!english.figures[i]->table) {
            continue;
        }
        snprintf(name, sizeof(name), "figures/%s.csv", english.figures[i]->name);
        buf_clear(&out);
        render_csv(english.figures[i]->table, &out);
        code = form_write(&article->folder, name, &out, e);
    }
    buf_release(&out);
    compose_release(&english);
    return code;
}

/* In one folder: the names tell the widths apart. */
static enum err_code draw(struct article *article, struct compose *compose, const char *width,
                          struct err *e)
{
    struct drawing drawing;

    for (size_t i = 0; i < compose->plot_count; i++) {
        compose->plots[i].is_paper = true;
        compose->plots[i].name =
            document_format(compose->document, "%s-%s", compose->figures[i]->name, width);
    }
    drawing_begin(&drawing, compose, &article->folder);
    return drawing_end(&drawing, &article->folder, e);
}

struct range {
    size_t low, high;
};

static void widen(struct range *range, size_t count)
{
    range->low = range->high == 0 || count < range->low ? count : range->low;
    range->high = count > range->high ? count : range->high;
}

/* "n = 6 blocks; intervals: 95 %. Evidence: SHA-256 0123456789abcdef…."; "n = 5 to 6 blocks". */
static const char *format_tail(const struct article *article, struct range range, bool is_blocks,
                               bool has_intervals)
{
    struct document *document = article->compose->document;
    const char *unit =
        is_blocks ? (range.high == 1 ? "block" : "blocks") : (range.high == 1 ? "trial" : "trials");
    const char *count = range.low == range.high
                            ? document_format(document, "%zu", range.high)
                            : document_format(document, "%zu to %zu", range.low, range.high);

    return document_format(document,
                           has_intervals ? "n\xc2\xa0=\xc2\xa0%s %s; intervals: 95\xc2\xa0%%. %s"
                                         : "n\xc2\xa0=\xc2\xa0%s %s. %s",
                           count, document_tr(document, unit), article->bundle_tail);
}

/* A block has one trial of an engine: what is counted of the engines that are measured, without
 * the calibration; of ratios the pairs. */
static void make_tails(struct article *article, const struct source *source)
{
    const struct analysis *analysis = source->analysis;
    struct range trials = {.high = 0}, pairs = {.high = 0};

    for (size_t i = 0; i < analysis->row_count; i++) {
        const struct analysis_row *row = &analysis->rows[i];
        const struct results_engine *engine = &source->results->engines[row->engine_index];

        if (strcmp(engine->role, "limit") == 0) {
            continue;
        }
        widen(&trials, row->valid_count);
        if (comparison_is_made(analysis, row)) {
            widen(&pairs, row->ratio.count);
        }
    }
    struct document *document = article->compose->document;

    article->bundle_tail =
        document_format(document, "Evidence: SHA-256 %s\xe2\x80\xa6.",
                        document_keep(document, article->evidence.archive_sha256, SHORT_DIGITS));
    article->tail = format_tail(article, trials, pairs.high > 0, true);
    article->count_tail = format_tail(article, trials, pairs.high > 0, false);
    article->ratio_tail = pairs.high > 0 ? format_tail(article, pairs, true, true) : article->tail;
}

static enum err_code write_texts(struct article *article, const struct source *source,
                                 struct err *e)
{
    enum err_code code = write_numbers(article, source, e);

    if (code == ERR_OK) {
        code = article_write_tables(article, e);
    }
    return code == ERR_OK ? article_write_pages(article, e) : code;
}

static enum err_code write_all(struct article *article, const struct source *source, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(widths) && code == ERR_OK; i++) {
        struct compose compose;

        code = compose_width(article, source, widths[i].width_px, &compose, e);
        if (code != ERR_OK) {
            break;
        }
        article->compose = &compose;
        make_tails(article, source);
        code = draw(article, &compose, widths[i].name, e);
        if (code == ERR_OK) {
            code = article_write_captions(article, widths[i].name, e);
        }
        if (code == ERR_OK && i + 1 == ARRAY_COUNT(widths)) {
            code = write_texts(article, source, e);
        }
        article->compose = NULL;
        compose_release(&compose);
    }
    return code;
}

/* The bundle beside the text that names it. */
static enum err_code seal(struct article *article, struct err *e)
{
    const struct bundle_config config = {.results_path = article->config->results_path,
                                         .folder = article->folder.path,
                                         .program_version = article->config->program_version,
                                         .language = article->config->language};
    struct article_evidence *evidence = &article->evidence;
    struct bundle_result result;

    if (article->config->evidence) {
        *evidence = *article->config->evidence;
        return ERR_OK;
    }
    enum err_code code = bundle_write(&config, &result, e);
    if (code == ERR_OK) {
        snprintf(evidence->name, sizeof(evidence->name), "%s", result.name);
        memcpy(evidence->archive_sha256, result.archive_sha256, DIGEST_HEX_BYTES);
        evidence->archive_bytes = result.archive_bytes;
        evidence->has_sources = result.has_sources;
        evidence->sources_words = result.sources_words;
        memcpy(article->folder.notice, result.notice, sizeof(result.notice));
    }
    return code;
}

static enum err_code make(const struct article_config *config, const char *path,
                          char notice_out[FORM_NOTICE_BYTES], struct err *e)
{
    struct article article = {.config = config, .folder = {.path = path}};
    struct source source = {.results = NULL};
    enum err_code code = fs_make_directories(path, e);

    if (code == ERR_OK) {
        code = source_load(config, &source, e);
    }
    if (code == ERR_OK) {
        code = seal(&article, e);
    }
    if (code == ERR_OK) {
        code = write_all(&article, &source, e);
    }
    if (code == ERR_OK && *article.folder.notice) {
        memcpy(notice_out, article.folder.notice, FORM_NOTICE_BYTES);
    }
    history_free(source.history);
    analysis_free(source.analysis);
    results_free(source.results);
    return code;
}

/* The folder that the named one is in. */
static enum err_code find_parent(const char *folder, char out[PATH_MAX], struct err *e)
{
    size_t length = strlen(folder);

    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    if (length == 0 || length >= PATH_MAX) {
        return err_set(e, ERR_USAGE, "--article: the name is empty or too long");
    }
    snprintf(out, PATH_MAX, "%.*s", (int)length, folder);
    char *slash = strrchr(out, '/');
    if (!slash) {
        snprintf(out, PATH_MAX, ".");
    } else {
        slash[slash == out] = '\0';
    }
    return fs_make_directories(out, e);
}

enum err_code article_check_folder(const char *folder, struct err *e)
{
    if (fs_exists(folder)) {
        return err_set(e, ERR_USAGE, "--article %.200s: it exists; name a folder that does not",
                       folder);
    }
    return ERR_OK;
}

/* A path without "." and needless slashes, ending in one; absolute where there is a present folder.
 */
static void path_spell(const char *path, struct buf *out)
{
    char present[PATH_MAX];

    if (*path != '/' && getcwd(present, sizeof(present))) {
        buf_add_text(out, present);
    }
    buf_add_char(out, '/');
    while (*path) {
        size_t length = strcspn(path, "/");

        if (length > 0 && !(length == 1 && *path == '.')) {
            buf_add(out, path, length);
            buf_add_char(out, '/');
        }
        path += length + strspn(path + length, "/");
    }
}

enum err_code article_check_report(const char *folder, const char *report, struct err *e)
{
    struct buf article_path, report_path;

    buf_init(&article_path, (size_t)4 * PATH_MAX);
    buf_init(&report_path, (size_t)4 * PATH_MAX);
    path_spell(folder, &article_path);
    path_spell(report, &report_path);
    bool is_within = !article_path.failed && !report_path.failed &&
                     strncmp(report_path.bytes, article_path.bytes, article_path.length) == 0;
    buf_release(&report_path);
    buf_release(&article_path);
    return is_within ? err_set(e, ERR_USAGE,
                               "--article %.150s: the report would be in it (%.150s); name another "
                               "folder",
                               folder, report)
                     : ERR_OK;
}

enum err_code article_write(const struct article_config *config, char notice_out[FORM_NOTICE_BYTES],
                            struct err *e)
{
    struct work_folder work = {.lock_fd = -1, .guard = -1};
    char parent[PATH_MAX], path[PATH_MAX];
    char notice[FORM_NOTICE_BYTES] = "";
    enum err_code code = article_check_folder(config->folder, e);

    if (code == ERR_OK) {
        code = find_parent(config->folder, parent, e);
    }
    if (code == ERR_OK) {
        code = work_folder_open(&work, parent, ".tacho-article", e);
    }
    if (code == ERR_OK) {
        code = work_folder_join(&work, "article", path, e);
    }
    if (code == ERR_OK) {
        code = make(config, path, notice, e);
    }
    if (code == ERR_OK && rename(path, config->folder) != 0) {
        code = err_set_sys(e, "%s", config->folder);
    }
    if (code == ERR_OK) {
        code = work_folder_close(&work, e);
    } else {
        work_folder_close(&work, NULL);
    }
    if (code == ERR_OK && *notice) {
        memcpy(notice_out, notice, FORM_NOTICE_BYTES);
    }
    return code;
}
