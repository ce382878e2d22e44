// SPDX-License-Identifier: Apache-2.0
// A report before it has a form: sections of paragraphs, tables as data, figures and notices.
// Renderers read it; it knows no format. Everything in it belongs to the document.
#ifndef REPORT_RENDER_DOCUMENT_H
#define REPORT_RENDER_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"
#include "report/render/document_cell.h"

struct document_table {
    const char *name, *caption, *note;
    const struct document_column *columns;
    size_t column_count;
    struct document_cell **rows;
    size_t row_count, row_capacity;
    size_t group_first, group_count; /* columns that stand over their rows: document_group */
    bool is_list;                    /* two columns, name and value: a list of facts */
    bool is_files;                   /* only in files: too long for a page */
    bool is_translated;
    struct document *document;
};
struct document_figure {
    const char *name;    /* of its files */
    unsigned number;     /* from 1, in the order of the document */
    bool has_intervals;  /* shows them, also where its table has none */
    const char *caption; /* says n, the unit of replication, what marks are */
    const char *alternative;
    struct document_table *table; /* the numbers of the picture; of one for small screens NULL */
    const char *svg;              /* NULL: no picture could be made */
    size_t svg_bytes;
    unsigned width_px, height_px;
    const struct document_figure *narrow; /* the same for small screens; NULL: there is none */
};

enum document_kind {
    DOCUMENT_PARAGRAPH,
    DOCUMENT_ITEM, /* of a list; neighbours make one list */
    DOCUMENT_NOTICE,
    DOCUMENT_CODE, /* shown as it is */
    DOCUMENT_TABLE,
    DOCUMENT_FIGURE,
};
struct document_block {
    enum document_kind kind;
    enum document_tone tone;
    const char *text;   /* a sentence: foreign names are marked by text_add_name */
    const char *folded; /* title of the fold that hides it at first, or a list of items together;
                           NULL: open */
    struct document_table *table;
    unsigned view;
    struct document_figure *figure;
    struct document_block *next;
};
struct document_section {
    const char *id, *title;
    struct document_block *first, *last;
    struct document_section *next;
};

struct document {
    const char *title;   /* foreign */
    const char *word;    /* "VALID WITH WARNINGS" */
    const char *remark;  /* what a page says after the word; NULL: nothing */
    const char *program; /* version that measured */
    enum document_tone tone;
    struct document_section *first, *last;
    struct document_section lead; /* beside the word: no title */
    struct buf scratch;           /* for document_format */
    struct catalogue *catalogue;  /* of the document's language; NULL: English */
    const char *language;         /* "en" */
    struct buf missing;           /* keys that the catalogue does not have, a line each */
    void *chunks;
    bool failed; /* memory ran out: the document is not whole; see document_check */
};

/* NULL when there is no memory. */
struct document *document_new(void);
void document_free(struct document *document);

/* ERR_LIMIT when something could not be added. Nothing below fails otherwise; pointers returned are
 * never NULL but for document_add_row. */
enum err_code document_check(const struct document *document, struct err *e) ATTR_MUST_USE;

/* Zeroed memory, NULL when there is none. */
void *document_allocate(struct document *document, size_t bytes);
const char *document_keep(struct document *document, const char *text, size_t length);
const char *document_format(struct document *document, const char *format, ...) ATTR_PRINTF(2, 3);
/* `text` as a marked name of at most 40 columns; "n/a" for NULL. */
const char *document_name(struct document *document, const char *text);
const char *document_long_name(struct document *document, const char *text); /* 300 columns */

struct document_section *document_add_section(struct document *document, const char *id,
                                              const char *title);
/* Behind the section `after`, or at the end. */
struct document_section *document_insert_section(struct document *document, const char *after,
                                                 const char *id, const char *title);
struct document_block *document_add(struct document *document, struct document_section *section,
                                    enum document_kind kind, const char *text);
/* Not yet in any section: document_show_table puts it there, once or in several views. */
struct document_table *document_new_table(struct document *document, const char *name,
                                          const char *caption,
                                          const struct document_column *columns,
                                          size_t column_count);
struct document_block *document_show_table(struct document_section *section,
                                           struct document_table *table, unsigned view);

/* Rows that are neighbours and the same in the columns from `first` to `last` belong together: a
 * page may show these as a heading over them. */
void document_group(struct document_table *table, size_t first, size_t last);
bool document_begins_group(const struct document_table *table, size_t row_index);
/* A row of empty cells, one a column; NULL without memory, which the setters accept. */
struct document_cell *document_add_row(struct document_table *table);
void document_set_text(struct document_cell *row, size_t column_index, const char *text);
void document_set_sentence(struct document_cell *row, size_t column_index, const char *text);
void document_set_number(struct document_cell *row, size_t column_index, double value);
void document_set_integer(struct document_cell *row, size_t column_index, int64_t value);
void document_set_estimate(struct document_cell *row, size_t column_index,
                           const double value_low_high[3], size_t count);

#endif
