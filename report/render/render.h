// SPDX-License-Identifier: Apache-2.0
// The forms of a document. Each renderer is a function of the document alone: same document, same
// bytes. Failures of the buffer stay in the buffer (buf_check).
#ifndef REPORT_RENDER_RENDER_H
#define REPORT_RENDER_RENDER_H

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/render/document.h"
#include "report/render/number.h"
#include "report/render/walk.h"

/* A page shows no longer table of trials or under a figure: files have them whole. */
#define RENDER_PAGE_ROW_COUNT_MAX 200

#define RENDER_SCHEMA_VERSION 1

/* One self-contained page: no script, no outside resource, pictures inside. */
void render_html(const struct document *document, struct buf *out);

/* Its lists, sentences and tables alone, for another page. */
extern const struct walk_form render_html_parts;

/* GitHub's Markdown; pictures are links to plots/NAME.svg. */
void render_markdown(const struct document *document, struct buf *out);

/* The same in parts and without pictures, for pages that have limits. */
extern const struct walk_form render_markdown_plain;

/* For a terminal of so many columns (RENDER_TEXT_COLUMNS_MIN at least). */
#define RENDER_TEXT_COLUMNS_MIN 40
#define RENDER_TEXT_COLUMNS     100 /* of report.txt */
void render_text(const struct document *document, size_t column_count, struct buf *out);

/* JSON with keys in fixed order; NaN is null. errors ERR_LIMIT: memory */
enum err_code render_json(const struct document *document, struct buf *out,
                          struct err *e) ATTR_MUST_USE;

/* RFC 4180 with LF-free text quoted and CRLF line ends; an estimate takes the columns NAME,
 * NAME_low, NAME_high, NAME_n. */
void render_csv(const struct document_table *table, struct buf *out);

/* A table with the rules of booktabs: a float, or a longtable when it is longer than a page.
 * label   of the table, "tab:LABEL": letters, digits, '-' */
void render_latex_table(const struct document_table *table, unsigned view, const char *label,
                        struct buf *out);

/* A cell as pages write it: "54300", "n/a", and its interval, "" when there is none. */
void render_cell_number(const struct document_column *column, const struct document_cell *cell,
                        char value_out[NUMBER_TEXT_BYTES], char interval_out[NUMBER_TEXT_BYTES]);

#endif
