// SPDX-License-Identifier: Apache-2.0
// What the cells and columns of a document's tables are.
#ifndef REPORT_RENDER_DOCUMENT_CELL_H
#define REPORT_RENDER_DOCUMENT_CELL_H

#include <stdbool.h>
#include <stddef.h>

/* Never told by colour alone: each has a mark and a word as well. */
enum document_tone { DOCUMENT_PLAIN, DOCUMENT_GOOD, DOCUMENT_CAUTION, DOCUMENT_BAD };

enum document_cell_kind { DOCUMENT_CELL_NONE, DOCUMENT_CELL_TEXT, DOCUMENT_CELL_NUMBER };

struct document_cell {
    enum document_cell_kind kind;
    enum document_tone tone;
    const char *text; /* as it came: foreign until a renderer escapes it */
    bool is_sentence; /* `text` is ours, with marked names */
    bool is_translated;
    double value, low, high;
    size_t count; /* values that an estimate rests on; 0: not an estimate */
};

enum document_number {
    DOCUMENT_TEXT,        /* no number */
    DOCUMENT_INTEGER,     /* exact */
    DOCUMENT_SIGNIFICANT, /* `precision` digits; by the interval where there is one */
    DOCUMENT_FIXED,       /* `precision` decimals */
    DOCUMENT_GIVEN,       /* as it was given: at most `precision` digits, no zeros at the end */
};

/* Which of a table's columns a page shows where: a table may be shown in two parts. Files have all
 * columns. */
#define DOCUMENT_VIEW_ALL 0xFFu

struct document_column {
    const char *name;    /* in JSON and CSV: unit at its end */
    const char *unit;    /* of the stored number, for JSON; NULL for text */
    const char *heading; /* in pages, with the unit that pages use */
    double page_scale;   /* stored number × this = number in pages; 0 means 1 */
    enum document_number number;
    int precision;
    unsigned views;    /* 0: files only */
    bool has_interval; /* its cells are estimates */
    int page_plus;     /* added in pages: 1 shows an index from 0 as a person counts */
    bool has_comma;    /* numbers in pages have a decimal comma: by document_finish */
    const char *none;  /* what stands for an unknown number in pages: likewise; NULL: NUMBER_NONE */
};

#endif
