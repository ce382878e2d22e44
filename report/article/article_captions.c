// SPDX-License-Identifier: Apache-2.0
// What the figures of one width are called and show: those of one column may show less than those
// of two, and say so.
#include <stdio.h>

#include "report/article/article_parts.h"
#include "report/render/render.h"
#include "report/render/text_safe.h"

struct captions {
    const struct article *article;
    const char *width;
};

static void add_sentence(struct buf *out, const char *text)
{
    text_add_markdown_sentence(out, text);
    buf_add_text(out, "\n\n");
}

static void on_figure(struct walk *walk, const struct document_figure *figure)
{
    const struct captions *captions = walk->context;
    struct buf *out = walk->out;

    buf_addf(out, "## %s-%s\n\n", figure->name, captions->width);
    walk_add_figure_number(walk, figure);
    add_sentence(out, article_figure_caption(captions->article, figure));
    add_sentence(out, figure->alternative);
}

enum err_code article_write_captions(const struct article *article, const char *width,
                                     struct err *e)
{
    static const struct walk_form form = {.figure = on_figure};
    struct captions captions = {article, width};
    char name[40];
    struct buf out;

    snprintf(name, sizeof(name), "figures/captions-%s.md", width);
    buf_init(&out, FORM_BYTES_MAX);
    walk_document(&(struct walk){
        .form = &form, .document = article->compose->document, .out = &out, .context = &captions});
    enum err_code code =
        out.length > 0 ? form_write(&article->folder, name, &out, e) : buf_check(&out, name, e);
    buf_release(&out);
    return code;
}
