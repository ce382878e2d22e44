// SPDX-License-Identifier: Apache-2.0
// The one way through a document.
#include "report/render/walk.h"

#include <string.h>

const char *walk_tone_mark(enum document_tone tone)
{
    static const char *const marks[] = {
        [DOCUMENT_PLAIN] = "",
        [DOCUMENT_GOOD] = "\xe2\x9c\x94",    /* ✔ */
        [DOCUMENT_CAUTION] = "\xe2\x96\xb2", /* ▲ */
        [DOCUMENT_BAD] = "\xe2\x9c\x98",     /* ✘ */
    };

    return marks[tone];
}

void walk_add_figure_number(struct walk *walk, const struct document_figure *figure)
{
    buf_addf(walk->out, "%s %u: ", document_label(walk->document, "Figure"), figure->number);
}

static void walk_event(struct walk *walk, void (*event)(struct walk *walk))
{
    if (event) {
        event(walk);
    }
}

static void walk_text(struct walk *walk, const struct document_block *block)
{
    void (*const events[])(struct walk *, const struct document_block *) = {
        [DOCUMENT_PARAGRAPH] = walk->form->paragraph,
        [DOCUMENT_ITEM] = walk->form->item,
        [DOCUMENT_NOTICE] = walk->form->notice,
        [DOCUMENT_CODE] = walk->form->code,
    };

    if (block->text && events[block->kind]) {
        events[block->kind](walk, block);
    }
}

static void fold_begin(struct walk *walk, const struct document_block *block)
{
    if (block->folded && walk->form->fold) {
        walk->form->fold(walk, block->folded);
    }
}

static void fold_end(struct walk *walk, const struct document_block *block)
{
    if (block->folded) {
        walk_event(walk, walk->form->fold_end);
    }
}

static void walk_block(struct walk *walk, const struct document_block *block)
{
    fold_begin(walk, block);
    if (block->kind == DOCUMENT_TABLE) {
        if (walk->form->table) {
            walk->form->table(walk, block->table, block->view);
        }
    } else if (block->kind == DOCUMENT_FIGURE) {
        if (walk->form->figure) {
            walk->form->figure(walk, block->figure);
        }
    } else {
        walk_text(walk, block);
    }
    fold_end(walk, block);
}

bool walk_list_goes_on(const struct document_block *item, const struct document_block *next)
{
    return next && next->kind == DOCUMENT_ITEM &&
           (item->folded && next->folded ? strcmp(item->folded, next->folded) == 0
                                         : item->folded == next->folded);
}

/* Tables for files only part no list. NULL: the list ends with `item`. */
static const struct document_block *next_item(const struct document_block *item,
                                              const struct document_block *last)
{
    const struct document_block *at = item;

    do {
        at = at == last ? NULL : at->next;
    } while (at && at->table && at->table->is_files);
    return walk_list_goes_on(item, at) ? at : NULL;
}

/* Returns the last item of the list that begins with `item`. */
static const struct document_block *walk_list(struct walk *walk, const struct document_block *item,
                                              const struct document_block *last)
{
    fold_begin(walk, item);
    walk_event(walk, walk->form->list);
    walk_text(walk, item);
    for (const struct document_block *next; (next = next_item(item, last)) != NULL; item = next) {
        walk_text(walk, next);
    }
    walk_event(walk, walk->form->list_end);
    fold_end(walk, item);
    return item;
}

void walk_blocks(struct walk *walk, const struct document_section *section)
{
    for (const struct document_block *block = section->first; block;
         block = block == section->last ? NULL : block->next) {
        if (block->table && block->table->is_files) {
            continue;
        }
        if (block->kind == DOCUMENT_ITEM) {
            block = walk_list(walk, block, section->last);
        } else {
            walk_block(walk, block);
        }
    }
}

void walk_document(struct walk *walk)
{
    walk_event(walk, walk->form->begin);
    walk_blocks(walk, &walk->document->lead);
    walk_event(walk, walk->form->lead_end);
    for (const struct document_section *section = walk->document->first; section;
         section = section->next) {
        if (walk->form->section) {
            walk->form->section(walk, section);
        }
        walk_blocks(walk, section);
        walk_event(walk, walk->form->section_end);
    }
    walk_event(walk, walk->form->end);
}
