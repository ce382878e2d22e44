// SPDX-License-Identifier: Apache-2.0
// A catalogue: PO text becomes sorted pairs.
#include "report/render/catalogue.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/asset.h"
#include "engines/base/buf.h"
#include "report/render/text_safe.h"

#define TEXT_BYTES_MAX       ((size_t)1 << 20)
#define CONVERSION_COUNT_MAX 16
#define CONVERSION_BYTES     12

struct entry {
    char *key, *text;
    bool is_format;
};

struct catalogue {
    struct entry *entries;
    size_t count, capacity;
};

const char *catalogue_name(const char *language)
{
    static const char *const names[] = {CATALOGUE_ENGLISH, "pt-BR"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        size_t at = 0;

        while (names[i][at] && (tolower((unsigned char)language[at]) == tolower(names[i][at]) ||
                                (names[i][at] == '-' && language[at] == '_'))) {
            at++;
        }
        if (!names[i][at] && !language[at]) {
            return names[i];
        }
    }
    return NULL;
}

void catalogue_free(struct catalogue *catalogue)
{
    for (size_t i = 0; catalogue && i < catalogue->count; i++) {
        free(catalogue->entries[i].key);
        free(catalogue->entries[i].text);
    }
    if (catalogue) {
        free(catalogue->entries);
    }
    free(catalogue);
}

/* --- conversions of a format --------------------------------------------------------------------
 */

struct conversions {
    char items[CONVERSION_COUNT_MAX][CONVERSION_BYTES]; /* "lld", "s": without flags and widths */
    size_t count;
    bool is_sound;
};

/* Reads the conversion after '%' into its place; returns what follows it. */
static const char *take_conversion(const char *at, struct conversions *all)
{
    size_t index = all->count, used = 0, digits = strspn(at, "0123456789");
    char name[CONVERSION_BYTES];

    if (digits > 0 && at[digits] == '$') {
        index = strtoul(at, NULL, 10) - 1;
        at += digits + 1;
    }
    at += strspn(at, "-+ #0123456789.");
    while (*at && strchr("hlzjt", *at) && used + 2 < sizeof(name)) {
        name[used++] = *at++;
    }
    all->is_sound = all->is_sound && *at && strchr("diufgsxc", *at) && index < CONVERSION_COUNT_MAX;
    if (!all->is_sound) {
        return at;
    }
    name[used++] = *at++;
    name[used] = '\0';
    memcpy(all->items[index], name, used + 1);
    all->count++;
    return at;
}

static struct conversions read_conversions(const char *text)
{
    struct conversions all = {.is_sound = true};

    for (const char *at = text; (at = strchr(at, '%')) != NULL && all.is_sound;) {
        at++;
        if (*at == '%') {
            at++;
        } else {
            at = take_conversion(at, &all);
        }
    }
    return all;
}

static bool conversions_agree(const char *key, const char *text)
{
    const struct conversions want = read_conversions(key), have = read_conversions(text);

    if (!want.is_sound || !have.is_sound || want.count != have.count) {
        return false;
    }
    for (size_t i = 0; i < want.count; i++) {
        if (strcmp(want.items[i], have.items[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* --- reading ------------------------------------------------------------------------------------
 */

struct po_reader {
    struct catalogue *catalogue;
    struct buf key, text;
    struct buf *current;                      /* where a line in quotes goes on; NULL: nowhere */
    bool has_text, is_format, next_is_format; /* by the mark above the entry */
    size_t line_number;
    struct err *e;
};

static enum err_code po_refuse(struct po_reader *reader, const char *what)
{
    return err_set(reader->e, ERR_FORMAT, "the catalogue, line %zu: %s", reader->line_number, what);
}

/* What stands between the quotes of a line. */
static enum err_code add_quoted(struct po_reader *reader, const char *at, const char *end)
{
    static const char escapes[] = "ntr\"\\", meanings[] = "\n\t\r\"\\";

    if (!reader->current || at >= end || *at != '"' || end - at < 2 || end[-1] != '"') {
        return po_refuse(reader, "a text in quotes is wanted");
    }
    for (at++, end--; at < end; at++) {
        const char *escape = *at == '\\' && at + 1 < end && at[1] ? strchr(escapes, at[1]) : NULL;

        if (*at == '"' || *at == '\0' || (*at == '\\' && !escape)) {
            return po_refuse(reader, "an unknown escape, or a quote that is not escaped");
        }
        buf_add_char(reader->current, escape ? meanings[escape - escapes] : *at);
        at += escape != NULL;
    }
    return ERR_OK;
}

static enum err_code grow(struct po_reader *reader)
{
    struct catalogue *catalogue = reader->catalogue;
    size_t capacity = catalogue->capacity ? 2 * catalogue->capacity : 256;
    struct entry *entries;

    if (catalogue->count < catalogue->capacity) {
        return ERR_OK;
    }
    entries = reallocarray(catalogue->entries, capacity, sizeof(*entries));
    if (!entries) {
        return err_set(reader->e, ERR_LIMIT, "no memory for the catalogue");
    }
    catalogue->entries = entries;
    catalogue->capacity = capacity;
    return ERR_OK;
}

/* The entry that was read is whole. An empty translation is none. */
static enum err_code end_entry(struct po_reader *reader)
{
    struct catalogue *catalogue = reader->catalogue;

    if (reader->has_text && reader->key.length > 0 && reader->text.length > 0) {
        if (reader->is_format && !conversions_agree(reader->key.bytes, reader->text.bytes)) {
            return po_refuse(reader, "the conversions of this translation are not its key's");
        }
        if (!text_is_utf8(reader->text.bytes, reader->text.length)) {
            return po_refuse(reader, "a translation is no UTF-8");
        }
        if (grow(reader) != ERR_OK) {
            return ERR_LIMIT;
        }
        struct entry entry = {strdup(reader->key.bytes), strdup(reader->text.bytes),
                              reader->is_format};
        if (!entry.key || !entry.text) {
            free(entry.key);
            free(entry.text);
            return err_set(reader->e, ERR_LIMIT, "no memory for the catalogue");
        }
        catalogue->entries[catalogue->count++] = entry;
    }
    buf_clear(&reader->key);
    buf_clear(&reader->text);
    reader->has_text = false;
    reader->current = NULL;
    return ERR_OK;
}

static enum err_code read_line(struct po_reader *reader, const char *at, const char *end)
{
    enum err_code code = ERR_OK;

    if (at == end || *at == '#') {
        reader->next_is_format =
            reader->next_is_format || (end - at > 2 && at[1] == ',' &&
                                       memmem(at, (size_t)(end - at), " c-format", 9) != NULL);
        return ERR_OK;
    }
    if (end - at > 6 && memcmp(at, "msgid ", 6) == 0) {
        code = end_entry(reader);
        reader->current = &reader->key;
        reader->is_format = reader->next_is_format;
        reader->next_is_format = false;
        at += 6;
    } else if (end - at > 7 && memcmp(at, "msgstr ", 7) == 0) {
        if (reader->current != &reader->key) {
            return po_refuse(reader, "msgstr without msgid");
        }
        reader->current = &reader->text;
        reader->has_text = true;
        at += 7;
    }
    return code == ERR_OK ? add_quoted(reader, at, end) : code;
}

static int entry_compare(const void *left, const void *right)
{
    return strcmp(((const struct entry *)left)->key, ((const struct entry *)right)->key);
}

static enum err_code finish(struct po_reader *reader)
{
    struct catalogue *catalogue = reader->catalogue;

    if (buf_check(&reader->key, "a text", reader->e) != ERR_OK ||
        buf_check(&reader->text, "a text", reader->e) != ERR_OK) {
        return ERR_LIMIT;
    }
    if (end_entry(reader) != ERR_OK) {
        return reader->e->code;
    }
    if (catalogue->count > 0) {
        qsort(catalogue->entries, catalogue->count, sizeof(*catalogue->entries), entry_compare);
    }
    for (size_t i = 1; i < catalogue->count; i++) {
        if (entry_compare(&catalogue->entries[i - 1], &catalogue->entries[i]) == 0) {
            return err_set(reader->e, ERR_FORMAT, "the catalogue has two entries of \"%.60s\"",
                           catalogue->entries[i].key);
        }
    }
    return ERR_OK;
}

enum err_code catalogue_parse(const char *text, size_t length, struct catalogue **catalogue_out,
                              struct err *e)
{
    struct err own;
    struct po_reader reader = {.catalogue = calloc(1, sizeof(struct catalogue)), .e = e ? e : &own};
    enum err_code code = ERR_OK;

    if (!reader.catalogue) {
        return err_set(e, ERR_LIMIT, "no memory for the catalogue");
    }
    buf_init(&reader.key, TEXT_BYTES_MAX);
    buf_init(&reader.text, TEXT_BYTES_MAX);
    for (size_t at = 0; at < length && code == ERR_OK;) {
        const char *feed = memchr(text + at, '\n', length - at);
        size_t end = feed ? (size_t)(feed - text) : length;

        reader.line_number++;
        code = read_line(&reader, text + at, text + end);
        at = end + 1;
    }
    if (code == ERR_OK) {
        code = finish(&reader);
    }
    buf_release(&reader.key);
    buf_release(&reader.text);
    if (code != ERR_OK) {
        catalogue_free(reader.catalogue);
        return code;
    }
    *catalogue_out = reader.catalogue;
    return ERR_OK;
}

enum err_code catalogue_open(const char *language, struct catalogue **catalogue_out, struct err *e)
{
    char name[64];

    snprintf(name, sizeof(name), "report/render/templates/%.20s.po", language);
    const struct asset *asset = asset_find(name);
    if (!asset) {
        return err_set(e, ERR_FORMAT, "there is no report in the language %.20s", language);
    }
    return catalogue_parse(asset->bytes, asset->length, catalogue_out, e);
}

const char *catalogue_find(const struct catalogue *catalogue, const char *key, bool is_format)
{
    struct entry wanted = {.key = (char *)(uintptr_t)key};

    if (catalogue->count == 0) {
        return NULL;
    }
    const struct entry *found = bsearch(&wanted, catalogue->entries, catalogue->count,
                                        sizeof(*catalogue->entries), entry_compare);
    return found && found->is_format == is_format ? found->text : NULL;
}

size_t catalogue_count(const struct catalogue *catalogue)
{
    return catalogue->count;
}
