// SPDX-License-Identifier: Apache-2.0
// Foreign text made harmless: a strict UTF-8 reader and one escape function for each output.
#include "report/render/text_safe.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "engines/base/attr.h"

#define TIME_LENGTH 20

struct range {
    uint32_t first, last;
};

static bool range_holds(const struct range *ranges, size_t count, uint32_t code_point)
{
    for (size_t i = 0; i < count; i++) {
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

size_t text_decode(const char *bytes, size_t length, uint32_t *code_point_out)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t minimum;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    uint8_t first = (uint8_t)bytes[0];

    assert(length > 0);
    *code_point_out = TEXT_INVALID;
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        uint32_t code_point = first & (uint8_t)~forms[i].mask;

        if ((first & forms[i].mask) != forms[i].lead) {
            continue;
        }
        if (length <= i) {
            return 1;
        }
        for (size_t k = 1; k <= i; k++) {
            if (((uint8_t)bytes[k] & 0xC0) != 0x80) {
                return 1;
            }
            code_point = code_point << 6 | ((uint8_t)bytes[k] & 0x3F);
        }
        if (code_point < forms[i].minimum || code_point > 0x10FFFF ||
            (code_point >= 0xD800 && code_point <= 0xDFFF)) {
            return 1;
        }
        *code_point_out = code_point;
        return i + 1;
    }
    return 1;
}

void text_add_code_point(struct buf *out, uint32_t code_point)
{
    if (code_point < 0x80) {
        buf_add_char(out, (char)code_point);
    } else if (code_point < 0x800) {
        buf_add_char(out, (char)(0xC0 | code_point >> 6));
        buf_add_char(out, (char)(0x80 | (code_point & 0x3F)));
    } else if (code_point < 0x10000) {
        buf_add_char(out, (char)(0xE0 | code_point >> 12));
        buf_add_char(out, (char)(0x80 | (code_point >> 6 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code_point & 0x3F)));
    } else {
        buf_add_char(out, (char)(0xF0 | code_point >> 18));
        buf_add_char(out, (char)(0x80 | (code_point >> 12 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code_point >> 6 & 0x3F)));
        buf_add_char(out, (char)(0x80 | (code_point & 0x3F)));
    }
}

bool text_is_utf8(const char *bytes, size_t length)
{
    uint32_t code_point;

    for (size_t i = 0; i < length;) {
        i += text_decode(bytes + i, length - i, &code_point);
        if (code_point == TEXT_INVALID) {
            return false;
        }
    }
    return true;
}

unsigned text_width(uint32_t code_point)
{
    static const struct range none[] = {
        {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x200B, 0x200F},
        {0x202A, 0x202E}, {0x2060, 0x206F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const struct range wide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                        {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                        {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

    if (range_holds(none, ARRAY_COUNT(none), code_point)) {
        return 0;
    }
    return range_holds(wide, ARRAY_COUNT(wide), code_point) ? 2 : 1;
}

/* What may stand in a page for this code point: itself, a space, or U+FFFD. */
static uint32_t code_point_clean(uint32_t code_point, bool isolates_pass)
{
    static const struct range spaces[] = {{'\t', '\r'}, {0x2028, 0x2029}};
    /* controls, soft direction marks, overrides, byte order mark, tags, non-characters */
    static const struct range bad[] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E},
        {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFDD0, 0xFDEF}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F}};

    if (isolates_pass && (code_point == TEXT_ISOLATE || code_point == TEXT_ISOLATE_POP)) {
        return code_point;
    }
    if (range_holds(spaces, ARRAY_COUNT(spaces), code_point)) {
        return ' ';
    }
    if (code_point == TEXT_INVALID || range_holds(bad, ARRAY_COUNT(bad), code_point)) {
        return TEXT_REPLACEMENT;
    }
    return code_point;
}

/* The next code point of a NUL-terminated text, cleaned; false at the end. */
static bool text_next(const char **text, bool isolates_pass, uint32_t *code_point_out)
{
    uint32_t code_point;

    if (**text == '\0') {
        return false;
    }
    *text += text_decode(*text, strnlen(*text, 4), &code_point);
    *code_point_out = code_point_clean(code_point, isolates_pass);
    return true;
}

bool text_is_blank(const char *text)
{
    uint32_t code_point;

    while (text_next(&text, false, &code_point)) {
        if (code_point != ' ' && code_point != 0xA0 && text_width(code_point) > 0) {
            return false;
        }
    }
    return true;
}

void text_add_clean(struct buf *out, const char *text)
{
    uint32_t code_point;

    while (text_next(&text, false, &code_point)) {
        text_add_code_point(out, code_point);
    }
}

void text_mark_unsafe(char *text)
{
    char *out = text;
    uint32_t code_point;

    while (*text) {
        size_t length = text_decode(text, strnlen(text, 4), &code_point);

        if (code_point_clean(code_point, false) == code_point) {
            memmove(out, text, length);
            out += length;
        } else {
            *out++ = '?';
        }
        text += length;
    }
    *out = '\0';
}

/* A name can also be long without being wide. */
#define CODE_POINTS_PER_COLUMN 4

static void text_measure(const char *text, size_t *width_out, size_t *count_out)
{
    uint32_t code_point;
    size_t width = 0, count = 0;

    while (text_next(&text, false, &code_point)) {
        width += text_width(code_point);
        count++;
    }
    *width_out = width;
    *count_out = count;
}

#define ZERO_WIDTH_JOINER 0x200Du

/* Where the end begins that fits: not between a letter and its accents, not within joined signs. */
static const char *find_tail(const char *text, size_t width, size_t count, size_t column_count,
                             size_t code_point_max)
{
    uint32_t code_point, before = 0;
    const char *at = text, *next = text;

    while (text_next(&next, false, &code_point)) {
        bool is_start = text_width(code_point) > 0 && before != ZERO_WIDTH_JOINER;

        if (is_start && width <= column_count && count <= code_point_max) {
            return at;
        }
        width -= text_width(code_point);
        count--;
        before = code_point;
        at = next;
    }
    return at;
}

/* Names that belong together often begin alike: of a long one the beginning and the end stay. */
static void text_add_cut(struct buf *out, const char *text, size_t column_count,
                         size_t code_point_max)
{
    size_t width, count, used_width = 0, used_count = 0;
    size_t tail_columns = column_count > 0 ? (column_count - 1) / 2 : 0;
    const char *at = text;
    uint32_t code_point;

    text_measure(text, &width, &count);
    if (width <= column_count && count <= code_point_max) {
        text_add_clean(out, text);
        return;
    }
    while (text_next(&at, false, &code_point)) {
        used_width += text_width(code_point);
        used_count++;
        if (used_width + 1 + tail_columns > column_count ||
            used_count > code_point_max - code_point_max / 2) {
            break;
        }
        text_add_code_point(out, code_point);
    }
    buf_add_text(out, "\xe2\x80\xa6"); /* … */
    text_add_clean(out, find_tail(text, width, count, tail_columns, code_point_max / 2));
}

void text_add_name(struct buf *out, const char *text, size_t column_count)
{
    text_add_code_point(out, TEXT_ISOLATE);
    text_add_cut(out, text, column_count, CODE_POINTS_PER_COLUMN * column_count);
    text_add_code_point(out, TEXT_ISOLATE_POP);
}

static void add_html_code_point(struct buf *out, uint32_t code_point)
{
    switch (code_point) {
    case '&':
        buf_add_text(out, "&amp;");
        break;
    case '<':
        buf_add_text(out, "&lt;");
        break;
    case '>':
        buf_add_text(out, "&gt;");
        break;
    case '"':
        buf_add_text(out, "&quot;");
        break;
    case '\'':
        buf_add_text(out, "&#39;");
        break;
    default:
        text_add_code_point(out, code_point);
    }
}

/* "2026-11-01T00:00:00Z", which a page may not break at its hyphens. */
static bool is_time(const char *text)
{
    static const char pattern[] = "0000-00-00T00:00:00Z";

    for (size_t i = 0; i < TIME_LENGTH; i++) {
        bool is_digit = text[i] >= '0' && text[i] <= '9';

        if (pattern[i] == '0' ? !is_digit : text[i] != pattern[i]) {
            return false; /* the end as well */
        }
    }
    return true;
}

void text_add_html(struct buf *out, const char *text)
{
    uint32_t code_point;

    while (*text) {
        if (is_time(text)) {
            buf_addf(out, "<time>%.*s</time>", TIME_LENGTH, text);
            text += TIME_LENGTH;
            continue;
        }
        text_next(&text, true, &code_point);
        if (code_point == TEXT_ISOLATE) {
            buf_add_text(out, "<bdi>");
        } else if (code_point == TEXT_ISOLATE_POP) {
            buf_add_text(out, "</bdi>");
        } else {
            add_html_code_point(out, code_point);
        }
    }
}

void text_add_attribute(struct buf *out, const char *text)
{
    uint32_t code_point;

    while (text_next(&text, true, &code_point)) {
        add_html_code_point(out, code_point);
    }
}

static bool is_letter_digit_or_space(uint32_t code_point)
{
    return code_point == ' ' || (code_point >= '0' && code_point <= '9') ||
           (code_point >= 'A' && code_point <= 'Z') || (code_point >= 'a' && code_point <= 'z');
}

/* Marks that mean nothing to Markdown where they stand: "(", ")", ",", "/" and "%" anywhere (a link
 * needs brackets or a colon, which are entities), "-" and "." within a word (not "www.", which
 * links). */
static bool is_inert_mark(const struct buf *out, uint32_t code_point, char next)
{
    const char *end = out->bytes + out->length;

    if (code_point < 0x80 && strchr("(),/%", (int)code_point)) {
        return code_point != 0;
    }
    if ((code_point != '-' && code_point != '.') || out->length == 0 || end[-1] == ' ' ||
        !is_letter_digit_or_space((unsigned char)end[-1]) || next == ' ' ||
        !is_letter_digit_or_space((unsigned char)next)) {
        return false;
    }
    return code_point == '-' || out->length < 3 || strncasecmp(end - 3, "www", 3) != 0;
}

/* next   the byte that follows, which decides whether a mark stands within a word */
static void add_markdown_code_point(struct buf *out, uint32_t code_point, char next)
{
    if (code_point < 0x80 && !is_letter_digit_or_space(code_point) &&
        !is_inert_mark(out, code_point, next)) {
        /* GitHub looks for addresses, "@person" and "#1" in the finished text: a word joiner parts
         * the sign from what follows. */
        buf_addf(out, code_point == '@' || code_point == '#' ? "&#%u;&#8288;" : "&#%u;",
                 (unsigned)code_point);
    } else {
        text_add_code_point(out, code_point);
    }
}

void text_add_markdown(struct buf *out, const char *text)
{
    uint32_t code_point;

    while (text_next(&text, false, &code_point)) {
        add_markdown_code_point(out, code_point, *text);
    }
}

/* "_" between two letters or digits emphasises nothing: NOT_REPRODUCED stays readable. */
static bool is_within_word(const struct buf *out, char next)
{
    return out->length && out->bytes[out->length - 1] != ' ' && next != ' ' &&
           is_letter_digit_or_space((unsigned char)out->bytes[out->length - 1]) &&
           is_letter_digit_or_space((unsigned char)next);
}

void text_add_markdown_sentence(struct buf *out, const char *text)
{
    uint32_t code_point;
    bool is_foreign = false;

    while (text_next(&text, true, &code_point)) {
        if (code_point == TEXT_ISOLATE || code_point == TEXT_ISOLATE_POP) {
            is_foreign = code_point == TEXT_ISOLATE;
        } else if (!is_foreign && code_point == '_' && is_within_word(out, *text)) {
            buf_add_char(out, '_');
        } else if (is_foreign || (code_point < 0x80 && strchr("<>&|*_`#\\~", (int)code_point))) {
            add_markdown_code_point(out, code_point, *text);
        } else {
            text_add_code_point(out, code_point);
        }
    }
}

void text_add_sentence(struct buf *out, const char *text)
{
    uint32_t code_point;

    while (text_next(&text, true, &code_point)) {
        if (code_point != TEXT_ISOLATE && code_point != TEXT_ISOLATE_POP) {
            text_add_code_point(out, code_point);
        }
    }
}

/* A field may have lines and tabs; what else would steer a terminal that shows the file may not. */
static bool is_control_for_csv(uint32_t code_point)
{
    return code_point == TEXT_INVALID || code_point == 0x7F ||
           (code_point < ' ' && code_point != '\t' && code_point != '\n' && code_point != '\r') ||
           (code_point >= 0x80 && code_point < 0xA0);
}

void text_add_csv(struct buf *out, const char *text)
{
    bool is_formula = *text && strchr("=+-@\t\r", *text);
    bool is_quoted = strpbrk(text, ",\"\r\n") || *text == ' ' || (is_formula && *text == '\t');
    size_t left = strlen(text);

    if (is_quoted) {
        buf_add_char(out, '"');
    }
    if (is_formula) {
        buf_add_char(out, '\'');
    }
    while (left > 0) {
        uint32_t code_point;
        size_t step = text_decode(text, left, &code_point);

        if (code_point == '"') {
            buf_add_char(out, '"');
        }
        text_add_code_point(out, is_control_for_csv(code_point) ? TEXT_REPLACEMENT : code_point);
        text += step;
        left -= step;
    }
    if (is_quoted) {
        buf_add_char(out, '"');
    }
}

void text_add_gnuplot(struct buf *out, const char *text, size_t column_count)
{
    struct buf cut;

    buf_init(&cut, out->limit_bytes);
    text_add_cut(&cut, text, column_count, column_count); /* gnuplot takes each for a column */
    buf_add_char(out, '\'');
    for (size_t i = 0; i < cut.length; i++) {
        if (cut.bytes[i] == '\'') {
            buf_add_text(out, "' . \"\\047\" . '");
        } else {
            buf_add_char(out, cut.bytes[i]);
        }
    }
    buf_add_char(out, '\'');
    out->failed = out->failed || cut.failed;
    buf_release(&cut);
}
