// SPDX-License-Identifier: Apache-2.0
// A document in its language, and its numbers as pages set them.
#include "report/render/document_language.h"

#include <string.h>

#include "report/render/number.h"
#include "report/render/text_safe.h"

enum err_code document_set_language(struct document *document, const char *language, struct err *e)
{
    if (strcmp(language, CATALOGUE_ENGLISH) == 0) {
        return ERR_OK;
    }
    enum err_code code = catalogue_open(language, &document->catalogue, e);
    if (code == ERR_OK) {
        document->language = document_keep(document, language, strlen(language));
    }
    return code;
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Two letters in a row that are no part of a conversion: "%zu of %zu" has, "%s%s: %lld" has not. */
static bool has_words(const char *text, bool is_format)
{
    if (strchr(text, '_') && !strchr(text, ' ')) {
        return false; /* an identifier */
    }
    for (const char *at = text; *at; at++) {
        if (is_format && *at == '%') {
            at++;
            at += strspn(at, "-+ #0123456789.$hlzjt");
            if (!*at) {
                return false;
            }
        } else if (is_letter(at[0]) && is_letter(at[1])) {
            return true;
        }
    }
    return false;
}

static void add_missing(struct document *document, const char *key, bool is_format)
{
    buf_addf(&document->missing, "%s%s\n", is_format ? "format: " : "", key);
}

const char *document_find_format(struct document *document, const char *format)
{
    const char *own =
        document->catalogue ? catalogue_find(document->catalogue, format, true) : NULL;

    if (document->catalogue && !own && has_words(format, true)) {
        add_missing(document, format, true);
    }
    return own ? own : format;
}

const char *document_label(const struct document *document, const char *text)
{
    const char *own = document->catalogue ? catalogue_find(document->catalogue, text, false) : NULL;

    return own ? own : text;
}

const char *document_tr(struct document *document, const char *text)
{
    const char *own = document_label(document, text);

    if (document->catalogue && own == text && has_words(text, false)) {
        add_missing(document, text, false);
    }
    return own == text ? text : document_keep(document, own, strlen(own));
}

const char *document_word(struct document *document, const char *word)
{
    const char *own =
        document->catalogue && word ? catalogue_find(document->catalogue, word, false) : NULL;

    return own ? document_keep(document, own, strlen(own)) : document_name(document, word);
}

/* --- numbers ------------------------------------------------------------------------------------
 */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "1.5" but not "1.5.2" and not "v1.5": a point that parts a number of ours. */
static bool is_decimal_point(const char *start, const char *at)
{
    const char *left = at, *right = at + 1;

    if (at == start || !is_digit(at[-1]) || !is_digit(at[1])) {
        return false;
    }
    while (left > start && is_digit(left[-1])) {
        left--;
    }
    right += strspn(right, "0123456789");
    return !(left > start && left[-1] == '.') && !(*right == '.' && is_digit(right[1])) &&
           !(left > start && is_letter(left[-1]) && left[-1] != 'p');
}

/* The ", " between the bounds of "[1.5, 2.5]". */
static bool is_bound_comma(const char *start, const char *at)
{
    const char *open = at;

    while (open > start && (is_digit(open[-1]) ||
                            strchr(".-\xe2\x80\xaf\x88\x92", open[-1]))) { /* U+202F, U+2212 */
        open--;
    }
    return at[1] == ' ' && open > start && open[-1] == '[' && open < at;
}

/* TEXT_ISOLATE and TEXT_ISOLATE_POP in UTF-8 are e2 81 a8 and e2 81 a9. */
static bool is_mark(const char *at, char last)
{
    return at[0] == '\xe2' && at[1] == '\x81' && at[2] == last;
}

/* The space of "3 %" or "1.5 ms": a line may not end there. */
static bool is_unit_space(const char *start, const char *at)
{
    static const char *const units[] = {"%", "ms", "s", "us", "\xc2\xb5s", "KiB", "MiB", "GiB"};

    for (size_t i = 0; at > start && is_digit(at[-1]) && i < ARRAY_COUNT(units); i++) {
        size_t length = strlen(units[i]);

        if (strncmp(at + 1, units[i], length) == 0 && !is_letter(at[1 + length])) {
            return true;
        }
    }
    return false;
}

/* NUMBER_NONE as a word of its own. */
static bool is_none(const char *start, const char *at)
{
    size_t length = strlen(NUMBER_NONE);

    return strncmp(at, NUMBER_NONE, length) == 0 && !is_letter(at[length]) &&
           (at == start || !is_letter(at[-1]));
}

/* A sign of ours at `at`, as the document's language has it; returns how many bytes it stood for.
 */
static size_t add_sign(struct document *document, const char *start, const char *at)
{
    struct buf *out = &document->scratch;

    if (*at == ' ' && is_unit_space(start, at)) {
        buf_add_text(out, "\xc2\xa0");
    } else if (document->catalogue && *at == '.' && is_decimal_point(start, at)) {
        buf_add_char(out, ',');
    } else if (document->catalogue && *at == ',' && is_bound_comma(start, at)) {
        buf_add_char(out, ';');
    } else if (document->catalogue && is_none(start, at)) {
        buf_add_text(out, document_label(document, NUMBER_NONE));
        return strlen(NUMBER_NONE);
    } else {
        buf_add_char(out, *at);
    }
    return 1;
}

/* Numbers of ours with their units, with a decimal comma where the language has one; what is marked
 * as foreign stays as it is. */
static const char *typeset(struct document *document, const char *text)
{
    struct buf *out = &document->scratch;
    bool is_foreign = false;

    if (!strpbrk(text, " ./")) {
        return text;
    }
    buf_clear(out);
    for (const char *at = text; *at;) {
        if (is_mark(at, '\xa8') || is_mark(at, '\xa9')) {
            is_foreign = is_mark(at, '\xa8');
        }
        if (is_foreign) {
            buf_add_char(out, *at++);
        } else {
            at += add_sign(document, text, at);
        }
    }
    document->failed = document->failed || out->failed;
    return out->failed || strcmp(out->bytes, text) == 0
               ? text
               : document_keep(document, out->bytes, out->length);
}

/* --- the whole document -------------------------------------------------------------------------
 */

static const char *translate(struct document *document, const char *text)
{
    if (!text) {
        return NULL;
    }
    bool is_key = document->catalogue && !document_owns(document, text);

    return typeset(document, is_key ? document_tr(document, text) : text);
}

/* Of a column that has no value in any row a page shows nothing; the first names the rows. */
static void hide_unknown(const struct document_table *table, struct document_column *columns)
{
    for (size_t k = 1; k < table->column_count && table->row_count > 0; k++) {
        size_t i = 0;

        while (i < table->row_count && table->rows[i][k].kind == DOCUMENT_CELL_NONE) {
            i++;
        }
        if (i == table->row_count) {
            columns[k].views = 0;
        }
    }
}

static void finish_columns(struct document *document, struct document_table *table)
{
    struct document_column *columns =
        document_allocate(document, table->column_count * sizeof(*columns));

    if (!columns) {
        return;
    }
    memcpy(columns, table->columns, table->column_count * sizeof(*columns));
    hide_unknown(table, columns);
    for (size_t i = 0; document->catalogue && i < table->column_count; i++) {
        columns[i].has_comma = true;
        columns[i].none = document_label(document, NUMBER_NONE);
        if (columns[i].views) {
            columns[i].heading = translate(document, columns[i].heading);
        }
    }
    table->columns = columns;
}

/* Sentences of ours that only pages show: other cells are for programs as well. */
static bool is_for_pages(const struct document *document, const struct document_table *table,
                         const struct document_column *column)
{
    return column->views && (document->catalogue || table->is_list);
}

static void translate_table(struct document *document, struct document_table *table)
{
    if (table->is_translated || table->is_files) {
        return;
    }
    table->is_translated = true;
    table->caption = translate(document, table->caption);
    table->note = translate(document, table->note);
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t k = 0; k < table->column_count; k++) {
            struct document_cell *cell = &table->rows[i][k];

            if (cell->kind == DOCUMENT_CELL_TEXT && cell->is_sentence && !cell->is_translated &&
                is_for_pages(document, table, &table->columns[k])) {
                cell->text = translate(document, cell->text);
                cell->is_translated = true; /* two tables may share their rows */
            }
        }
    }
    finish_columns(document, table);
}

static void translate_section(struct document *document, struct document_section *section)
{
    section->title = translate(document, section->title);
    for (struct document_block *block = section->first; block; block = block->next) {
        if (block->kind != DOCUMENT_CODE) {
            block->text = translate(document, block->text);
        }
        block->folded = translate(document, block->folded);
        if (block->table) {
            translate_table(document, block->table);
        }
        if (block->figure) {
            block->figure->caption = translate(document, block->figure->caption);
            block->figure->alternative = translate(document, block->figure->alternative);
            translate_table(document, block->figure->table);
        }
    }
}

void document_finish(struct document *document)
{
    document->word = document_owns(document, document->word)
                         ? document->word
                         : document_tr(document, document->word);
    document->remark = translate(document, document->remark);
    translate_section(document, &document->lead);
    for (struct document_section *section = document->first; section; section = section->next) {
        translate_section(document, section);
    }
}
