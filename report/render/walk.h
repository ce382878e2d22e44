// SPDX-License-Identifier: Apache-2.0
// The one way through a document: every form is a table of what it does with each part.
#ifndef REPORT_RENDER_WALK_H
#define REPORT_RENDER_WALK_H

#include <stdbool.h>

#include "engines/base/buf.h"
#include "report/render/document_language.h"

struct walk;

/* NULL: the form has nothing for this part. Tables for files only, and what has no text, are never
 * given to a form. */
struct walk_form {
    void (*begin)(struct walk *walk); /* then come the blocks of the lead */
    void (*lead_end)(struct walk *walk);
    void (*section)(struct walk *walk, const struct document_section *section);
    void (*section_end)(struct walk *walk);
    void (*fold)(struct walk *walk, const char *title); /* around what is folded */
    void (*fold_end)(struct walk *walk);
    void (*list)(struct walk *walk); /* around neighbouring items; inside a fold, when they are */
    void (*list_end)(struct walk *walk);
    void (*item)(struct walk *walk, const struct document_block *block);
    void (*paragraph)(struct walk *walk, const struct document_block *block);
    void (*notice)(struct walk *walk, const struct document_block *block);
    void (*code)(struct walk *walk, const struct document_block *block);
    void (*table)(struct walk *walk, const struct document_table *table, unsigned view);
    void (*figure)(struct walk *walk, const struct document_figure *figure);
    void (*end)(struct walk *walk);
};

struct walk {
    const struct walk_form *form;
    const struct document *document;
    struct buf *out;
    void *context; /* the form's own */
};

void walk_document(struct walk *walk);
/* From the section's first block to its last. */
void walk_blocks(struct walk *walk, const struct document_section *section);
/* Whether `next` belongs to the same list as the item before it, in the same fold. */
bool walk_list_goes_on(const struct document_block *item, const struct document_block *next);

/* "Figure 3: ", before what is said of it. */
void walk_add_figure_number(struct walk *walk, const struct document_figure *figure);

/* ✔ ▲ ✘ with nothing around them; "" for plain. Beside it stands always a word. */
const char *walk_tone_mark(enum document_tone tone);

#endif
