// SPDX-License-Identifier: Apache-2.0
// Columns of a fixed-width page: how wide a text is, filling, and breaking at spaces.
#ifndef REPORT_RENDER_TEXT_WRAP_H
#define REPORT_RENDER_TEXT_WRAP_H

#include <stddef.h>

#include "engines/base/buf.h"

/* Columns of a clean text; more than SIZE_MAX / 2 is not met. */
size_t text_columns(const char *text);

/*
 * Appends a clean text in lines of at most `column_count` columns, broken at spaces (never at
 * U+00A0 and U+202F); a longer word is cut where the line ends. Lines after the first begin with
 * `indent` spaces; the first is taken to begin at column `begun`. Ends with a line feed.
 */
void text_wrap(struct buf *out, const char *text, size_t column_count, size_t begun, size_t indent);

void text_add_spaces(struct buf *out, size_t count);

#endif
