// SPDX-License-Identifier: Apache-2.0
// What a reproduction leaves for readers.
#include <stdio.h>
#include <string.h>

#include "engines/base/fs.h"
#include "report/bundle/bundle.h"
#include "report/compose/compose_reproduction.h"
#include "report/forms/form.h"
#include "report/render/render.h"
#include "report/report.h"
#include "report/reproduce/reproduce_work.h"
#include "report/reproduce/verdict_json.h"

#define TEXT_BYTES_MAX ((size_t)64 << 20)

struct texts {
    struct buf verdict, markdown, html;
};

static enum err_code texts_make(struct reproduction *reproduction, struct texts *texts,
                                struct err *e)
{
    struct document *document = NULL;
    enum err_code code = compose_reproduction(&reproduction->state, &document, e);

    if (code != ERR_OK) {
        return code;
    }
    render_markdown(document, &texts->markdown);
    render_html(document, &texts->html);
    render_text(document, reproduction->config->text_column_count, &reproduction->state.text);
    document_free(document);
    code = buf_check(&texts->markdown, "reproduction.md", e);
    if (code == ERR_OK) {
        code = buf_check(&texts->html, "reproduction.html", e);
    }
    return code == ERR_OK ? verdict_json_format(&reproduction->state, &texts->verdict, e) : code;
}

static enum err_code text_write(const struct reproduction *reproduction, const char *name,
                                const struct buf *text, struct err *e)
{
    char path[PATH_MAX];
    enum err_code code = reproduce_path(reproduction, path, name, e);

    return code == ERR_OK ? fs_write_file(path, text->bytes, text->length, e) : code;
}

static enum err_code texts_write(const struct reproduction *reproduction, const struct texts *texts,
                                 struct err *e)
{
    enum err_code code = text_write(reproduction, "verdict.json", &texts->verdict, e);

    if (code == ERR_OK) {
        code = text_write(reproduction, "reproduction.md", &texts->markdown, e);
    }
    return code == ERR_OK ? text_write(reproduction, "reproduction.html", &texts->html, e) : code;
}

static enum err_code report_make(const struct reproduction *reproduction, const char *results_path,
                                 struct err *e)
{
    char folder[PATH_MAX], notice[FORM_NOTICE_BYTES] = "";
    enum err_code code = reproduce_path(reproduction, folder, "report", e);
    const struct report_config config = {.results_path = results_path,
                                         .immutable = true,
                                         .folder = folder,
                                         .forms = FORM_ALL,
                                         .language = reproduction->config->language};

    if (code == ERR_OK) {
        code = report_write(&config, NULL, notice, e);
    }
    if (code == ERR_OK && *notice) {
        reproduce_tell(reproduction, "%s", notice);
    }
    return code;
}

static enum err_code bundle_make(struct reproduction *reproduction, const char *results_path,
                                 const struct texts *texts, struct err *e)
{
    const struct bundle_reproduction tells = {.original_id = reproduction->config->verified->id,
                                              .verdict = &texts->verdict,
                                              .markdown = &texts->markdown,
                                              .html = &texts->html};
    const struct bundle_config config = {.results_path = results_path,
                                         .folder = reproduction->folder,
                                         .program_version = reproduction->config->program_version,
                                         .reproduction = &tells};
    struct bundle_result result;
    enum err_code code = bundle_write(&config, &result, e);

    if (code == ERR_OK) {
        snprintf(reproduction->state.bundle_name, sizeof(reproduction->state.bundle_name), "%s",
                 result.name);
        memcpy(reproduction->state.bundle_sha256, result.archive_sha256, DIGEST_HEX_BYTES);
    }
    return code;
}

enum err_code reproduce_write(struct reproduction *reproduction, struct err *e)
{
    char results_path[PATH_MAX];
    struct texts texts;

    buf_init(&texts.verdict, TEXT_BYTES_MAX);
    buf_init(&texts.markdown, TEXT_BYTES_MAX);
    buf_init(&texts.html, TEXT_BYTES_MAX);
    enum err_code code = texts_make(reproduction, &texts, e);
    if (code == ERR_OK) {
        code = texts_write(reproduction, &texts, e);
    }
    if (code == ERR_OK) {
        code = reproduce_path(reproduction, results_path, REPRODUCE_RESULTS, e);
    }
    if (code == ERR_OK && reproduction->here) {
        code = report_make(reproduction, results_path, e);
        if (code == ERR_OK) {
            code = bundle_make(reproduction, results_path, &texts, e);
        }
    }
    buf_release(&texts.verdict);
    buf_release(&texts.markdown);
    buf_release(&texts.html);
    return code;
}
