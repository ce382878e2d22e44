// SPDX-License-Identifier: Apache-2.0
// A document in its language, and its numbers as pages set them.
#ifndef REPORT_RENDER_DOCUMENT_LANGUAGE_H
#define REPORT_RENDER_DOCUMENT_LANGUAGE_H

#include "report/render/catalogue.h"
#include "report/render/document.h"

/*
 * Before anything is added: from now on document_format takes its format from the language's
 * catalogue, and document_finish the rest.
 *
 * errors   those of catalogue_open
 */
enum err_code document_set_language(struct document *document, const char *language,
                                    struct err *e) ATTR_MUST_USE;

/* A text of ours in the document's language: for an argument of document_format. */
const char *document_tr(struct document *document, const char *text);

/* The same for a renderer's own labels. */
const char *document_label(const struct document *document, const char *text);

/* A word of the results file that we have chosen, such as a state: in the document's language where
 * it is known, else a marked name. */
const char *document_word(struct document *document, const char *word);

/*
 * After everything is added, and again after more is: columns of which no row has a value go from
 * pages, texts of ours (all but what was made by document_format, kept or marked as foreign) become
 * those of the language, and numbers get its decimal comma and its word for NUMBER_NONE, in
 * sentences and, by marks of the column, in cells. In every language a number and its unit are kept
 * on one line.
 */
void document_finish(struct document *document);

/* For report/render: the format to use for `format`; itself where it has no words. */
const char *document_find_format(struct document *document, const char *format);

/* Whether the text lies in the document's own memory: it was made, not written by us. */
bool document_owns(const struct document *document, const char *text);

#endif
