// SPDX-License-Identifier: Apache-2.0
// The report of a results file: load, judge, compose, draw, render, write.
#include "report/report.h"

#include <string.h>

#include "engines/base/fs.h"
#include "report/compose/compose.h"
#include "report/compose/compose_baseline.h"
#include "report/compose/compose_beside.h"
#include "report/forms/drawing.h"
#include "report/forms/form.h"
#include "report/judge/analysis_load.h"
#include "report/query/results.h"
#include "report/query/results_pass.h"
#include "report/render/render.h"
#include "report/samples_file.h"

/* The report in the reader's language, and in English for programs: the same when that is asked
 * for. */
struct composed {
    struct compose reader, english;
    bool is_english;
};

static enum err_code compose_both(const struct analysis *analysis, const struct history *history,
                                  const char *digest, const char *language,
                                  struct composed *composed, struct err *e)
{
    struct compose_config as = {.history = history};

    composed->is_english = !language || strcmp(language, CATALOGUE_ENGLISH) == 0;
    enum err_code code = compose_make_as(&as, analysis, digest, &composed->english, e);

    if (code == ERR_OK && !composed->is_english) {
        as.language = language;
        code = compose_make_as(&as, analysis, digest, &composed->reader, e);
        if (code != ERR_OK) {
            compose_release(&composed->english);
        }
    }
    return code;
}

/* They show neither pictures nor that there are none, and are of the English document. */
#define FORMS_WITHOUT_PICTURES                                                                     \
    (FORM_BIT(csv) | FORM_BIT(junit) | FORM_BIT(bmf) | FORM_BIT(custom) | FORM_BIT(benchstat) |    \
     FORM_BIT(hgrm) | FORM_BIT(hlog))

static enum err_code write_set(uint64_t set, struct composed *composed, struct compose *reader,
                               struct form_folder *folder, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < FORM_COUNT && code == ERR_OK; i++) {
        if (set & UINT64_C(1) << i) {
            code = forms[i].write(forms[i].is_for_reader ? reader : &composed->english, folder, e);
        }
    }
    return code;
}

/* What needs no pictures, while gnuplot draws them; then they are in the documents. */
static enum err_code write_pictures(struct composed *composed, struct compose *reader, uint64_t set,
                                    struct form_folder *folder, struct err *e)
{
    bool is_drawn = set & FORM_BIT(plots);
    struct drawing drawing;
    struct err drawing_e;

    if (is_drawn) {
        drawing_begin(&drawing, reader, folder);
    } else {
        folder->missing = "they were not asked for";
        form_take_pictures(reader, folder);
    }
    enum err_code code = write_set(set & FORMS_WITHOUT_PICTURES, composed, reader, folder, e);
    enum err_code drawing_code = is_drawn ? drawing_end(&drawing, folder, &drawing_e) : ERR_OK;

    if (drawing_code != ERR_OK) {
        *e = drawing_e;
        return drawing_code;
    }
    if (!composed->is_english) {
        form_take_pictures(&composed->english, folder);
    }
    return code;
}

static enum err_code write_forms(struct composed *composed, struct compose *reader,
                                 const struct report_config *config, struct form_folder *folder,
                                 struct err *e)
{
    enum err_code code = config->forms ? fs_make_directories(config->folder, e) : ERR_OK;

    folder->english = &composed->english;
    if (code == ERR_OK) {
        code = write_pictures(composed, reader, config->forms, folder, e);
    }
    if (code == ERR_OK) {
        code = write_set(config->forms & ~(FORM_BIT(plots) | FORMS_WITHOUT_PICTURES), composed,
                         reader, folder, e);
    }
    if (code == ERR_OK && config->text_out) {
        render_text(reader->document, config->text_column_count, config->text_out);
        code = buf_check(config->text_out, "the report as text", e);
    }
    return code;
}

/* What stands beside the session. */
static enum err_code add_others(struct compose *compose, const struct report_config *config,
                                struct err *e)
{
    enum err_code code = compose_beside(compose, config->published, config->published_count, e);

    return code == ERR_OK ? compose_baseline(compose, config->baseline, e) : code;
}

/* Without the points of the results, once figures are made of them. */
static enum err_code write_all(struct results *results, const struct analysis *analysis,
                               const char *digest, const struct report_config *config,
                               char notice_out[FORM_NOTICE_BYTES], struct err *e)
{
    struct composed composed = {0};
    struct form_folder folder = {.path = config->folder, .figures = config->figures};
    struct history *history = NULL;
    enum err_code code =
        history_make(config->results_path, config->immutable, analysis, &history, e);

    if (code == ERR_OK) {
        code = compose_both(analysis, history, digest, config->language, &composed, e);
    }
    if (code != ERR_OK) {
        history_free(history);
        return code;
    }
    struct compose *reader = composed.is_english ? &composed.english : &composed.reader;

    code = add_others(&composed.english, config, e);
    if (code == ERR_OK && !composed.is_english) {
        code = add_others(reader, config, e);
        document_finish(reader->document);
    }
    document_finish(composed.english.document);
    if (code == ERR_OK) {
        results_drop_points(results);
        code = write_forms(&composed, reader, config, &folder, e);
    }
    compose_release(&composed.english);
    if (!composed.is_english) {
        compose_release(&composed.reader);
    }
    history_free(history);
    memcpy(notice_out, folder.notice, FORM_NOTICE_BYTES);
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

enum err_code report_write(const struct report_config *config, struct report_verdict *verdict_out,
                           char notice_out[FORM_NOTICE_BYTES], struct err *e)
{
    struct results *results = NULL;
    struct analysis *analysis = NULL;
    char digest[65], notice[FORM_NOTICE_BYTES] = "";
    bool has_samples = (config->forms & FORM_BIT(csv)) != 0;
    struct samples_file samples;
    const struct results_pass pass = {.session = config->session,
                                      .visit = has_samples ? samples_file_visit : NULL,
                                      .self = &samples,
                                      .digest_hex = digest,
                                      .is_checked = config->is_checked};
    struct err own;

    e = e ? e : &own;
    samples_file_init(&samples, config->folder);
    enum err_code code =
        analysis_load(config->results_path, config->immutable, &pass, &results, &analysis, e);
    if (has_samples) {
        code = samples_file_close(&samples, code, e);
    }
    if (code == ERR_OK) {
        code = write_all(results, analysis, digest, config, notice, e);
    }
    if (code == ERR_OK && verdict_out) {
        *verdict_out = take_verdict(analysis);
    }
    if (code == ERR_OK && notice_out) {
        memcpy(notice_out, notice, FORM_NOTICE_BYTES);
    }
    analysis_free(analysis);
    results_free(results);
    return code;
}
