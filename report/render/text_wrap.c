// SPDX-License-Identifier: Apache-2.0
// Columns of a fixed-width page.
#include "report/render/text_wrap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "report/render/text_safe.h"

/* Bytes of the longest start of `text`, at most `length` bytes, that takes at most `column_count`
 * columns, with the marks that combine with its last sign. */
static size_t bytes_that_fit(const char *text, size_t length, size_t column_count)
{
    size_t used = 0, width = 0;

    while (used < length) {
        uint32_t code_point;
        size_t step = text_decode(text + used, length - used, &code_point);

        width += text_width(code_point);
        if (width > column_count) {
            break;
        }
        used += step;
    }
    return used;
}

static size_t columns_of(const char *text, size_t length)
{
    size_t width = 0;

    for (size_t used = 0; used < length;) {
        uint32_t code_point;

        used += text_decode(text + used, length - used, &code_point);
        width += text_width(code_point);
    }
    return width;
}

size_t text_columns(const char *text)
{
    return columns_of(text, strlen(text));
}

void text_add_spaces(struct buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_add_char(out, ' ');
    }
}

/* A line that is being filled. */
struct line {
    struct buf *out;
    size_t column_count, indent, at;
    bool is_fresh; /* nothing of the text stands on it */
};

static void line_break(struct line *line)
{
    buf_add_char(line->out, '\n');
    text_add_spaces(line->out, line->indent);
    line->at = line->indent;
    line->is_fresh = true;
}

static void line_add_word(struct line *line, const char *word, size_t length)
{
    size_t width = columns_of(word, length);

    if (!line->is_fresh && line->at + width > line->column_count) {
        line_break(line);
    }
    while (line->at + width > line->column_count) {
        size_t room = line->column_count > line->at ? line->column_count - line->at : 1;
        size_t part = bytes_that_fit(word, length, room);

        if (part == 0 || part == length) {
            break; /* one sign is wider than the line: let it stand out */
        }
        buf_add(line->out, word, part);
        line_break(line);
        word += part;
        length -= part;
        width = columns_of(word, length);
    }
    buf_add(line->out, word, length);
    line->at += width;
    line->is_fresh = false;
}

void text_wrap(struct buf *out, const char *text, size_t column_count, size_t begun, size_t indent)
{
    struct line line = {.out = out,
                        .column_count = column_count,
                        .indent = indent,
                        .at = begun,
                        .is_fresh = begun <= indent};

    for (const char *at = text; *at;) {
        size_t spaces = strspn(at, " "), length = strcspn(at + spaces, " ");

        if (length > 0) {
            size_t width = columns_of(at + spaces, length);

            if (at > text && spaces > 0 && !line.is_fresh && line.at + 1 + width <= column_count) {
                buf_add_char(out, ' ');
                line.at++;
            } else if (at > text && spaces > 0 && !line.is_fresh) {
                line_break(&line);
            }
            line_add_word(&line, at + spaces, length);
        }
        at += spaces + length;
    }
    buf_add_char(out, '\n');
}
