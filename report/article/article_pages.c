// SPDX-License-Identifier: Apache-2.0
// The text of an article: what was found, tables, figures with captions, methods, evidence; a page
// each in Markdown, HTML and LaTeX.
#include <stdio.h>
#include <string.h>

#include "report/article/article_parts.h"
#include "report/plot/plot.h"
#include "report/render/render.h"
#include "report/render/text_latex.h"
#include "report/render/text_safe.h"

#define TITLE_COLUMN_COUNT 200

struct page {
    const struct article *article;
    unsigned table_count; /* those that have a number, as LaTeX counts */
};

static const struct article *article_of(const struct walk *walk)
{
    return ((const struct page *)walk->context)->article;
}

/* With "Table 2: " before its caption; a list of facts has none. */
static struct document_table number_table(const struct walk *walk,
                                          const struct document_table *table, unsigned view)
{
    struct document_table shown = article_table(article_of(walk), table, view);
    struct document *document = article_of(walk)->compose->document;

    if (table->row_count > 0 && (shown.caption || !table->is_list)) {
        shown.caption = document_format(document, "%s %u: %s", document_label(document, "Table"),
                                        ++((struct page *)walk->context)->table_count,
                                        shown.caption ? shown.caption : table->name);
    }
    return shown;
}

static void add_title(const struct walk *walk, void (*add)(struct buf *, const char *))
{
    struct buf name;

    buf_init(&name, walk->out->limit_bytes);
    text_add_name(&name, walk->document->title, TITLE_COLUMN_COUNT);
    add(walk->out, name.bytes);
    buf_release(&name);
}

/* --- Markdown --- */

static void markdown_begin(struct walk *walk)
{
    buf_add_text(walk->out, "# ");
    text_add_markdown(walk->out, walk->document->title);
    buf_addf(walk->out, "\n\n**%s**", walk->document->word);
    if (walk->document->remark) {
        buf_add_text(walk->out, ": ");
        text_add_markdown_sentence(walk->out, walk->document->remark);
    }
    buf_add_text(walk->out, "\n\n");
}

static void markdown_section(struct walk *walk, const struct document_section *section)
{
    buf_add_text(walk->out, "## ");
    text_add_markdown_sentence(walk->out, section->title);
    buf_add_text(walk->out, "\n\n");
}

static void markdown_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    struct document_table shown = number_table(walk, table, view);

    render_markdown_plain.table(walk, &shown, view);
}

/* PNG: many places that take Markdown take no SVG. */
static void markdown_figure(struct walk *walk, const struct document_figure *figure)
{
    if (figure->svg) {
        buf_add_text(walk->out, "![");
        text_add_markdown_sentence(walk->out, figure->alternative);
        buf_addf(walk->out, "](figures/%s-double.png)\n\n", figure->name);
    }
    walk_add_figure_number(walk, figure);
    text_add_markdown_sentence(walk->out, article_figure_caption(article_of(walk), figure));
    buf_add_text(walk->out, "\n\n");
}

/* --- HTML --- */

static void html_begin(struct walk *walk)
{
    buf_addf(walk->out,
             "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
             walk->document->language);
    text_add_attribute(walk->out, walk->document->title);
    buf_add_text(walk->out, "</title>\n</head>\n<body>\n<article>\n<h1>");
    add_title(walk, text_add_html);
    buf_addf(walk->out, "</h1>\n<p><strong>%s</strong>", walk->document->word);
    if (walk->document->remark) {
        buf_add_text(walk->out, ": ");
        text_add_html(walk->out, walk->document->remark);
    }
    buf_add_text(walk->out, "</p>\n");
}

static void html_section(struct walk *walk, const struct document_section *section)
{
    buf_addf(walk->out, "<section id=\"%s\">\n<h2>", section->id);
    text_add_html(walk->out, section->title);
    buf_add_text(walk->out, "</h2>\n");
}

static void html_section_end(struct walk *walk)
{
    buf_add_text(walk->out, "</section>\n");
}

static void html_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    struct document_table shown = number_table(walk, table, view);

    render_html_parts.table(walk, &shown, view);
}

static void html_figure(struct walk *walk, const struct document_figure *figure)
{
    buf_addf(walk->out, "<figure id=\"figure-%s\">\n", figure->name);
    if (figure->svg) {
        buf_addf(walk->out, "<img src=\"figures/%s-double.svg\" width=\"%u\" height=\"%u\" alt=\"",
                 figure->name, figure->width_px, figure->height_px);
        text_add_attribute(walk->out, figure->alternative);
        buf_add_text(walk->out, "\">\n");
    }
    buf_add_text(walk->out, "<figcaption>");
    walk_add_figure_number(walk, figure);
    text_add_html(walk->out, article_figure_caption(article_of(walk), figure));
    buf_add_text(walk->out, "</figcaption>\n</figure>\n");
}

static void html_end(struct walk *walk)
{
    buf_add_text(walk->out, "</article>\n</body>\n</html>\n");
}

/* --- LaTeX --- */

static void latex_begin(struct walk *walk)
{
    buf_add_text(walk->out, "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n"
                            "\\usepackage[utf8]{inputenc}\n\\usepackage{textcomp}\n"
                            "\\usepackage{array,booktabs,longtable,graphicx,lscape}\n"
                            "\\usepackage[margin=18mm]{geometry}\n\\emergencystretch=3em\n"
                            "\\title{");
    add_title(walk, text_add_latex);
    buf_addf(walk->out,
             "}\n\\author{}\\date{}\n\\renewcommand{\\tablename}{%s}\n"
             "\\renewcommand{\\figurename}{%s}\n\\begin{document}\n\\maketitle\n",
             document_label(walk->document, "Table"), document_label(walk->document, "Figure"));
    buf_add_text(walk->out, "\\noindent\\textbf{");
    text_add_latex(walk->out, walk->document->word);
    buf_add_char(walk->out, '}');
    if (walk->document->remark) {
        buf_add_text(walk->out, ": ");
        text_add_latex(walk->out, walk->document->remark);
    }
    buf_add_text(walk->out, "\n\n");
}

static void latex_section(struct walk *walk, const struct document_section *section)
{
    buf_add_text(walk->out, "\\section{");
    text_add_latex(walk->out, section->title);
    buf_add_text(walk->out, "}\n");
}

static void latex_list(struct walk *walk)
{
    buf_add_text(walk->out, "\\begin{itemize}\n");
}

static void latex_list_end(struct walk *walk)
{
    buf_add_text(walk->out, "\\end{itemize}\n\n");
}

static void latex_item(struct walk *walk, const struct document_block *block)
{
    buf_add_text(walk->out, "\\item{} ");
    text_add_latex(walk->out, block->text);
    buf_add_char(walk->out, '\n');
}

static void latex_paragraph(struct walk *walk, const struct document_block *block)
{
    text_add_latex(walk->out, block->text);
    buf_add_text(walk->out, "\n\n");
}

static void latex_table(struct walk *walk, const struct document_table *table, unsigned view)
{
    char name[ARTICLE_NAME_BYTES];

    if (table->row_count > 0) {
        article_table_name(table, view, name);
        buf_addf(walk->out, "\\input{tables/%s}\n", name);
    }
}

/* In its own size, unless the page is narrower or lower. */
static void latex_figure(struct walk *walk, const struct document_figure *figure)
{
    buf_add_text(walk->out, "\\begin{figure}[!htbp]\n\\centering\n");
    if (figure->svg) {
        double height_mm = figure->height_px * PLOT_PAPER_MM_PER_PX;

        buf_addf(walk->out,
                 "\\includegraphics[width=\\linewidth,height=%.1fmm,keepaspectratio]"
                 "{figures/%s-double.pdf}\n",
                 height_mm < 200 ? height_mm : 200, figure->name);
    }
    buf_add_text(walk->out, "\\caption{");
    text_add_latex(walk->out, article_figure_caption(article_of(walk), figure));
    buf_addf(walk->out, "}\\label{fig:%s}\n\\end{figure}\n", figure->name);
}

static void latex_end(struct walk *walk)
{
    buf_add_text(walk->out, "\\end{document}\n");
}

/* --- the pages --- */

/* Sections of the report that an article has, in this order. */
static const char *const section_ids[] = {"trust",  "summary", "claims",  "session", "beside",
                                          "floods", "figures", "history", "methods", "evidence"};

static const struct document_section *find_section(const struct document *document, const char *id)
{
    const struct document_section *section = document->first;

    while (section && strcmp(section->id, id) != 0) {
        section = section->next;
    }
    return section;
}

static void render_page(const struct article *article, const struct walk_form *form,
                        struct buf *out)
{
    const struct document *whole = article->compose->document;
    struct document_section sections[ARRAY_COUNT(section_ids)];
    struct document part = *whole;
    struct page page = {.article = article};
    size_t count = 0;

    part.first = part.last = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(section_ids); i++) {
        const struct document_section *section = find_section(whole, section_ids[i]);

        if (section) {
            sections[count] = *section;
            sections[count].next = NULL;
            *(count > 0 ? &sections[count - 1].next : &part.first) = &sections[count];
            part.last = &sections[count++];
        }
    }
    walk_document(&(struct walk){.form = form, .document = &part, .out = out, .context = &page});
}

enum err_code article_write_pages(const struct article *article, struct err *e)
{
    struct walk_form markdown = render_markdown_plain, html = render_html_parts;
    static const struct walk_form latex = {.begin = latex_begin,
                                           .section = latex_section,
                                           .list = latex_list,
                                           .list_end = latex_list_end,
                                           .item = latex_item,
                                           .paragraph = latex_paragraph,
                                           .notice = latex_paragraph,
                                           .table = latex_table,
                                           .figure = latex_figure,
                                           .end = latex_end};
    const struct {
        const char *name;
        const struct walk_form *form;
    } pages[] = {{"article.md", &markdown}, {"article.html", &html}, {"article.tex", &latex}};
    enum err_code code = ERR_OK;
    struct buf out;

    markdown.begin = markdown_begin;
    markdown.section = markdown_section;
    markdown.fold = NULL;
    markdown.fold_end = NULL;
    markdown.table = markdown_table;
    markdown.figure = markdown_figure;
    html.begin = html_begin;
    html.section = html_section;
    html.section_end = html_section_end;
    html.table = html_table;
    html.figure = html_figure;
    html.end = html_end;
    buf_init(&out, FORM_BYTES_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(pages) && code == ERR_OK; i++) {
        buf_clear(&out);
        render_page(article, pages[i].form, &out);
        code = form_write(&article->folder, pages[i].name, &out, e);
    }
    buf_release(&out);
    return code;
}
