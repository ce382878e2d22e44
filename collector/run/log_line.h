// SPDX-License-Identifier: Apache-2.0
// What a program wrote, as one line of text.
#ifndef COLLECTOR_RUN_LOG_LINE_H
#define COLLECTOR_RUN_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes a line of the bytes in place: controls, line breaks and what is no UTF-8 become blanks,
 * blanks at the end go. What was cut off before the bytes is told by "…" in place of the first of
 * them, when there is room.
 *
 * text  has room for `length` bytes and the '\0' that is put behind
 */
void log_line_make(char *text, size_t length, bool is_cut);

#endif
