// SPDX-License-Identifier: Apache-2.0
// Reads a picture as XML, strictly, and writes it again with a neutral description and ids of its
// own.
#include "report/plot/plot_svg.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/svg_compact.h"
#include "report/render/text_safe.h"

#define DEPTH_MAX      64
#define NAME_BYTES_MAX 64

struct span {
    const char *start;
    size_t length;
};

struct reader {
    const char *start, *at, *end;
    struct buf *out;
    const char *name;
    struct span open[DEPTH_MAX];
    size_t begins[DEPTH_MAX], content_begins[DEPTH_MAX]; /* of the open elements, in `out` */
    size_t depth;
    size_t element_count, id_count;
    bool in_description;
    struct svg_marks marks;
    struct err *e;
};

static enum err_code refuse(struct reader *reader, const char *what)
{
    return err_set(reader->e, ERR_FORMAT, "picture %s: %s at byte %zu", reader->name, what,
                   (size_t)(reader->at - reader->start));
}

static bool starts_with(const struct reader *reader, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

static bool span_is(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.start, text, span.length) == 0;
}

static void take(struct reader *reader, size_t count)
{
    if (!reader->in_description) {
        buf_add(reader->out, reader->at, count);
    }
    reader->at += count;
}

/* Copies up to and with `mark`. */
static enum err_code take_through(struct reader *reader, const char *mark)
{
    const char *found = memmem(reader->at, (size_t)(reader->end - reader->at), mark, strlen(mark));

    if (!found) {
        return refuse(reader, "something that does not end");
    }
    take(reader, (size_t)(found - reader->at) + strlen(mark));
    return ERR_OK;
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == ':' || byte == '.';
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at)) {
        if (*reader->at == '\0') {
            return;
        }
        take(reader, 1);
    }
}

static enum err_code read_name(struct reader *reader, struct span *name_out)
{
    size_t length = 0;

    while (reader->at + length < reader->end && is_name_byte(reader->at[length])) {
        length++;
    }
    if (length == 0 || length > NAME_BYTES_MAX) {
        return refuse(reader, "no name where one belongs");
    }
    *name_out = (struct span){reader->at, length};
    take(reader, length);
    return ERR_OK;
}

/* "&amp;" or "&#38;" at the reader: nothing else is defined in a picture without a DTD. */
static enum err_code check_entity(struct reader *reader, const char *end)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};

    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (starts_with(reader, known[i])) {
            return ERR_OK;
        }
    }
    if (end - reader->at < 4 || reader->at[1] != '#') {
        return refuse(reader, "an unknown entity");
    }
    const char *at = reader->at + 2;
    while (at < end && at - reader->at < 9 && *at >= '0' && *at <= '9') {
        at++;
    }
    if (at == reader->at + 2 || at >= end || *at != ';') {
        return refuse(reader, "an unknown entity");
    }
    return ERR_OK;
}

/* The '>' of "]]>", which XML does not have in text and gnuplot writes as it came. */
static bool ends_cdata(const struct reader *reader)
{
    return reader->at - reader->start >= 2 && memcmp(reader->at - 2, "]]>", 3) == 0;
}

static void take_escaped(struct reader *reader)
{
    if (!reader->in_description) {
        buf_add_text(reader->out, "&gt;");
    }
    reader->at++;
}

/* Characters up to `end`: valid, allowed in XML, no '<'. */
static enum err_code take_characters(struct reader *reader, const char *end)
{
    while (reader->at < end) {
        uint32_t code_point;
        size_t step = text_decode(reader->at, (size_t)(end - reader->at), &code_point);

        if (code_point == TEXT_INVALID || code_point == '<' ||
            (code_point < ' ' &&
             !(code_point == '\t' || code_point == '\n' || code_point == '\r')) ||
            code_point == 0xFFFE || code_point == 0xFFFF) {
            return refuse(reader, "a character that may not stand there");
        }
        if (code_point == '&' && check_entity(reader, end) != ERR_OK) {
            return ERR_FORMAT;
        }
        if (code_point == '>' && ends_cdata(reader)) {
            take_escaped(reader);
        } else {
            take(reader, step);
        }
    }
    return ERR_OK;
}

/* An id that no other element of this picture has, whatever gnuplot called it. */
static enum err_code write_id(struct reader *reader, const char *end)
{
    struct span id = {reader->at, (size_t)(end - reader->at)};

    for (size_t i = 0; i < id.length; i++) {
        if (!is_name_byte(id.start[i])) {
            return refuse(reader, "an id that is no name");
        }
    }
    /* What is referred to (gpPt3, gpDot, patterns) keeps its name: it is defined once. */
    if (id.length > 2 && memcmp(id.start, "gp", 2) == 0 && !memmem(id.start, id.length, "_", 1)) {
        take(reader, id.length);
        return ERR_OK;
    }
    buf_addf(reader->out, "%s-%zu", reader->name, ++reader->id_count);
    reader->at = end;
    return ERR_OK;
}

static void skip_blanks_unseen(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t')) {
        reader->at++;
    }
}

/* gnuplot says with every group what SVG takes for granted. */
static bool is_default(struct span name, const char *value, size_t length)
{
    struct span given = {value, length};

    return (span_is(name, "stroke-linecap") && span_is(given, "butt")) ||
           (span_is(name, "stroke-linejoin") && span_is(given, "miter"));
}

static enum err_code read_attribute(struct reader *reader)
{
    size_t begin = reader->out->length;
    struct span name;

    if (read_name(reader, &name) != ERR_OK) {
        return ERR_FORMAT;
    }
    skip_blanks(reader);
    if (!starts_with(reader, "=")) {
        return refuse(reader, "an attribute without a value");
    }
    take(reader, 1);
    skip_blanks(reader);
    if (reader->at >= reader->end || (*reader->at != '"' && *reader->at != '\'')) {
        return refuse(reader, "an attribute value without quotes");
    }
    const char *close = memchr(reader->at + 1, *reader->at, (size_t)(reader->end - reader->at) - 1);
    if (!close) {
        return refuse(reader, "an attribute that does not end");
    }
    if (name.length > 2 && memcmp(name.start, "on", 2) == 0) {
        return refuse(reader, "an event handler");
    }
    take(reader, 1);
    const char *value = reader->at;
    size_t value_begin = reader->out->length;
    enum err_code code =
        span_is(name, "id") ? write_id(reader, close) : take_characters(reader, close);
    if (code == ERR_OK) {
        svg_compact_value(reader->out, value_begin, span_is(name, "d"));
        bool drop = is_default(name, value, (size_t)(close - value));

        take(reader, 1);
        if (drop && !reader->out->failed) {
            reader->out->length = begin;
            reader->out->bytes[begin] = '\0';
            skip_blanks_unseen(reader);
        }
    }
    return code;
}

/* What stood behind a group that is gone. */
static void skip_line_end(struct reader *reader)
{
    if (starts_with(reader, "\n")) {
        reader->at++;
    }
}

/* gnuplot opens a group whenever the pen changes, most of them for nothing: half of a picture. */
static bool is_empty_group(const struct reader *reader)
{
    const char *bytes = reader->out->bytes;
    size_t begin = reader->content_begins[reader->depth - 1];

    if (!span_is(reader->open[reader->depth - 1], "g") || reader->out->failed) {
        return false;
    }
    for (size_t i = begin; i < reader->out->length; i++) {
        if (!strchr(" \t\r\n", bytes[i])) {
            return false;
        }
    }
    return true;
}

static enum err_code close_element(struct reader *reader)
{
    bool is_empty = reader->depth > 0 && is_empty_group(reader);
    struct span name;

    take(reader, 2);
    if (read_name(reader, &name) != ERR_OK) {
        return ERR_FORMAT;
    }
    skip_blanks(reader);
    if (!starts_with(reader, ">") || reader->depth == 0 ||
        reader->open[reader->depth - 1].length != name.length ||
        memcmp(reader->open[reader->depth - 1].start, name.start, name.length) != 0) {
        return refuse(reader, "an end without its beginning");
    }
    take(reader, 1);
    reader->depth--;
    if (is_empty) {
        reader->out->length = reader->begins[reader->depth];
        reader->out->bytes[reader->out->length] = '\0';
        skip_line_end(reader);
    }
    return ERR_OK;
}

/* <desc> says which gnuplot it was: the same picture by another patch level is the same. <title> of
 * a curve is its line of the script, which browsers show under the pointer. */
static enum err_code drop_description(struct reader *reader, const char *end)
{
    enum err_code code;

    reader->in_description = true;
    code = take_through(reader, end);
    reader->in_description = false;
    return code;
}

static enum err_code open_element(struct reader *reader)
{
    size_t begin = reader->out->length;
    struct span name;

    take(reader, 1);
    if (read_name(reader, &name) != ERR_OK) {
        return ERR_FORMAT;
    }
    if (span_is(name, "script") || span_is(name, "foreignObject")) {
        return refuse(reader, "a script");
    }
    if (reader->depth == 0 && (reader->element_count > 0 || !span_is(name, "svg"))) {
        return refuse(reader, "a root that is not one svg element");
    }
    reader->element_count++;
    for (;;) {
        skip_blanks(reader);
        if (starts_with(reader, "/>")) {
            take(reader, 2);
            if (span_is(name, "use")) {
                svg_marks_add(&reader->marks, reader->out, begin);
            }
            return ERR_OK;
        }
        if (starts_with(reader, ">")) {
            break;
        }
        if (read_attribute(reader) != ERR_OK) {
            return ERR_FORMAT;
        }
    }
    if (reader->depth == DEPTH_MAX) {
        return refuse(reader, "elements nested too deep");
    }
    take(reader, 1);
    reader->begins[reader->depth] = begin;
    reader->content_begins[reader->depth] = reader->out->length;
    reader->open[reader->depth++] = name;
    return ERR_OK;
}

/* Blanks between elements, but for those that are part of a text. */
static bool is_layout(const struct reader *reader, const char *end)
{
    const char *at = reader->at;

    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        at++;
    }
    return at == end &&
           (reader->depth == 0 || (!span_is(reader->open[reader->depth - 1], "text") &&
                                   !span_is(reader->open[reader->depth - 1], "tspan")));
}

/* Up to the next tag. */
static enum err_code read_text(struct reader *reader)
{
    const char *next = memchr(reader->at, '<', (size_t)(reader->end - reader->at));
    const char *end = next ? next : reader->end;

    if (!is_layout(reader, end)) {
        svg_marks_end(&reader->marks, reader->out);
        return take_characters(reader, end);
    }
    if (memchr(reader->at, '\n', (size_t)(end - reader->at))) {
        buf_add_char(reader->out, '\n');
    }
    reader->at = end;
    return ERR_OK;
}

static enum err_code read_item(struct reader *reader)
{
    if (*reader->at == '<' && !starts_with(reader, "<use ")) {
        svg_marks_end(&reader->marks, reader->out);
    }
    if (starts_with(reader, "<!--")) {
        return take_through(reader, "-->");
    }
    if (starts_with(reader, "<?xml ") && reader->at == reader->start) {
        return take_through(reader, "?>");
    }
    if (starts_with(reader, "<!DOCTYPE ") && reader->element_count == 0) {
        return take_through(reader, ">");
    }
    if (starts_with(reader, "</")) {
        return close_element(reader);
    }
    if (starts_with(reader, "<desc>")) {
        return drop_description(reader, "</desc>");
    }
    if (starts_with(reader, "<title>") && reader->depth > 1) {
        return drop_description(reader, "</title>");
    }
    if (*reader->at == '<') {
        return open_element(reader);
    }
    return read_text(reader);
}

enum err_code plot_svg_finish(const char *bytes, size_t length, const char *name, struct buf *out,
                              struct err *e)
{
    struct err own;
    struct reader reader = {.start = bytes, .at = bytes, .end = bytes + length};

    reader.out = out;
    reader.name = name;
    reader.e = e ? e : &own;
    while (reader.at < reader.end) {
        if (read_item(&reader) != ERR_OK) {
            return ERR_FORMAT;
        }
    }
    if (reader.depth != 0 || reader.element_count == 0) {
        return refuse(&reader, "an end before all elements ended");
    }
    return buf_check(out, "a picture", reader.e);
}
