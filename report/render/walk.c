// SPDX-License-Identifier: Apache-2.0
// The one way through a document.
#include "report/render/walk.h"

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

static void walk_block(struct walk *walk, const struct document_block *block)
{
    if (block->folded && walk->form->fold) {
        walk->form->fold(walk, block->folded);
    }
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
    if (block->folded) {
        walk_event(walk, walk->form->fold_end);
    }
}

void walk_blocks(struct walk *walk, const struct document_section *section)
{
    bool in_list = false;

    for (const struct document_block *block = section->first; block; block = block->next) {
        if (block->table && block->table->is_files) {
            continue;
        }
        if ((block->kind == DOCUMENT_ITEM) != in_list) {
            walk_event(walk, in_list ? walk->form->list_end : walk->form->list);
            in_list = !in_list;
        }
        walk_block(walk, block);
    }
    if (in_list) {
        walk_event(walk, walk->form->list_end);
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
