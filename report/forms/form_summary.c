// SPDX-License-Identifier: Apache-2.0
// The Markdown that a CI job posts: summary.md for a job's summary page, comment.md for a pull
// request, each below the limit of its place. What does not fit is left out and counted.
//
// source   docs.github.com, "Workflow commands", adding a job summary: 1 MiB a step; the body of a
//          comment: 65,536 characters
#include <string.h>

#include "collector/digest.h"
#include "report/forms/form.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"
#include "report/render/walk.h"

#define SUMMARY_BYTES_MAX ((size_t)1024 * 1024)
#define COMMENT_BYTES_MAX ((size_t)65535) /* a byte is never more than a character */
#define CLOSING_BYTES     ((size_t)1000)  /* kept free for what was left out */
#define MARKER_DIGITS     12

/* A page that may not grow beyond its limit. */
struct posting {
    struct document *document;
    struct buf page, part; /* what stands; what is tried */
    size_t limit_bytes;
    size_t block_count, row_count; /* left out */
};

/* Takes the part when it fits. */
static bool posting_take(struct posting *posting)
{
    bool fits = !posting->part.failed &&
                posting->page.length + posting->part.length + CLOSING_BYTES <= posting->limit_bytes;

    if (fits) {
        buf_add(&posting->page, posting->part.bytes, posting->part.length);
    }
    return fits;
}

static void render_blocks(struct posting *posting, struct document_block *first,
                          struct document_block *last)
{
    const struct document_section section = {.first = first, .last = last};

    buf_clear(&posting->part);
    walk_blocks(&(struct walk){.form = &render_markdown_plain,
                               .document = posting->document,
                               .out = &posting->part},
                &section);
}

static void render_block(struct posting *posting, struct document_block *block)
{
    render_blocks(posting, block, block);
}

/* As many of the first rows as fit, by halving. */
static void take_rows(struct posting *posting, struct document_block *block)
{
    struct document_table shorter = *block->table;
    struct document_block copy = *block;

    copy.table = &shorter;
    for (shorter.row_count /= 2; shorter.row_count > 0; shorter.row_count /= 2) {
        render_block(posting, &copy);
        buf_addf(&posting->part, "%s\n\n",
                 document_format(posting->document, "The first %zu of %zu rows.", shorter.row_count,
                                 block->table->row_count));
        if (posting_take(posting)) {
            posting->row_count += block->table->row_count - shorter.row_count;
            return;
        }
    }
    posting->block_count++;
}

/* Items in a fold, in one piece or not at all; returns the last of them. */
static struct document_block *take_fold(struct posting *posting, struct document_block *item)
{
    struct document_block *first = item;
    size_t count = 1;

    for (; walk_list_goes_on(item, item->next); count++) {
        item = item->next;
    }
    render_blocks(posting, first, item);
    posting->block_count += posting_take(posting) ? 0 : count;
    return item;
}

static void take_block(struct posting *posting, struct document_block *block)
{
    if (block->table && block->table->is_files) {
        return;
    }
    render_block(posting, block);
    if (block->kind == DOCUMENT_ITEM && walk_list_goes_on(block, block->next) &&
        posting->part.length > 0) {
        posting->part.length--; /* the list goes on: no empty line */
    }
    if (posting_take(posting)) {
        return;
    }
    if (block->kind == DOCUMENT_TABLE && block->table && block->table->row_count > 1) {
        take_rows(posting, block);
    } else {
        posting->block_count++;
    }
}

static void take_section(struct posting *posting, const struct document_section *section)
{
    if (section->title) {
        buf_clear(&posting->part);
        render_markdown_plain.section(
            &(struct walk){.document = posting->document, .out = &posting->part}, section);
        if (!posting_take(posting)) {
            posting->block_count++;
        }
    }
    for (struct document_block *block = section->first; block; block = block->next) {
        if (block->kind == DOCUMENT_ITEM && block->folded) {
            block = take_fold(posting, block);
        } else {
            take_block(posting, block);
        }
    }
}

/* Of the section of claims what is refuted: whoever reads only the comment shall see why. */
static void take_refuted(struct posting *posting, const struct document_section *section)
{
    bool has_any = false;

    for (struct document_block *block = section->first; block; block = block->next) {
        if (block->kind != DOCUMENT_ITEM || block->tone != DOCUMENT_BAD || block->folded) {
            continue;
        }
        render_block(posting, block);
        if (posting->part.length > 0) {
            posting->part.length--; /* the list goes on: no empty line */
        }
        has_any = posting_take(posting) || has_any;
    }
    if (has_any) {
        buf_add_char(&posting->page, '\n');
    }
}

/* The same for the same title, so that a job can find its earlier comment and replace it. */
static enum err_code add_marker(struct posting *posting, struct err *e)
{
    const char *title = posting->document->title;
    char hex[DIGEST_HEX_BYTES];
    enum err_code code = digest_bytes(title, strlen(title), hex, e);

    if (code == ERR_OK) {
        buf_addf(&posting->page, "<!-- tachograph-report %.*s -->\n", MARKER_DIGITS, hex);
    }
    return code;
}

/* "" of none. */
static const char *count_parts(struct document *document, size_t count)
{
    return count == 0   ? ""
           : count == 1 ? document_format(document, "%zu part", count)
                        : document_format(document, "%zu parts", count);
}

static const char *count_rows(struct document *document, size_t count)
{
    return count == 0   ? ""
           : count == 1 ? document_format(document, "%zu row of a table", count)
                        : document_format(document, "%zu rows of tables", count);
}

static void add_closing(struct posting *posting, bool is_part)
{
    if (posting->block_count > 0 || posting->row_count > 0) {
        bool has_both = posting->block_count > 0 && posting->row_count > 0;
        char limit[NUMBER_TEXT_BYTES];

        number_format_integer((int64_t)posting->limit_bytes, limit);
        buf_addf(&posting->page, "> %s ", walk_tone_mark(DOCUMENT_CAUTION));
        buf_add_text(&posting->page,
                     document_format(posting->document,
                                     "Left out, because this page may have no more than %s bytes: "
                                     "%s%s%s. All of it is in report.md and report.html.\n",
                                     limit, count_parts(posting->document, posting->block_count),
                                     has_both ? document_tr(posting->document, " and ") : "",
                                     count_rows(posting->document, posting->row_count)));
    } else if (is_part) {
        buf_addf(&posting->page, "%s\n",
                 document_tr(posting->document, "Figures, every trial, the machine and the methods "
                                                "are in report.html."));
    }
}

static bool is_in_comment(const struct document_section *section)
{
    return strcmp(section->id, "trust") == 0 || strcmp(section->id, "summary") == 0;
}

static enum err_code post(const struct compose *compose, const struct form_folder *folder,
                          bool is_comment, struct err *e)
{
    struct posting posting = {.document = compose->document,
                              .limit_bytes = is_comment ? COMMENT_BYTES_MAX : SUMMARY_BYTES_MAX};

    buf_init(&posting.page, posting.limit_bytes);
    buf_init(&posting.part, FORM_BYTES_MAX);
    enum err_code code = is_comment ? add_marker(&posting, e) : ERR_OK;
    render_markdown_plain.begin(&(struct walk){.document = posting.document, .out = &posting.page});
    take_section(&posting, &posting.document->lead);
    for (const struct document_section *section = posting.document->first; section;
         section = section->next) {
        if (!is_comment || is_in_comment(section)) {
            take_section(&posting, section);
        } else if (strcmp(section->id, "claims") == 0) {
            take_refuted(&posting, section);
        }
    }
    add_closing(&posting, is_comment);
    if (code == ERR_OK) {
        code = form_write(folder, is_comment ? "comment.md" : "summary.md", &posting.page, e);
    }
    buf_release(&posting.part);
    buf_release(&posting.page);
    return code;
}

enum err_code form_summary(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return post(compose, folder, false, e);
}

enum err_code form_comment(struct compose *compose, struct form_folder *folder, struct err *e)
{
    return post(compose, folder, true, e);
}
