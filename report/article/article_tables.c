// SPDX-License-Identifier: Apache-2.0
// The tables of an article, a file each in three languages of markup.
#include <stdio.h>
#include <string.h>

#include "report/article/article_parts.h"
#include "report/render/render.h"

void article_table_name(const struct document_table *table, unsigned view,
                        char out[ARTICLE_NAME_BYTES])
{
    unsigned number = view == 2 ? 2 : (view == 4 ? 3 : 1);

    if (number == 1) {
        snprintf(out, ARTICLE_NAME_BYTES, "%s", table->name);
    } else {
        snprintf(out, ARTICLE_NAME_BYTES, "%s-%u", table->name, number);
    }
}

/* Ends the caption's sentence and adds the tail. */
static const char *add_tail(const struct article *article, const char *caption, const char *tail)
{
    size_t length = strlen(caption);
    const char *stop = length > 0 && strchr(".:?!", caption[length - 1]) ? "" : ".";

    return document_format(article->compose->document, "%s%s %s", caption, stop, tail);
}

/* The earlier sessions of a history have an n each, which its table tells. */
const char *article_figure_caption(const struct article *article,
                                   const struct document_figure *figure)
{
    return add_tail(article, figure->caption,
                    strcmp(figure->name, "history") == 0  ? article->bundle_tail
                    : strcmp(figure->name, "ratios") == 0 ? article->ratio_tail
                    : figure->has_intervals               ? article->tail
                                                          : article->count_tail);
}

struct document_table article_table(const struct article *article,
                                    const struct document_table *table, unsigned view)
{
    struct document_table copy = *table;
    bool has_intervals = false;

    for (size_t i = 0; i < table->column_count; i++) {
        has_intervals =
            has_intervals || (table->columns[i].has_interval && table->columns[i].views & view);
    }
    if (table->caption) {
        copy.caption =
            add_tail(article, table->caption, has_intervals ? article->tail : article->bundle_tail);
    }
    return copy;
}

struct writing {
    const struct article *article;
    enum err_code code;
    struct err *e;
};

static void write_one(struct writing *writing, const char *name, const char *extension,
                      const struct buf *content)
{
    char path[ARTICLE_NAME_BYTES + 16];

    snprintf(path, sizeof(path), "tables/%s.%s", name, extension);
    if (writing->code == ERR_OK) {
        writing->code = form_write(&writing->article->folder, path, content, writing->e);
    }
}

static void on_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    struct writing *writing = walk->context;
    struct document_table shown = article_table(writing->article, table, view);
    char name[ARTICLE_NAME_BYTES];

    if (table->row_count == 0) {
        return;
    }
    article_table_name(table, view, name);
    buf_clear(walk->out);
    render_markdown_plain.table(walk, &shown, view);
    write_one(writing, name, "md", walk->out);
    buf_clear(walk->out);
    render_html_parts.table(walk, &shown, view);
    write_one(writing, name, "html", walk->out);
    buf_clear(walk->out);
    render_latex_table(&shown, view, name, walk->out);
    write_one(writing, name, "tex", walk->out);
}

enum err_code article_write_tables(const struct article *article, struct err *e)
{
    static const struct walk_form form = {.table = on_table};
    struct writing writing = {.article = article, .code = ERR_OK, .e = e};
    struct buf out;

    buf_init(&out, FORM_BYTES_MAX);
    walk_document(&(struct walk){
        .form = &form, .document = article->compose->document, .out = &out, .context = &writing});
    buf_release(&out);
    return writing.code;
}
