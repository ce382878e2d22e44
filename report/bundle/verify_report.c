// SPDX-License-Identifier: Apache-2.0
// Stage V12: the report, made again from the results, beside the bundle's.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/bundle/content.h"
#include "report/bundle/folder.h"
#include "report/bundle/renderer.h"
#include "report/bundle/verify_work.h"
#include "report/forms/form.h"
#include "report/report.h"

#define PAGE_BYTES_MAX FORM_BYTES_MAX
#define JSON_BYTES_MAX ((size_t)64 << 20)
#define PICTURES       CONTENT_REPORT "/plots/"
#define PAGE           CONTENT_REPORT "/report.html"
#define NUMBERS        CONTENT_REPORT "/report.json"

static bool is_picture(const char *path)
{
    size_t length = strlen(path);

    return strncmp(path, PICTURES, sizeof(PICTURES) - 1) == 0 && length > 4 &&
           strcmp(path + length - 4, ".svg") == 0;
}

/* Appends the page with every picture in it cut out: base64 alone, so that nothing else goes. */
static void page_cut(const struct buf *page, struct buf *out)
{
    static const char mark[] = "=\"data:image/svg+xml;base64,"; /* of src and srcset */
    static const char base64[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    const char *at = page->bytes, *end = page->bytes + page->length, *picture;

    while ((picture = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1)) != NULL) {
        picture += sizeof(mark) - 1;
        buf_add(out, at, (size_t)(picture - at));
        at = picture + strspn(picture, base64); /* a buffer ends in a NUL */
    }
    buf_add(out, at, (size_t)(end - at));
}

static enum err_code page_load(const struct file_tree *tree, const struct file_tree_entry *entry,
                               struct buf *out, struct err *e)
{
    struct buf page;

    buf_init(&page, PAGE_BYTES_MAX);
    enum err_code code = file_tree_load(tree, entry, &page, e);
    if (code == ERR_OK && page.length) {
        page_cut(&page, out);
        code = buf_check(out, "the page without pictures", e);
    }
    buf_release(&page);
    return code;
}

/* The page but for what its pictures show. */
static enum err_code page_compare(struct verify_work *work, const struct file_tree *own,
                                  const struct file_tree_entry *entry, struct err *e)
{
    const struct file_tree_entry *given = file_tree_find(&work->tree, entry->path);
    struct buf given_page, own_page;

    if (!given || given->is_folder) {
        verify_add_finding(work, "missing-file", "%s is not there", entry->path);
        return ERR_OK;
    }
    buf_init(&given_page, PAGE_BYTES_MAX);
    buf_init(&own_page, PAGE_BYTES_MAX);
    enum err_code code = page_load(&work->tree, given, &given_page, e);
    if (code == ERR_OK) {
        code = page_load(own, entry, &own_page, e);
    }
    if (code == ERR_OK && (given_page.length != own_page.length ||
                           memcmp(given_page.bytes, own_page.bytes, own_page.length) != 0)) {
        verify_add_finding(work, "content",
                           "%s, its pictures left out, is not what the results "
                           "file gives",
                           entry->path);
    }
    buf_release(&given_page);
    buf_release(&own_page);
    return code;
}

/* Pictures must be there all the same, when they are not compared. */
static enum err_code file_compare(struct verify_work *work, const struct file_tree *own,
                                  const struct file_tree_entry *entry, bool is_blank, struct err *e)
{
    if (is_blank && is_picture(entry->path)) {
        const struct file_tree_entry *given = file_tree_find(&work->tree, entry->path);

        if (!given || given->is_folder) {
            verify_add_finding(work, "missing-file", "%s is not there", entry->path);
        }
        return ERR_OK;
    }
    return is_blank && strcmp(entry->path, PAGE) == 0 ? page_compare(work, own, entry, e)
                                                      : verify_compare_entry(work, entry, e);
}

/* is_blank: another gnuplot, or one that is not here, drew the pictures. */
static enum err_code report_compare(struct verify_work *work, const struct file_tree *own,
                                    bool is_blank, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < own->count && code == ERR_OK; i++) {
        if (!own->entries[i].is_folder) {
            code = file_compare(work, own, &own->entries[i], is_blank, e);
        }
    }
    for (size_t i = 0; i < work->tree.count; i++) {
        const struct file_tree_entry *entry = &work->tree.entries[i];

        if (strncmp(entry->path, CONTENT_REPORT "/", sizeof(CONTENT_REPORT)) == 0 &&
            !entry->is_folder && !file_tree_find(own, entry->path)) {
            verify_add_finding(work, "extra-file", "%s is nothing that the report has",
                               entry->path);
        }
    }
    if (code == ERR_OK && !work->result->finding_count) {
        work->result->report_level = is_blank ? "but-figures" : "bytes";
    }
    return code;
}

/* Whether the tables and the verdict of report.json are the same numbers. */
static bool report_has_same_numbers(struct verify_work *work, const struct file_tree *own)
{
    static const char *const members[] = {"verdict", "tables"};
    json_t *given =
        verify_load_document(&work->tree, file_tree_find(&work->tree, NUMBERS), JSON_BYTES_MAX);
    json_t *again = verify_load_document(own, file_tree_find(own, NUMBERS), JSON_BYTES_MAX);
    bool is_same = true;

    for (size_t i = 0; i < ARRAY_COUNT(members) && is_same; i++) {
        is_same = verify_same_numbers(json_object_get(given, members[i]),
                                      json_object_get(again, members[i]));
    }
    json_decref(given);
    json_decref(again);
    return is_same;
}

/* Of another tacho's bundle: its numbers must be those of this one all the same. */
static void numbers_compare(struct verify_work *work, const struct file_tree *own)
{
    bool is_same = report_has_same_numbers(work, own);

    work->result->report_level = is_same && !work->claims_differ ? "numbers" : "none";
    verify_add_note(work,
                    "made by %s, this is tacho %s: of the report only the verdict and the tables "
                    "of report.json were compared: they are %s%s",
                    work->info.software_agent, work->config->program_version,
                    is_same ? "the same" : "OTHER ONES",
                    work->claims_differ ? "; the claims of claims.json are OTHER ONES" : "");
}

/* How the pictures of the report must be made for comparing it. */
static enum err_code figures_choose(struct verify_work *work, enum form_figures *figures_out,
                                    struct err *e)
{
    char renderer[RENDERER_BYTES] = "";
    enum err_code code = renderer_find(work->folder.path, renderer, e);

    if (code != ERR_OK) {
        return code;
    }
    if (strcmp(work->info.renderer, RENDERER_NONE) == 0) {
        *figures_out = FORM_FIGURES_NONE;
    } else if (strcmp(work->info.renderer, renderer) == 0) {
        *figures_out = FORM_FIGURES_DRAWN;
    } else {
        *figures_out = FORM_FIGURES_BLANK;
        verify_add_note(work,
                        "figures by \"%s\", here it is \"%s\": the pictures were not "
                        "compared, all else was",
                        work->info.renderer, renderer);
    }
    return ERR_OK;
}

enum err_code verify_report(struct verify_work *work, struct err *e)
{
    bool is_own = verify_made_by_this_program(work);
    char path[PATH_MAX];
    struct report_config config = {.results_path = work->results_path,
                                   .immutable = true,
                                   .is_checked = true,
                                   .folder = path,
                                   .forms = is_own ? FORM_ALL : FORM_BIT(json)};
    const char *fault = NULL;
    struct file_tree own;

    file_tree_init(&own);
    enum err_code code = work_folder_join(&work->folder, "report", path, e);
    if (code == ERR_OK && is_own) {
        code = figures_choose(work, &config.figures, e);
    }
    if (code == ERR_OK) {
        code = report_write(&config, NULL, NULL, e);
    }
    if (code == ERR_OK) {
        code = folder_read(path, CONTENT_REPORT, &own, &fault, e);
    }
    if (code == ERR_OK && is_own) {
        code = report_compare(work, &own, config.figures == FORM_FIGURES_BLANK, e);
    } else if (code == ERR_OK) {
        numbers_compare(work, &own);
    }
    file_tree_release(&own);
    return code;
}
