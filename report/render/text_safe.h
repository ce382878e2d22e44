// SPDX-License-Identifier: Apache-2.0
// Foreign text made harmless, once for each place where it can stand. Invalid UTF-8, control and
// direction characters become U+FFFD; line breaks and tabs become spaces.
#ifndef REPORT_RENDER_TEXT_SAFE_H
#define REPORT_RENDER_TEXT_SAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engines/base/buf.h"

#define TEXT_REPLACEMENT 0xFFFDu
#define TEXT_ISOLATE     0x2068u /* first strong isolate: begins a name of unknown direction */
#define TEXT_ISOLATE_POP 0x2069u
#define TEXT_INVALID     UINT32_MAX

/*
 * The code point at the start of `bytes`; surrogates, overlong forms and what is cut off are
 * invalid.
 *
 * length     at least 1
 * returns    how many bytes it takes; 1 with TEXT_INVALID
 */
size_t text_decode(const char *bytes, size_t length, uint32_t *code_point_out);
void text_add_code_point(struct buf *out, uint32_t code_point);

bool text_is_utf8(const char *bytes, size_t length);

/* Nothing but what is shown as spaces. */
bool text_is_blank(const char *text);

/* Columns that a code point takes in a fixed-width table: 0 (combining, zero width), 1 or 2. */
unsigned text_width(uint32_t code_point);

/* Appends `text` cleaned. */
void text_add_clean(struct buf *out, const char *text);

/* In place, for a line of a terminal: '?' stands for what text_add_clean would not leave as it is.
 */
void text_mark_unsafe(char *text);

/*
 * Appends `text` cleaned, cut to `column_count` columns with "…" in its middle, between U+2068 and
 * U+2069: a foreign name inside a sentence of ours. No foreign text can hold these two characters,
 * so the functions below know what is foreign.
 */
void text_add_name(struct buf *out, const char *text, size_t column_count);

/* Appends for element content; names in a sentence stand in <bdi>, points in time in <time>. */
void text_add_html(struct buf *out, const char *text);

/* Appends for a double-quoted attribute. */
void text_add_attribute(struct buf *out, const char *text);

/* Appends for GitHub's Markdown: every ASCII character that could be markup where it stands is a
 * numeric entity; what is left readable: letters, digits, spaces, ( ) , / % and, within a word, -
 * and a full stop that makes no "www." link. Not for code spans. */
void text_add_markdown(struct buf *out, const char *text);

/* As text_add_markdown for the names in a sentence of ours; our own words stay readable. */
void text_add_markdown_sentence(struct buf *out, const char *text);

/* Appends a sentence for JSON or a terminal: without the marks around its names. */
void text_add_sentence(struct buf *out, const char *text);

/* Appends one CSV text field: quoted by RFC 4180 where needed, and with ' before a first character
 * that a spreadsheet would take for a formula. Lines and tabs stay; other control characters are
 * replaced as invalid UTF-8 is. */
void text_add_csv(struct buf *out, const char *text);

/* Appends a gnuplot expression of single-quoted strings, in which nothing is executed or expanded.
 * An apostrophe stands outside them: doubled at the start of a string, gnuplot 5.4 takes the two
 * for an empty string and reads what follows as a command. */
void text_add_gnuplot(struct buf *out, const char *text, size_t column_count);

#endif
