// SPDX-License-Identifier: Apache-2.0
// Values and marks of SVG in fewer bytes.
#include "report/plot/svg_compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT_BYTES_MAX 256

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static void cut(struct buf *out, size_t length)
{
    if (!out->failed) {
        out->length = length;
        out->bytes[length] = '\0';
    }
}

/* How many of the bytes of a fraction, from its '.' on, say something. */
static size_t fraction_length(const char *point, size_t *all_out)
{
    size_t all = 1;

    while (is_digit(point[all])) {
        all++;
    }
    *all_out = all;
    if (all == 1) {
        return 1; /* no fraction */
    }
    size_t kept = all;
    while (point[kept - 1] == '0') {
        kept--;
    }
    return kept == 1 ? 0 : kept;
}

static void shorten_numbers(struct buf *out, size_t begin)
{
    const char *from = out->bytes + begin, *start = from;
    char *to = out->bytes + begin;

    while (*from) {
        if (*from != '.' || from == start || !is_digit(from[-1])) {
            *to++ = *from++;
            continue;
        }
        size_t all, kept = fraction_length(from, &all);

        memmove(to, from, kept);
        to += kept;
        from += all;
    }
    cut(out, (size_t)(to - out->bytes));
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void shorten_path(struct buf *out, size_t begin)
{
    char *to = out->bytes + begin;

    for (const char *from = to; *from; from++) {
        if (!is_blank(*from)) {
            *to++ = *from;
        } else if (!is_blank(from[1]) && !is_letter(from[1])) {
            *to++ = ' ';
        }
    }
    cut(out, (size_t)(to - out->bytes));
}

/* The three parts of "rgb(  0, 114, 178)"; false: it is something else. */
static bool read_color(const char *value, unsigned long parts_out[3])
{
    static const char marks[3] = {',', ',', ')'};
    char *end = NULL;

    if (strncmp(value, "rgb(", 4) != 0) {
        return false;
    }
    value += 4;
    for (int i = 0; i < 3; i++) {
        parts_out[i] = strtoul(value, &end, 10);
        if (end == value || *end != marks[i] || parts_out[i] > 255) {
            return false;
        }
        value = end + 1;
    }
    return !*value;
}

void svg_compact_value(struct buf *out, size_t begin, bool is_path)
{
    unsigned long parts[3];

    if (out->failed || begin >= out->length) {
        return;
    }
    if (read_color(out->bytes + begin, parts)) {
        cut(out, begin);
        buf_addf(out, "#%02lx%02lx%02lx", parts[0], parts[1], parts[2]);
        return;
    }
    shorten_numbers(out, begin);
    if (is_path) {
        shorten_path(out, begin);
    }
    while (out->length > begin && out->bytes[out->length - 1] == ' ') {
        cut(out, out->length - 1);
    }
}

/* What gnuplot writes for a mark. */
struct placed {
    struct svg_mark mark;
    char x[16], y[16], color[32];
};

static bool read_mark(const char *element, size_t length, struct placed *placed)
{
    int end = 0;

    return sscanf(element,
                  "<use xlink:href='#%15[A-Za-z0-9]' transform='translate(%15[-0-9.],%15[-0-9.]) "
                  "scale(%15[0-9.])' color='%31[#(), 0-9A-Za-z]'/>%n",
                  placed->mark.symbol, placed->x, placed->y, placed->mark.scale, placed->color,
                  &end) == 5 &&
           (size_t)end == length;
}

/* Its number, which is that of its definition; SVG_MARK_COUNT_MAX: there are too many. */
static size_t find_mark(struct svg_marks *marks, const struct svg_mark *mark, bool *is_new)
{
    size_t i = 0;

    while (i < marks->count && (strcmp(marks->marks[i].symbol, mark->symbol) != 0 ||
                                strcmp(marks->marks[i].scale, mark->scale) != 0)) {
        i++;
    }
    *is_new = i == marks->count && i < SVG_MARK_COUNT_MAX;
    if (*is_new) {
        marks->marks[marks->count++] = *mark;
    }
    return i;
}

void svg_marks_end(struct svg_marks *marks, struct buf *out)
{
    if (*marks->color) {
        buf_add_text(out, "</g>\n");
        *marks->color = '\0';
    }
}

void svg_marks_add(struct svg_marks *marks, struct buf *out, size_t begin)
{
    char element[ELEMENT_BYTES_MAX];
    size_t length = out->length - begin, number = SVG_MARK_COUNT_MAX;
    struct placed placed = {.x = ""};
    bool is_new = false;

    if (out->failed || length >= sizeof(element)) {
        return;
    }
    memcpy(element, out->bytes + begin, length + 1);
    bool is_mark = read_mark(element, length, &placed);

    if (is_mark) {
        number = find_mark(marks, &placed.mark, &is_new);
        is_mark = number < SVG_MARK_COUNT_MAX;
    }
    cut(out, begin);
    if (!is_mark || strcmp(placed.color, marks->color) != 0) {
        svg_marks_end(marks, out);
    }
    if (!is_mark) {
        buf_add(out, element, length);
        return;
    }
    if (is_new) {
        buf_addf(out, "<defs><use id='m%zu' xlink:href='#%s' transform='scale(%s)'/></defs>\n",
                 number, placed.mark.symbol, placed.mark.scale);
    }
    if (!*marks->color) {
        snprintf(marks->color, sizeof(marks->color), "%s", placed.color);
        buf_addf(out, "<g color='%s'>\n", placed.color);
    }
    buf_addf(out, "<use xlink:href='#m%zu' x='%s' y='%s'/>", number, placed.x, placed.y);
}
