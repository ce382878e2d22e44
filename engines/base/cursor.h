// SPDX-License-Identifier: Apache-2.0
// A place in foreign text that cannot leave its bytes.
#ifndef ENGINES_BASE_CURSOR_H
#define ENGINES_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const char *at, *end;
};

bool cursor_is_blank(char byte); /* ' ' or a tab */
void cursor_skip_blanks(struct cursor *cursor);

/* The line at the cursor, without its newline; the cursor moves behind it. False at the end. */
bool cursor_take_line(struct cursor *cursor, struct cursor *line_out);

/* The next word between blanks, of this line. False when none is left. */
bool cursor_take_word(struct cursor *cursor, struct cursor *word_out);

/* Whether the cursor holds just this text. */
bool cursor_is(const struct cursor *word, const char *text);

/* Digits in base 10 or 16; at least one, no overflow. The cursor moves behind them. */
bool cursor_take_digits(struct cursor *cursor, unsigned base, uint64_t *number_out);

/* A word that is a whole decimal number; a leading '-' gives the two's complement, as some fields
 * are signed. */
bool cursor_take_number(struct cursor *cursor, uint64_t *number_out);

/* Copies what the cursor holds, with a NUL. False: it does not fit, *out is untouched. */
bool cursor_copy(const struct cursor *cursor, char *out, size_t capacity);

#endif
