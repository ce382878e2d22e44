// SPDX-License-Identifier: Apache-2.0
// The report of a results file: load, judge, compose, draw, render, write.
#include "report/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "report/judge/analysis.h"
#include "report/plot/gnuplot.h"
#include "report/query/results.h"
#include "report/render/render.h"

#define FILE_BYTES_MAX ((size_t)256 << 20)

static enum err_code write_file(const char *folder, const char *name, const struct buf *content,
                                struct err *e)
{
    char path[PATH_MAX];

    if (buf_check(content, name, e) != ERR_OK) {
        return ERR_LIMIT;
    }
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of %s is too long", name);
    }
    return fs_write_file(path, content->bytes, content->length, e);
}

static enum err_code make_folder(const char *folder, const char *name, struct err *e)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of %s is too long", name);
    }
    return fs_make_directories(path, e);
}

static enum err_code write_pages(const struct compose *compose, const char *folder,
                                 const struct report_formats *formats, struct err *e)
{
    struct buf out;
    enum err_code code = ERR_OK;

    buf_init(&out, FILE_BYTES_MAX);
    if (formats->html) {
        render_html(compose->document, &out);
        code = write_file(folder, "report.html", &out, e);
    }
    if (code == ERR_OK && formats->markdown) {
        buf_clear(&out);
        render_markdown(compose->document, &out);
        code = write_file(folder, "report.md", &out, e);
    }
    if (code == ERR_OK && formats->json) {
        buf_clear(&out);
        code = render_json(compose->document, &out, e);
        code = code == ERR_OK ? write_file(folder, "report.json", &out, e) : code;
    }
    buf_release(&out);
    return code;
}

static enum err_code write_tables(const struct compose *compose, const char *folder, struct err *e)
{
    struct buf out;
    enum err_code code = make_folder(folder, "tables", e);

    if (code != ERR_OK) {
        return code;
    }
    buf_init(&out, FILE_BYTES_MAX);
    render_csv(compose->comparisons, &out);
    code = write_file(folder, "tables/comparisons.csv", &out, e);
    if (code == ERR_OK) {
        buf_clear(&out);
        render_csv(compose->trials, &out);
        code = write_file(folder, "tables/trials.csv", &out, e);
    }
    if (code == ERR_OK) {
        buf_clear(&out);
        compose_samples_csv(compose->results, &out);
        code = write_file(folder, "tables/samples.csv", &out, e);
    }
    buf_release(&out);
    return code;
}

/* Figures are worth having, not worth losing the report for: what goes wrong in gnuplot is said in
 * the report. */
static enum err_code draw_figures(struct compose *compose, const char *folder,
                                  const char **notice_out, struct err *e)
{
    char path[PATH_MAX];
    bool available = false;

    if (snprintf(path, sizeof(path), "%s/plots", folder) >= (int)sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of plots is too long");
    }
    enum err_code code =
        plot_draw(compose->plots, compose->plot_count, path, NULL, GNUPLOT_QUIET_MS, &available, e);
    if (code == ERR_FORMAT) {
        *notice_out = "gnuplot failed: the report has no figures and says why";
        compose_take_pictures(compose, document_name(compose->document, e->text));
        return ERR_OK;
    }
    if (code == ERR_OK && !available) {
        *notice_out = "gnuplot is not installed: the report has no figures";
    }
    if (code == ERR_OK) {
        compose_take_pictures(compose, available ? NULL : "gnuplot is not installed");
    }
    return code;
}

static enum err_code write_all(const struct analysis *analysis, const char *digest,
                               const char *folder, const struct report_formats *formats,
                               const char **notice_out, struct err *e)
{
    struct compose compose;
    enum err_code code = compose_make(analysis, digest, &compose, e);

    if (code != ERR_OK) {
        return code;
    }
    code = fs_make_directories(folder, e);
    if (code == ERR_OK && formats->plots) {
        code = draw_figures(&compose, folder, notice_out, e);
    } else if (code == ERR_OK) {
        compose_take_pictures(&compose, "they were not asked for");
    }
    if (code == ERR_OK) {
        code = write_pages(&compose, folder, formats, e);
    }
    if (code == ERR_OK && formats->csv) {
        code = write_tables(&compose, folder, e);
    }
    compose_release(&compose);
    return code;
}

enum err_code report_write(const char *results_path, enum results_trust trust, const char *folder,
                           const struct report_formats *formats, const char **notice_out,
                           struct err *e)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    const char *notice = NULL;
    char digest[65];
    struct err own;

    e = e ? e : &own;
    enum err_code code = results_load(results_path, trust, &results, e);
    if (code == ERR_OK) {
        code = results_digest(results_path, trust, digest, e);
    }
    if (code == ERR_OK) {
        code = analysis_make(results, &analysis, e);
    }
    if (code == ERR_OK) {
        code = write_all(analysis, digest, folder, formats, &notice, e);
    }
    analysis_free(analysis);
    results_free(results);
    if (code == ERR_OK && notice_out) {
        *notice_out = notice;
    }
    return code;
}

static struct report_verdict take_verdict(const struct analysis *analysis)
{
    struct report_verdict verdict = {.word = analysis_word(analysis),
                                     .is_nothing = analysis->trust == TRUST_NOTHING,
                                     .is_unfit = analysis->trust == TRUST_UNFIT,
                                     .claim_count = analysis->claim_count,
                                     .claims_unreadable = *analysis->claims_problem != 0};

    for (size_t i = 0; i < analysis->claim_count; i++) {
        verdict.refuted_count += analysis->claims[i].word == CLAIM_REFUTED;
        verdict.inconclusive_count += analysis->claims[i].word == CLAIM_INCONCLUSIVE;
    }
    return verdict;
}

enum err_code report_verdict(const char *results_path, enum results_trust trust,
                             struct report_verdict *verdict_out, struct err *e)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    enum err_code code = results_load(results_path, trust, &results, e);

    if (code == ERR_OK) {
        code = analysis_make(results, &analysis, e);
    }
    if (code == ERR_OK) {
        *verdict_out = take_verdict(analysis);
    }
    analysis_free(analysis);
    results_free(results);
    return code;
}
