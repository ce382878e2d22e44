// SPDX-License-Identifier: Apache-2.0
// What the parts of an article share. Only for report/article.
#ifndef REPORT_ARTICLE_ARTICLE_PARTS_H
#define REPORT_ARTICLE_ARTICLE_PARTS_H

#include "report/article/article.h"
#include "report/compose/compose.h"
#include "report/forms/form.h"

struct article {
    const struct article_config *config;
    struct article_evidence evidence;
    struct compose *compose; /* its figures are of the double width */
    /* What captions end with: n, interval, bundle; the same where only ratios are shown; n and
     * bundle, where there is no interval; the bundle alone. */
    const char *tail, *ratio_tail, *count_tail, *bundle_tail;
    struct form_folder folder; /* where it is written */
};

/* "comparisons", "comparisons-2" for the second view. */
#define ARTICLE_NAME_BYTES 120
void article_table_name(const struct document_table *table, unsigned view,
                        char out[ARTICLE_NAME_BYTES]);
/* The same table with the tail behind its caption. */
struct document_table article_table(const struct article *article,
                                    const struct document_table *table, unsigned view);
/* The caption with its tail. */
const char *article_figure_caption(const struct article *article,
                                   const struct document_figure *figure);

/* tables/NAME.md, .html, .tex: every table of the report's pages but those of single trials. */
enum err_code article_write_tables(const struct article *article, struct err *e) ATTR_MUST_USE;

/* figures/captions-WIDTH.md: what the figures of a width are called and show. */
enum err_code article_write_captions(const struct article *article, const char *width,
                                     struct err *e) ATTR_MUST_USE;

/* article.md, article.html, article.tex */
enum err_code article_write_pages(const struct article *article, struct err *e) ATTR_MUST_USE;

/* The section on the archive, at the end of the document. */
void article_add_evidence(const struct article_evidence *evidence, struct compose *compose);

#endif
