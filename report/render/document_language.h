// SPDX-License-Identifier: Apache-2.0
// What building a document needs of its language. Only for report/render.
#ifndef REPORT_RENDER_DOCUMENT_LANGUAGE_H
#define REPORT_RENDER_DOCUMENT_LANGUAGE_H

#include "report/render/document.h"

/* The format to use for `format`; itself where it has no words. */
const char *document_find_format(struct document *document, const char *format);

/* Whether the text lies in the document's own memory: it was made, not written by us. */
bool document_owns(const struct document *document, const char *text);

#endif
