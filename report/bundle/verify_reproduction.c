// SPDX-License-Identifier: Apache-2.0
// Of stage V10: the verdicts of a reproduction, made again from the bundle's own measurements and
// from what is recorded of the original.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/bundle/content.h"
#include "report/bundle/verify_work.h"
#include "report/compose/compose_reproduction.h"
#include "report/judge/analysis_load.h"
#include "report/render/render.h"
#include "report/reproduce/verdict_json.h"
#include "report/reproduce/verdict_read.h"

#define VERDICT_BYTES_MAX ((size_t)4 << 20)
#define TEXT_BYTES_MAX    ((size_t)64 << 20)

/* The verdict names the bundle that bag-info.txt names, and the measurements that are in this one.
 */
static void names_check(struct verify_work *work, const json_t *verdict)
{
    const char *id =
        json_string_value(json_object_get(json_object_get(verdict, "original"), "bundle_id"));
    const char *samples =
        json_string_value(json_object_get(json_object_get(verdict, "here"), "samples_digest"));

    if (!id || !samples || strcmp(id, work->info.based_on) != 0 ||
        strcmp(samples, work->result->samples_digest) != 0) {
        verify_add_finding(work, "reproduction",
                           "%s is missing, or not about these measurements and the bundle that "
                           "bag-info.txt names",
                           CONTENT_REPRODUCTION_VERDICT);
    }
}

static enum err_code text_compare(struct verify_work *work, const char *path,
                                  const struct buf *text, struct err *e)
{
    char name[FILE_TREE_PATH_BYTES_MAX + 1];
    struct file_tree_entry own = {.path = name, .bytes = text->bytes, .length = text->length};
    enum err_code code = buf_check(text, path, e);

    snprintf(name, sizeof(name), "%s", path);
    return code == ERR_OK ? verify_compare_entry(work, &own, e) : code;
}

/* Of this program's own bundle: what is for readers says the same. */
static enum err_code texts_compare(struct verify_work *work, const struct reproduce_state *state,
                                   struct err *e)
{
    struct document *document = NULL;
    enum err_code code = compose_reproduction(state, &document, e);
    struct buf markdown, html;

    if (code != ERR_OK) {
        return code;
    }
    buf_init(&markdown, TEXT_BYTES_MAX);
    buf_init(&html, TEXT_BYTES_MAX);
    render_markdown(document, &markdown);
    render_html(document, &html);
    code = text_compare(work, CONTENT_REPRODUCTION_MARKDOWN, &markdown, e);
    if (code == ERR_OK) {
        code = text_compare(work, CONTENT_REPRODUCTION_HTML, &html, e);
    }
    document_free(document);
    buf_release(&markdown);
    buf_release(&html);
    return code;
}

/* Where two verdicts differ first, as a finding. */
static void difference_tell(struct verify_work *work, const json_t *given, json_t *again)
{
    const char *key;
    json_t *value;

    json_object_foreach(again, key, value)
    {
        json_t *other = json_object_get(given, key);

        if (verify_same_numbers(other, value)) {
            continue;
        }
        const char *is = json_string_value(other), *made = json_string_value(value);
        verify_add_finding(work, "reproduction-verdict",
                           "%s: its \"%s\" %s%s%snot what the measurements and the recorded "
                           "numbers of the original give%s%s",
                           CONTENT_REPRODUCTION_VERDICT, key, is ? "is " : "is", is ? is : "",
                           is ? ", " : " ", made ? ": " : "", made ? made : "");
        return;
    }
    verify_add_finding(work, "reproduction-verdict", "%s has something that no verdict has",
                       CONTENT_REPRODUCTION_VERDICT);
}

static enum err_code record_compare(struct verify_work *work, json_t *given,
                                    const struct reproduce_state *state, struct err *e)
{
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    enum err_code code = verdict_json_format(state, &text, e);
    json_t *again = code == ERR_OK ? json_loadb(text.bytes, text.length, 0, NULL) : NULL;

    if (code == ERR_OK && !verify_same_numbers(given, again)) {
        difference_tell(work, given, again);
    } else if (code == ERR_OK && verify_made_by_this_program(work)) {
        code = text_compare(work, CONTENT_REPRODUCTION_VERDICT, &text, e);
        if (code == ERR_OK) {
            code = texts_compare(work, state, e);
        }
    }
    json_decref(again);
    buf_release(&text);
    return code;
}

static enum err_code verdict_judge(struct verify_work *work, json_t *verdict, struct err *e)
{
    const struct results_pass pass = {.is_checked = true};
    struct verdict_record *record = NULL;
    struct analysis *analysis = NULL;
    struct results *results = NULL;
    struct err cause = {0};
    enum err_code code = analysis_load(work->results_path, true, &pass, &results, &analysis, e);

    if (code != ERR_OK) {
        return code;
    }
    code = verdict_record_read(verdict, analysis, work->result->samples_digest, &record, &cause);
    if (code == ERR_FORMAT) {
        verify_add_finding(work, "reproduction-verdict", "%s", cause.text);
        code = ERR_OK;
    } else if (code != ERR_OK) {
        err_set(e, code, "%s", cause.text);
    } else {
        code = record_compare(work, verdict, verdict_record_state(record), e);
    }
    verdict_record_free(record);
    analysis_free(analysis);
    results_free(results);
    return code;
}

enum err_code verify_reproduction(struct verify_work *work, struct err *e)
{
    const struct file_tree_entry *entry = file_tree_find(&work->tree, CONTENT_REPRODUCTION_VERDICT);
    json_t *verdict = verify_load_document(&work->tree, entry, VERDICT_BYTES_MAX);
    const char *format = json_string_value(json_object_get(verdict, "format"));
    enum err_code code = ERR_OK;

    names_check(work, verdict);
    if (format && strcmp(format, VERDICT_JSON_FORMAT) != 0 && !verify_made_by_this_program(work)) {
        verify_add_note(work,
                        "the verdicts below data/reproduction were NOT made again: this version "
                        "does not know their format %.40s",
                        format);
    } else if (verdict) {
        code = verdict_judge(work, verdict, e);
        verify_add_note(work,
                        "the verdicts below data/reproduction were made again; of bundle %.16s, "
                        "which is not in this one, its numbers, words and trust, its tools, the "
                        "answers of the engines and its machine's facts are as verdict.json "
                        "records them",
                        work->info.based_on);
    }
    json_decref(verdict);
    return code;
}
