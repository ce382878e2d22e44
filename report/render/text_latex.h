// SPDX-License-Identifier: Apache-2.0
// Foreign text and sentences for LaTeX: specials escaped, signs that pdflatex has, the rest as
// "[U+1F680]".
#ifndef REPORT_RENDER_TEXT_LATEX_H
#define REPORT_RENDER_TEXT_LATEX_H

#include "engines/base/buf.h"

/* Appends for a paragraph or a cell; nothing of `text` is a command. A name's marks are left out.
 */
void text_add_latex(struct buf *out, const char *text);

#endif
