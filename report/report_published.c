// SPDX-License-Identifier: Apache-2.0
// The report of published numbers alone.
#include "report/report_published.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "collector/digest.h"
#include "engines/base/fs.h"
#include "report/compose/compose_published.h"
#include "report/forms/form.h"
#include "report/render/render.h"

/* Of a document alone; csv is written here, from the tables that this one has. */
#define DOCUMENT_FORMS                                                                             \
    (FORM_BIT(html) | FORM_BIT(md) | FORM_BIT(text) | FORM_BIT(summary) | FORM_BIT(latex) |        \
     FORM_BIT(json))

static bool is_new(const struct document *document, const struct document_section *until,
                   const struct document_block *block)
{
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        for (const struct document_block *at = section->first; at && at != block; at = at->next) {
            if (at->table && strcmp(at->table->name, block->table->name) == 0) {
                return false;
            }
        }
        if (section == until) {
            break;
        }
    }
    return true;
}

static enum err_code write_tables(const struct document *document, const struct form_folder *folder,
                                  struct err *e)
{
    struct buf out;
    char name[NAME_MAX];
    enum err_code code = ERR_OK;

    buf_init(&out, FORM_BYTES_MAX);
    for (const struct document_section *section = document->first; section;
         section = section->next) {
        for (const struct document_block *at = section->first; at && code == ERR_OK;
             at = at->next) {
            if (at->table && is_new(document, section, at)) {
                buf_clear(&out);
                render_csv(at->table, &out);
                snprintf(name, sizeof(name), "tables/%s.csv", at->table->name);
                code = form_write(folder, name, &out, e);
            }
        }
    }
    buf_release(&out);
    return code;
}

/* What readers get is of `reader`, what programs read of `english`; they may be the same. */
static enum err_code write_forms(struct document *reader, struct document *english,
                                 const struct report_config *config, struct err *e)
{
    struct compose composes[2] = {{.document = english}, {.document = reader}};
    struct form_folder folder = {.path = config->folder};
    uint64_t set = config->forms & DOCUMENT_FORMS;
    bool has_tables = config->forms & FORM_BIT(csv);
    enum err_code code = ERR_OK;

    if (config->forms && !set && !has_tables) {
        return err_set(e, ERR_USAGE,
                       "--format: published numbers alone have none of these forms; take html, md, "
                       "text, summary, latex, json or csv");
    }
    if (config->forms) {
        code = fs_make_directories(config->folder, e);
    }
    for (size_t i = 0; i < FORM_COUNT && code == ERR_OK; i++) {
        if (set & UINT64_C(1) << i) {
            code = forms[i].write(&composes[forms[i].is_for_reader], &folder, e);
        }
    }
    if (code == ERR_OK && has_tables) {
        code = write_tables(english, &folder, e);
    }
    if (code == ERR_OK && config->text_out) {
        render_text(reader, config->text_column_count, config->text_out);
        code = buf_check(config->text_out, "the report as text", e);
    }
    return code;
}

static enum err_code write_analysis(const struct published_analysis *analysis, const char *digest,
                                    const struct report_config *config, const char *version,
                                    struct err *e)
{
    struct compose_published_config as = {.digest = digest, .version = version};
    struct document *english = NULL, *reader = NULL;
    bool is_english = !config->language || strcmp(config->language, CATALOGUE_ENGLISH) == 0;
    enum err_code code = compose_published(analysis, &as, &english, e);

    if (code == ERR_OK && !is_english) {
        as.language = config->language;
        code = compose_published(analysis, &as, &reader, e);
    }
    if (code == ERR_OK) {
        code = write_forms(is_english ? english : reader, english, config, e);
    }
    document_free(reader);
    document_free(english);
    return code;
}

enum err_code report_published_write(const struct report_config *config, const char *version,
                                     const char **word_out, struct err *e)
{
    struct published *published = NULL;
    struct published_analysis analysis = {0};
    char digest[DIGEST_HEX_BYTES];
    enum err_code code = published_load(config->results_path, &published, e);

    if (code == ERR_OK) {
        code = digest_file(config->results_path, digest, e);
    }
    if (code == ERR_OK) {
        code = published_analyse(published, &analysis, e);
    }
    if (code == ERR_OK) {
        code = write_analysis(&analysis, digest, config, version, e);
    }
    if (code == ERR_OK && word_out) {
        *word_out = published_word(&analysis);
    }
    published_analysis_release(&analysis);
    published_free(published);
    return code;
}
